/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* PairBoxROI: the points inside a box and outside another within it. */
#include "components/engine/engine.h"

typedef struct PairBoxROI {
  SofaObject object;
  SofaBox outer, inner;
  SofaCoords position, mesh_position, points;
  SofaIndices indices;
  bool draw_outer, draw_inner, draw_points;
  double draw_size;
} PairBoxROI;

typedef PairBoxROI SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_INPUT(
        outer, "inclusiveBox", NULL, "m",
        "box with the points: xmin ymin zmin xmax ymax zmax; all 0: nothing is selected"),
    SOFA_ROW_INPUT(inner, "includedBox", NULL, "m",
                   "box that is left out; all 0: nothing is selected"),
    SOFA_ROW_INPUT(position, "position", NULL, "m", "points to select from; default: as for BoxROI",
                   .aliases = "rest_position"),
    SOFA_ROW(mesh_position, "meshPosition", NULL, "m", "SOFA does not use it",
             .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_ROW_OUTPUT(indices, "indices", "", "points selected, ascending"),
    SOFA_ROW_OUTPUT(points, "pointsInROI", "m", "their positions"),
    SOFA_ROW_DISPLAY(draw_outer, "drawInclusiveBox", "0", "draw the box"),
    SOFA_ROW_DISPLAY(draw_inner, "drawIncludedBox", "0", "draw the box left out"),
    SOFA_ROW_DISPLAY(draw_points, "drawPoints", "0", "draw the points"),
    SOFA_ROW_DISPLAY(draw_size, "drawSize", "0", "width of lines, size of points"),
};

static bool is_set(const SofaBox *box) {
  for (int k = 0; k < 3; k++)
    if (box->min[k] < 0 || box->min[k] > 0 || box->max[k] < 0 || box->max[k] > 0) return true;
  return false;
}

static bool holds(const SofaBox *box, const double *p, unsigned space) {
  for (unsigned k = 0; k < space; k++)
    if (!(box->min[k] <= p[k] && p[k] <= box->max[k])) return false;
  return true;
}

static SofaErr check(const PairBoxROI *r, const char *name, const SofaBox *box) {
  for (int k = 0; k < 3; k++)
    if (!(box->min[k] <= box->max[k]))
      return sofa_field_fail(&r->object, name, SOFA_ERR_RANGE,
                             "its minimum %g is above its maximum %g in direction %d", box->min[k],
                             box->max[k], k);
  return SOFA_OK;
}

static SofaErr update(SofaObject *object) {
  PairBoxROI *r = (PairBoxROI *)object;
  const unsigned space = sofa_state_kind_info(object->kind)->space;
  r->indices.n = r->points.n = 0;
  SOFA_TRY(check(r, "inclusiveBox", &r->outer));
  SOFA_TRY(check(r, "includedBox", &r->inner));
  if (!is_set(&r->outer) || !is_set(&r->inner)) return SOFA_OK;
  for (size_t i = 0; i < r->position.n; i++) {
    const double *p = r->position.data + i * r->position.width;
    if (!holds(&r->outer, p, space) || holds(&r->inner, p, space)) continue;
    SOFA_TRY(engine_append(object->ctx, &r->indices, i));
    SOFA_TRY(engine_append_coord(object->ctx, &r->points, &r->position, i));
  }
  return SOFA_OK;
}

static SofaErr init(SofaObject *object) {
  SOFA_TRY(engine_link_points(object, "position"));
  return engine_init(object);
}

static const char *const templates[] = {"Vec3d", "Rigid3d", "Vec6d", NULL};

ENGINE_CLASS(PairBoxROI, "Select",
             "Selects the points inside a box and outside another one within it.",
             .divided = SOFA_DIVIDED_LOCAL, .templates = templates, .init = init, );
