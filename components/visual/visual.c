/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The base class of components that only draw. */
#include "components/visual/visual.h"

static const SofaField fields[] = {
    SOFA_VISUAL_FIELD(SofaVisual, enable, "enable", "1", "draw it", .aliases = NULL),
};

const SofaClass sofa_visual_class = {
    .name = "VisualModel",
    .module = "csofa",
    .category = "VisualModel",
    .help = "Something to see that takes no part in a simulation.",
    .base = &sofa_object_class,
    .size = sizeof(SofaVisual),
    .fields = fields,
    .n_fields = sizeof fields / sizeof *fields,
    .abstract = true,
};
