/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Linear solvers of CHOLMOD between sparse rows J: J A^-1 J^T, and its factor Y by rows. */
#include <math.h>

#include "base/bytes.h"
#include "numerics/direct/blas_threads.h"
#include "numerics/direct/cholmod_impl.h"

/* ---- Y by rows ---- */

static bool has_column(const PanelBlock *b, int c) {
  return c >= b->lo && c < b->lo + b->columns;
}

/* The same blocks as the column before? Then they share the runs. */
static bool same_blocks(const InverseWork *work, const Panel *p, int c) {
  for (size_t k = 0; k < p->n_blocks; k++) {
    const PanelBlock *b = &work->blocks.data[p->first_block + k];
    if (has_column(b, c) != has_column(b, c - 1)) return false;
  }
  return true;
}

/* Appends the runs of a column: its part of each block. */
static SofaErr add_runs(SofaContext *ctx, const InverseWork *work, const Panel *p, int c,
                        SofaFactoredRows *out) {
  for (size_t k = 0; k < p->n_blocks; k++) {
    const PanelBlock *b = &work->blocks.data[p->first_block + k];
    const SofaRowRun next = {(uint32_t)b->row, (uint32_t)b->n,
                             (int64_t)b->at - (int64_t)b->lo * b->n};
    if (has_column(b, c)) SOFA_TRY(SOFA_APPEND(ctx, &out->run, &next));
  }
  return SOFA_OK;
}

static SofaErr find_runs(SofaContext *ctx, const InverseWork *work, SofaFactoredRows *out) {
  out->run.n = 0;
  for (size_t k = 0; k < work->panels.n; k++) {
    const Panel *p = &work->panels.data[k];
    size_t first = 0;
    for (int c = 0; c < p->columns; c++) {
      const size_t i = work->order.data[p->first + (size_t)c];
      if (c == 0 || !same_blocks(work, p, c)) {
        first = out->run.n;
        SOFA_TRY(add_runs(ctx, work, p, c, out));
      }
      out->first_run.data[i] = (uint32_t)first;
      out->n_runs.data[i] = (uint32_t)(out->run.n - first);
      out->place.data[i] = (uint32_t)c;
    }
  }
  return SOFA_OK;
}

static SofaErr place_rows(SofaContext *ctx, const SofaSparseRows *j, const InverseWork *work,
                          SofaFactoredRows *out) {
  SOFA_TRY(CHOLMOD_GROW(ctx, &out->first_run, j->n_rows));
  SOFA_TRY(CHOLMOD_GROW(ctx, &out->n_runs, j->n_rows));
  SOFA_TRY(CHOLMOD_GROW(ctx, &out->place, j->n_rows));
  for (size_t i = 0; i < j->n_rows; i++) /* of rows without entries */
    out->first_run.data[i] = out->n_runs.data[i] = out->place.data[i] = 0;
  return find_runs(ctx, work, out);
}

/* A block of columns of a simplicial factor, column by column; of L D L^T times the roots of the
 * inverse pivots. */
static void turn_block(const cholmod_factor *l, const PanelBlock *b, const double *y, double *to) {
  const double *pivot = l->x;
  const int *start = l->p;
  for (int i = 0; i < b->n; i++) {
    const double scale = l->is_ll ? 1 : 1 / sqrt(pivot[start[b->row + i]]);
    for (int c = 0; c < b->columns; c++) to[(size_t)c * (size_t)b->n + (size_t)i] = scale * *y++;
  }
}

/* Y of a supernodal factor stays where it is computed. */
static SofaErr find_values(SofaCholmodSolver *s, const SofaSparseRows *j, const Factor *f,
                           SofaFactoredRows *out) {
  InverseWork *work = &s->inverse;
  if (f->l->is_super) return cholmod_fill_panels(s, j, f, &out->value);
  SOFA_TRY(cholmod_fill_panels(s, j, f, &work->y));
  SOFA_TRY(CHOLMOD_GROW(s->ctx, &out->value, work->n_reals));
  for (size_t k = 0; k < work->blocks.n; k++) {
    const PanelBlock *b = &work->blocks.data[k];
    turn_block(f->l, b, work->y.data + b->at, out->value.data + b->at);
  }
  return SOFA_OK;
}

static bool is_positive(const cholmod_factor *l) {
  const int *start = l->p;
  const double *pivot = l->x;
  for (size_t k = 0; k < l->n && !l->is_ll; k++)
    if (!(pivot[start[k]] > 0)) return false;
  return true;
}

static SofaErr factor_rows(SofaCholmodSolver *s, const SofaSparseRows *j, SofaFactoredRows *out) {
  const InverseWork *work = &s->inverse;
  Factor *f = NULL;
  SOFA_TRY(cholmod_make_panels(s, j, &f));
  if ((out->most && work->n_reals > out->most) || !is_positive(f->l)) return SOFA_OK;
  SOFA_TRY(place_rows(s->ctx, j, work, out));
  SOFA_TRY(find_values(s, j, f, out));
  out->n_columns = f->l->n;
  s->rows_version = s->value_version;
  return SOFA_OK;
}

/* ---- with the solver's matrix ---- */

SofaErr sofa_cholmod_solver_add_jainvjt(SofaCholmodLinearSolver *owner, const SofaSparseRows *j,
                                        double factor, size_t ld, double *w) {
  SofaCholmodSolver *s = owner->cholmod;
  SOFA_TRY(sofa_cholmod_solver_update(owner));
  if (!s->used) return SOFA_OK; /* an empty matrix */
  if (s->doubtful || s->single)
    return sofa_linear_solver_add_by_solving(&owner->solver, j, factor, ld, w);
  const SofaBlasThreads saved = sofa_blas_threads_begin(1);
  const SofaErr err = cholmod_add_jainvjt(s, j, factor, ld, w);
  sofa_blas_threads_end(saved);
  return err;
}

SofaErr sofa_cholmod_solver_factor_rows(SofaCholmodLinearSolver *owner, const SofaSparseRows *j,
                                        SofaFactoredRows *out) {
  SofaCholmodSolver *s = owner->cholmod;
  SOFA_TRY(sofa_cholmod_solver_update(owner));
  if (!s->used || s->doubtful || s->single) return SOFA_OK;
  const SofaBlasThreads saved = sofa_blas_threads_begin(1);
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
