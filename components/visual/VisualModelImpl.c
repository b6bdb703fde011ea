/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* VisualModelImpl: OglModel under the name of its base. */
#include "components/visual/OglModel.h"

static const char *const templates[] = {"Vec3d", NULL};

SOFA_CLASS(VisualModelImpl) = {
    .name = "VisualModelImpl",
    .module = "Sofa.Component.Visual",
    .category = "VisualModel",
    .help = "A surface to draw, as OglModel.",
    .base = &sofa_OglModel_class,
    .divided = SOFA_DIVIDED_NEUTRAL,
    .size = sizeof(OglModel),
    .templates = templates,
};
