/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DirectionalLight: light from far away. */
#include "components/visual/light.h"

typedef DirectionalLight SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_DISPLAY(direction, "direction", "0 0 -1", "direction of the light"),
};

SOFA_CLASS(DirectionalLight) = {
    SOFA_NAMED(DirectionalLight), .module = "Sofa.GL.Component.Shader",
    .category = "VisualModel",    .help = "Light from far away. Needs a LightManager.",
    .base = &sofa_light_class,    SOFA_FIELDS(fields),
};
