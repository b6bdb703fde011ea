/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* VisualVectorField: a line or an arrow for each vector. */
#include <math.h>

#include "components/visual/visual.h"

typedef struct VisualVectorField {
  SofaVisual visual;
  SofaVec3s position, vector;
  double scale;
  SofaOption mode;
  SofaColor color;
} VisualVectorField;

static const char *const modes[] = {"Line", "Cylinder", "Arrow", NULL};

typedef VisualVectorField SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_DISPLAY(position, "position", NULL, "where the vectors begin, m"),
    SOFA_ROW_DISPLAY(vector, "vector", NULL, "the vectors"),
    SOFA_ROW_DISPLAY(scale, "vectorScale", "1", "factor of the vectors"),
    SOFA_ROW_DISPLAY(mode, "drawMode", "Line", "how they are drawn", .options = modes),
    SOFA_ROW_DISPLAY(color, "color", "1 1 1 1", "colour"),
};

static void draw(SofaObject *object, const SofaDrawArgs *args) {
  const VisualVectorField *f = (const VisualVectorField *)object;
  const SofaRgba color = sofa_rgba(&f->color);
  if (!f->visual.enable) return;
  for (size_t i = 0; i < f->position.n && i < f->vector.n; i++) {
    const double *a = f->position.data[i].v, *d = f->vector.data[i].v;
    const double b[3] = {a[0] + f->scale * d[0], a[1] + f->scale * d[1], a[2] + f->scale * d[2]};
    const double e[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    const double radius = 0.05 * sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2]);
    if (f->mode.index == 0) sofa_draw_line(args->list, a, b, 1, color);
    else if (f->mode.index == 1) sofa_draw_tube(args->list, a, b, radius, radius, color);
    else sofa_draw_arrow(args->list, a, b, radius, color);
  }
}

static const SofaDrawOps draw_ops = {.draw = draw};

static const char *const templates[] = {"Vec3d", NULL};

SOFA_CLASS(VisualVectorField) = {
    SOFA_NAMED(VisualVectorField), .module = "Sofa.Component.Visual",
    .category = "VisualModel",     .help = "A line, a cylinder or an arrow for each vector.",
    .base = &sofa_visual_class,    SOFA_FIELDS(fields),
    .templates = templates,        SOFA_IMPLEMENTS({SOFA_DRAW, &draw_ops}),
};
