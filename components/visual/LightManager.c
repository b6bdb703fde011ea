/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* LightManager: lights the scene with its lights instead of the view's own. */
#include "components/visual/light.h"

typedef LightManager SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_DISPLAY(shadows, "shadows", "0", "lights cast shadows"),
    SOFA_ROW_DISPLAY(soft_shadows, "softShadows", "0",
                     "soft shadows of all lights; 0: only of lights with soft shadows on"),
    SOFA_ROW_DISPLAY(ambient, "ambient", "0 0 0 1", "ambient light"),
    SOFA_ROW_DISPLAY(debug, "debugDraw", "0", "draw the shadow maps, in the lower left corner"),
};

SOFA_CLASS(LightManager) = {
    SOFA_NAMED(LightManager),
    .module = "Sofa.GL.Component.Shader",
    .category = "VisualModel",
    .help = "Lights the scene with the lights in it, and with nothing else.",
    .base = &sofa_visual_class,
    SOFA_FIELDS(fields),
};
