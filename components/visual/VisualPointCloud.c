/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* VisualPointCloud: points, spheres or frames. */
#include "components/visual/visual.h"

typedef struct VisualPointCloud {
  SofaVisual visual;
  SofaCoords position;
  SofaOption mode;
  double point_size, indices_scale;
  SofaReals radius;
  SofaColor color, indices_color;
  bool show_indices;
} VisualPointCloud;

static const char *const modes[] = {"Point", "Sphere", "Frame", NULL};

typedef VisualPointCloud SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_DISPLAY(position, "position", NULL, "the points"),
    SOFA_ROW_DISPLAY(mode, "drawMode", "Point", "how they are drawn", .options = modes),
    SOFA_ROW_DISPLAY(point_size, "pointSize", "5", "size of points, pixels"),
    SOFA_ROW_DISPLAY(radius, "sphereRadius", NULL,
                     "radius of each sphere, m; the last one counts for the rest; empty: 1"),
    SOFA_ROW_DISPLAY(color, "color", "1 0.5 0 1", "colour"),
    SOFA_ROW_DISPLAY(show_indices, "showIndices", "0", "write the number of each point"),
    SOFA_ROW_DISPLAY(indices_scale, "indicesScale", "1", "size of the numbers"),
    SOFA_ROW_DISPLAY(indices_color, "indicesColor", "1 1 1 1", "colour of the numbers"),
};

static void draw_one(const VisualPointCloud *c, size_t i, const double *p, SofaDrawList *list) {
  const double *x = c->position.data + i * c->position.width;
  double r = 1;
  if (c->radius.n) r = c->radius.data[i < c->radius.n ? i : c->radius.n - 1];
  if (c->mode.index == 1) sofa_draw_sphere(list, p, r, sofa_rgba(&c->color));
  else if (c->mode.index == 2 && c->visual.object.kind == SOFA_RIGID3)
    sofa_draw_frame(list, p, x + 3, r);
  else sofa_draw_point(list, p, c->point_size, sofa_rgba(&c->color));
}

static void draw(SofaObject *object, const SofaDrawArgs *args) {
  const VisualPointCloud *c = (const VisualPointCloud *)object;
  const unsigned space = sofa_state_kind_info(object->kind)->space;
  if (!c->visual.enable) return;
  for (size_t i = 0; i < c->position.n; i++) {
    double p[3] = {0, 0, 0};
    for (unsigned k = 0; k < space && k < 3; k++)
      p[k] = c->position.data[i * c->position.width + k];
    draw_one(c, i, p, args->list);
  }
  if (c->show_indices && space >= 3)
    sofa_draw_indices(args->list, c->position.data, c->position.n, c->position.width,
                      0.1 * c->indices_scale, sofa_rgba(&c->indices_color));
}

static const SofaDrawOps draw_ops = {.draw = draw};

static const char *const templates[] = {"Vec3d", "Rigid3d", "Vec1d", "Vec2d", "Rigid2d", NULL};

SOFA_CLASS(VisualPointCloud) = {
    SOFA_NAMED(VisualPointCloud), .module = "Sofa.Component.Visual",
    .category = "VisualModel",    .help = "Draws points, spheres or frames.",
    .base = &sofa_visual_class,   SOFA_FIELDS(fields),
    .templates = templates,       SOFA_IMPLEMENTS({SOFA_DRAW, &draw_ops}),
};
