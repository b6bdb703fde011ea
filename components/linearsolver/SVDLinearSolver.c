/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SVDLinearSolver: solution by the dense singular value decomposition, small singular values left
 * out. */
#include <string.h>

#include "numerics/krylov/assembled.h"
#include "numerics/direct/lapack_impl.h"
#include "numerics/direct/blas_threads.h"
#include "numerics/krylov/work_vector.h"
#include "object/checkpoint.h"

typedef struct SVDLinearSolver {
  SofaLinearSolver solver;
  double min_singular, condition;
  bool verbose;
  SofaReals a, u, vt, sigma, work, y; /* dense, column major; A is destroyed */
  SofaInts work_i;
  const SofaBlockMatrix *matrix;
  uint64_t value_version; /* of the decomposition; 0: none */
} SVDLinearSolver;

static const SofaField fields[] = {
    SOFA_FIELD(SVDLinearSolver, verbose, "verbose", "0", "",
               "show the condition number of each matrix, as printLog does"),
    SOFA_FIELD(SVDLinearSolver, min_singular, "minSingularValue", "1e-06", "",
               "components with a singular value not above this one are left out; absolute, in "
               "the unit of the matrix"),
    SOFA_FIELD(SVDLinearSolver, condition, "conditionNumber", "0", "1",
               "largest by smallest singular value of the last matrix", .flags = SOFA_FIELD_OUTPUT),
};

static SofaErr init(SofaObject *object) {
  object->print_log |= ((SVDLinearSolver *)object)->verbose;
  return SOFA_OK;
}

static void destroy(SofaObject *object) {
  SVDLinearSolver *s = (SVDLinearSolver *)object;
  SofaReals *lists[] = {&s->a, &s->u, &s->vt, &s->sigma, &s->work, &s->y};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) sofa_list_free(object->ctx, lists[i]);
  sofa_list_free(object->ctx, &s->work_i);
}

static SofaErr make_room(SVDLinearSolver *s, size_t n) {
  SofaContext *ctx = s->solver.object.ctx;
  const int rows = (int)n, query = -1;
  int info = 0, none = 0;
  double size = 0;
  if (s->sigma.n == n + 1) return SOFA_OK;
  dgesdd_("A", &rows, &rows, NULL, &rows, NULL, NULL, &rows, NULL, &rows, &size, &query, &none,
          &info, 1);
  SOFA_TRY(work_vector(ctx, n * n, &s->a));
  SOFA_TRY(work_vector(ctx, n * n, &s->u));
  SOFA_TRY(work_vector(ctx, n * n, &s->vt));
  SOFA_TRY(work_vector(ctx, (size_t)size, &s->work));
  SOFA_TRY(work_vector(ctx, n, &s->y));
  SOFA_TRY(SOFA_RESIZE(ctx, &s->work_i, 8 * n));
  return work_vector(ctx, n, &s->sigma);
}

static SofaErr decompose(SVDLinearSolver *s, const SofaBlockMatrix *matrix,
                         const SofaBlockRows *rows) {
  const size_t n = rows->n_scalar_rows;
  int info = 0;
  s->value_version = 0;
  SOFA_TRY(sofa_assembled_check_dense(&s->solver, rows));
  SOFA_TRY(make_room(s, n));
  sofa_assembled_dense(rows, s->a.data);
  const int size = (int)n, work = (int)(s->work.n - 1);
  dgesdd_("A", &size, &size, s->a.data, &size, s->sigma.data, s->u.data, &size, s->vt.data, &size,
          s->work.data, &work, s->work_i.data, &info, 1);
  if (info != 0) SOFA_TRY(sofa_assembled_check_finite(&s->solver, rows));
  if (info != 0)
    return sofa_object_fail(&s->solver.object, SOFA_ERR_NOT_FINITE,
                            "no singular value decomposition of the matrix: it did not converge "
                            "(LAPACK: %d), time %g",
                            info, s->solver.object.node->time);
  s->condition = s->sigma.data[0] / s->sigma.data[n - 1];
  sofa_field_touch(&s->solver.object, &fields[2]);
  if (s->solver.object.print_log)
    sofa_object_message(&s->solver.object, SOFA_INFO, "condition number %g", s->condition);
  if (s->matrix != matrix) sofa_assembled_log_blas(&s->solver, rows->n_scalar_rows);
  s->matrix = matrix;
  s->value_version = rows->value_version;
  return SOFA_OK;
}

/* x = V diag(1 / sigma) U^T b over the singular values that count */
static void apply(SVDLinearSolver *s, size_t n, const double *b, double *x) {
  double *y = s->y.data;
  for (size_t k = 0; k < n; k++) {
    const double *u = s->u.data + n * k;
    y[k] = 0;
    for (size_t i = 0; i < n; i++) y[k] += u[i] * b[i];
    y[k] = s->sigma.data[k] > s->min_singular ? y[k] / s->sigma.data[k] : 0;
  }
  for (size_t i = 0; i < n; i++) {
    const double *v = s->vt.data + n * i;
    x[i] = 0;
    for (size_t k = 0; k < n; k++) x[i] += v[k] * y[k];
  }
}

static SofaErr solve_many(SofaLinearSolver *solver, size_t n, const double *b, double *x) {
  SVDLinearSolver *s = (SVDLinearSolver *)solver;
  const SofaBlockMatrix *matrix = NULL;
  SofaBlockRows rows;
  SofaErr err = SOFA_OK;
  SOFA_TRY(sofa_assembled_rows(solver, &matrix, &rows));
  if (rows.n_scalar_rows == 0) return SOFA_OK;
  const SofaBlasThreads saved = sofa_blas_threads_begin(1);
  if (s->matrix != matrix || s->value_version != rows.value_version)
    err = decompose(s, matrix, &rows);
  sofa_blas_threads_end(saved);
  if (err != SOFA_OK) return err;
  const size_t size = rows.n_scalar_rows;
  for (size_t k = 0; k < n; k++) apply(s, size, b + k * size, x + k * size);
  return sofa_assembled_check_solutions(solver, &rows, n, b, x);
}

static const SofaLinearSolverOps ops = {.solve = sofa_linear_solver_solve_one,
                                        .solve_many = solve_many};

static const char *const templates[] = {"FullMatrix", "CompressedRowSparseMatrixd",
                                        "CompressedRowSparseMatrixMat3x3d", NULL};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(SVDLinearSolver, a),
    SOFA_REMADE(SVDLinearSolver, matrix),
    SOFA_REMADE(SVDLinearSolver, sigma),
    SOFA_REMADE(SVDLinearSolver, u),
    SOFA_REMADE(SVDLinearSolver, value_version),
    SOFA_REMADE(SVDLinearSolver, vt),
    SOFA_REMADE(SVDLinearSolver, work),
    SOFA_REMADE(SVDLinearSolver, work_i),
    SOFA_REMADE(SVDLinearSolver, y),
};

SOFA_CLASS(SVDLinearSolver) = {
    SOFA_NAMED(SVDLinearSolver),
    .module = "Sofa.Component.LinearSolver.Direct",
    .category = "LinearSolver",
    .help = "Solution of small systems by the dense singular value decomposition A = U S V^T; "
            "components with small singular values are left out, so that singular systems have a "
            "solution too.",
    .equations = "A = U S V^T, x = V S^-1 U^T b",
    .base = &sofa_linear_solver_class,
    SOFA_SPARES(spared),
    SOFA_FIELDS(fields),
    .templates = templates,
    .init = init,
    .destroy = destroy,
    SOFA_IMPLEMENTS({SOFA_LINEAR_SOLVER, &ops}),
};
