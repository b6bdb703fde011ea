/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sizes of elements as a mapping: everything but the formulas of area and volume. */
#include "numerics/mapping/patches.h"

#include <string.h>

const SofaLinkRule sofa_patch_topology_rule = {.interface = SOFA_TOPOLOGY,
                                               .search = SOFA_SEARCH_SLOT};

enum { MOST = 12 }; /* reals of the vertices of an element */

static SofaErr check(const SofaPatches *m) {
  return sofa_mapping_check_sizes(&m->mapping, &m->n_in, m->n);
}

/* ---- setup ---- */

/* Makes room for what is kept per element. */
static SofaErr resize(SofaPatches *m) {
  SofaContext *ctx = m->mapping.object.ctx;
  m->n_in = m->mapping.inputs[0]->position.n;
  m->n = sofa_map_rows_n(&m->rows);
  SOFA_TRY(SOFA_RESIZE(ctx, &m->x, 3 * m->rows.point.n));
  return SOFA_RESIZE(ctx, &m->gradient, 3 * m->rows.point.n);
}

SofaErr sofa_patches_setup(SofaPatches *m, SofaElementKind kind) {
  SofaTopology *t = (SofaTopology *)m->topology.target;
  SofaState *out = m->mapping.out;
  if (!t)
    return sofa_field_fail(&m->mapping.object, "topology", SOFA_ERR_NOT_FOUND,
                           "there is no topology with elements to measure");
  m->rows.topology = t;
  m->rows.kind = kind;
  SOFA_TRY(sofa_map_rows_of_elements(&m->rows, &m->mapping));
  m->width = m->rows.width;
  SOFA_TRY(resize(m));
  return out->position.n == m->n ? SOFA_OK : sofa_state_resize(out, m->n);
}

static SofaErr follow(SofaObject *object, const SofaTopologyChange *change) {
  SofaPatches *m = (SofaPatches *)object;
  SOFA_TRY(sofa_map_rows_follow(&m->rows, &m->mapping, false, change));
  if (change->kind != SOFA_CHANGE_DONE) return SOFA_OK;
  SOFA_TRY(resize(m));
  sofa_map_matrix_free(object->ctx, &m->j);
  return sofa_mapping_put(&m->mapping);
}

const SofaFollowerOps sofa_patches_follower = {.follow = follow, .maps_elements = true};

void sofa_patches_destroy(SofaObject *object) {
  SofaPatches *m = (SofaPatches *)object;
  sofa_map_rows_free(object->ctx, &m->rows);
  sofa_list_free(object->ctx, &m->x);
  sofa_list_free(object->ctx, &m->gradient);
  sofa_map_matrix_free(object->ctx, &m->j);
}

/* ---- operations ---- */

/* The vertices of element e in a vector of the input. */
static inline void gather(const SofaPatches *m, const double *x, size_t e, double *p) {
  for (size_t k = 0; k < 3 * m->width; k++)
    p[k] = x[3 * (size_t)m->rows.point.data[m->width * e + k / 3] + k % 3];
}

static inline void scatter(const SofaPatches *m, double factor, const double *p, size_t e,
                           double *x) {
  for (size_t k = 0; k < 3 * m->width; k++)
    x[3 * (size_t)m->rows.point.data[m->width * e + k / 3] + k % 3] += factor * p[k];
}

SofaErr sofa_patches_apply(SofaPatches *m, SofaPatchSize size, const double *x, double *out) {
  SOFA_TRY(check(m));
  for (size_t e = 0; e < m->n; e++) {
    double *p = m->x.data + 3 * m->width * e;
    gather(m, x, e, p);
    out[e] = size(p, m->gradient.data + 3 * m->width * e, NULL);
  }
  return SOFA_OK;
}

SofaErr sofa_patches_apply_j(SofaMapping *mapping, const double *const *v, double *out) {
  const SofaPatches *m = (const SofaPatches *)mapping;
  SOFA_TRY(check(m));
  for (size_t e = 0; e < m->n; e++) {
    const double *g = m->gradient.data + 3 * m->width * e;
    double p[MOST], sum = 0;
    gather(m, v[0], e, p);
    for (size_t k = 0; k < 3 * m->width; k++) sum += g[k] * p[k];
    out[e] = sum;
  }
  return SOFA_OK;
}

SofaErr sofa_patches_apply_jt(SofaMapping *mapping, const double *f, double *const *in) {
  const SofaPatches *m = (const SofaPatches *)mapping;
  SOFA_TRY(check(m));
  for (size_t e = 0; e < m->n; e++) scatter(m, f[e], m->gradient.data + 3 * m->width * e, e, in[0]);
  return SOFA_OK;
}

/* Does the second derivative of an element count? */
static bool bends(const SofaPatches *m, double f) {
  return m->geometric.index == SOFA_GEOMETRIC_EXACT ||
         (m->geometric.index == SOFA_GEOMETRIC_STABILIZED && f < 0);
}

SofaErr sofa_patches_apply_djt(SofaPatches *m, SofaPatchSize size, double factor, const double *f,
                               const double *dx, double *df) {
  SOFA_TRY(check(m));
  const size_t n = 3 * m->width;
  for (size_t e = 0; e < m->n; e++) {
    double h[MOST * MOST], p[MOST], d[MOST] = {0};
    if (!bends(m, f[e])) continue;
    size(m->x.data + n * e, NULL, h);
    gather(m, dx, e, p);
    for (size_t r = 0; r < n; r++)
      for (size_t c = 0; c < n; c++) d[r] += h[n * r + c] * p[c];
    scatter(m, factor * f[e], d, e, df);
  }
  return SOFA_OK;
}

SofaErr sofa_patches_add_djt(SofaPatches *m, SofaPatchSize size, const double *f,
                             const SofaTangent *tangent) {
  SOFA_TRY(check(m));
  if (m->geometric.index == SOFA_GEOMETRIC_NONE) return SOFA_OK;
  const size_t n = 3 * m->width;
  for (size_t e = 0; e < m->n; e++) {
    const uint32_t *v = m->rows.point.data + m->width * e;
    // zeros are added too: the pattern stays
    const double factor = bends(m, f[e]) ? f[e] : 0;
    double h[MOST * MOST], block[9];
    size(m->x.data + n * e, NULL, h);
    for (size_t a = 0; a < m->width; a++)
      for (size_t b = 0; b < m->width; b++) {
        for (size_t k = 0; k < 9; k++) block[k] = factor * h[n * (3 * a + k / 3) + 3 * b + k % 3];
        sofa_tangent_add(tangent, 0, v[a], 0, v[b], block);
      }
  }
  return SOFA_OK;
}

SofaErr sofa_patches_jacobian(SofaMapping *mapping, size_t k, SofaJacobian *out) {
  SofaPatches *m = (SofaPatches *)mapping;
  (void)k;
  SOFA_TRY(check(m));
  SOFA_TRY(
      sofa_map_matrix_begin(mapping->object.ctx, &m->j, m->n, 3 * m->n_in, 3 * m->rows.point.n));
  for (size_t e = 0; e < m->n; e++) {
    sofa_map_matrix_row(&m->j);
    for (size_t i = 3 * m->width * e; i < 3 * m->width * (e + 1); i++)
      sofa_map_matrix_entry(&m->j, 3 * (size_t)m->rows.point.data[i / 3] + i % 3,
                            m->gradient.data[i]);
  }
  sofa_map_matrix_end(&m->j, out);
  return SOFA_OK;
}
