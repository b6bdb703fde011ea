/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Solutions with a factor of CHOLMOD, of several right-hand sides at once. */
#include "base/bytes.h"
#include "numerics/direct/cholmod_impl.h"

/* Right-hand sides that go through the factor together. */
enum { COLUMNS = 16 };

SofaErr cholmod_make_room(SofaCholmodSolver *s, size_t n) {
  cholmod_free_dense(&s->work, &s->common);
  if (s->y && s->y_rows == n) return SOFA_OK;
  sofa_free(s->ctx, s->y);
  s->y = sofa_alloc(s->ctx, n + 1, sizeof *s->y);
  s->y_columns = 1;
  s->y_rows = n;
  return s->y ? SOFA_OK : SOFA_ERR_MEMORY;
}

/* Room for more columns, made when they come for the first time. */
static SofaErr make_columns(SofaCholmodSolver *s, size_t rows, size_t columns) {
  if (columns <= s->y_columns) return SOFA_OK;
  double *y = sofa_alloc(s->ctx, columns * rows + 1, sizeof *y);
  if (!y) return SOFA_ERR_MEMORY;
  sofa_free(s->ctx, s->y);
  cholmod_free_dense(&s->work, &s->common);
  s->y = y;
  s->y_columns = columns;
  return SOFA_OK;
}

/* ---- supernodal: columns of y one behind the other ---- */

#if CSOFA_GPL
/* y = A^-1 y; begun: y is L^-1 y already */
static SofaErr solve_supernodal(SofaCholmodSolver *s, size_t columns, bool begun) {
  cholmod_factor *l = s->used->l;
  cholmod_dense y = {.nrow = l->n,
                     .ncol = columns,
                     .nzmax = l->n * columns,
                     .d = l->n,
                     .x = s->y,
                     .xtype = CHOLMOD_REAL,
                     .dtype = CHOLMOD_DOUBLE};
  if (!s->work)
    s->work =
        cholmod_allocate_dense(l->maxesize, s->y_columns, l->maxesize, CHOLMOD_REAL, &s->common);
  if (!s->work || (!begun && !cholmod_super_lsolve(l, &y, s->work, &s->common)) ||
      !cholmod_super_ltsolve(l, &y, s->work, &s->common))
    return cholmod_report(s);
  return SOFA_OK;
}

#else /* no factor is supernodal */
static SofaErr solve_supernodal(SofaCholmodSolver *s, size_t columns, bool begun) {
  (void)s;
  (void)columns;
  (void)begun;
  return SOFA_ERR_UNSUPPORTED;
}
#endif

static void take_solutions(const SofaCholmodSolver *s, size_t columns, double *x) {
  const Factor *f = s->used;
  const size_t n = f->l->n;
  for (size_t c = 0; c < columns; c++)
    for (size_t k = 0; k < n; k++) x[c * n + (size_t)f->order[k]] = s->y[c * n + k];
}

static SofaErr supernodal(SofaCholmodSolver *s, size_t columns, const double *b, double *x) {
  const Factor *f = s->used;
  const size_t n = f->l->n;
  for (size_t c = 0; c < columns; c++)
    for (size_t k = 0; k < n; k++) s->y[c * n + k] = b[c * n + (size_t)f->order[k]];
  if (columns == 1) sofa_supernode_solver_apply(f->solver, f->l->x, s->y);
  else SOFA_TRY(solve_supernodal(s, columns, false));
  take_solutions(s, columns, x);
  return SOFA_OK;
}

SofaErr cholmod_finish_with_factor(SofaCholmodSolver *s, const double *half, double *x) {
  s->counts.solves++;
  sofa_copy(s->y, half, s->used->l->n * sizeof *half);
  SOFA_TRY(solve_supernodal(s, 1, true));
  take_solutions(s, 1, x);
  return SOFA_OK;
}

/* ---- simplicial: rows of y one behind the other ---- */

/* L D L^T y = y or L L^T y = y by columns; the first entry of a column is D or the diagonal. */
static void solve_column(const cholmod_factor *l, double *y) {
  const int *p = l->p, *nz = l->nz, *row = l->i;
  const double *x = l->x;
  const bool ll = l->is_ll;
  for (size_t j = 0; j < l->n; j++) {
    const double v = ll ? y[j] /= x[p[j]] : y[j];
    for (int k = p[j] + 1; k < p[j] + nz[j]; k++) y[row[k]] -= x[k] * v;
  }
  for (size_t j = l->n; j-- > 0;) {
    double v = ll ? y[j] : y[j] / x[p[j]];
    for (int k = p[j] + 1; k < p[j] + nz[j]; k++) v -= x[k] * y[row[k]];
    y[j] = ll ? v / x[p[j]] : v;
  }
}

static void forward(const cholmod_factor *l, size_t columns, double *y) {
  const int *p = l->p, *nz = l->nz, *row = l->i;
  const double *x = l->x;
  for (size_t j = 0; j < l->n; j++) {
    double *from = y + j * columns;
    for (size_t c = 0; c < columns && l->is_ll; c++) from[c] /= x[p[j]];
    for (int k = p[j] + 1; k < p[j] + nz[j]; k++) {
      double *restrict to = y + (size_t)row[k] * columns;
      for (size_t c = 0; c < columns; c++) to[c] -= x[k] * from[c];
    }
  }
}

static void backward(const cholmod_factor *l, size_t columns, double *y) {
  const int *p = l->p, *nz = l->nz, *row = l->i;
  const double *x = l->x;
  for (size_t j = l->n; j-- > 0;) {
    double *restrict to = y + j * columns;
    for (size_t c = 0; c < columns && !l->is_ll; c++) to[c] /= x[p[j]];
    for (int k = p[j] + 1; k < p[j] + nz[j]; k++) {
      const double *from = y + (size_t)row[k] * columns;
      for (size_t c = 0; c < columns; c++) to[c] -= x[k] * from[c];
    }
    for (size_t c = 0; c < columns && l->is_ll; c++) to[c] /= x[p[j]];
  }
}

/* Every column with the operations of solve_column, in their order. */
static void simplicial(SofaCholmodSolver *s, size_t columns, const double *b, double *x) {
  const Factor *f = s->used;
  const size_t n = f->l->n;
  for (size_t k = 0; k < n; k++)
    for (size_t c = 0; c < columns; c++) s->y[k * columns + c] = b[c * n + (size_t)f->order[k]];
  if (columns == 1) solve_column(f->l, s->y);
  else forward(f->l, columns, s->y), backward(f->l, columns, s->y);
  for (size_t k = 0; k < n; k++)
    for (size_t c = 0; c < columns; c++) x[c * n + (size_t)f->order[k]] = s->y[k * columns + c];
}

SofaErr cholmod_solve_with_factor(SofaCholmodSolver *s, size_t n, const double *b, double *x) {
  const size_t rows = s->used->l->n;
  s->counts.solves += n;
  SOFA_TRY(make_columns(s, rows, n < COLUMNS ? n : COLUMNS));
  for (size_t k = 0; k < n; k += COLUMNS) {
    const size_t columns = n - k < COLUMNS ? n - k : COLUMNS;
    if (s->used->l->is_super) SOFA_TRY(supernodal(s, columns, b + k * rows, x + k * rows));
    else simplicial(s, columns, b + k * rows, x + k * rows);
  }
  return SOFA_OK;
}
