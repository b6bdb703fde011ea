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

static void count(SofaPatches *m) {
  m->n_in = m->mapping.inputs[0]->position.n;
  m->n = sofa_map_rows_n(&m->rows);
  sofa_map_matrix_free(m->mapping.object.ctx, &m->j);
}

SofaErr sofa_patches_setup(SofaPatches *m, SofaElementKind kind, SofaPatchSize size) {
  SofaTopology *t = (SofaTopology *)m->topology.target;
  SofaState *out = m->mapping.out;
  m->size = size;
  if (!t)
    return sofa_field_fail(&m->mapping.object, "topology", SOFA_ERR_NOT_FOUND,
                           "there is no topology with elements to measure");
  m->rows.topology = t;
  m->rows.kind = kind;
  SOFA_TRY(sofa_map_rows_of_elements(&m->rows, &m->mapping));
  m->width = m->rows.width;
  count(m);
  return out->position.n == m->n ? SOFA_OK : sofa_state_resize(out, m->n);
}

static SofaErr listen(SofaObject *object, const SofaTopologyChange *change) {
  SofaPatches *m = (SofaPatches *)object;
  return sofa_map_rows_listen(&m->rows, &m->mapping, change);
}

static SofaErr done(SofaObject *object) {
  SofaPatches *m = (SofaPatches *)object;
  SOFA_TRY(sofa_map_rows_done(&m->rows, &m->mapping));
  count(m);
  return sofa_mapping_put(&m->mapping);
}

const SofaTopologyListenerOps sofa_patches_listener = {
    .listen = listen, .done = done, .maps_elements = true};

void sofa_patches_destroy(SofaObject *object) {
  SofaPatches *m = (SofaPatches *)object;
  sofa_map_rows_free(object->ctx, &m->rows);
  sofa_map_matrix_free(object->ctx, &m->j);
}

/* ---- operations ---- */

/* The vertices of element e in a vector of the input. */
static inline void gather(const SofaPatches *m, const double *x, size_t e, double *p) {
  const uint32_t *v = m->rows.point.data + m->width * e;
  for (size_t k = 0; k < m->width; k++)
    for (size_t c = 0; c < 3; c++) p[3 * k + c] = x[3 * (size_t)v[k] + c];
}

static inline void scatter(const SofaPatches *m, double factor, const double *p, size_t e,
                           double *x) {
  const uint32_t *v = m->rows.point.data + m->width * e;
  for (size_t k = 0; k < m->width; k++)
    for (size_t c = 0; c < 3; c++) x[3 * (size_t)v[k] + c] += factor * p[3 * k + c];
}

SofaErr sofa_patches_apply(SofaMapping *mapping, const SofaPoint *at, double *x_out) {
  const SofaPatches *m = (const SofaPatches *)mapping;
  SOFA_TRY(check(m));
  for (size_t e = 0; e < m->n; e++) {
    double p[MOST];
    gather(m, at->x[0], e, p);
    x_out[e] = m->size(p, NULL, NULL);
  }
  return SOFA_OK;
}

/* Does the second derivative of an element count? */
static bool bends(const SofaPatches *m, double f) {
  return m->geometric.index == SOFA_GEOMETRIC_EXACT ||
         (m->geometric.index == SOFA_GEOMETRIC_STABILIZED && f < 0);
}

const char *sofa_patches_approximation(const SofaMapping *mapping) {
  return sofa_geometric_approximation(((const SofaPatches *)mapping)->geometric.index);
}

SofaErr sofa_patches_apply_djt(SofaMapping *mapping, const SofaPoint *at, double factor,
                               const double *f_out, const double *const *dx_in,
                               double *const *df_in) {
  const SofaPatches *m = (const SofaPatches *)mapping;
  SOFA_TRY(check(m));
  const size_t n = 3 * m->width;
  for (size_t e = 0; e < m->n; e++) {
    double h[MOST * MOST], p[MOST], d[MOST] = {0};
    if (!bends(m, f_out[e])) continue;
    gather(m, at->x[0], e, p);
    m->size(p, NULL, h);
    gather(m, dx_in[0], e, p);
    for (size_t r = 0; r < n; r++)
      for (size_t c = 0; c < n; c++) d[r] += h[n * r + c] * p[c];
    scatter(m, factor * f_out[e], d, e, df_in[0]);
  }
  return SOFA_OK;
}

static inline void block_of(const double *h, size_t n, double factor, double *block) {
  for (size_t r = 0; r < 3; r++)
    for (size_t c = 0; c < 3; c++) block[3 * r + c] = factor * h[n * r + c];
}

SofaErr sofa_patches_add_djt(SofaMapping *mapping, const SofaPoint *at, const double *f_out,
                             const SofaTangent *tangent) {
  const SofaPatches *m = (const SofaPatches *)mapping;
  SOFA_TRY(check(m));
  if (m->geometric.index == SOFA_GEOMETRIC_NONE) return SOFA_OK;
  const size_t n = 3 * m->width;
  for (size_t e = 0; e < m->n; e++) {
    const uint32_t *v = m->rows.point.data + m->width * e;
    // zeros are added too: the pattern stays
    const double factor = bends(m, f_out[e]) ? f_out[e] : 0;
    double h[MOST * MOST], p[MOST], block[9];
    gather(m, at->x[0], e, p);
    m->size(p, NULL, h);
    for (size_t a = 0; a < m->width; a++)
      for (size_t b = 0; b < m->width; b++) {
        block_of(h + n * 3 * a + 3 * b, n, factor, block);
        sofa_tangent_add(tangent, 0, v[a], 0, v[b], block);
      }
  }
  return SOFA_OK;
}

/* The pattern, when the matrix is first asked for. */
static SofaErr make_pattern(SofaPatches *m) {
  SofaJacobian j;
  SOFA_TRY(
      sofa_map_matrix_begin(m->mapping.object.ctx, &m->j, m->n, 3 * m->n_in, 3 * m->rows.point.n));
  for (size_t i = 0; i < 3 * m->rows.point.n; i++) {
    if (i % (3 * m->width) == 0) sofa_map_matrix_row(&m->j);
    sofa_map_matrix_entry(&m->j, 3 * (size_t)m->rows.point.data[i / 3] + i % 3, 0);
  }
  sofa_map_matrix_end(&m->j, &j);
  return SOFA_OK;
}

SofaErr sofa_patches_jacobian(SofaMapping *mapping, const SofaPoint *at, size_t k,
                              SofaJacobian *out) {
  SofaPatches *m = (SofaPatches *)mapping;
  (void)k;
  SOFA_TRY(check(m));
  if (!sofa_map_matrix_is_made(&m->j)) SOFA_TRY(make_pattern(m));
  for (size_t e = 0; e < m->n; e++) {
    double p[MOST];
    gather(m, at->x[0], e, p);
    m->size(p, m->j.value.data + 3 * m->width * e, NULL);
  }
  sofa_map_matrix_out(&m->j, out);
  return SOFA_OK;
}
