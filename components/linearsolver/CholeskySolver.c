/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CholeskySolver: direct solution by a dense L L^T. */
#include <float.h>

#include "numerics/krylov/assembled.h"
#include "numerics/krylov/symmetry.h"
#include "numerics/direct/lapack_impl.h"
#include "numerics/direct/blas_threads.h"
#include "numerics/krylov/work_vector.h"
#include "object/checkpoint.h"

static const SofaQuirk quirks[] = {
    SOFA_QUIRK_ASYMMETRIC_MATRIX_ROW,
};

typedef struct CholeskySolver {
  SofaLinearSolver solver;
  SofaReals l; /* n x n, column major */
  SofaSymmetryCheck symmetry;
  const SofaBlockMatrix *matrix;
  uint64_t value_version; /* of the factor; 0: none */
} CholeskySolver;

static void destroy(SofaObject *object) {
  CholeskySolver *s = (CholeskySolver *)object;
  sofa_list_free(object->ctx, &s->l);
  sofa_symmetry_free(object->ctx, &s->symmetry);
}

/* A row whose pivot is all rounding: the squares of a row of L sum up to the entry on the diagonal
 * of the matrix. Or n. */
static size_t lost_pivot(const double *l, size_t n) {
  for (size_t i = 0; i < n; i++) {
    double sum = 0;
    for (size_t j = 0; j <= i; j++) sum += l[i + n * j] * l[i + n * j];
    if (!(l[i + n * i] * l[i + n * i] > 8 * DBL_EPSILON * sum)) return i;
  }
  return n;
}

static SofaErr factorise(CholeskySolver *s, const SofaBlockMatrix *matrix,
                         const SofaBlockRows *rows) {
  const int n = (int)rows->n_scalar_rows;
  int info = 0;
  s->value_version = 0;
  SOFA_TRY(sofa_assembled_check_dense(&s->solver, rows));
  SOFA_TRY(sofa_symmetry_check(&s->solver, matrix, rows, SYMMETRY_HALF, &s->symmetry));
  SOFA_TRY(work_vector(s->solver.object.ctx, (size_t)n * (size_t)n, &s->l));
  sofa_assembled_dense(rows, s->l.data);
  dpotrf_("L", &n, s->l.data, &n, &info, 1);
  if (info > 0) SOFA_TRY(sofa_assembled_check_finite(&s->solver, rows));
  if (info > 0)
    return sofa_linear_solver_fail_at(&s->solver, SOFA_ERR_SINGULAR, (size_t)info - 1,
                                      "the matrix is not positive definite: pivot <= 0");
  const size_t lost = lost_pivot(s->l.data, (size_t)n);
  if (lost < (size_t)n) SOFA_TRY(sofa_assembled_check_finite(&s->solver, rows));
  if (lost < (size_t)n && !s->solver.object.ctx->keep_going)
    return sofa_linear_solver_fail_at(&s->solver, SOFA_ERR_SINGULAR, lost,
                                      "the matrix is singular to rounding: pivot lost");
  if (s->matrix != matrix) sofa_assembled_log_blas(&s->solver, rows->n_scalar_rows);
  s->matrix = matrix;
  s->value_version = rows->value_version;
  return SOFA_OK;
}

static SofaErr solve_many(SofaLinearSolver *solver, size_t n, const double *b, double *x) {
  CholeskySolver *s = (CholeskySolver *)solver;
  const SofaBlockMatrix *matrix = NULL;
  SofaBlockRows rows;
  SofaErr err = SOFA_OK;
  SOFA_TRY(sofa_assembled_rows(solver, &matrix, &rows));
  const int size = (int)rows.n_scalar_rows, columns = (int)n;
  int info = 0;
  if (size == 0) return SOFA_OK;
  const SofaBlasThreads saved = sofa_blas_threads_begin(1);
  if (s->matrix != matrix || s->value_version != rows.value_version)
    err = factorise(s, matrix, &rows);
  if (err == SOFA_OK) {
    sofa_copy(x, b, n * rows.n_scalar_rows * sizeof *x);
    dpotrs_("L", &size, &columns, s->l.data, &size, x, &size, &info, 1);
  }
  sofa_blas_threads_end(saved);
  return err == SOFA_OK ? sofa_assembled_check_solutions(solver, &rows, n, b, x) : err;
}

static const SofaLinearSolverOps ops = {.solve = sofa_linear_solver_solve_one,
                                        .solve_many = solve_many};

static const char *const templates[] = {"SparseMatrix", "FullMatrix", NULL};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(CholeskySolver, l),
    SOFA_REMADE(CholeskySolver, matrix),
    SOFA_REMADE(CholeskySolver, symmetry),
    SOFA_REMADE(CholeskySolver, value_version),
};

SOFA_CLASS(CholeskySolver) = {
    SOFA_NAMED(CholeskySolver),
    .module = "Sofa.Component.LinearSolver.Direct",
    .category = "LinearSolver",
    .help = "Direct solution of small symmetric positive definite systems by a dense L L^T; the "
            "lower triangle is read.",
    .equations = "A = L L^T",
    .base = &sofa_linear_solver_class,
    SOFA_SPARES(spared),
    SOFA_QUIRKS(quirks),
    .templates = templates,
    .destroy = destroy,
    SOFA_IMPLEMENTS({SOFA_LINEAR_SOLVER, &ops}),
};
