/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sums of products of scalar sparse matrices, by rows (Gustavson 1978). */
#include <stdlib.h>

#include "math/sparse_pattern.h"

SOFA_LIST(SofaPatternCopy, PatternCopies);

struct SofaCsrSum {
  SofaContext *ctx;
  PatternCopies left, right; /* of the terms the pattern was made for */
  size_t n_rows, n_columns;
  SofaIndices start, column;
  SofaReals value;
  SofaReals sum; /* n_columns, zero between rows */
};

SofaErr sofa_csr_sum_create(SofaContext *ctx, SofaCsrSum **out) {
  *out = sofa_alloc(ctx, 1, sizeof **out);
  if (!*out) return SOFA_ERR_MEMORY;
  (*out)->ctx = ctx;
  return SOFA_OK;
}

static void free_copies(SofaContext *ctx, PatternCopies *copies) {
  for (size_t t = 0; t < copies->n; t++) sofa_pattern_free(ctx, &copies->data[t]);
  sofa_list_free(ctx, copies);
}

void sofa_csr_sum_destroy(SofaCsrSum **sum) {
  SofaCsrSum *s = *sum;
  if (!s) return;
  free_copies(s->ctx, &s->left);
  free_copies(s->ctx, &s->right);
  sofa_list_free(s->ctx, &s->start);
  sofa_list_free(s->ctx, &s->column);
  sofa_list_free(s->ctx, &s->value);
  sofa_list_free(s->ctx, &s->sum);
  sofa_free(s->ctx, s);
  *sum = NULL;
}

static bool pattern_known(const SofaCsrSum *s, size_t n, const SofaCsr *const *a,
                          const SofaCsr *const *b) {
  if (s->left.n != n) return false;
  for (size_t t = 0; t < n; t++)
    if (!sofa_pattern_same(&s->left.data[t], a[t]) || !sofa_pattern_same(&s->right.data[t], b[t]))
      return false;
  return true;
}

static int compare_columns(const void *a, const void *b) {
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

/* Appends the columns of row i of a b. */
static SofaErr list_term(SofaCsrSum *s, size_t i, const SofaCsr *a, const SofaCsr *b,
                         uint32_t *mark) {
  const uint32_t stamp = (uint32_t)i + 1;
  for (uint32_t k = a->start[i]; k < a->start[i + 1]; k++) {
    const uint32_t j = a->column[k];
    if (!b) {
      SOFA_TRY(sofa_row_take(s->ctx, &s->column, mark, stamp, j));
      continue;
    }
    for (uint32_t e = b->start[j]; e < b->start[j + 1]; e++)
      SOFA_TRY(sofa_row_take(s->ctx, &s->column, mark, stamp, b->column[e]));
  }
  return SOFA_OK;
}

static SofaErr list_rows(SofaCsrSum *s, size_t n, const SofaCsr *const *a, const SofaCsr *const *b,
                         uint32_t *mark) {
  s->column.n = 0;
  for (size_t i = 0; i < s->n_rows; i++) {
    const size_t first = s->column.n;
    for (size_t t = 0; t < n; t++) SOFA_TRY(list_term(s, i, a[t], b[t], mark));
    if (s->column.n > first)
      sofa_sort(s->column.data + first, s->column.n - first, sizeof *s->column.data,
                compare_columns);
    s->start.data[i + 1] = (uint32_t)s->column.n;
  }
  return SOFA_RESIZE(s->ctx, &s->value, s->column.n);
}

static SofaErr keep_patterns(SofaCsrSum *s, size_t n, const SofaCsr *const *a,
                             const SofaCsr *const *b) {
  free_copies(s->ctx, &s->left);
  free_copies(s->ctx, &s->right);
  SOFA_TRY(SOFA_RESIZE(s->ctx, &s->left, n));
  SOFA_TRY(SOFA_RESIZE(s->ctx, &s->right, n));
  for (size_t t = 0; t < n; t++) {
    SOFA_TRY(sofa_pattern_keep(s->ctx, &s->left.data[t], a[t]));
    SOFA_TRY(sofa_pattern_keep(s->ctx, &s->right.data[t], b[t]));
  }
  return SOFA_OK;
}

static SofaErr make_pattern(SofaCsrSum *s, size_t n, const SofaCsr *const *a,
                            const SofaCsr *const *b) {
  free_copies(s->ctx, &s->left); /* nothing is known until this succeeds */
  s->n_rows = n ? a[0]->n_rows : 0;
  s->n_columns = n ? (b[0] ? b[0] : a[0])->n_columns : 0;
  SOFA_TRY(SOFA_RESIZE(s->ctx, &s->start, s->n_rows + 1));
  s->sum.n = 0;
  SOFA_TRY(SOFA_RESIZE(s->ctx, &s->sum, s->n_columns));
  s->start.data[0] = 0;
  uint32_t *mark = sofa_alloc(s->ctx, s->n_columns + 1, sizeof *mark);
  if (!mark) return SOFA_ERR_MEMORY;
  SofaErr err = list_rows(s, n, a, b, mark);
  sofa_free(s->ctx, mark);
  if (err == SOFA_OK) err = keep_patterns(s, n, a, b);
  if (err != SOFA_OK) free_copies(s->ctx, &s->left);
  return err;
}

static void compute_row(SofaCsrSum *s, size_t i, const SofaCsr *a, const SofaCsr *b) {
  double *sum = s->sum.data;
  for (uint32_t k = a->start[i]; k < a->start[i + 1]; k++) {
    const uint32_t j = a->column[k];
    const double v = a->value[k];
    if (!b) sum[j] += v;
    else
      for (uint32_t e = b->start[j]; e < b->start[j + 1]; e++) sum[b->column[e]] += v * b->value[e];
  }
}

SofaErr sofa_csr_sum_compute(SofaCsrSum *s, size_t n, const SofaCsr *const *a,
                             const SofaCsr *const *b, SofaCsr *out) {
  if (!pattern_known(s, n, a, b) || n == 0) SOFA_TRY(make_pattern(s, n, a, b));
  for (size_t i = 0; i < s->n_rows; i++) {
    for (size_t t = 0; t < n; t++) compute_row(s, i, a[t], b[t]);
    for (uint32_t k = s->start.data[i]; k < s->start.data[i + 1]; k++) {
      s->value.data[k] = s->sum.data[s->column.data[k]];
      s->sum.data[s->column.data[k]] = 0;
    }
  }
  *out = (SofaCsr){s->n_rows, s->n_columns, s->start.data, s->column.data, s->value.data};
  return SOFA_OK;
}
