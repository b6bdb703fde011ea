/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* LineAxis: the axes of the world through the origin. */
#include <string.h>

#include "components/visual/visual.h"
#include "math/vec.h"

typedef struct LineAxis {
  SofaVisual visual;
  char *axis;
  double size, thickness;
  bool infinite, vanishing;
  int n_segments;
} LineAxis;

typedef LineAxis SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_DISPLAY(axis, "axis", "xyz", "letters of the axes to draw"),
    SOFA_ROW_DISPLAY(size, "size", "10", "length, m"),
    SOFA_ROW_DISPLAY(infinite, "infinite", "0", "draw them as far as the eye reaches"),
    SOFA_ROW_DISPLAY(thickness, "thickness", "1", "width, pixels"),
    SOFA_ROW_DISPLAY(vanishing, "vanishing", "0", "fade out with the distance; not used"),
    SOFA_ROW_DISPLAY(n_segments, "nbLineSegments", "1", "pieces of a line; not used"),
};

static void draw(SofaObject *object, const SofaDrawArgs *args) {
  const LineAxis *l = (const LineAxis *)object;
  if (!l->visual.enable || !l->axis) return;
  double half = 0.5 * l->size;
  if (l->infinite) half = 1e3 * (sofa_vec3_norm(args->eye) + 1);
  for (int axis = 0; axis < 3; axis++) {
    double a[3] = {0, 0, 0}, b[3] = {0, 0, 0};
    if (!strchr(l->axis, 'x' + axis) && !strchr(l->axis, 'X' + axis)) continue;
    a[axis] = -half;
    b[axis] = half;
    sofa_draw_line(args->list, a, b, l->thickness, SOFA_RGB(axis == 0, axis == 1, axis == 2));
  }
}

static const SofaDrawOps draw_ops = {.draw = draw};

SOFA_CLASS(LineAxis) = {
    SOFA_NAMED(LineAxis),
    .module = "Sofa.Component.Visual",
    .category = "VisualModel",
    .help = "The axes of the world: x red, y green, z blue.",
    .base = &sofa_visual_class,
    SOFA_FIELDS(fields),
    SOFA_IMPLEMENTS({SOFA_DRAW, &draw_ops}),
};
