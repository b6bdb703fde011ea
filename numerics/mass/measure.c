/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Measures of elements, shared by the masses that distribute a density. */
#include "behavior/checks.h"
#include "behavior/state_division.h"
#include "numerics/mass/measure.h"

#include <math.h>

static const unsigned cell_vertices[MASS_N_CELLS] = {8, 4, 4, 3, 2};

void sofa_mass_geometry_unchecked(const SofaObject *object, SofaTopology *topology,
                                  const SofaState *state, bool rest, SofaMassGeometry *out) {
  const SofaStateKindInfo *kind = sofa_state_kind_info(state->object.kind);
  const SofaCoords *x = rest && state->rest_position.n ? &state->rest_position : &state->position;
  *out = (SofaMassGeometry){.cell = MASS_N_CELLS, .x = x->data, .n_points = x->n};
  out->coord = kind->coord;
  out->space = kind->space;
  out->split = sofa_quirk(object, SOFA_QUIRK_MASS_MEASURE);
  for (int cell = 0; cell < MASS_N_CELLS && out->cell == MASS_N_CELLS; cell++) {
    const SofaElements list =
        sofa_topology_elements(topology, sofa_mass_cell_kind((SofaMassCell)cell));
    out->vertices = list.v;
    out->n_elements = list.n;
    // of a divided mesh other processes may have them
    if (!sofa_topology_n_whole(topology, sofa_mass_cell_kind((SofaMassCell)cell))) continue;
    out->cell = (SofaMassCell)cell;
    out->n_vertices = cell_vertices[cell];
  }
}

/* Faces and edges that a topology makes of its part of the volumes are on other processes, too. */
static SofaErr check_part(const SofaObject *object, const SofaTopology *topology,
                          SofaMassCell cell) {
  if (cell <= MASS_TETRA || cell == MASS_N_CELLS || !sofa_topology_division(topology))
    return SOFA_OK;
  if (cell != MASS_EDGE && sofa_topology_list_division(topology, sofa_mass_cell_kind(cell)))
    return SOFA_OK;
  return sofa_object_undivided(
      object, "a mesh without tetrahedra and hexahedra that is divided among processes");
}

SofaErr sofa_mass_geometry(const SofaObject *object, SofaTopology *topology, const SofaState *state,
                           bool rest, SofaMassGeometry *out) {
  sofa_mass_geometry_unchecked(object, topology, state, rest, out);
  SOFA_TRY(topology->failure);
  SOFA_TRY(check_part(object, topology, out->cell));
  for (size_t e = 0; e < out->n_elements; e++)
    SOFA_TRY(sofa_check_element(object, "element", e, out->vertices + e * out->n_vertices,
                                out->n_vertices, out->n_points));
  return SOFA_OK;
}

static void point(const SofaMassGeometry *g, const uint32_t *v, unsigned i, double p[3]) {
  for (unsigned c = 0; c < 3; c++) p[c] = c < g->space ? g->x[v[i] * g->coord + c] : 0;
}

static void edge(const double a[3], const double b[3], double e[3]) {
  for (int c = 0; c < 3; c++) e[c] = b[c] - a[c];
}

static void cross(const double a[3], const double b[3], double c[3]) {
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}

static double dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double area(const double a[3], const double b[3], const double c[3]) {
  double ab[3], ac[3], n[3];
  edge(a, b, ab);
  edge(a, c, ac);
  cross(ab, ac, n);
  return 0.5 * sqrt(dot(n, n));
}

static double volume(const double a[3], const double b[3], const double c[3], const double d[3]) {
  double ab[3], ac[3], ad[3], n[3];
  edge(a, b, ab);
  edge(a, c, ac);
  edge(a, d, ad);
  cross(ab, ac, n);
  return fabs(dot(n, ad)) / 6;
}

void sofa_mass_element_points(const SofaMassGeometry *g, size_t e, double *p) {
  for (unsigned i = 0; i < g->n_vertices; i++)
    point(g, g->vertices + e * g->n_vertices, i, p + (size_t)3 * i);
}

static double integrated(const SofaMassGeometry *g, size_t e) {
  const SofaShape shape = sofa_mass_cell_shape(g->cell);
  SofaQuadraturePoint q[SOFA_QUADRATURE_MAX];
  double p[24], sum = 0;
  sofa_mass_element_points(g, e, p);
  const size_t n_points = sofa_quadrature(shape, SOFA_RULE_MASS, q);
  for (size_t i = 0; i < n_points; i++) {
    double n[SOFA_SHAPE_MAX_NODES], d[SOFA_SHAPE_MAX_NODES][3], gradients[24];
    sofa_shape_functions(shape, q[i].xi, n, d);
    const double ratio = fabs(sofa_shape_gradients(shape, 3, p, d, gradients));
    if (ratio > 0) sum += q[i].weight * ratio;
  }
  return sum;
}

double sofa_mass_measure(const SofaMassGeometry *g, size_t e) {
  static const uint8_t split[6][4] = {{0, 5, 1, 6}, {0, 1, 3, 6}, {1, 3, 6, 2},
                                      {6, 3, 0, 7}, {6, 7, 0, 5}, {7, 5, 4, 0}};
  const uint32_t *v = g->vertices + e * g->n_vertices;
  double p[8][3], d[3], sum = 0;
  if (!g->split && (g->cell == MASS_HEXA || g->cell == MASS_QUAD)) return integrated(g, e);
  for (unsigned i = 0; i < g->n_vertices; i++) point(g, v, i, p[i]);
  switch (g->cell) {
  case MASS_HEXA:
    for (int k = 0; k < 6; k++)
      sum += volume(p[split[k][0]], p[split[k][1]], p[split[k][2]], p[split[k][3]]);
    return sum;
  case MASS_TETRA:
    return volume(p[0], p[1], p[2], p[3]);
  case MASS_QUAD:
    return area(p[0], p[1], p[2]) + area(p[0], p[2], p[3]);
  case MASS_TRIANGLE:
    return area(p[0], p[1], p[2]);
  case MASS_EDGE:
    edge(p[0], p[1], d);
    return sqrt(dot(d, d));
  default:
    return 0;
  }
}

SofaElementKind sofa_mass_cell_kind(SofaMassCell cell) {
  static const SofaElementKind kinds[MASS_N_CELLS] = {[MASS_HEXA] = SOFA_ELEMENT_HEXA,
                                                      [MASS_TETRA] = SOFA_ELEMENT_TETRA,
                                                      [MASS_QUAD] = SOFA_ELEMENT_QUAD,
                                                      [MASS_TRIANGLE] = SOFA_ELEMENT_TRIANGLE,
                                                      [MASS_EDGE] = SOFA_ELEMENT_EDGE};
  return kinds[cell];
}

SofaShape sofa_mass_cell_shape(SofaMassCell cell) {
  static const SofaShape shapes[MASS_N_CELLS] = {[MASS_HEXA] = SOFA_SHAPE_HEXA,
                                                 [MASS_TETRA] = SOFA_SHAPE_TETRA,
                                                 [MASS_QUAD] = SOFA_SHAPE_QUAD,
                                                 [MASS_TRIANGLE] = SOFA_SHAPE_TRIANGLE,
                                                 [MASS_EDGE] = SOFA_SHAPE_EDGE};
  return shapes[cell];
}

SofaErr sofa_mass_factor(const SofaObject *object, const SofaMassGeometry *geometry, double total,
                         double sum, double *factor) {
  *factor = sum > 0 ? total / sum : 1;
  if (sum > 0 || !(total > 0) || geometry->cell == MASS_N_CELLS) return SOFA_OK;
  return sofa_field_fail(object, "totalMass", SOFA_ERR_GEOMETRY,
                         "%g kg cannot be shared among the elements: they have no size", total);
}
