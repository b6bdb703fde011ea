/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* UnbuiltGaussSeidelConstraintSolver: Gauss-Seidel sweeps without the compliance matrix. */
#include "components/constraint/lagrangian/solver/lagrangian_solver.h"

typedef GenericSolver UnbuiltGaussSeidelConstraintSolver;

enum { QUIRK_UNBUILT_COLD_START = 1, QUIRK_UNBUILT_MIXING = 2 };
static const SofaQuirk quirks[] = {
    {QUIRK_UNBUILT_COLD_START, "unbuilt-cold-start",
     "UnbuiltGaussSeidelConstraintSolver starts every step from forces of 0",
     "test_constraint_components.unbuilt_cold_start"},
    {QUIRK_UNBUILT_MIXING, "unbuilt-mixing",
     "UnbuiltGaussSeidelConstraintSolver does not apply what `sor` changes to the displacements",
     "test_constraint_components.unbuilt_mixing"},
};

static SofaErr construct(SofaObject *object) {
  SofaConstraintMethod *m = &((LagrangianSolver *)object)->method;
  m->without_w = true;
  m->cold = sofa_quirk(object, QUIRK_UNBUILT_COLD_START);
  m->untold_mixing = sofa_quirk(object, QUIRK_UNBUILT_MIXING);
  return SOFA_OK;
}

static bool needs_w(const SofaConstraintSolver *solver) {
  (void)solver;
  return false;
}

static SofaErr solve(SofaConstraintSolver *solver, SofaConstraintProblem *problem) {
  return generic_solver_run(solver, problem, sofa_constraint_unbuilt);
}

static const SofaConstraintSolverOps ops = {.solve = solve, .needs_w = needs_w};

SOFA_CLASS(UnbuiltGaussSeidelConstraintSolver) = {
    SOFA_NAMED(UnbuiltGaussSeidelConstraintSolver),
    LAGRANGIAN_SOLVER_MODULE,
    .help = "Finds the forces of Lagrangian constraints by projected Gauss-Seidel sweeps without "
            "the matrix of their compliance: the corrections give displacements and take forces.",
    .equations = "delta = delta_0 + W lambda, W = J A^-1 J^T",
    .base = &generic_solver_class,
    SOFA_QUIRKS(quirks),
    .construct = construct,
    SOFA_IMPLEMENTS({SOFA_CONSTRAINT_SOLVER, &ops}),
};
