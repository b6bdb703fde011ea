/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DirectionalLight: light from far away. */
#include "components/visual/light.h"

static const SofaField fields[] = {
    SOFA_VISUAL_FIELD(DirectionalLight, direction, "direction", "0 0 -1", "direction of the light",
                      .aliases = NULL),
};

SOFA_CLASS(DirectionalLight) = {
    SOFA_NAMED(DirectionalLight), .module = "Sofa.GL.Component.Shader",
    .category = "VisualModel",    .help = "Light from far away. Needs a LightManager.",
    .base = &sofa_light_class,    SOFA_FIELDS(fields),
};
