/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* BlockGaussSeidelConstraintSolver: projected Gauss-Seidel sweeps over the blocks of constraints.
 */
#include "components/constraint/lagrangian/solver/lagrangian_solver.h"

typedef BuiltSolver BlockGaussSeidelConstraintSolver;

/* All corrections have the rows of a factor, Y Y^T, that is smaller than W: sweeps read it instead.
 * A failure is reported where W is formed. */
static bool needs_w(const SofaConstraintSolver *solver) {
  const SofaConstraintProblem *p = &solver->problem;
  size_t most = (size_t)p->n * p->n;
  const bool regular = ((const LagrangianSolver *)solver)->method.regularization > 0;
  bool found = p->n_corrections && !regular;
  for (size_t i = 0; i < p->n_corrections && found; i++) {
    SofaConstraintCorrection *c = p->corrections[i];
    found = false;
    if (c->ops->factor && c->ops->factor(c, p, &most, &found) != SOFA_OK) return true;
  }
  return !found;
}

static SofaErr solve(SofaConstraintSolver *solver, SofaConstraintProblem *problem) {
  SofaConstraintMethod *m = &((LagrangianSolver *)solver)->method;
  m->without_w = m->in_order = problem->w.n == 0;
  return generic_solver_run(solver, problem, sofa_constraint_gauss_seidel);
}

static const SofaConstraintSolverOps ops = {.solve = solve, .needs_w = needs_w};

SOFA_CLASS(BlockGaussSeidelConstraintSolver) = {
    SOFA_NAMED(BlockGaussSeidelConstraintSolver),
    LAGRANGIAN_SOLVER_MODULE,
    .help = "Finds the forces of Lagrangian constraints by projected Gauss-Seidel sweeps: block by "
            "block, forces that satisfy the law of the block under the current forces of the "
            "others.",
    .equations = "delta = delta_0 + W lambda, W = J A^-1 J^T",
    .base = &built_solver_class,
    SOFA_IMPLEMENTS({SOFA_CONSTRAINT_SOLVER, &ops}),
};
