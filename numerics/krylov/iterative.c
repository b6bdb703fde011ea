/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What iterative solvers refuse, and how they end. */
#include "behavior/checks.h"
#include "numerics/krylov/iterative.h"

#include <math.h>

#include "simulation/vectors.h"

void sofa_iterative_checks_free(SofaContext *ctx, SofaIterativeChecks *checks) {
  sofa_symmetry_free(ctx, &checks->symmetry);
}

SofaErr sofa_iterative_begin(const SofaLinearSolver *solver, uint32_t iterations,
                             SofaIterativeChecks *checks) {
  const SofaObject *object = &solver->object;
  const SofaBlockMatrix *matrix = sofa_linear_system_matrix(solver->system);
  checks->curvature = 0;
  if (iterations == 0 && !(checks->told_iterations && object->ctx->keep_going)) {
    checks->told_iterations = true;
    SOFA_TRY(
        sofa_keep_going(object, sofa_field_fail(object, "iterations", SOFA_ERR_RANGE,
                                                "0, must be at least 1: nothing is solved, time %g",
                                                object->node->time)));
  }
  if (!matrix) return SOFA_OK;

  /* what the products will be made with may know */
  const SofaLinearSystemOps *ops = sofa_linear_system_ops(solver->system);
  SofaBlockRows rows;
  bool symmetric = false;
  if (ops->symmetric) SOFA_TRY(ops->symmetric(solver->system, &symmetric));
  if (symmetric) return SOFA_OK;
  sofa_block_matrix_rows(matrix, &rows);
  return sofa_symmetry_check(solver, matrix, &rows, "the iterations may not converge",
                             &checks->symmetry);
}

void sofa_iterative_curvature(const SofaLinearSolver *solver, SofaIterativeChecks *checks,
                              bool preconditioner, double curvature, const double *p,
                              const double *q) {
  const SofaSpace space = sofa_main_v(solver->system->mechanics);
  if (!(curvature < 0) || checks->curvature < 0) return;
  if (!(curvature < -1e-10 * sofa_vec_norm(space, p) * sofa_vec_norm(space, q))) return;
  checks->curvature = curvature;
  checks->by_preconditioner = preconditioner;
}

static SofaErr check_indefinite(const SofaLinearSolver *solver, SofaIterativeChecks *checks) {
  const SofaObject *object = &solver->object;
  const double residual = solver->result.residual, time = object->node->time;
  /* residuals of conjugate gradients may grow for a while; a preconditioner stops them at once */
  const double limit = checks->by_preconditioner ? 1 : 100;
  const bool bad = residual >= limit;
  static const char said[] = "%s is not positive definite (p.A p = %g for a direction p) and the "
                             "iterations end with |r|/|b| = %g, time %g; a direct solver such as "
                             "SparseLDLSolver does without";
  const char *what = checks->by_preconditioner ? "the preconditioner" : "the matrix";
  if (!(checks->curvature < 0) || residual < 1) return SOFA_OK;
  if (bad && !object->ctx->keep_going)
    return sofa_object_fail(object, SOFA_ERR_SINGULAR, said, what, checks->curvature, residual,
                            time);
  if (!checks->told_indefinite)
    sofa_object_message(object, SOFA_WARNING, said, what, checks->curvature, residual, time);
  checks->told_indefinite = true;
  return SOFA_OK;
}

SofaErr sofa_iterative_end(const SofaLinearSolver *solver, SofaIterativeChecks *checks, bool finite,
                           const double *b, const double *x) {
  if (solver->object.print_log)
    sofa_object_message(&solver->object, SOFA_INFO, "%d iterations, |r|/|b| = %g",
                        solver->result.iterations, solver->result.residual);
  if (finite) return check_indefinite(solver, checks);
  SOFA_TRY(sofa_linear_solver_check_finite(solver, b, x));
  return sofa_object_fail(&solver->object, SOFA_ERR_NOT_FINITE,
                          "the residual is not finite, time %g: the matrix, the preconditioner or "
                          "the right-hand side is not",
                          solver->object.node->time);
}
