/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lengths of edges: the arithmetic of mappings to distances. */
#include "components/mapping/edge_lengths.h"

#include <float.h>
#include "math/vec.h"

const SofaLinkRule sofa_edge_topology_rule = {.interface = SOFA_TOPOLOGY,
                                              .search = SOFA_SEARCH_SLOT};

static SofaErr check(const SofaEdgeLengths *m) {
  return sofa_mapping_check_sizes(&m->mapping, &m->n_in, m->n);
}

/* ---- setup ---- */

static SofaErr take_edges(SofaEdgeLengths *m, SofaTopology *t) {
  const SofaEdges *edges = sofa_topology_edges(t);
  if (t->failure != SOFA_OK) return t->failure;
  for (size_t e = 0; e < edges->n; e++)
    for (int k = 0; k < 2; k++)
      if (edges->data[e].v[k] >= m->n_in)
        return sofa_field_fail(&m->mapping.object, "topology", SOFA_ERR_RANGE,
                               "edge %zu of %s '%s' has the point %u: the input has %zu points", e,
                               t->object.klass->name, t->object.name, edges->data[e].v[k], m->n_in);
  if (!edges->n)
    sofa_object_message(&m->mapping.object, SOFA_WARNING, "%s '%s' has no edges: nothing is mapped",
                        t->object.klass->name, t->object.name);
  return sofa_list_copy(m->mapping.object.ctx, &m->edges, edges, sizeof *edges->data);
}

SofaErr sofa_edge_lengths_setup(SofaEdgeLengths *m) {
  SofaContext *ctx = m->mapping.object.ctx;
  const SofaStateKindInfo *in = sofa_state_kind_info(m->mapping.inputs[0]->object.kind);
  SofaTopology *t = (SofaTopology *)m->topology.target;
  m->n_in = m->mapping.inputs[0]->position.n;
  m->coord = in->coord;
  m->deriv = in->deriv;
  if (!t)
    return sofa_field_fail(&m->mapping.object, "topology", SOFA_ERR_NOT_FOUND,
                           "there is no topology whose edges could be measured");
  SOFA_TRY(take_edges(m, t));
  m->n = m->edges.n;
  SOFA_TRY(SOFA_RESIZE(ctx, &m->direction, 3 * m->n));
  SOFA_TRY(SOFA_RESIZE(ctx, &m->inverse, m->n));
  SofaState *out = m->mapping.out;
  return out->position.n == m->n ? SOFA_OK : sofa_state_resize(out, m->n);
}

void sofa_edge_lengths_free(SofaEdgeLengths *m) {
  SofaContext *ctx = m->mapping.object.ctx;
  sofa_list_free(ctx, &m->edges);
  sofa_list_free(ctx, &m->rest);
  sofa_list_free(ctx, &m->direction);
  sofa_list_free(ctx, &m->inverse);
  sofa_map_matrix_free(ctx, &m->j);
}

/* ---- operations ---- */

/* w = b - a of the points of edge e, in vectors with `stride` reals per point. */
static inline void across(const SofaEdgeLengths *m, const double *x, size_t stride, size_t e,
                          double *w) {
  const uint32_t *v = m->edges.data[e].v;
  sofa_vec3_sub(x + stride * v[1], x + stride * v[0], w);
}

double sofa_edge_lengths_measure(const SofaEdgeLengths *m, const double *x, size_t e) {
  double w[3];
  across(m, x, m->coord, e, w);
  return sofa_vec3_norm(w);
}

SofaErr sofa_edge_lengths_apply(SofaMapping *mapping, const double *const *x, double *out) {
  SofaEdgeLengths *m = (SofaEdgeLengths *)mapping;
  SOFA_TRY(check(m));
  for (size_t e = 0; e < m->n; e++) {
    double *u = m->direction.data + 3 * e;
    across(m, x[0], m->coord, e, u);
    if (m->squared) {
      out[e] = sofa_vec3_norm2(u);
      continue;
    }
    const double length = sofa_vec3_norm(u);
    const bool point = length <= DBL_EPSILON;
    m->inverse.data[e] = point ? 0 : 1 / length;
    // edges without length have no direction: any will do
    if (point) sofa_vec3_set(u, 1 / sqrt(3.), 1 / sqrt(3.), 1 / sqrt(3.));
    else sofa_vec3_scale(1 / length, u, u);
    out[e] = length - (m->rest.n ? m->rest.data[e] : 0);
  }
  return SOFA_OK;
}

SofaErr sofa_edge_lengths_apply_j(SofaMapping *mapping, const double *const *v, double *out) {
  const SofaEdgeLengths *m = (const SofaEdgeLengths *)mapping;
  SOFA_TRY(check(m));
  const double scale = m->squared ? 2 : 1;
  for (size_t e = 0; e < m->n; e++) {
    double w[3];
    across(m, v[0], m->deriv, e, w);
    out[e] = scale * sofa_vec3_dot(m->direction.data + 3 * e, w);
  }
  return SOFA_OK;
}

SofaErr sofa_edge_lengths_apply_jt(SofaMapping *mapping, const double *f, double *const *in) {
  const SofaEdgeLengths *m = (const SofaEdgeLengths *)mapping;
  SOFA_TRY(check(m));
  for (size_t e = 0; e < m->n; e++) {
    const uint32_t *v = m->edges.data[e].v;
    const double *u = m->direction.data + 3 * e, g = m->squared ? 2 * f[e] : f[e];
    sofa_vec3_axpy(-g, u, in[0] + m->deriv * v[0]);
    sofa_vec3_axpy(g, u, in[0] + m->deriv * v[1]);
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

SofaErr sofa_edge_lengths_apply_djt(SofaMapping *mapping, double factor, const double *f,
                                    const double *const *dx, double *const *df) {
  const SofaEdgeLengths *m = (const SofaEdgeLengths *)mapping;
  SOFA_TRY(check(m));
  for (size_t e = 0; e < m->n; e++) {
    const uint32_t *v = m->edges.data[e].v;
    double b[9], w[3];
    if (!curvature(m, e, f[e], b)) continue;
    across(m, dx[0], m->deriv, e, w);
    sofa_mat3_apply(b, w, w);
    sofa_vec3_axpy(-factor, w, df[0] + m->deriv * v[0]);
    sofa_vec3_axpy(factor, w, df[0] + m->deriv * v[1]);
  }
  return SOFA_OK;
}

SofaErr sofa_edge_lengths_add_djt(SofaMapping *mapping, const double *f,
                                  const SofaTangent *tangent) {
  const SofaEdgeLengths *m = (const SofaEdgeLengths *)mapping;
  SOFA_TRY(check(m));
  if (m->geometric.index == SOFA_GEOMETRIC_NONE) return SOFA_OK;
  const size_t n = m->deriv;
  for (size_t e = 0; e < m->n; e++) {
    const uint32_t *v = m->edges.data[e].v;
    double b[9] = {0}, plus[36] = {0}, minus[36] = {0};
    // zeros are added too: the pattern stays
    if (!curvature(m, e, f[e], b)) memset(b, 0, sizeof b);
    for (size_t k = 0; k < 9; k++) {
      plus[n * (k / 3) + k % 3] = b[k];
      minus[n * (k / 3) + k % 3] = -b[k];
    }
    sofa_tangent_add(tangent, 0, v[0], 0, v[0], plus);
    sofa_tangent_add(tangent, 0, v[0], 0, v[1], minus);
    sofa_tangent_add(tangent, 0, v[1], 0, v[0], minus);
    sofa_tangent_add(tangent, 0, v[1], 0, v[1], plus);
  }
  return SOFA_OK;
}

SofaErr sofa_edge_lengths_jacobian(SofaMapping *mapping, size_t k, SofaJacobian *out) {
  SofaEdgeLengths *m = (SofaEdgeLengths *)mapping;
  (void)k;
  SOFA_TRY(check(m));
  const double scale = m->squared ? 2 : 1;
  SOFA_TRY(sofa_map_matrix_begin(mapping->object.ctx, &m->j, m->n, m->n_in * m->deriv, 6 * m->n));
  for (size_t e = 0; e < m->n; e++) {
    const uint32_t *v = m->edges.data[e].v;
    const double *u = m->direction.data + 3 * e;
    sofa_map_matrix_row(&m->j);
    // an edge from a point to itself never changes
    for (size_t c = 0; v[0] != v[1] && c < 6; c++)
      sofa_map_matrix_entry(&m->j, m->deriv * v[c / 3] + c % 3,
                            (c < 3 ? -scale : scale) * u[c % 3]);
  }
  sofa_map_matrix_end(&m->j, out);
  return SOFA_OK;
}
