/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What all lights have. */
#include "components/visual/light.h"

#define ROW(member, xml, def, help_text)                                                           \
  SOFA_VISUAL_FIELD(SofaLight, member, xml, def, help_text, .aliases = NULL)

static const SofaField fields[] = {
    ROW(color, "color", "1 1 1 1", "colour of the light"),
    ROW(shadow_size, "shadowTextureSize", "0", "pixels of a shadow map; shadows are not drawn"),
    ROW(draw_source, "drawSource", "0", "draw where the light is"),
    ROW(z_near, "zNear", NULL, "of the shadow map"),
    ROW(z_far, "zFar", NULL, "of the shadow map"),
    ROW(shadows, "shadowsEnabled", "1", "cast shadows; shadows are not drawn"),
    ROW(soft_shadows, "softShadows", "0", "soft shadows; shadows are not drawn"),
    ROW(shadow_factor, "shadowFactor", "1", "darkness of shadows"),
    ROW(light_bleeding, "VSMLightBleeding", "0.05", "of soft shadows"),
    ROW(min_variance, "VSMMinVariance", "0.001", "of soft shadows"),
    ROW(texture_unit, "textureUnit", "1", "of the shadow map"),
    ROW(model_view, "modelViewMatrix", NULL, "of the shadow map"),
    ROW(projection, "projectionMatrix", NULL, "of the shadow map"),
};

const SofaClass sofa_light_class = {
    .name = "Light",
    .module = "csofa",
    .category = "VisualModel",
    .help = "A light.",
    .base = &sofa_visual_class,
    .size = sizeof(SofaLight),
    .fields = fields,
    .n_fields = sizeof fields / sizeof *fields,
    .abstract = true,
};
