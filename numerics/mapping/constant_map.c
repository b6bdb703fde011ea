/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Mappings with constant matrices: building them. */
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

SofaErr sofa_constant_map_jacobian(SofaMapping *mapping, const SofaPoint *at, size_t k,
                                   SofaJacobian *out) {
  const SofaConstantMap *m = (const SofaConstantMap *)mapping;
  (void)at;
  SOFA_TRY(sofa_mapping_check_sizes(mapping, m->n_in, m->n_out));
  *out = m->j[k];
  return SOFA_OK;
}
