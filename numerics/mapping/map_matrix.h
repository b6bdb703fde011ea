/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by mappings: writing the scalar Jacobian row by row, and the choice of the geometric
 * stiffness (the derivative of J^T f at fixed f). */
#ifndef SOFA_NUMERICS_MAPPING_MAP_MATRIX_H
#define SOFA_NUMERICS_MAPPING_MAP_MATRIX_H

#include "behavior/mapping.h"

SOFA_BEGIN_DECLS

/* Compressed rows that are written again at every request; memory is kept. */
typedef struct SofaMapMatrix {
  SofaIndices start, column;
  SofaReals value;
  size_t n_columns;
} SofaMapMatrix;

/* Room for n_rows rows with n_entries entries in all; the matrix is then empty. */
SofaErr sofa_map_matrix_begin(SofaContext *ctx, SofaMapMatrix *m, size_t n_rows, size_t n_columns,
                              size_t n_entries);
/* The entries given from now on belong to the next row. */
static inline void sofa_map_matrix_row(SofaMapMatrix *m) {
  m->start.data[m->start.n++] = (uint32_t)m->value.n;
}
static inline void sofa_map_matrix_entry(SofaMapMatrix *m, size_t column, double value) {
  m->column.data[m->column.n++] = (uint32_t)column;
  m->value.data[m->value.n++] = value;
}
/* Has the matrix been closed? Then its values can be written again in place, in the order of the
 * entries, and `out` gives it. */
static inline bool sofa_map_matrix_is_made(const SofaMapMatrix *m) {
  return m->start.n > 0 && m->start.data[m->start.n - 1] == m->value.n;
}
/* A closed matrix; *out borrows from m. */
void sofa_map_matrix_out(const SofaMapMatrix *m, SofaJacobian *out);
/* Closes the last row; *out borrows from m. */
void sofa_map_matrix_end(SofaMapMatrix *m, SofaJacobian *out);
void sofa_map_matrix_free(SofaContext *ctx, SofaMapMatrix *m);

/* Items of the fields `geometricStiffness`. Stabilized leaves out what would make a system
 * indefinite. */
typedef enum SofaGeometric {
  SOFA_GEOMETRIC_NONE,
  SOFA_GEOMETRIC_EXACT,
  SOFA_GEOMETRIC_STABILIZED
} SofaGeometric;
extern const char *const sofa_geometric_items[];
/* What a choice of those leaves out; NULL: nothing. */
const char *sofa_geometric_approximation(int item);

SOFA_END_DECLS

#endif
