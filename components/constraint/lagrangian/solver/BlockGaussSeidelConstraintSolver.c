/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* BlockGaussSeidelConstraintSolver: projected Gauss-Seidel sweeps over the blocks of constraints.
 */
#include "components/constraint/lagrangian/solver/lagrangian_solver.h"

typedef BuiltSolver BlockGaussSeidelConstraintSolver;

static SofaErr solve(SofaConstraintSolver *solver, SofaConstraintProblem *problem) {
  return generic_solver_run(solver, problem, sofa_constraint_gauss_seidel);
}

static const SofaConstraintSolverOps ops = {.solve = solve};

SOFA_CLASS(BlockGaussSeidelConstraintSolver) = {
    SOFA_NAMED(BlockGaussSeidelConstraintSolver),
    LAGRANGIAN_SOLVER_MODULE,
    .help = "Finds the forces of Lagrangian constraints by projected Gauss-Seidel sweeps: block by "
            "block, forces that satisfy the law of the block under the current forces of the "
            "others.",
    .base = &built_solver_class,
    SOFA_IMPLEMENTS({SOFA_CONSTRAINT_SOLVER, &ops}),
};
