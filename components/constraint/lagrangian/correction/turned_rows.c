/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rows of constraints on points that have turned. */
#include "components/constraint/lagrangian/correction/turned_rows.h"

#include "math/vec.h"

void turned_rows_free(SofaContext *ctx, TurnedRows *rows) {
  sofa_list_free(ctx, &rows->start);
  sofa_list_free(ctx, &rows->column);
  sofa_list_free(ctx, &rows->value);
}

/* Appends the point that entry *k of the row belongs to, and passes its entries. */
static SofaErr take_point(TurnedRows *rows, SofaContext *ctx, const SofaSparseRows *j, uint32_t end,
                          uint32_t *k, const double *rotations) {
  const uint32_t point = j->column[*k] / 3;
  double value[3] = {0};
  for (; *k < end && j->column[*k] / 3 == point; ++*k) value[j->column[*k] % 3] += j->value[*k];
  sofa_mat3_apply_t(rotations + 9 * (size_t)point, value, value);
  for (uint32_t c = 0; c < 3; c++) {
    const uint32_t column = 3 * point + c;
    SOFA_TRY(SOFA_APPEND(ctx, &rows->column, &column));
    SOFA_TRY(SOFA_APPEND(ctx, &rows->value, &value[c]));
  }
  return SOFA_OK;
}

SofaErr turned_rows_make(TurnedRows *rows, SofaContext *ctx, const SofaSparseRows *j,
                         const double *rotations) {
  rows->j = j ? *j : (SofaSparseRows){0};
  if (!j || !rotations) return SOFA_OK;
  rows->start.n = rows->column.n = rows->value.n = 0;
  for (size_t i = 0; i <= j->n_rows; i++) {
    const uint32_t first = (uint32_t)rows->column.n;
    SOFA_TRY(SOFA_APPEND(ctx, &rows->start, &first));
    for (uint32_t k = i < j->n_rows ? j->start[i] : 0; i < j->n_rows && k < j->start[i + 1];)
      SOFA_TRY(take_point(rows, ctx, j, j->start[i + 1], &k, rotations));
  }
  rows->j.start = rows->start.data;
  rows->j.column = rows->column.data;
  rows->j.value = rows->value.data;
  return SOFA_OK;
}

void turn_points(const double *rotations, bool back, size_t n, double *x) {
  for (size_t i = 0; rotations && i < n / 3; i++) {
    if (back) sofa_mat3_apply_t(rotations + 9 * i, x + 3 * i, x + 3 * i);
    else sofa_mat3_apply(rotations + 9 * i, x + 3 * i, x + 3 * i);
  }
}
