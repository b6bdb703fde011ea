/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Linear solvers of CHOLMOD between sparse rows J: J A^-1 J^T, and its factor Y by rows. */
#include <math.h>
#include <omp.h>

#include "numerics/direct/blas_threads.h"
#include "numerics/direct/cholmod_impl.h"

/* ---- Y by rows ---- */

/* The runs of all panels; those of a row begin where its first entry may be. */
static SofaErr make_runs(SofaContext *ctx, const InverseWork *work, SofaFactoredRows *out) {
  SOFA_TRY(CHOLMOD_GROW(ctx, &out->run, work->runs.n));
  for (size_t r = 0; r < work->runs.n; r++)
    out->run.data[r] =
        (SofaRowRun){(uint32_t)work->runs.data[r].row, (uint32_t)work->runs.data[r].n};
  return SOFA_OK;
}

/* Runs of a panel before that of a row of L. */
static size_t runs_before(const InverseWork *work, const Panel *p, int row) {
  const PanelRun *run = &work->runs.data[p->first_run];
  size_t r = 0;
  while (r + 1 < p->n_runs && run[r].row + run[r].n <= row) r++;
  return r;
}

/* Where the entries of each row of J go; *reals: their number. */
static SofaErr place_rows(SofaContext *ctx, const Factor *f, const SofaSparseRows *j,
                          const InverseWork *work, SofaFactoredRows *out, size_t *reals) {
  SOFA_TRY(CHOLMOD_GROW(ctx, &out->first_run, j->n_rows));
  SOFA_TRY(CHOLMOD_GROW(ctx, &out->n_runs, j->n_rows));
  SOFA_TRY(CHOLMOD_GROW(ctx, &out->start, j->n_rows));
  for (size_t i = 0; i < j->n_rows; i++) out->n_runs.data[i] = 0; /* of rows without entries */
  *reals = 0;
  for (size_t k = 0; k < work->panels.n; k++) {
    const Panel *p = &work->panels.data[k];
    for (int c = 0; c < p->columns; c++) {
      const size_t i = work->order.data[p->first + (size_t)c];
      const size_t skipped = runs_before(work, p, cholmod_first_rank(&f->tree, j, i));
      out->first_run.data[i] = (uint32_t)(p->first_run + skipped);
      out->n_runs.data[i] = (uint32_t)(p->n_runs - skipped);
      out->start.data[i] = (uint32_t)*reals;
      *reals += p->n_rows - work->runs.data[p->first_run + skipped].at;
    }
  }
  return SOFA_OK;
}

/* Rows of a run that are copied together: they stay in the cache for all columns. */
enum { ROWS = 32 };

/* Some rows of a run, for all columns that have it; each times the root of the inverse of its
 * pivot.
 */
static void copy_rows(const Factor *f, const InverseWork *work, const Panel *p, const PanelRun *s,
                      SofaFactoredRows *out) {
  const size_t n = (size_t)p->columns;
  const double *y = work->y.data + p->at + s->at * n, *pivot = f->l->x;
  const int *start = f->l->p;
  double scale[ROWS];
  for (int k = 0; k < s->n; k++) scale[k] = f->l->is_ll ? 1 : 1 / sqrt(pivot[start[s->row + k]]);
  for (size_t c = 0; c < n; c++) {
    const size_t i = work->order.data[p->first + c];
    const PanelRun *first = &work->runs.data[out->first_run.data[i]];
    if (s->at < first->at) continue;
    double *to = out->value.data + out->start.data[i] + (s->at - first->at);
    for (int k = 0; k < s->n; k++) to[k] = scale[k] * y[(size_t)k * n + c];
  }
}

static void copy_panel(const Factor *f, const InverseWork *work, const Panel *p,
                       SofaFactoredRows *out) {
  for (size_t r = 0; r < p->n_runs; r++) {
    const PanelRun *run = &work->runs.data[p->first_run + r];
    for (int k = 0; k < run->n; k += ROWS) {
      const PanelRun strip = {run->row + k, run->n - k < ROWS ? run->n - k : ROWS,
                              run->at + (size_t)k};
      copy_rows(f, work, p, &strip, out);
    }
  }
}

static bool is_positive(const cholmod_factor *l) {
  const int *start = l->p;
  const double *pivot = l->x;
  for (size_t k = 0; k < l->n && !l->is_ll; k++)
    if (!(pivot[start[k]] > 0)) return false;
  return true;
}

static SofaErr factor_rows(SofaCholmodSolver *s, const SofaSparseRows *j, SofaFactoredRows *out) {
  Factor *f = NULL;
  size_t reals = 0;
  SOFA_TRY(cholmod_make_panels(s, j, &f));
  SOFA_TRY(make_runs(s->ctx, &s->inverse, out));
  SOFA_TRY(place_rows(s->ctx, f, j, &s->inverse, out, &reals));
  if (reals > UINT32_MAX || !is_positive(f->l)) return SOFA_OK;
  SOFA_TRY(CHOLMOD_GROW(s->ctx, &out->value, reals + 1));
  for (size_t k = 0; k < s->inverse.panels.n; k++)
    copy_panel(f, &s->inverse, &s->inverse.panels.data[k], out);
  out->n_columns = f->l->n;
  return SOFA_OK;
}

/* ---- with the solver's matrix ---- */

/* Panels have their own threads, each of which calls BLAS. */
static SofaBlasThreads begin_panels(const SofaContext *ctx) {
  const SofaBlasThreads saved = sofa_blas_threads_begin(1);
  omp_set_max_active_levels(ctx->threads > 1);
  return saved;
}

SofaErr sofa_cholmod_solver_add_jainvjt(SofaCholmodLinearSolver *owner, const SofaSparseRows *j,
                                        double factor, size_t ld, double *w) {
  SofaCholmodSolver *s = owner->cholmod;
  SOFA_TRY(sofa_cholmod_solver_update(owner));
  if (!s->used) return SOFA_OK; /* an empty matrix */
  if (s->doubtful) return sofa_linear_solver_add_by_solving(&owner->solver, j, factor, ld, w);
  const SofaBlasThreads saved = begin_panels(s->ctx);
  const SofaErr err = cholmod_add_jainvjt(s, j, factor, ld, w);
  sofa_blas_threads_end(saved);
  return err;
}

SofaErr sofa_cholmod_solver_factor_rows(SofaCholmodLinearSolver *owner, const SofaSparseRows *j,
                                        SofaFactoredRows *out) {
  SofaCholmodSolver *s = owner->cholmod;
  SOFA_TRY(sofa_cholmod_solver_update(owner));
  if (!s->used || s->doubtful) return SOFA_OK;
  const SofaBlasThreads saved = begin_panels(s->ctx);
  const SofaErr err = factor_rows(s, j, out);
  sofa_blas_threads_end(saved);
  return err;
}

SofaErr sofa_cholmod_add_jainvjt(SofaLinearSolver *solver, const SofaSparseRows *j, double factor,
                                 size_t ld, double *w) {
  return sofa_cholmod_solver_add_jainvjt((SofaCholmodLinearSolver *)solver, j, factor, ld, w);
}

SofaErr sofa_cholmod_factor_rows(SofaLinearSolver *solver, const SofaSparseRows *j,
                                 SofaFactoredRows *out) {
  return sofa_cholmod_solver_factor_rows((SofaCholmodLinearSolver *)solver, j, out);
}
