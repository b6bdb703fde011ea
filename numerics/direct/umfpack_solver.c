/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Direct solution by L U with UMFPACK, for any regular matrix. */
#include <cholmod.h>
#include <umfpack.h>

#include "base/profiler.h"
#include "numerics/direct/umfpack_solver.h"
#include "numerics/krylov/assembled.h"
#include "numerics/direct/blas_threads.h"
#include "simulation/mechanics.h"
#include "object/checkpoint.h"

static const SofaField fields[] = {SOFA_ROW_ORDERING(SofaUmfpackSolver, base.ordering)};

static SofaErr construct(SofaObject *object) {
  SofaUmfpackSolver *s = (SofaUmfpackSolver *)object;
  const SofaCholmodKind kind = {.positive_only = true, CHOLMOD_KIND_DEFAULT};
  umfpack_di_defaults(s->control);
  return sofa_cholmod_solver_create(object->ctx, kind, &s->base.cholmod);
}

_Static_assert(SOFA_UMFPACK_CONTROL == UMFPACK_CONTROL, "room for UMFPACK's parameters");

void sofa_umfpack_set_symmetric(SofaUmfpackSolver *s, bool symmetric) {
  s->control[UMFPACK_STRATEGY] = symmetric ? UMFPACK_STRATEGY_SYMMETRIC : UMFPACK_STRATEGY_AUTO;
}

static void free_factors(SofaUmfpackSolver *s) {
  umfpack_di_free_numeric(&s->numeric);
  umfpack_di_free_symbolic(&s->symbolic);
  s->value_version = 0;
}

static void destroy(SofaObject *object) {
  SofaUmfpackSolver *s = (SofaUmfpackSolver *)object;
  free_factors(s);
  sofa_cholmod_solver_destroy(&s->base.cholmod);
  sofa_symmetry_free(object->ctx, &s->base.symmetry);
  sofa_scalar_columns_free(object->ctx, &s->columns);
  sofa_list_free(object->ctx, &s->work_i);
  sofa_list_free(object->ctx, &s->work);
}

static SofaErr umfpack_error(const SofaUmfpackSolver *s, int status, const char *what) {
  if (status == UMFPACK_ERROR_out_of_memory)
    return sofa_object_fail(&s->base.solver.object, SOFA_ERR_MEMORY, "out of memory in %s", what);
  return sofa_object_fail(&s->base.solver.object, SOFA_ERR_ARGUMENT,
                          "UMFPACK failed in %s: status %d", what, status);
}

/* Symbolic factors: with the order of an ordering method of the scene, else UMFPACK's own. With an
 * order that is given UMFPACK looks for pivots in whole columns unless it is told that the pattern
 * is symmetric, which that of a system is: pivots are then on the diagonal where they are good. */
static SofaErr analyse(SofaUmfpackSolver *s, const SofaBlockMatrix *matrix,
                       const SofaBlockRows *rows) {
  SofaContext *ctx = s->base.solver.object.ctx;
  SofaOrdering *ordering = sofa_solver_ordering(&s->base.solver, &s->base.ordering);
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  int *order = NULL;
  free_factors(s);
  s->matrix = NULL;
  s->n_analyses++;
  SOFA_TRY(sofa_scalar_columns_build(ctx, matrix, SOFA_COLUMNS_ALL, NULL, NULL, &s->columns));
  SOFA_TRY(SOFA_RESIZE(ctx, &s->work_i, s->columns.n));
  SOFA_TRY(SOFA_RESIZE(ctx, &s->work, 5 * s->columns.n));
  if (ordering) {
    order = SOFA_SCRATCH(ctx, int, rows->n_scalar_rows);
    const SofaErr err = order ? sofa_order_scalars(ctx, rows, ordering, 0, order) : SOFA_ERR_MEMORY;
    if (err != SOFA_OK) {
      sofa_scratch_release(ctx, mark);
      return err;
    }
  }
  const SofaScalarColumns *c = &s->columns;
  const int n = (int)c->n;
  if (order) sofa_umfpack_set_symmetric(s, true);
  const int status =
      order ? umfpack_di_qsymbolic(n, n, c->start, c->row, c->value, order, &s->symbolic,
                                   s->control, NULL)
            : umfpack_di_symbolic(n, n, c->start, c->row, c->value, &s->symbolic, s->control, NULL);
  sofa_scratch_release(ctx, mark);
  if (status != UMFPACK_OK) return umfpack_error(s, status, "the symbolic analysis");
  sofa_assembled_log_blas(&s->base.solver, s->columns.n);
  s->matrix = matrix;
  return SOFA_OK;
}

/* Column of the first zero on the diagonal of U, in the numbering of A. */
static size_t zero_pivot(const SofaUmfpackSolver *s) {
  const size_t n = s->columns.n;
  SofaContext *ctx = s->base.solver.object.ctx;
  int *q = sofa_alloc(ctx, n + 1, sizeof *q);
  double *d = sofa_alloc(ctx, n + 1, sizeof *d);
  size_t at = 0;
  if (q && d &&
      umfpack_di_get_numeric(NULL, NULL, NULL, NULL, NULL, NULL, NULL, q, d, NULL, NULL,
                             s->numeric) == UMFPACK_OK) {
    while (at < n && d[at] != 0) at++;
    at = at < n ? (size_t)q[at] : 0;
  }
  sofa_free(ctx, q);
  sofa_free(ctx, d);
  return at;
}

static SofaErr factorise(SofaUmfpackSolver *s, const SofaBlockMatrix *matrix,
                         const SofaBlockRows *rows) {
  if (s->matrix != matrix || s->columns.pattern_version != rows->pattern_version)
    SOFA_TRY(analyse(s, matrix, rows));
  const SofaScalarColumns *c = &s->columns;
  sofa_scalar_columns_refresh(matrix, 1, &s->columns);
  umfpack_di_free_numeric(&s->numeric);
  s->n_factorizations++;
  const int status =
      umfpack_di_numeric(c->start, c->row, c->value, s->symbolic, &s->numeric, s->control, NULL);
  if (status != UMFPACK_OK) SOFA_TRY(sofa_assembled_check_finite(&s->base.solver, rows));
  if (status == UMFPACK_WARNING_singular_matrix)
    return sofa_linear_solver_fail_at(&s->base.solver, SOFA_ERR_SINGULAR, zero_pivot(s),
                                      "the matrix is singular: zero pivot");
  if (status != UMFPACK_OK) return umfpack_error(s, status, "the factorization");
  s->value_version = rows->value_version;
  return SOFA_OK;
}

static SofaErr solve_with_factors(SofaUmfpackSolver *s, size_t n, const double *b, double *x) {
  const SofaScalarColumns *c = &s->columns;
  for (size_t k = 0; k < n; k++, b += c->n, x += c->n) {
    const int status = umfpack_di_wsolve(UMFPACK_A, c->start, c->row, c->value, x, b, s->numeric,
                                         s->control, NULL, s->work_i.data, s->work.data);
    if (status < 0) return umfpack_error(s, status, "the solution");
  }
  return SOFA_OK;
}

/* By L L^T, when the matrix allows it. */
static SofaErr solve_definite(SofaUmfpackSolver *s, const SofaBlockMatrix *matrix,
                              const SofaBlockRows *rows, size_t n, const double *b, double *x) {
  bool symmetric = s->definite && s->base.symmetry.value_version == rows->value_version;
  if (!symmetric)
    SOFA_TRY(
        sofa_symmetry_find(s->base.solver.object.ctx, matrix, rows, &s->base.symmetry, &symmetric));
  s->base.symmetry.value_version = rows->value_version;
  s->definite = symmetric;
  return symmetric ? sofa_cholmod_solver_try(&s->base, n, b, x, &s->definite) : SOFA_OK;
}

static SofaErr solve_many(SofaLinearSolver *solver, size_t n, const double *b, double *x) {
  SofaUmfpackSolver *s = (SofaUmfpackSolver *)solver;
  const SofaBlockMatrix *matrix = NULL;
  SofaBlockRows rows;
  SofaErr err = SOFA_OK;
  SOFA_TRY(sofa_assembled_rows(solver, &matrix, &rows));
  if (rows.n_scalar_rows == 0) return SOFA_OK;
  if (s->tries_definite) SOFA_TRY(solve_definite(s, matrix, &rows, n, b, x));
  if (s->tries_definite && s->definite) return SOFA_OK;
  const SofaBlasThreads saved = sofa_blas_threads_begin(1);
  if (s->matrix != matrix || s->value_version != rows.value_version) {
    s->value_version = 0;
    sofa_timer_begin(solver->object.ctx, "factorise");
    err = factorise(s, matrix, &rows);
    sofa_timer_end(solver->object.ctx);
  }
  if (err == SOFA_OK) err = solve_with_factors(s, n, b, x);
  sofa_blas_threads_end(saved);
  if (err != SOFA_OK) return err;
  return sofa_assembled_check_residuals(solver, &rows, n, b, x, &s->base.told_singular);
}

static void forget_pattern(SofaLinearSolver *solver) {
  SofaUmfpackSolver *s = (SofaUmfpackSolver *)solver;
  s->matrix = NULL;
  sofa_cholmod_solver_forget(s->base.cholmod);
}

static const SofaLinearSolverOps ops = {.solve = sofa_linear_solver_solve_one,
                                        .solve_many = solve_many,
                                        .forget_pattern = forget_pattern};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(SofaUmfpackSolver, base.cholmod), SOFA_REMADE(SofaUmfpackSolver, base.symmetry),
    SOFA_REMADE(SofaUmfpackSolver, definite),     SOFA_REMADE(SofaUmfpackSolver, columns),
    SOFA_REMADE(SofaUmfpackSolver, matrix),       SOFA_REMADE(SofaUmfpackSolver, value_version),
    SOFA_COUNTED(SofaUmfpackSolver, n_analyses),  SOFA_COUNTED(SofaUmfpackSolver, n_factorizations),
    SOFA_REMADE(SofaUmfpackSolver, symbolic),     SOFA_REMADE(SofaUmfpackSolver, numeric),
    SOFA_REMADE(SofaUmfpackSolver, work_i),       SOFA_REMADE(SofaUmfpackSolver, work),
};

const SofaClass sofa_umfpack_solver_class = {
    .name = "UmfpackLinearSolver",
    .module = "csofa",
    .category = "LinearSolver",
    .help = "Direct solution by L U with partial pivoting (UMFPACK); the matrix need not be "
            "symmetric.",
    .base = &sofa_linear_solver_class,
    SOFA_SPARES(spared),
    .size = sizeof(SofaUmfpackSolver),
    SOFA_FIELDS(fields),
    .abstract = true,
    .construct = construct,
    .destroy = destroy,
    SOFA_IMPLEMENTS({SOFA_LINEAR_SOLVER, &ops}),
};
