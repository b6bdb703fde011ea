/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* PositionalLight: light from a point to all sides. */
#include "components/visual/light.h"

typedef PositionalLight SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_DISPLAY(fixed, "fixed", "0", "the light moves with the camera"),
    SOFA_ROW_DISPLAY(position, "position", "-0.7 0.3 0", "where it is"),
    SOFA_ROW_DISPLAY(attenuation, "attenuation", "0",
                     "brightness is divided by 1 + attenuation * distance"),
};

/* Where the light is, when asked for and visual models are shown. */
static void draw(SofaObject *object, const SofaDrawArgs *args) {
  const PositionalLight *l = (const PositionalLight *)object;
  double size = 0;
  if (!l->light.draw_source || l->fixed ||
      !sofa_display_shows(args->flags, SOFA_DISPLAY_VISUAL_MODELS))
    return;
  for (int k = 0; k < 3; k++) {
    const double side = args->box->max[k] - args->box->min[k];
    if (side > size) size = side;
  }
  if (size > 0)
    sofa_draw_sphere(args->list, l->position.v, 0.02 * size, sofa_rgba(&l->light.color));
}

static const SofaDrawOps draw_ops = {.draw = draw};

SOFA_CLASS(PositionalLight) = {
    SOFA_NAMED(PositionalLight),
    .module = "Sofa.GL.Component.Shader",
    .category = "VisualModel",
    .help = "Light from a point to all sides. Needs a LightManager.",
    .base = &sofa_light_class,
    SOFA_FIELDS(fields),
    SOFA_IMPLEMENTS({SOFA_DRAW, &draw_ops}),
};
