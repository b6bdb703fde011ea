/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SpotLight: a cone of light from a point. */
#include "components/visual/light.h"

typedef SpotLight SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_DISPLAY(direction, "direction", "0 0 -1",
                     "direction of the light, or the point it is aimed at"),
    SOFA_ROW_DISPLAY(cutoff, "cutoff", "30", "half angle of the cone, degrees"),
    SOFA_ROW_DISPLAY(exponent, "exponent", "1", "how fast it fades towards the side"),
    SOFA_ROW_DISPLAY(look_at, "lookat", "0", "direction is a point"),
};

SOFA_CLASS(SpotLight) = {
    SOFA_NAMED(SpotLight),
    .module = "Sofa.GL.Component.Shader",
    .category = "VisualModel",
    .help = "A cone of light from a point. Needs a LightManager.",
    .base = &sofa_PositionalLight_class,
    SOFA_FIELDS(fields),
};
