/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* VisualGrid: a grid of lines in a plane through the origin. */
#include "components/visual/visual.h"

typedef struct VisualGrid {
  SofaVisual visual;
  SofaOption plane; /* x y z: its normal axis */
  double size, thickness;
  int n, n_segments;
  SofaColor color;
} VisualGrid;

static const char *const planes[] = {"x", "y", "z", NULL};

typedef VisualGrid SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_DISPLAY(plane, "plane", "z", "normal axis of the grid", .options = planes),
    SOFA_ROW_DISPLAY(size, "size", "10", "length of a side, m"),
    SOFA_ROW_DISPLAY(n, "nbSubdiv", "16", "cells along a side", .range = SOFA_AT_LEAST(1)),
    SOFA_ROW_DISPLAY(color, "color", "0.34117648 0.34117648 0.34117648 1", "colour of the lines"),
    SOFA_ROW_DISPLAY(thickness, "thickness", "1", "width of the lines, pixels"),
    SOFA_ROW_DISPLAY(n_segments, "nbLineSegments", "1", "pieces of a line; not used"),
};

static void draw(SofaObject *object, const SofaDrawArgs *args) {
  const VisualGrid *g = (const VisualGrid *)object;
  const int u = (g->plane.index + 1) % 3, w = (g->plane.index + 2) % 3;
  if (!g->visual.enable) return;
  for (int i = 0; i <= g->n; i++)
    for (int side = 0; side < 2; side++) {
      double a[3] = {0, 0, 0}, b[3] = {0, 0, 0};
      a[side ? u : w] = b[side ? u : w] = g->size * i / g->n - 0.5 * g->size;
      a[side ? w : u] = -0.5 * g->size;
      b[side ? w : u] = 0.5 * g->size;
      sofa_draw_line(args->list, a, b, g->thickness, sofa_rgba(&g->color));
    }
}

static const SofaDrawOps draw_ops = {.draw = draw};

SOFA_CLASS(VisualGrid) = {
    SOFA_NAMED(VisualGrid),
    .module = "Sofa.Component.Visual",
    .category = "VisualModel",
    .help = "A grid of lines in a plane through the origin.",
    .base = &sofa_visual_class,
    SOFA_FIELDS(fields),
    SOFA_IMPLEMENTS({SOFA_DRAW, &draw_ops}),
};
