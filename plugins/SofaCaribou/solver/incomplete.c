/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Incomplete L D L^T factors without fill. */
#include "solver/incomplete.h"

#include <math.h>
#include <string.h>

void caribou_incomplete_free(SofaContext *ctx, CaribouIncomplete *f) {
  sofa_scalar_columns_free(ctx, &f->matrix);
  sofa_free(ctx, f->value);
  sofa_free(ctx, f->scale);
  *f = (CaribouIncomplete){0};
}

/* Pattern and room for the factor; kept while the pattern stays. */
static SofaErr prepare(SofaContext *ctx, const SofaBlockMatrix *a, CaribouIncomplete *f) {
  SofaBlockRows rows;
  sofa_block_matrix_rows(a, &rows);
  if (f->value && f->matrix.pattern_version == rows.pattern_version) {
    sofa_scalar_columns_refresh(a, 1, &f->matrix);
    return SOFA_OK;
  }
  SofaErr err = SOFA_OK;
  caribou_incomplete_free(ctx, f);
  SOFA_GO(err, fail, sofa_scalar_columns_build(ctx, a, SOFA_COLUMNS_LOWER, NULL, NULL, &f->matrix));
  f->value = sofa_alloc(ctx, f->matrix.n_entries + 1, sizeof *f->value);
  f->scale = sofa_alloc(ctx, f->matrix.n + 1, sizeof *f->scale);
  if (f->value && f->scale) return SOFA_OK;
  err = SOFA_ERR_MEMORY;
fail:
  caribou_incomplete_free(ctx, f);
  return err;
}

/* value = S A S + shift I; the diagonal is the first entry of a column. */
static void take_values(CaribouIncomplete *f) {
  const SofaScalarColumns *m = &f->matrix;
  for (size_t j = 0; j < m->n; j++) {
    const double d = fabs(m->value[m->start[j]]);
    f->scale[j] = d > 0 ? 1 / sqrt(d) : 1;
  }
  for (size_t j = 0; j < m->n; j++) {
    for (int t = m->start[j]; t < m->start[j + 1]; t++)
      f->value[t] = f->scale[j] * m->value[t] * f->scale[m->row[t]];
    f->value[m->start[j]] += f->shift;
  }
}

/* Column t's entry in row j = row[t] of column k changes column j: entries of rows that column j
 * does not have are dropped. */
static void update_column(const SofaScalarColumns *m, double *x, int t, int end, double ljk,
                          double d) {
  const int *row = m->row;
  const int j = row[t], last = m->start[j + 1];
  int u = m->start[j];
  for (int s = t; s < end; s++) {
    while (u < last && row[u] < row[s]) u++;
    if (u == last) return;
    if (row[u] == row[s]) x[u] -= ljk * d * x[s];
  }
}

/* false: pivot *row is 0, or not positive. */
static bool eliminate(CaribouIncomplete *f, bool positive, size_t *at) {
  const SofaScalarColumns *m = &f->matrix;
  double *x = f->value;
  for (size_t k = 0; k < m->n; k++) {
    const int begin = m->start[k], end = m->start[k + 1];
    const double d = x[begin];
    *at = k;
    if (positive ? !(d > 0) : d == 0 || !isfinite(d)) return false;
    for (int t = begin + 1; t < end; t++) x[t] /= d;
    for (int t = begin + 1; t < end; t++) update_column(m, x, t, end, x[t], d);
  }
  return true;
}

SofaErr caribou_incomplete_factorise(SofaContext *ctx, const SofaBlockMatrix *a, bool positive,
                                     CaribouIncomplete *f, size_t *row) {
  SOFA_TRY(prepare(ctx, a, f));
  f->shift = 0;
  for (int trials = 0; trials < 64; trials++) {
    take_values(f);
    if (eliminate(f, positive, row)) return SOFA_OK;
    if (!positive) break;
    f->shift = f->shift > 0 ? 2 * f->shift : 1e-3;
  }
  return SOFA_ERR_SINGULAR;
}

void caribou_incomplete_apply(const CaribouIncomplete *f, const double *r, double *z) {
  const SofaScalarColumns *m = &f->matrix;
  const double *x = f->value;
  const int *start = m->start, *row = m->row;
  for (size_t j = 0; j < m->n; j++) z[j] = f->scale[j] * r[j];
  for (size_t j = 0; j < m->n; j++)
    for (int t = start[j] + 1; t < start[j + 1]; t++) z[row[t]] -= x[t] * z[j];
  for (size_t j = m->n; j-- > 0;) {
    double sum = z[j] / x[start[j]];
    for (int t = start[j] + 1; t < start[j + 1]; t++) sum -= x[t] * z[row[t]];
    z[j] = sum;
  }
  for (size_t j = 0; j < m->n; j++) z[j] *= f->scale[j];
}
