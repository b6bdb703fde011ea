/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Small helpers of the sparse products: remembered patterns, rows gathered through a marker. */
#ifndef SOFA_MATH_SPARSE_PATTERN_H
#define SOFA_MATH_SPARSE_PATTERN_H

#include "base/array.h"
#include "math/sparse_product.h"

/* Copy of the pattern of a scalar matrix; known is false for "identity" and before the first use.
 */
typedef struct SofaPatternCopy {
  SofaIndices start, column;
  size_t n_columns;
  bool known, identity;
} SofaPatternCopy;

static inline bool sofa_pattern_same(const SofaPatternCopy *p, const SofaCsr *a) {
  if (!p->known || p->identity != !a) return false;
  if (!a) return true;
  const size_t entries = a->start[a->n_rows];
  return p->start.n == a->n_rows + 1 && p->column.n == entries && p->n_columns == a->n_columns &&
         sofa_compare(p->start.data, a->start, (a->n_rows + 1) * sizeof *a->start) == 0 &&
         (entries == 0 ||
          sofa_compare(p->column.data, a->column, entries * sizeof *a->column) == 0);
}

static inline SofaErr sofa_pattern_keep(SofaContext *ctx, SofaPatternCopy *p, const SofaCsr *a) {
  p->known = false;
  p->identity = !a;
  if (a) {
    const size_t entries = a->start[a->n_rows];
    SOFA_TRY(SOFA_RESIZE(ctx, &p->start, a->n_rows + 1));
    SOFA_TRY(SOFA_RESIZE(ctx, &p->column, entries));
    sofa_copy(p->start.data, a->start, (a->n_rows + 1) * sizeof *a->start);
    if (entries) sofa_copy(p->column.data, a->column, entries * sizeof *a->column);
    p->n_columns = a->n_columns;
  }
  p->known = true;
  return SOFA_OK;
}

static inline void sofa_pattern_free(SofaContext *ctx, SofaPatternCopy *p) {
  sofa_list_free(ctx, &p->start);
  sofa_list_free(ctx, &p->column);
  p->known = false;
}

/* Appends `column` to the row being listed unless mark says that the row has it already. */
static inline SofaErr sofa_row_take(SofaContext *ctx, SofaIndices *columns, uint32_t *mark,
                                    uint32_t stamp, uint32_t column) {
  if (mark[column] == stamp) return SOFA_OK;
  mark[column] = stamp;
  return SOFA_APPEND(ctx, columns, &column);
}

#endif
