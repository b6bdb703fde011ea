/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ValuesFromPositions: values that depend on where points and elements are along a direction. */
#include <math.h>
#include <string.h>

#include "behavior/state_division.h"
#include "components/engine/engine.h"
#include "math/vec.h"

typedef struct ValuesFromPositions {
  SofaObject object;
  SofaReals input, values, edge_values, triangle_values, tetrahedron_values;
  SofaVec3 direction;
  SofaCoords position;
  SofaEdges edges;
  SofaTriangles triangles;
  SofaTetras tetrahedra;
  SofaVec3s vectors, edge_vectors, triangle_vectors, tetrahedron_vectors;
  SofaOption field_type;
  bool draw_vectors;
  SofaFloat draw_length;
  double low, high; /* of the points along direction */
} ValuesFromPositions;

static const char *const field_types[] = {"Scalar", "Vector", NULL};

typedef ValuesFromPositions SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_INPUT(input, "inputValues", NULL, "",
                   "values from one end of the points along direction to the other, evenly spaced"),
    SOFA_ROW_INPUT(direction, "direction", "0 1 0", "",
                   "direction along which values are interpolated"),
    SOFA_ROW_INPUT(position, "position", NULL, "m", "points; default: as for BoxROI",
                   .aliases = "rest_position"),
    SOFA_ROW_INPUT(edges, "edges", NULL, "", "edges; default: those of the topology"),
    SOFA_ROW_INPUT(triangles, "triangles", NULL, "", "triangles; default: those of the topology"),
    SOFA_ROW_INPUT(tetrahedra, "tetrahedra", NULL, "",
                   "tetrahedra; default: those of the topology"),
    SOFA_ROW_OUTPUT(values, "values", "", "value of each point"),
    SOFA_ROW_OUTPUT(edge_values, "edgeValues", "", "value at the middle of each edge"),
    SOFA_ROW_OUTPUT(triangle_values, "triangleValues", "",
                    "value at the centroid of each triangle"),
    SOFA_ROW_OUTPUT(tetrahedron_values, "tetrahedronValues", "",
                    "value at the centroid of each tetrahedron"),
    SOFA_ROW_OUTPUT(vectors, "pointVectors", "", "direction, for each point"),
    SOFA_ROW_OUTPUT(edge_vectors, "edgeVectors", "", "direction, for each edge"),
    SOFA_ROW_OUTPUT(triangle_vectors, "triangleVectors", "", "direction, for each triangle"),
    SOFA_ROW_OUTPUT(tetrahedron_vectors, "tetrahedronVectors", "",
                    "direction, for each tetrahedron"),
    SOFA_ROW_INPUT(field_type, "fieldType", "Scalar", "", "whether values or vectors are made",
                   .options = field_types),
    SOFA_ROW_DISPLAY(draw_vectors, "drawVectors", "0", "draw the vectors"),
    SOFA_ROW_DISPLAY(draw_length, "drawVectorLength", "10", "their length"),
};

static double along(const ValuesFromPositions *e, uint32_t point) {
  return sofa_vec3_dot(e->position.data + point * e->position.width, e->direction.v);
}

/* Piecewise linear between the ends; constant beyond them. */
static double interpolate(const ValuesFromPositions *e, double s) {
  const size_t n = e->input.n;
  if (n < 2 || !(e->high > e->low)) return n ? e->input.data[0] : 0;
  const double t = (s - e->low) / (e->high - e->low) * (double)(n - 1);
  if (!(t > 0)) return e->input.data[0];
  if (t >= (double)(n - 1)) return e->input.data[n - 1];
  const size_t i = (size_t)t;
  const double f = t - (double)i;
  return e->input.data[i] * (1 - f) + e->input.data[i + 1] * f;
}

static SofaErr fill(ValuesFromPositions *e, const uint32_t *v, size_t n, unsigned width,
                    SofaReals *values, SofaVec3s *vectors) {
  const bool scalar = e->field_type.index == 0;
  SOFA_TRY(SOFA_RESIZE(e->object.ctx, values, scalar ? n : 0));
  SOFA_TRY(SOFA_RESIZE(e->object.ctx, vectors, scalar ? 0 : n));
  for (size_t i = 0; i < n; i++) {
    if (!scalar) {
      vectors->data[i] = e->direction;
      continue;
    }
    double s = 0;
    for (unsigned k = 0; k < width; k++) s += along(e, v ? v[i * width + k] : (uint32_t)i) / width;
    values->data[i] = interpolate(e, s);
  }
  return SOFA_OK;
}

/* Of all points, also those of other processes where each has a part. */
static SofaErr find_ends(ValuesFromPositions *e) {
  const SofaField *field = sofa_class_field(e->object.klass, "position");
  double most[2] = {-INFINITY, -INFINITY};
  for (uint32_t i = 0; i < e->position.n; i++) {
    most[0] = fmax(most[0], -along(e, i));
    most[1] = fmax(most[1], along(e, i));
  }
  if (sofa_field_division(&e->object, field)) SOFA_TRY(sofa_process_max(e->object.ctx, 2, most));
  e->low = -most[0];
  e->high = most[1];
  return SOFA_OK;
}

static SofaErr update(SofaObject *object) {
  ValuesFromPositions *e = (ValuesFromPositions *)object;
  SOFA_TRY(ENGINE_CHECK(object, "edges", &e->edges, e->position.n));
  SOFA_TRY(ENGINE_CHECK(object, "triangles", &e->triangles, e->position.n));
  SOFA_TRY(ENGINE_CHECK(object, "tetrahedra", &e->tetrahedra, e->position.n));
  SOFA_TRY(find_ends(e));
  SOFA_TRY(fill(e, NULL, e->position.n, 1, &e->values, &e->vectors));
  SOFA_TRY(fill(e, (const uint32_t *)(const void *)e->edges.data, e->edges.n, 2, &e->edge_values,
                &e->edge_vectors));
  SOFA_TRY(fill(e, (const uint32_t *)(const void *)e->triangles.data, e->triangles.n, 3,
                &e->triangle_values, &e->triangle_vectors));
  return fill(e, (const uint32_t *)(const void *)e->tetrahedra.data, e->tetrahedra.n, 4,
              &e->tetrahedron_values, &e->tetrahedron_vectors);
}

static SofaErr init(SofaObject *object) {
  static const char *const elements[] = {"edges", "triangles", "tetrahedra", NULL};
  SOFA_TRY(engine_link_points(object, "position"));
  SOFA_TRY(engine_link_elements(object, elements, true));
  return engine_init(object);
}

static const char *const templates[] = {"Vec3d", "Rigid3d", NULL};

ENGINE_CLASS(ValuesFromPositions, "Select",
             "Gives points and elements values that depend on their place along a direction.",
             .equations =
                 "y = (1 - f) y_i + f y_{i+1}, i + f = (n - 1) (s - s_0)/(s_1 - s_0), s = d.x\n"
                 "\"d: direction, s_0 and s_1: smallest and largest s of the points, y_i: the n "
                 "values of inputValues; f from 0 to 1\"",
             .divided = SOFA_DIVIDED_LOCAL, .templates = templates, .init = init, );
