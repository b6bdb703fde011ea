/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* LightManager: lights the scene with its lights instead of the view's own. */
#include "components/visual/light.h"

#define ROW(member, xml, def, help_text)                                                           \
  SOFA_VISUAL_FIELD(LightManager, member, xml, def, help_text, .aliases = NULL)

static const SofaField fields[] = {
    ROW(shadows, "shadows", "0", "lights cast shadows"),
    ROW(soft_shadows, "softShadows", "0",
        "soft shadows of all lights; 0: only of lights with soft shadows on"),
    ROW(ambient, "ambient", "0 0 0 1", "ambient light"),
    ROW(debug, "debugDraw", "0", "draw the shadow maps, in the lower left corner"),
};

SOFA_CLASS(LightManager) = {
    SOFA_NAMED(LightManager),
    .module = "Sofa.GL.Component.Shader",
    .category = "VisualModel",
    .help = "Lights the scene with the lights in it, and with nothing else.",
    .base = &sofa_visual_class,
    SOFA_FIELDS(fields),
};
