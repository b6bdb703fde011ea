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

#define ROW(member, xml, def, help_text, ...)                                                      \
  SOFA_VISUAL_FIELD(LineAxis, member, xml, def, help_text, __VA_ARGS__)

static const SofaField fields[] = {
    ROW(axis, "axis", "xyz", "letters of the axes to draw", .aliases = NULL),
    ROW(size, "size", "10", "length, m", .aliases = NULL),
    ROW(infinite, "infinite", "0", "draw them as far as the eye reaches", .aliases = NULL),
    ROW(thickness, "thickness", "1", "width, pixels", .aliases = NULL),
    ROW(vanishing, "vanishing", "0", "fade out with the distance; not used", .aliases = NULL),
    ROW(n_segments, "nbLineSegments", "1", "pieces of a line; not used", .aliases = NULL),
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
