/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SpotLight: a cone of light from a point. */
#include "components/visual/light.h"

#define ROW(member, xml, def, help_text)                                                           \
  SOFA_VISUAL_FIELD(SpotLight, member, xml, def, help_text, .aliases = NULL)

static const SofaField fields[] = {
    ROW(direction, "direction", "0 0 -1", "direction of the light, or the point it is aimed at"),
    ROW(cutoff, "cutoff", "30", "half angle of the cone, degrees"),
    ROW(exponent, "exponent", "1", "how fast it fades towards the side"),
    ROW(look_at, "lookat", "0", "direction is a point"),
};

SOFA_CLASS(SpotLight) = {
    SOFA_NAMED(SpotLight),
    .module = "Sofa.GL.Component.Shader",
    .category = "VisualModel",
    .help = "A cone of light from a point. Needs a LightManager.",
    .base = &sofa_PositionalLight_class,
    SOFA_FIELDS(fields),
};
