/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Direct solution of symmetric systems with CHOLMOD. The matrix is handed over already reordered,
 * so that CHOLMOD copies nothing: see `analyse`. */
#include "numerics/direct/cholmod_solver.h"

#include <float.h>
#include <math.h>

#include "base/profiler.h"
#include "numerics/direct/blas_threads.h"
#include "numerics/direct/cholmod_impl.h"
#include "simulation/mechanics.h"
#include "object/checkpoint.h"

enum { SINGLE = 1 }; /* of `precision` */

SofaErr sofa_cholmod_solver_create(SofaContext *ctx, SofaCholmodKind kind,
                                   SofaCholmodSolver **out) {
  SofaCholmodSolver *s = *out = sofa_alloc(ctx, 1, sizeof *s);
  if (!s) return SOFA_ERR_MEMORY;
  s->ctx = ctx;
  s->owners = 1;
  cholmod_start(&s->common);
  s->common.print = 0;
  s->common.quick_return_if_not_posdef = 1;
  s->common.nmethods = 1;
  s->common.method[0].ordering = CHOLMOD_NATURAL;
  sofa_cholmod_solver_set_kind(s, kind);
  return SOFA_OK;
}

void sofa_cholmod_solver_set_kind(SofaCholmodSolver *s, SofaCholmodKind kind) {
  s->kind = kind;
  s->common.final_ll = kind.positive_only;
}

SofaCholmodKind sofa_cholmod_solver_kind(const SofaCholmodSolver *s) {
  return s->kind;
}

/* What belongs to a pattern, less the memory that the next pattern takes. */
static void forget_pattern(SofaCholmodSolver *s, Factor *f) {
  cholmod_free_factor(&f->l, &s->common);
  cholmod_tree_free(s->ctx, &f->tree);
  f->complete = false;
  f->pattern_version = 0;
}

void cholmod_factor_free(SofaCholmodSolver *s, Factor *f) {
  forget_pattern(s, f);
  sofa_fronts_destroy(s->ctx, &f->fronts);
  sofa_supernode_solver_destroy(s->ctx, &f->solver);
  sofa_free(s->ctx, f->order);
  sofa_list_free(s->ctx, &f->factored);
  sofa_list_free(s->ctx, &f->single);
  sofa_scalar_columns_free(s->ctx, &f->columns);
  f->order = NULL;
}

void sofa_cholmod_solver_destroy(SofaCholmodSolver **solver) {
  SofaCholmodSolver *s = *solver;
  *solver = NULL;
  if (!s || --s->owners > 0) return;
  cholmod_factor_free(s, &s->best);
  cholmod_factor_free(s, &s->indefinite);
  cholmod_free_dense(&s->work, &s->common);
  sofa_free(s->ctx, s->y);
  cholmod_inverse_free(s->ctx, &s->inverse);
  cholmod_single_free(s->ctx, &s->refined);
  cholmod_finish(&s->common);
  sofa_free(s->ctx, s);
}

SofaCholmodSolver *sofa_cholmod_solver_share(SofaCholmodSolver *s) {
  s->owners++;
  return s;
}

SofaCholmodCounts sofa_cholmod_solver_counts(const SofaCholmodSolver *s) {
  return s->counts;
}

int sofa_cholmod_solver_entries(const SofaCholmodSolver *s) {
  return s->counts.l_entries < INT32_MAX ? (int)s->counts.l_entries : INT32_MAX;
}

void sofa_cholmod_solver_forget(SofaCholmodSolver *s) {
  s->matrix = NULL;
}

/* ---- analysis ---- */

static cholmod_sparse view(const SofaScalarColumns *s, SofaColumnsPart part) {
  return (cholmod_sparse){.nrow = s->n,
                          .ncol = s->n,
                          .nzmax = s->n_entries,
                          .p = s->start,
                          .i = s->row,
                          .x = s->value,
                          .stype = part == SOFA_COLUMNS_LOWER ? -1 : 1,
                          .itype = CHOLMOD_INT,
                          .xtype = CHOLMOD_REAL,
                          .sorted = 1,
                          .packed = 1};
}

/* Supernodal factorization reads the lower triangle in place, simplicial the upper one. */
static SofaColumnsPart part_of(const Factor *f) {
  return f->l->is_super ? SOFA_COLUMNS_LOWER : SOFA_COLUMNS_UPPER;
}

SofaErr cholmod_report(const SofaCholmodSolver *s) {
  const SofaErr err =
      s->common.status == CHOLMOD_OUT_OF_MEMORY || s->common.status == CHOLMOD_TOO_LARGE
          ? SOFA_ERR_MEMORY
          : SOFA_ERR_ARGUMENT;
  return sofa_fail(s->ctx, err, NULL, "CHOLMOD failed with status %d", s->common.status);
}

static SofaErr build_columns(SofaCholmodSolver *s, Factor *f, const SofaBlockMatrix *matrix,
                             SofaColumnsPart part, const int *rank) {
  return sofa_scalar_columns_build(s->ctx, matrix, part, f->order,
                                   s->kind.half_after_order ? rank : NULL, &f->columns);
}

/* CHOLMOD postorders the elimination tree of the order it is given. The postorder becomes part of
 * our own order, and the factor's permutation the identity. */
static SofaErr absorb_postorder(SofaCholmodSolver *s, Factor *f) {
  int *perm = f->l->Perm;
  const SofaScratchMark mark = sofa_scratch_mark(s->ctx);
  int *order = SOFA_SCRATCH(s->ctx, int, f->l->n);
  if (!order) return SOFA_ERR_MEMORY;
  for (size_t k = 0; k < f->l->n; k++) order[k] = f->order[perm[k]];
  for (size_t k = 0; k < f->l->n; k++) perm[k] = (int)k;
  f->l->ordering = CHOLMOD_NATURAL;
  sofa_copy(f->order, order, f->l->n * sizeof *order);
  sofa_scratch_release(s->ctx, mark);
  return SOFA_OK;
}

static SofaErr reserve_values(SofaCholmodSolver *s, Factor *f) {
  cholmod_factor *l = f->l;
  if (s->single) {
    SOFA_TRY(SOFA_RESERVE(s->ctx, &f->single, l->xsize));
    return cholmod_single_reserve(s, f);
  }
  sofa_list_free(s->ctx, &f->single);
  cholmod_single_free(s->ctx, &s->refined);
  l->x = cholmod_malloc(l->xsize, sizeof(double), &s->common);
  if (!l->x) return cholmod_report(s);
  l->xtype = CHOLMOD_REAL;
  return SOFA_OK;
}

/* The plan of the factorization of a supernodal factor, and room for its values. */
static SofaErr plan_fronts(SofaCholmodSolver *s, Factor *f) {
  const SofaSupernodes nodes = cholmod_supernodes(f->l);
  if (!f->l->is_super) return SOFA_OK;
  SOFA_TRY(reserve_values(s, f));
  f->l->is_ll = 1;
  SOFA_TRY(sofa_supernode_solver_plan(s->ctx, &nodes, &f->solver));
  return sofa_fronts_plan(s->ctx, &nodes, &f->columns, &f->fronts);
}

/* As much room as the columns have: the two change places. */
static SofaErr reserve_factored(SofaCholmodSolver *s, Factor *f) {
  const size_t n = f->columns.capacity;
  if (n > f->factored.capacity) SOFA_TRY(SOFA_RESERVE(s->ctx, &f->factored, n));
  f->factored.n = f->factored.capacity = n;
  return SOFA_OK;
}

/* The values of the last factorization go to `factored`; new ones take the place of older ones. */
static void put_values_aside(Factor *f) {
  double *older = f->factored.data;
  f->factored.data = f->columns.value;
  f->columns.value = older;
}

/* Order, then symbolic factor of the reordered matrix, then the matrix in the final order. */
static SofaErr analyse(SofaCholmodSolver *s, Factor *f, const SofaBlockMatrix *matrix,
                       SofaOrdering *ordering, int supernodal) {
  SofaBlockRows rows;
  SofaErr err = SOFA_OK;
  const SofaScratchMark mark = sofa_scratch_mark(s->ctx);
  sofa_block_matrix_rows(matrix, &rows);
  if (f->columns.n == rows.n_scalar_rows) forget_pattern(s, f);
  else cholmod_factor_free(s, f);
  s->counts.analyses++;
  if (!f->order) f->order = sofa_alloc(s->ctx, rows.n_scalar_rows + 1, sizeof *f->order);
  int *rank = SOFA_SCRATCH(s->ctx, int, rows.n_scalar_rows);
  if (!f->order || !rank) SOFA_GO(err, done, SOFA_ERR_MEMORY);
  SOFA_GO(err, done, sofa_order_scalars(s->ctx, &rows, ordering, s->kind.ordering, f->order));
  for (size_t k = 0; k < rows.n_scalar_rows; k++) rank[f->order[k]] = (int)k;
  SOFA_GO(err, done, build_columns(s, f, matrix, SOFA_COLUMNS_LOWER, rank));

  s->common.supernodal = CSOFA_GPL ? supernodal : CHOLMOD_SIMPLICIAL;
  cholmod_sparse a = view(&f->columns, SOFA_COLUMNS_LOWER);
  f->l = cholmod_analyze(&a, &s->common);
  if (!f->l) SOFA_GO(err, done, cholmod_report(s));
  s->counts.l_entries = s->common.lnz;
  SOFA_GO(err, done, absorb_postorder(s, f));
  SOFA_GO(err, done, build_columns(s, f, matrix, part_of(f), rank));
  SOFA_GO(err, done, reserve_factored(s, f));
  SOFA_GO(err, done, plan_fronts(s, f));
  f->pattern_version = rows.pattern_version;
done:
  sofa_scratch_release(s->ctx, mark);
  if (err != SOFA_OK) cholmod_factor_free(s, f);
  return err;
}

/* ---- factorization ---- */

static SofaErr status_of(const SofaCholmodSolver *s) {
  const int status = s->common.status;
  if (status >= CHOLMOD_OK) return SOFA_OK;
  return status == CHOLMOD_OUT_OF_MEMORY || status == CHOLMOD_TOO_LARGE ? SOFA_ERR_MEMORY
                                                                        : SOFA_ERR_ARGUMENT;
}

/* The numbers of a factor; nothing is reported. */
static SofaErr compute(SofaCholmodSolver *s, Factor *f) {
  if (s->single) {
    cholmod_single_factorise(f);
    return SOFA_OK;
  }
  if (f->l->is_super) {
    sofa_fronts_factorise(f->fronts, f->columns.value, f->l->x, &f->l->minor);
    return SOFA_OK;
  }
  cholmod_sparse a = view(&f->columns, SOFA_COLUMNS_UPPER);
  s->common.status = CHOLMOD_OK;
  return !cholmod_factorize(&a, f->l, &s->common) ? SOFA_ERR_ARGUMENT : status_of(s);
}

/* *needed false: a matrix assembled again with the very values of the last time (a constant mass,
 * say) keeps its factor. */
static SofaErr begin_factor(SofaCholmodSolver *s, Factor *f, const SofaBlockMatrix *matrix,
                            int threads, bool *needed) {
  const size_t bytes = f->columns.n_entries * sizeof *f->factored.data;
  if (f->complete) put_values_aside(f);
  sofa_scalar_columns_refresh(matrix, 1, &f->columns);
  s->used = f;
  *needed = !f->complete || sofa_compare(f->factored.data, f->columns.value, bytes) != 0;
  if (!*needed) return SOFA_OK;
  s->counts.factorizations++;
  s->counts.supernodal = f->l->is_super;
  f->complete = false;
  return f->l->is_super ? sofa_fronts_reserve(f->fronts, threads, s->single) : SOFA_OK;
}

/* *positive false: a pivot stopped it (L L^T: not positive; L D L^T: zero). */
static SofaErr end_factor(SofaCholmodSolver *s, Factor *f, SofaErr err, bool *positive) {
  *positive = f->l->minor == f->l->n;
  if (err != SOFA_OK) return cholmod_report(s);
  f->complete = *positive;
  return SOFA_OK;
}

static SofaErr factorise(SofaCholmodSolver *s, Factor *f, const SofaBlockMatrix *matrix,
                         bool *positive) {
  bool needed = false;
  *positive = true;
  SOFA_TRY(begin_factor(s, f, matrix, s->ctx->threads, &needed));
  return needed ? end_factor(s, f, compute(s, f), positive) : SOFA_OK;
}

/* After a failure: is it that an entry is not finite? */
static SofaErr check_entries(const SofaCholmodLinearSolver *owner) {
  SofaBlockRows rows;
  sofa_block_matrix_rows(sofa_linear_system_matrix(owner->solver.system), &rows);
  return sofa_assembled_check_finite(&owner->solver, &rows);
}

/* Are the solutions finite, and, when the pivots are doubtful, solutions at all? */
static SofaErr check_solutions(SofaCholmodLinearSolver *owner, bool doubtful, size_t n,
                               const double *b, const double *x) {
  SofaBlockRows rows;
  sofa_block_matrix_rows(sofa_linear_system_matrix(owner->solver.system), &rows);
  return doubtful
             ? sofa_assembled_check_residuals(&owner->solver, &rows, n, b, x, &owner->told_singular)
             : sofa_assembled_check_solutions(&owner->solver, &rows, n, b, x);
}

static SofaErr report_pivot(const SofaCholmodLinearSolver *owner) {
  const SofaCholmodSolver *s = owner->cholmod;
  SOFA_TRY(check_entries(owner));
  const size_t dof = (size_t)s->used->order[s->used->l->minor];
  return sofa_linear_solver_fail_at(&owner->solver, SOFA_ERR_SINGULAR, dof,
                                    s->kind.positive_only
                                        ? "the matrix is not positive definite: pivot <= 0"
                                        : "the matrix is singular, or indefinite in a way that "
                                          "needs EigenSparseLU: zero pivot");
}

/* Pivot of column j: D of L D L^T, the square of L's diagonal of L L^T. */
static double simplicial_pivot(const cholmod_factor *l, size_t j) {
  const double d = ((const double *)l->x)[((const int *)l->p)[j]];
  return l->is_ll ? d * d : fabs(d);
}

/* Entry of the reordered matrix on the diagonal of column j. */
static double diagonal_of(const Factor *f, size_t j) {
  const SofaScalarColumns *c = &f->columns;
  const int at = f->l->is_super ? c->start[j] : c->start[j + 1] - 1;
  return fabs(c->value[at]);
}

typedef struct LeastPivot {
  double ratio; /* to the entry on the diagonal that it is made of */
  size_t column;
} LeastPivot;

/* One that is not a number is as bad as 0. */
static void compare_pivot(const Factor *f, size_t j, double pivot, LeastPivot *least) {
  const double ratio = pivot / diagonal_of(f, j);
  if (ratio >= least->ratio) return;
  *least = (LeastPivot){ratio > 0 ? ratio : 0, j};
}

static LeastPivot least_pivot(const Factor *f) {
  const cholmod_factor *l = f->l;
  LeastPivot least = {INFINITY, 0};
  for (size_t j = 0; j < l->n && !l->is_super; j++)
    compare_pivot(f, j, simplicial_pivot(l, j), &least);
  const int *super = l->super, *pi = l->pi, *px = l->px;
  for (size_t s = 0; s < l->nsuper && l->is_super; s++) {
    const size_t rows = (size_t)(pi[s + 1] - pi[s]);
    const double *x = (const double *)l->x + px[s];
    for (int j = super[s]; j < super[s + 1]; j++, x += rows + 1)
      compare_pivot(f, (size_t)j, *x * *x, &least);
  }
  return least;
}

/* Ratio of a pivot to its entry below which solutions are checked. */
#define DOUBTFUL 1e-9

/* A pivot that is all rounding is refused; one of which little is left makes the solutions
 * doubtful. A diagonal of 0 makes the ratio infinite. */
static SofaErr check_pivots(SofaCholmodLinearSolver *owner) {
  const Factor *f = owner->cholmod->used;
  const LeastPivot least = least_pivot(f);
  owner->cholmod->doubtful = least.ratio < DOUBTFUL;
  if (least.ratio > 8 * DBL_EPSILON ||
      (owner->told_singular && owner->solver.object.ctx->keep_going))
    return SOFA_OK;
  SOFA_TRY(check_entries(owner));
  const SofaErr err = sofa_linear_solver_fail_at(
      &owner->solver, SOFA_ERR_SINGULAR, (size_t)f->order[least.column],
      "the matrix is singular to rounding (is every body held, or has a mass?): pivot lost");
  owner->told_singular = true;
  return owner->solver.object.ctx->keep_going ? SOFA_OK : err;
}

/* With printLog: what the time of a step depends on. */
static void log_analysis(const SofaCholmodLinearSolver *owner) {
  const SofaCholmodSolver *s = owner->cholmod;
  const SofaOrdering *ordering = sofa_solver_ordering(&owner->solver, &owner->ordering);
  if (!owner->solver.object.print_log) return;
  sofa_object_message(
      &owner->solver.object, SOFA_INFO,
      "%zu rows, %.0f entries in the %s factor%s, order of elimination: %s; BLAS held at "
      "%d thread%s",
      s->best.l->n, s->counts.l_entries, s->best.l->is_super ? "supernodal" : "simplicial",
      s->single ? " in single precision" : "",
      ordering ? ordering->object.klass->name : sofa_order_name(s->kind.ordering),
      s->kind.blas_threads, s->kind.blas_threads == 1 ? "" : "s");
}

/* Analyses the pattern, when it is another one. */
static SofaErr update_pattern(SofaCholmodLinearSolver *owner, const SofaBlockMatrix *matrix,
                              const SofaBlockRows *rows) {
  SofaCholmodSolver *s = owner->cholmod;
  SofaOrdering *ordering = sofa_solver_ordering(&owner->solver, &owner->ordering);
  if (s->best.pattern_version == rows->pattern_version && s->matrix == matrix) return SOFA_OK;
  s->matrix = NULL;
  forget_pattern(s, &s->indefinite);
  SOFA_TRY(analyse(s, &s->best, matrix, ordering,
                   s->kind.supernodal || s->single ? CHOLMOD_SUPERNODAL : CHOLMOD_AUTO));
  SOFA_TRY(cholmod_make_room(s, rows->n_scalar_rows));
  log_analysis(owner);
  s->matrix = matrix;
  return SOFA_OK;
}

/* Of any symmetric matrix that is not singular. */
static SofaErr update_double(SofaCholmodLinearSolver *owner, const SofaBlockMatrix *matrix,
                             bool positive) {
  SofaCholmodSolver *s = owner->cholmod;
  SofaOrdering *ordering = sofa_solver_ordering(&owner->solver, &owner->ordering);
  /* supernodal factors are L L^T only: an indefinite matrix gets its L D L^T */
  if (!positive && !s->kind.positive_only && s->best.l->is_super) {
    if (!s->indefinite.l)
      SOFA_TRY(analyse(s, &s->indefinite, matrix, ordering, CHOLMOD_SIMPLICIAL));
    SOFA_TRY(factorise(s, &s->indefinite, matrix, &positive));
  }
  return positive ? check_pivots(owner) : report_pivot(owner);
}

/* Double precision for the rest of the run. */
static SofaErr leave_single(SofaCholmodLinearSolver *owner, const char *why) {
  SofaCholmodSolver *s = owner->cholmod;
  const SofaObject *object = &owner->solver.object;
  SOFA_TRY(check_entries(owner));
  if (!owner->told_double)
    sofa_object_message(object, SOFA_WARNING,
                        "precision=\"single\" is not enough for this matrix (%s): double precision "
                        "is used from here on, time %g",
                        why, object->node->time);
  owner->left_single = owner->told_double = true;
  s->single = false;
  s->matrix = NULL; /* simplicial factors are in double precision alone */
  return SOFA_OK;
}

static SofaErr update_factor(SofaCholmodLinearSolver *owner, const SofaBlockMatrix *matrix,
                             const SofaBlockRows *rows) {
  SofaCholmodSolver *s = owner->cholmod;
  bool positive = false;
  SOFA_TRY(update_pattern(owner, matrix, rows));
  SOFA_TRY(sofa_symmetry_check(&owner->solver, matrix, rows, SYMMETRY_HALF, &owner->symmetry));
  SOFA_TRY(factorise(s, &s->best, matrix, &positive));
  if (s->single && !(positive && cholmod_single_has_pivots(&s->best))) {
    SOFA_TRY(
        leave_single(owner, positive ? "a pivot is lost to rounding" : "a pivot is not positive"));
    SOFA_TRY(update_pattern(owner, matrix, rows));
    SOFA_TRY(factorise(s, &s->best, matrix, &positive));
  }
  if (!s->single) SOFA_TRY(update_double(owner, matrix, positive));
  else s->doubtful = false;
  s->value_version = rows->value_version;
  return SOFA_OK;
}

/* ---- solution ---- */

/* The precision that the scene asks for by now; another one needs another factor. */
static void choose_precision(SofaCholmodLinearSolver *owner) {
  SofaCholmodSolver *s = owner->cholmod;
  const bool single = CSOFA_GPL && owner->precision.index == SINGLE && !owner->left_single;
  if (s->single != single) s->matrix = NULL;
  s->single = single;
}

/* Factorises when the matrix changed. */
static SofaErr update(SofaCholmodLinearSolver *owner, bool *empty) {
  SofaCholmodSolver *s = owner->cholmod;
  const SofaBlockMatrix *matrix = NULL;
  SofaBlockRows rows;
  choose_precision(owner);
  SOFA_TRY(sofa_assembled_rows(&owner->solver, &matrix, &rows));
  *empty = rows.n_scalar_rows == 0;
  if (*empty || (s->matrix == matrix && s->best.pattern_version == rows.pattern_version &&
                 s->value_version == rows.value_version))
    return SOFA_OK;
  s->value_version = 0;
  sofa_timer_begin(s->ctx, "factorise");
  const SofaErr err = update_factor(owner, matrix, &rows);
  sofa_timer_end(s->ctx);
  return err;
}

SofaErr sofa_cholmod_solver_update(SofaCholmodLinearSolver *owner) {
  bool empty = false;
  const SofaBlasThreads saved = sofa_blas_threads_begin(owner->cholmod->kind.blas_threads);
  const SofaErr err = update(owner, &empty);
  sofa_blas_threads_end(saved);
  return err;
}

SofaErr sofa_cholmod_solver_apply(SofaCholmodLinearSolver *owner, size_t n, const double *b,
                                  double *x) {
  if (owner->cholmod->value_version == 0) return SOFA_OK;
  const SofaBlasThreads saved = sofa_blas_threads_begin(owner->cholmod->kind.blas_threads);
  const SofaErr err = cholmod_solve_with_factor(owner->cholmod, n, b, x);
  sofa_blas_threads_end(saved);
  return err == SOFA_OK ? check_solutions(owner, false, n, b, x) : err;
}

/* By the half that the caller knows, where it is that of this factor. */
static SofaErr solve_by_factor(SofaCholmodLinearSolver *owner, size_t n, const double *b,
                               double *x) {
  SofaCholmodSolver *s = owner->cholmod;
  const double *half = owner->solver.half;
  return half && n == 1 && s->used->l->is_super && s->rows_version == s->value_version
             ? cholmod_finish_with_factor(s, half, x)
             : cholmod_solve_with_factor(s, n, b, x);
}

/* In single precision, as long as that leads to the solutions. */
static SofaErr update_and_solve(SofaCholmodLinearSolver *owner, size_t n, const double *b,
                                double *x, bool *empty) {
  SofaCholmodSolver *s = owner->cholmod;
  bool reached = false;
  SOFA_TRY(update(owner, empty));
  if (*empty) return SOFA_OK;
  if (s->single) {
    SOFA_TRY(cholmod_single_solve(s, n, b, x, &reached));
    if (reached) return SOFA_OK;
    SOFA_TRY(leave_single(owner, "refinement does not converge"));
    SOFA_TRY(update(owner, empty));
  }
  return solve_by_factor(owner, n, b, x);
}

SofaErr sofa_cholmod_solver_solve(SofaCholmodLinearSolver *owner, size_t n, const double *b,
                                  double *x) {
  bool empty = false;
  const SofaBlasThreads saved = sofa_blas_threads_begin(owner->cholmod->kind.blas_threads);
  const SofaErr err = update_and_solve(owner, n, b, x, &empty);
  sofa_blas_threads_end(saved);
  if (err != SOFA_OK || empty) return err;
  return check_solutions(owner, owner->cholmod->doubtful, n, b, x);
}

/* ---- in three parts ---- */

SofaErr sofa_cholmod_solver_begin(SofaCholmodLinearSolver *owner, bool *needed) {
  SofaCholmodSolver *s = owner->cholmod;
  const SofaBlockMatrix *matrix = NULL;
  SofaBlockRows rows;
  SOFA_TRY(sofa_assembled_rows(&owner->solver, &matrix, &rows));
  *needed = false;
  s->value_version = 0;
  s->begun = rows.n_scalar_rows ? rows.value_version : 0;
  s->run = SOFA_OK;
  if (!s->begun) return SOFA_OK;
  SOFA_TRY(update_pattern(owner, matrix, &rows));
  SOFA_TRY(sofa_symmetry_check(&owner->solver, matrix, &rows, SYMMETRY_HALF, &owner->symmetry));
  return begin_factor(s, &s->best, matrix, 1, needed);
}

void sofa_cholmod_solver_run(SofaCholmodSolver *s) {
  s->run = compute(s, &s->best);
}

SofaErr sofa_cholmod_solver_end(SofaCholmodLinearSolver *owner) {
  SofaCholmodSolver *s = owner->cholmod;
  bool positive = true;
  if (!s->begun) return SOFA_OK; /* of no rows: there is no factor */
  if (!s->best.complete) SOFA_TRY(end_factor(s, &s->best, s->run, &positive));
  if (!positive) return sofa_cholmod_solver_update(owner);
  SOFA_TRY(check_pivots(owner));
  s->value_version = s->begun;
  return SOFA_OK;
}

/* Factorises a matrix that may not be definite. */
static SofaErr try_factor(SofaCholmodLinearSolver *owner, bool *good) {
  SofaCholmodSolver *s = owner->cholmod;
  const SofaBlockMatrix *matrix = NULL;
  SofaBlockRows rows;
  SOFA_TRY(sofa_assembled_rows(&owner->solver, &matrix, &rows));
  *good = true;
  if (s->matrix == matrix && s->best.pattern_version == rows.pattern_version &&
      s->value_version == rows.value_version)
    return SOFA_OK;
  s->value_version = 0;
  SOFA_TRY(update_pattern(owner, matrix, &rows));
  SOFA_TRY(factorise(s, &s->best, matrix, good));
  *good = *good && least_pivot(&s->best).ratio >= DOUBTFUL;
  if (*good) s->value_version = rows.value_version;
  return SOFA_OK;
}

SofaErr sofa_cholmod_solver_try(SofaCholmodLinearSolver *owner, size_t n, const double *b,
                                double *x, bool *done) {
  SofaContext *ctx = owner->solver.object.ctx;
  const SofaBlasThreads saved = sofa_blas_threads_begin(owner->cholmod->kind.blas_threads);
  sofa_timer_begin(ctx, "factorise");
  SofaErr err = try_factor(owner, done);
  sofa_timer_end(ctx);
  if (err == SOFA_OK && *done) err = cholmod_solve_with_factor(owner->cholmod, n, b, x);
  sofa_blas_threads_end(saved);
  return err == SOFA_OK && *done ? check_solutions(owner, false, n, b, x) : err;
}

/* ---- the abstract class ---- */

static const char *const precisions[] = {"double", "single", NULL};

static const SofaField fields[] = {
    SOFA_ROW_ORDERING(SofaCholmodLinearSolver, ordering),
    SOFA_FIELD(SofaCholmodLinearSolver, precision, "precision", "double", "",
               "of the factor; single: made in half the time and memory, solutions are refined to "
               "the accuracy of double precision, which takes over where that fails (addition of "
               "csofa)",
               .options = precisions),
};

static SofaErr construct(SofaObject *object) {
  const SofaCholmodKind kind = {CHOLMOD_KIND_DEFAULT};
  return sofa_cholmod_solver_create(object->ctx, kind,
                                    &((SofaCholmodLinearSolver *)object)->cholmod);
}

static SofaErr init(SofaObject *object) {
  const SofaCholmodLinearSolver *s = (const SofaCholmodLinearSolver *)object;
  if (!CSOFA_GPL && s->precision.index == SINGLE)
    sofa_object_message(
        object, SOFA_WARNING,
        "precision=\"single\" needs the supernodal analysis of CHOLMOD, which is not "
        "in this build: double precision is used");
  return SOFA_OK;
}

SofaErr sofa_cholmod_refuse_single(const SofaObject *object) {
  const SofaCholmodLinearSolver *s = (const SofaCholmodLinearSolver *)object;
  return s->precision.index == SINGLE ? sofa_object_unsupported(object, "precision=\"single\"")
                                      : SOFA_OK;
}

static SofaErr reset(SofaObject *object) {
  ((SofaCholmodLinearSolver *)object)->left_single = false;
  return SOFA_OK;
}

static void destroy(SofaObject *object) {
  SofaCholmodLinearSolver *s = (SofaCholmodLinearSolver *)object;
  sofa_cholmod_solver_destroy(&s->cholmod);
  sofa_symmetry_free(object->ctx, &s->symmetry);
}

static SofaErr solve_many(SofaLinearSolver *solver, size_t n, const double *b, double *x) {
  return sofa_cholmod_solver_solve((SofaCholmodLinearSolver *)solver, n, b, x);
}

void sofa_cholmod_forget_pattern(SofaLinearSolver *solver) {
  sofa_cholmod_solver_forget(((SofaCholmodLinearSolver *)solver)->cholmod);
}

static const SofaLinearSolverOps ops = {.solve = sofa_linear_solver_solve_one,
                                        .solve_many = solve_many,
                                        .add_jainvjt = sofa_cholmod_add_jainvjt,
                                        .factor_rows = sofa_cholmod_factor_rows,
                                        .forget_pattern = sofa_cholmod_forget_pattern};

#define BLOCKS "CompressedRowSparseMatrixMat3x3d"
#define SCALARS "CompressedRowSparseMatrixd"
const char *const sofa_cholmod_blocked_first[] = {BLOCKS, SCALARS, NULL};
const char *const sofa_cholmod_scalar_first[] = {SCALARS, BLOCKS, NULL};

static const SofaQuirk quirks[] = {SOFA_QUIRK_ASYMMETRIC_MATRIX_ROW};

SofaErr sofa_cholmod_construct_positive(SofaObject *object) {
  const SofaCholmodKind kind = {.positive_only = true, CHOLMOD_KIND_DEFAULT};
  sofa_cholmod_solver_set_kind(((SofaCholmodLinearSolver *)object)->cholmod, kind);
  return SOFA_OK;
}

static const SofaSparedMember spared[] = {
    SOFA_REMADE(SofaCholmodLinearSolver, cholmod),
    SOFA_REMADE(SofaCholmodLinearSolver, symmetry),
    SOFA_REMADE(SofaCholmodLinearSolver, told_double),
};

static const SofaKeptMember kept[] = {
    SOFA_KEEP(SofaCholmodLinearSolver, left_single),
};

const SofaClass sofa_cholmod_linear_solver_class = {
    .name = "CholmodLinearSolver",
    .module = "csofa",
    .category = "LinearSolver",
    .help = "Direct solution of symmetric systems with CHOLMOD.",
    .base = &sofa_linear_solver_class,
    SOFA_SPARES(spared),
    SOFA_KEEPS(kept),
    SOFA_QUIRKS(quirks),
    .size = sizeof(SofaCholmodLinearSolver),
    SOFA_FIELDS(fields),
    .construct = construct,
    .init = init,
    .reset = reset,
    .destroy = destroy,
    SOFA_IMPLEMENTS({SOFA_LINEAR_SOLVER, &ops}),
    .abstract = true,
};
