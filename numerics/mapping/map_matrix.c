/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Scalar Jacobians of mappings in compressed rows. */
#include "numerics/mapping/map_matrix.h"

const char *const sofa_geometric_items[] = {"None", "Exact", "Stabilized", NULL};

const char *sofa_geometric_approximation(int item) {
  if (item == SOFA_GEOMETRIC_NONE) return "geometricStiffness is None";
  return item == SOFA_GEOMETRIC_EXACT ? NULL : "geometricStiffness is Stabilized";
}

SofaErr sofa_map_matrix_begin(SofaContext *ctx, SofaMapMatrix *m, size_t n_rows, size_t n_columns,
                              size_t n_entries) {
  if (n_entries > UINT32_MAX || n_columns > UINT32_MAX)
    return sofa_fail(ctx, SOFA_ERR_RANGE, NULL, "a mapping with %zu entries in its matrix",
                     n_entries);
  SOFA_TRY(SOFA_RESERVE(ctx, &m->start, n_rows + 1));
  SOFA_TRY(SOFA_RESERVE(ctx, &m->column, n_entries + 1));
  SOFA_TRY(SOFA_RESERVE(ctx, &m->value, n_entries + 1));
  m->start.n = m->column.n = m->value.n = 0;
  m->n_columns = n_columns;
  return SOFA_OK;
}

void sofa_map_matrix_out(const SofaMapMatrix *m, SofaJacobian *out) {
  *out = (SofaJacobian){.n_rows = m->start.n - 1,
                        .n_columns = m->n_columns,
                        .start = m->start.data,
                        .column = m->column.data,
                        .value = m->value.data};
}

void sofa_map_matrix_end(SofaMapMatrix *m, SofaJacobian *out) {
  sofa_map_matrix_row(m);
  sofa_map_matrix_out(m, out);
}

void sofa_map_matrix_free(SofaContext *ctx, SofaMapMatrix *m) {
  sofa_list_free(ctx, &m->start);
  sofa_list_free(ctx, &m->column);
  sofa_list_free(ctx, &m->value);
}
