/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What all lights have. */
#include "components/visual/light.h"

typedef SofaLight SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_DISPLAY(color, "color", "1 1 1 1", "colour of the light"),
    SOFA_ROW_DISPLAY(shadow_size, "shadowTextureSize", "0", "pixels of the shadow map; 0: 1024"),
    SOFA_ROW_DISPLAY(draw_source, "drawSource", "0", "draw where the light is"),
    SOFA_ROW_DISPLAY(z_near, "zNear", NULL,
                     "nearest that casts a shadow, m; not set: around the scene",
                     .range = SOFA_AT_LEAST(0)),
    SOFA_ROW_DISPLAY(z_far, "zFar", NULL,
                     "farthest that has a shadow, m; not set: around the scene",
                     .range = SOFA_AT_LEAST(0)),
    SOFA_ROW_DISPLAY(shadows, "shadowsEnabled", "1",
                     "cast shadows, when the LightManager has shadows"),
    SOFA_ROW_DISPLAY(soft_shadows, "softShadows", "0", "soft shadows: variance shadow maps"),
    SOFA_ROW_DISPLAY(shadow_factor, "shadowFactor", "1",
                     "darkness of shadows, 0 (none) to 1 (nothing of this light)",
                     .range = SOFA_AT_LEAST(0)),
    SOFA_ROW_DISPLAY(light_bleeding, "VSMLightBleeding", "0.05",
                     "soft shadows: surfaces with less light count as dark",
                     .range = SOFA_WITHIN(0, 1)),
    SOFA_ROW_DISPLAY(
        min_variance, "VSMMinVariance", "0.001",
        "soft shadows: least variance of depths, which range from 0 (zNear) to 1 (zFar)",
        .range = SOFA_AT_LEAST(0)),
    SOFA_ROW_DISPLAY(texture_unit, "textureUnit", "1",
                     "of the shadow map; the view chooses itself"),
    SOFA_ROW_DISPLAY(model_view, "modelViewMatrix", NULL,
                     "from the world to the light; not filled"),
    SOFA_ROW_DISPLAY(projection, "projectionMatrix", NULL, "of the shadow map; not filled"),
};

static SofaErr init(SofaObject *object) {
  const SofaLight *l = (const SofaLight *)object;
  if (l->z_near > 0 && l->z_far > 0 && !(l->z_near < l->z_far))
    return sofa_field_fail(object, "zNear", SOFA_ERR_RANGE, "%g, expected < zFar = %g", l->z_near,
                           l->z_far);
  return SOFA_OK;
}

const SofaClass sofa_light_class = {
    .name = "Light",
    .module = "csofa",
    .category = "VisualModel",
    .help = "A light.",
    .base = &sofa_visual_class,
    .divided = SOFA_DIVIDED_NEUTRAL,
    .size = sizeof(SofaLight),
    SOFA_FIELDS(fields),
    .init = init,
    .abstract = true,
};
