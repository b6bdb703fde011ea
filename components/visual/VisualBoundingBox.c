/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* VisualBoundingBox: the box around the scene. */
#include "components/visual/visual.h"

typedef struct VisualBoundingBox {
  SofaVisual visual;
  SofaColor color;
  double thickness;
} VisualBoundingBox;

typedef VisualBoundingBox SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_DISPLAY(color, "color", "1 1 0 1", "colour of the lines"),
    SOFA_ROW_DISPLAY(thickness, "thickness", "1", "width of the lines, pixels"),
};

static void draw(SofaObject *object, const SofaDrawArgs *args) {
  const VisualBoundingBox *b = (const VisualBoundingBox *)object;
  if (b->visual.enable && args->box->min[0] <= args->box->max[0])
    sofa_draw_box(args->list, args->box->min, args->box->max, b->thickness, sofa_rgba(&b->color));
}

static const SofaDrawOps draw_ops = {.draw = draw};

SOFA_CLASS(VisualBoundingBox) = {
    SOFA_NAMED(VisualBoundingBox),
    .module = "Sofa.Component.Visual",
    .category = "VisualModel",
    .help = "Draws the box around the scene.",
    .base = &sofa_visual_class,
    SOFA_FIELDS(fields),
    SOFA_IMPLEMENTS({SOFA_DRAW, &draw_ops}),
};
