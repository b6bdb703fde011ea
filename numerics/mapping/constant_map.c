/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Mappings with constant matrices: building them, and the products. */
#include "numerics/mapping/constant_map.h"

static size_t deriv_of(const SofaState *s) {
  return sofa_state_kind_info(s->object.kind)->deriv;
}

/* ---- building ---- */

static void free_parts(SofaConstantMap *m) {
  SofaContext *ctx = m->multi.mapping.object.ctx;
  for (size_t k = 0; m->part && k < m->n_parts; k++) sofa_map_matrix_free(ctx, &m->part[k]);
  sofa_free(ctx, m->part);
  sofa_free(ctx, m->n_in);
  sofa_free(ctx, m->j);
  m->part = NULL;
  m->n_in = NULL;
  m->j = NULL;
  m->n_parts = 0;
}

SofaErr sofa_constant_map_begin(SofaConstantMap *m, size_t n_out) {
  SofaMapping *map = &m->multi.mapping;
  SofaContext *ctx = map->object.ctx;
  const size_t n = map->n_inputs;
  free_parts(m);
  m->part = sofa_alloc(ctx, n, sizeof *m->part);
  m->n_parts = n;
  m->n_in = sofa_alloc(ctx, n, sizeof *m->n_in);
  m->j = sofa_alloc(ctx, n, sizeof *m->j);
  if (!m->part || !m->n_in || !m->j) return SOFA_ERR_MEMORY;
  for (size_t k = 0; k < n; k++) m->n_in[k] = map->inputs[k]->position.n;
  m->n_out = n_out;
  return map->out->position.n == n_out ? SOFA_OK : sofa_state_resize(map->out, n_out);
}

SofaErr sofa_constant_map_open(SofaConstantMap *m, size_t k, size_t n_entries) {
  const SofaMapping *map = &m->multi.mapping;
  return sofa_map_matrix_begin(map->object.ctx, &m->part[k], m->n_out * deriv_of(map->out),
                               m->n_in[k] * deriv_of(map->inputs[k]), n_entries);
}

void sofa_constant_map_close(SofaConstantMap *m, size_t k) {
  sofa_map_matrix_end(&m->part[k], &m->j[k]);
}

void sofa_constant_map_destroy(SofaObject *object) {
  free_parts((SofaConstantMap *)object);
}

/* ---- operations ---- */

static SofaErr check(const SofaConstantMap *m) {
  return sofa_mapping_check_sizes(&m->multi.mapping, m->n_in, m->n_out);
}

/* Row r of J times the places; `in` is the kind of the input. */
static double row_of_places(const SofaJacobian *j, size_t r, const SofaStateKindInfo *in,
                            const double *x) {
  double sum = 0;
  for (uint32_t e = j->start[r]; e < j->start[r + 1]; e++) {
    const size_t i = j->column[e] / in->deriv, c = j->column[e] % in->deriv;
    sum += j->value[e] * x[in->coord * i + c];
  }
  return sum;
}

SofaErr sofa_constant_map_places(SofaConstantMap *m, const double *const *x, const double *offset,
                                 double *out) {
  const SofaMapping *map = &m->multi.mapping;
  const SofaStateKindInfo *kind = sofa_state_kind_info(map->out->object.kind);
  const size_t space = kind->rigid ? kind->space : kind->coord;
  const double *own = map->out->position.data;
  SOFA_TRY(check(m));
  for (size_t i = 0; i < m->n_out; i++) {
    for (size_t c = 0; c < space; c++) {
      const size_t row = kind->deriv * i + c;
      double sum = offset ? offset[row] : 0;
      for (size_t k = 0; k < m->n_parts; k++)
        sum +=
            row_of_places(&m->j[k], row, sofa_state_kind_info(map->inputs[k]->object.kind), x[k]);
      out[kind->coord * i + c] = sum;
    }
    // orientations stay, also in the trial vectors of solvers
    for (size_t c = space; out != own && c < kind->coord; c++)
      out[kind->coord * i + c] = own[kind->coord * i + c];
  }
  return SOFA_OK;
}

SofaErr sofa_constant_map_apply_j(SofaMapping *mapping, const double *const *v, double *out) {
  const SofaConstantMap *m = (const SofaConstantMap *)mapping;
  SOFA_TRY(check(m));
  const size_t rows = m->n_out * deriv_of(mapping->out);
  for (size_t r = 0; r < rows; r++) {
    double sum = 0;
    for (size_t k = 0; k < m->n_parts; k++)
      for (uint32_t e = m->j[k].start[r]; e < m->j[k].start[r + 1]; e++)
        sum += m->j[k].value[e] * v[k][m->j[k].column[e]];
    out[r] = sum;
  }
  return SOFA_OK;
}

SofaErr sofa_constant_map_apply_jt(SofaMapping *mapping, const double *f, double *const *in) {
  const SofaConstantMap *m = (const SofaConstantMap *)mapping;
  SOFA_TRY(check(m));
  for (size_t k = 0; k < m->n_parts; k++)
    for (size_t r = 0; r < m->j[k].n_rows; r++)
      for (uint32_t e = m->j[k].start[r]; e < m->j[k].start[r + 1]; e++)
        in[k][m->j[k].column[e]] += m->j[k].value[e] * f[r];
  return SOFA_OK;
}

SofaErr sofa_constant_map_jacobian(SofaMapping *mapping, size_t k, SofaJacobian *out) {
  const SofaConstantMap *m = (const SofaConstantMap *)mapping;
  SOFA_TRY(check(m));
  *out = m->j[k];
  return SOFA_OK;
}
