/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Incomplete L D L^T factors without fill. */
#include "solver/incomplete_lu.h"

#include <math.h>
#include <string.h>

#include "components/linearsolver/assembled.h"

void caribou_incomplete_lu_free(SofaContext *ctx, CaribouIncompleteLu *f) {
  sofa_scalar_columns_free(ctx, &f->matrix);
  sofa_free(ctx, f->value);
  *f = (CaribouIncompleteLu){0};
}

/* Values of the matrix, in room for the factor that is kept while the pattern stays. */
static SofaErr fetch(SofaContext *ctx, const SofaBlockMatrix *a, uint64_t pattern,
                     CaribouIncompleteLu *f) {
  if (f->value && f->source == a && f->matrix.pattern_version == pattern) {
    sofa_scalar_columns_refresh(a, 1, &f->matrix);
  } else {
    caribou_incomplete_lu_free(ctx, f);
    SOFA_TRY(sofa_scalar_columns_build(ctx, a, SOFA_COLUMNS_LOWER, NULL, NULL, &f->matrix));
    f->value = sofa_alloc(ctx, f->matrix.n_entries + 1, sizeof *f->value);
    if (!f->value) return SOFA_ERR_MEMORY;
    f->source = a;
  }
  if (f->matrix.n_entries)
    memcpy(f->value, f->matrix.value, f->matrix.n_entries * sizeof *f->value);
  return SOFA_OK;
}

/* The entry in row j = row[t] of column k, pivot d, changes column j; entries of rows that column j
 * does not have are dropped. */
static void update_column(const SofaScalarColumns *m, double *x, int t, int end, double d) {
  const int *row = m->row;
  const int j = row[t], last = m->start[j + 1];
  const double factor = x[t] * d;
  int u = m->start[j];
  for (int s = t; s < end; s++) {
    while (u < last && row[u] < row[s]) u++;
    if (u == last) return;
    if (row[u] == row[s]) x[u] -= factor * x[s];
  }
}

/* The diagonal is the first entry of a column. false: pivot *at is 0. */
static bool eliminate(CaribouIncompleteLu *f, size_t *at) {
  const SofaScalarColumns *m = &f->matrix;
  double *x = f->value;
  for (size_t k = 0; k < m->n; k++) {
    const int begin = m->start[k], end = m->start[k + 1];
    const double d = x[begin];
    *at = k;
    if (d == 0) return false;
    for (int t = begin + 1; t < end; t++) x[t] /= d;
    for (int t = begin + 1; t < end; t++) update_column(m, x, t, end, d);
  }
  return true;
}

SofaErr caribou_incomplete_lu_update(const SofaLinearSolver *owner, CaribouIncompleteLu *f) {
  const SofaBlockMatrix *matrix = NULL;
  SofaBlockRows rows;
  size_t at = 0;
  SOFA_TRY(assembled_rows(owner, &matrix, &rows));
  if (f->source == matrix && f->value_version == rows.value_version) return SOFA_OK;
  f->value_version = 0;
  SOFA_TRY(assembled_check_finite(owner, &rows));
  SOFA_TRY(fetch(owner->object.ctx, matrix, rows.pattern_version, f));
  if (!eliminate(f, &at))
    return sofa_linear_solver_fail_at(owner, SOFA_ERR_SINGULAR, at,
                                      "the incomplete factor has a pivot of 0");
  f->value_version = rows.value_version;
  return SOFA_OK;
}

void caribou_incomplete_lu_apply(const CaribouIncompleteLu *f, double *x) {
  const SofaScalarColumns *m = &f->matrix;
  const double *l = f->value;
  const int *start = m->start, *row = m->row;
  for (size_t j = 0; j < m->n; j++)
    for (int t = start[j] + 1; t < start[j + 1]; t++) x[row[t]] -= l[t] * x[j];
  for (size_t j = m->n; j-- > 0;) {
    double sum = x[j] / l[start[j]];
    for (int t = start[j] + 1; t < start[j + 1]; t++) sum -= l[t] * x[row[t]];
    x[j] = sum;
  }
}
