/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lengths of edges: the arithmetic of mappings to distances. */
#include "numerics/mapping/edge_lengths.h"

#include <float.h>
#include "math/vec.h"

const SofaLinkRule sofa_edge_topology_rule = {.interface = SOFA_TOPOLOGY,
                                              .search = SOFA_SEARCH_SLOT};

static SofaErr check(const SofaEdgeLengths *m) {
  return sofa_mapping_check_sizes(&m->multi.mapping, m->n_in, m->n);
}

/* ---- setup ---- */

static SofaErr take_inputs(SofaEdgeLengths *m) {
  const SofaMapping *map = &m->multi.mapping;
  const SofaStateKindInfo *in = sofa_state_kind_info(map->inputs[0]->object.kind);
  m->n_parts = map->n_inputs;
  m->coord = in->coord;
  m->deriv = in->deriv;
  m->j = sofa_alloc(map->object.ctx, m->n_parts, sizeof *m->j);
  m->n_in = sofa_alloc(map->object.ctx, m->n_parts, sizeof *m->n_in);
  if (!m->j || !m->n_in) return SOFA_ERR_MEMORY;
  for (size_t k = 0; k < m->n_parts; k++) m->n_in[k] = map->inputs[k]->position.n;
  return SOFA_OK;
}

static void clear(SofaEdgeLengths *m) {
  SofaContext *ctx = m->multi.mapping.object.ctx;
  for (size_t k = 0; m->j && k < m->n_parts; k++) sofa_map_matrix_free(ctx, &m->j[k]);
  sofa_free(ctx, m->j);
  sofa_free(ctx, m->n_in);
  sofa_map_rows_free(ctx, &m->rows);
  sofa_list_free(ctx, &m->rest);
  sofa_list_free(ctx, &m->direction);
  sofa_list_free(ctx, &m->inverse);
}

/* Takes the edges of the topology and resizes the output. */
static SofaErr take_edges(SofaEdgeLengths *m) {
  SofaObject *object = &m->multi.mapping.object;
  SofaTopology *t = (SofaTopology *)m->topology.target;
  clear(m);
  SOFA_TRY(take_inputs(m));
  if (!t)
    return sofa_field_fail(object, "topology", SOFA_ERR_NOT_FOUND,
                           "there is no topology with edges to measure");
  if (m->joins_pairs && m->pairs.n % 2)
    return sofa_field_fail(object, "indexPairs", SOFA_ERR_RANGE,
                           "%zu numbers are not a list of pairs", m->pairs.n);
  m->rows.topology = t;
  m->rows.kind = SOFA_ELEMENT_EDGE;
  m->rows.pairs = m->joins_pairs ? &m->pairs : NULL;
  SOFA_TRY(sofa_map_rows_of_elements(&m->rows, &m->multi.mapping));
  m->n = sofa_map_rows_n(&m->rows);
  SOFA_TRY(SOFA_RESIZE(object->ctx, &m->direction, 3 * m->n));
  SOFA_TRY(SOFA_RESIZE(object->ctx, &m->inverse, m->n));
  SofaState *out = m->multi.mapping.out;
  return out->position.n == m->n ? SOFA_OK : sofa_state_resize(out, m->n);
}

void sofa_edge_lengths_destroy(SofaObject *object) {
  clear((SofaEdgeLengths *)object);
}

/* ---- operations ---- */

/* Where the ends of an edge are. */
typedef struct Ends {
  const uint32_t *input, *point; /* 2 each */
} Ends;

static inline Ends ends_of(const SofaEdgeLengths *m, size_t e) {
  return (Ends){m->rows.input.data + 2 * e, m->rows.point.data + 2 * e};
}

/* w = b - a of the ends of edge e, in vectors with `stride` reals per point. */
static inline void across(const SofaEdgeLengths *m, const double *const *x, size_t stride, size_t e,
                          double *w) {
  const Ends v = ends_of(m, e);
  sofa_vec3_sub(x[v.input[1]] + stride * v.point[1], x[v.input[0]] + stride * v.point[0], w);
}

/* Place of end k of edge e in vectors of forces. */
static inline double *end_at(const SofaEdgeLengths *m, double *const *f, size_t e, int k) {
  return f[ends_of(m, e).input[k]] + m->deriv * ends_of(m, e).point[k];
}

static double length_of(const SofaEdgeLengths *m, size_t e) {
  const Ends v = ends_of(m, e);
  SofaState *const *in = m->multi.mapping.inputs;
  return sofa_vec3_distance(in[v.input[0]]->position.data + m->coord * v.point[0],
                            in[v.input[1]]->position.data + m->coord * v.point[1]);
}

/* Lengths at rest: the given ones when there are as many as edges, else 0 or those at init. */
static SofaErr take_rest(SofaEdgeLengths *m) {
  const SofaMapping *map = &m->multi.mapping;
  const SofaReals *list = &m->rest_lengths;
  const bool given = list->n == m->n;
  if (list->n && !given)
    sofa_object_message(&map->object, SOFA_WARNING,
                        "'restLengths' has %zu entries for %zu edges: they are not used", list->n,
                        m->n);
  SOFA_TRY(SOFA_RESIZE(map->object.ctx, &m->rest, m->n));
  for (size_t e = 0; e < m->n; e++)
    m->rest.data[e] = given ? list->data[e] : m->compute_distance ? 0 : length_of(m, e);
  return SOFA_OK;
}

static SofaErr setup(SofaMapping *mapping) {
  SofaEdgeLengths *m = (SofaEdgeLengths *)mapping;
  SOFA_TRY(take_edges(m));
  return m->squared ? SOFA_OK : take_rest(m);
}

static SofaErr apply(SofaMapping *mapping, const SofaPoint *at, double *x_out) {
  SofaEdgeLengths *m = (SofaEdgeLengths *)mapping;
  SOFA_TRY(check(m));
  for (size_t e = 0; e < m->n; e++) {
    double *u = m->direction.data + 3 * e;
    across(m, at->x, m->coord, e, u);
    if (m->squared) {
      x_out[e] = sofa_vec3_norm2(u);
      continue;
    }
    const double length = sofa_vec3_norm(u);
    const bool point = length <= DBL_EPSILON;
    m->inverse.data[e] = point ? 0 : 1 / length;
    // edges without length have no direction: any will do
    if (point) sofa_vec3_set(u, 1 / sqrt(3.), 1 / sqrt(3.), 1 / sqrt(3.));
    else sofa_vec3_scale(1 / length, u, u);
    x_out[e] = length - (m->rest.n ? m->rest.data[e] : 0);
  }
  return SOFA_OK;
}

static SofaErr apply_j(SofaMapping *mapping, const SofaPoint *at, const double *const *v,
                       double *out) {
  const SofaEdgeLengths *m = (const SofaEdgeLengths *)mapping;
  (void)at;
  SOFA_TRY(check(m));
  const double scale = m->squared ? 2 : 1;
  for (size_t e = 0; e < m->n; e++) {
    double w[3];
    across(m, v, m->deriv, e, w);
    out[e] = scale * sofa_vec3_dot(m->direction.data + 3 * e, w);
  }
  return SOFA_OK;
}

static SofaErr apply_jt(SofaMapping *mapping, const SofaPoint *at, const double *f,
                        double *const *in) {
  const SofaEdgeLengths *m = (const SofaEdgeLengths *)mapping;
  (void)at;
  SOFA_TRY(check(m));
  for (size_t e = 0; e < m->n; e++) {
    const double *u = m->direction.data + 3 * e, g = m->squared ? 2 * f[e] : f[e];
    sofa_vec3_axpy(-g, u, end_at(m, in, e, 0));
    sofa_vec3_axpy(g, u, end_at(m, in, e, 1));
  }
  return SOFA_OK;
}

/* Derivative of the force at point 0 by p0 (and at 1 by p1; negative for the others); false: 0. */
static bool curvature(const SofaEdgeLengths *m, size_t e, double f, double *b) {
  // forces of compressed edges would make the system indefinite
  if (m->geometric.index == SOFA_GEOMETRIC_NONE) return false;
  if (m->geometric.index == SOFA_GEOMETRIC_STABILIZED && !(f < 0)) return false;
  if (m->squared) {
    sofa_mat3_diagonal(2 * f, 2 * f, 2 * f, b);
    return true;
  }
  const double *u = m->direction.data + 3 * e;
  sofa_mat3_outer(u, u, b);
  sofa_mat3_scale(-1, b, b);
  for (int k = 0; k < 3; k++) b[4 * k] += 1;
  sofa_mat3_scale(f * m->inverse.data[e], b, b);
  return true;
}

static SofaErr apply_djt(SofaMapping *mapping, const SofaPoint *at, double factor, const double *f,
                         const double *const *dx, double *const *df) {
  const SofaEdgeLengths *m = (const SofaEdgeLengths *)mapping;
  (void)at;
  SOFA_TRY(check(m));
  for (size_t e = 0; e < m->n; e++) {
    double b[9], w[3];
    if (!curvature(m, e, f[e], b)) continue;
    across(m, dx, m->deriv, e, w);
    sofa_mat3_apply(b, w, w);
    sofa_vec3_axpy(-factor, w, end_at(m, df, e, 0));
    sofa_vec3_axpy(factor, w, end_at(m, df, e, 1));
  }
  return SOFA_OK;
}

static SofaErr add_djt_pair(SofaMapping *mapping, const SofaPoint *at, size_t row, size_t column,
                            const double *f, const SofaTangent *tangent) {
  const SofaEdgeLengths *m = (const SofaEdgeLengths *)mapping;
  (void)at;
  SOFA_TRY(check(m));
  if (m->geometric.index == SOFA_GEOMETRIC_NONE) return SOFA_OK;
  const size_t n = m->deriv;
  for (size_t e = 0; e < m->n; e++) {
    const Ends v = ends_of(m, e);
    double b[9] = {0}, plus[36] = {0}, minus[36] = {0};
    // zeros are added too: the pattern stays
    if (!curvature(m, e, f[e], b)) memset(b, 0, sizeof b);
    for (size_t k = 0; k < 9; k++) {
      plus[n * (k / 3) + k % 3] = b[k];
      minus[n * (k / 3) + k % 3] = -b[k];
    }
    for (int i = 0; i < 4; i++) {
      const int r = i / 2, c = i % 2;
      if (v.input[r] == row && v.input[c] == column)
        sofa_tangent_add(tangent, 0, v.point[r], 0, v.point[c], r == c ? plus : minus);
    }
  }
  return SOFA_OK;
}

static SofaErr jacobian(SofaMapping *mapping, const SofaPoint *at, size_t k, SofaJacobian *out) {
  SofaEdgeLengths *m = (SofaEdgeLengths *)mapping;
  (void)at;
  SOFA_TRY(check(m));
  SofaMapMatrix *j = &m->j[k];
  const double scale = m->squared ? 2 : 1;
  SOFA_TRY(sofa_map_matrix_begin(mapping->object.ctx, j, m->n, m->n_in[k] * m->deriv, 6 * m->n));
  for (size_t e = 0; e < m->n; e++) {
    const Ends v = ends_of(m, e);
    const double *u = m->direction.data + 3 * e;
    // an edge from a point to itself never changes
    const bool closed = v.point[0] == v.point[1] && v.input[0] == v.input[1];
    sofa_map_matrix_row(j);
    for (size_t c = 0; !closed && c < 6; c++)
      if (v.input[c / 3] == k)
        sofa_map_matrix_entry(j, m->deriv * v.point[c / 3] + c % 3,
                              (c < 3 ? -scale : scale) * u[c % 3]);
  }
  sofa_map_matrix_end(j, out);
  return SOFA_OK;
}

/* ---- topological changes ---- */

/* The pairs of the topology's points, and the points of inputs in them. */
static SofaErr change_pairs(SofaEdgeLengths *m, const SofaTopologyChange *change) {
  SofaIndices *pairs = &m->pairs;
  SofaContext *ctx = m->multi.mapping.object.ctx;
  const SofaAncestors *a = change->ancestors;
  if (sofa_change_of(change, m->rows.topology, SOFA_ELEMENT_POINT)) {
    SofaAnyList list = {.data = pairs->data, .n = pairs->n / 2};
    sofa_change_remove_entries(change, &list, 2 * sizeof *pairs->data);
    pairs->n = 2 * list.n;
    for (size_t i = 0; i < change->n && change->kind == SOFA_CHANGE_ADD; i++) {
      // an inserted point is where its first ancestor is; without one nowhere
      const bool made = a && a->start.data[i] < a->start.data[i + 1];
      const size_t from = made ? 2 * (size_t)a->points.data[a->start.data[i]] : pairs->n;
      for (size_t k = 0; k < 2; k++) {
        const uint32_t id = from + k < pairs->n ? pairs->data[from + k] : SOFA_NO_ELEMENT;
        SOFA_TRY(SOFA_APPEND(ctx, pairs, &id));
      }
    }
  }
  for (size_t k = 0; k < m->n_parts && change->kind == SOFA_CHANGE_REMOVE; k++)
    for (size_t i = 0; sofa_change_moves(change, m->multi.mapping.inputs[k]) && i + 1 < pairs->n;
         i += 2)
      if (pairs->data[i] == k && pairs->data[i + 1] < change->n_before)
        pairs->data[i + 1] = sofa_change_renamed(change, pairs->data[i + 1]);
  return SOFA_OK;
}

static SofaErr listen(SofaObject *object, const SofaTopologyChange *change) {
  SofaEdgeLengths *m = (SofaEdgeLengths *)object;
  const SofaMapping *map = &m->multi.mapping;
  SOFA_TRY(sofa_map_rows_listen(&m->rows, map, change));
  if (m->joins_pairs) SOFA_TRY(change_pairs(m, change));
  if (sofa_change_moves(change, map->out))
    sofa_change_remove_entries(change, &m->rest, sizeof *m->rest.data);
  return SOFA_OK;
}

static SofaErr done(SofaObject *object) {
  SofaEdgeLengths *m = (SofaEdgeLengths *)object;
  const SofaMapping *map = &m->multi.mapping;
  SofaContext *ctx = object->ctx;
  const size_t before = m->rest.n;
  SOFA_TRY(sofa_map_rows_done(&m->rows, map));
  sofa_field_touch_name(object, "indexPairs");
  m->n = sofa_map_rows_n(&m->rows);
  if (!m->squared) SOFA_TRY(SOFA_RESIZE(ctx, &m->rest, m->n));
  for (size_t e = before; e < m->rest.n; e++)
    m->rest.data[e] = m->compute_distance ? 0 : length_of(m, e);
  SOFA_TRY(SOFA_RESIZE(ctx, &m->direction, 3 * m->n));
  SOFA_TRY(SOFA_RESIZE(ctx, &m->inverse, m->n));
  for (size_t k = 0; k < m->n_parts; k++) {
    m->n_in[k] = map->inputs[k]->position.n;
    sofa_map_matrix_free(ctx, &m->j[k]);
  }
  return sofa_mapping_put(&m->multi.mapping);
}

const SofaTopologyListenerOps sofa_edge_lengths_listener = {
    .listen = listen, .done = done, .maps_elements = true};
const SofaTopologyListenerOps sofa_edge_pairs_listener = {.listen = listen,
                                                          .done = done,
                                                          .moves_output = true,
                                                          .maps_elements = true,
                                                          .own_points = true};

static const char *approximation(const SofaMapping *mapping) {
  return sofa_geometric_approximation(((const SofaEdgeLengths *)mapping)->geometric.index);
}

const SofaMappingOps sofa_edge_lengths_ops = {
    .setup = setup,
    .apply = apply,
    .apply_j = apply_j,
    .apply_jt = apply_jt,
    .apply_djt = apply_djt,
    .approximation = approximation,
    .add_djt_pair = add_djt_pair,
    .jacobian = jacobian,
    .keeps_point = true,
};
