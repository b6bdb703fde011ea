/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* JacobiPreconditioner: the inverse of the diagonal. */
#include "base/team.h"
#include "numerics/krylov/assembled.h"
#include "numerics/krylov/work_vector.h"
#include "math/kernels.h"
#include "object/checkpoint.h"

typedef struct JacobiPreconditioner {
  SofaLinearSolver solver;
  SofaReals inverse; /* of the diagonal */
  const SofaBlockMatrix *matrix;
  uint64_t value_version; /* of the matrix; 0: none */
} JacobiPreconditioner;

static void destroy(SofaObject *object) {
  sofa_list_free(object->ctx, &((JacobiPreconditioner *)object)->inverse);
}

static SofaErr invert(JacobiPreconditioner *p, const SofaBlockMatrix *matrix,
                      const SofaBlockRows *rows) {
  p->value_version = 0;
  SOFA_TRY(work_vector(p->solver.object.ctx, rows->n_scalar_rows, &p->inverse));
  double *d = p->inverse.data;
  sofa_assembled_diagonal(rows, d);
  for (size_t i = 0; i < rows->n_scalar_rows; i++) {
    if (d[i] == 0)
      return sofa_linear_solver_fail_at(&p->solver, SOFA_ERR_SINGULAR, i,
                                        "zero on the diagonal of the matrix");
    d[i] = 1 / d[i];
  }
  p->matrix = matrix;
  p->value_version = rows->value_version;
  return SOFA_OK;
}

enum { GRAIN = 32768 }; /* entries */

/* x = b times the inverse of the diagonal. */
typedef struct Job {
  const SofaKernels *kernels;
  const double *b, *inverse;
  double *x;
} Job;

static void multiply_range(void *user, size_t begin, size_t end) {
  const Job *job = user;
  job->kernels->multiply(end - begin, job->b + begin, job->inverse + begin, job->x + begin);
}

static SofaErr solve(SofaLinearSolver *solver, const double *b, double *x) {
  JacobiPreconditioner *p = (JacobiPreconditioner *)solver;
  const SofaContext *ctx = solver->object.ctx;
  const SofaBlockMatrix *matrix = NULL;
  SofaBlockRows rows;
  SOFA_TRY(sofa_assembled_rows(solver, &matrix, &rows));
  if (p->matrix != matrix || p->value_version != rows.value_version)
    SOFA_TRY(invert(p, matrix, &rows));
  Job job = {ctx->kernels, b, p->inverse.data, x};
  sofa_team_for(ctx, rows.n_scalar_rows, GRAIN, multiply_range, &job);
  return sofa_assembled_check_solution(solver, &rows, b, x);
}

static const SofaLinearSolverOps ops = {.solve = solve};

static const char *const templates[] = {"DiagonalMatrix", NULL};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(JacobiPreconditioner, inverse),
    SOFA_REMADE(JacobiPreconditioner, matrix),
    SOFA_REMADE(JacobiPreconditioner, value_version),
};

SOFA_CLASS(JacobiPreconditioner) = {
    SOFA_NAMED(JacobiPreconditioner),
    .module = "Sofa.Component.LinearSolver.Preconditioner",
    .category = "LinearSolver",
    .help = "Preconditioner of PCGLinearSolver: divides by the diagonal of the matrix.",
    .equations = "z = D^-1 r",
    .base = &sofa_linear_solver_class,
    SOFA_SPARES(spared),
    .templates = templates,
    .destroy = destroy,
    SOFA_IMPLEMENTS({SOFA_LINEAR_SOLVER, &ops}),
};
