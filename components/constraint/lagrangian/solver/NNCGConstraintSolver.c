/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* NNCGConstraintSolver: nonsmooth nonlinear conjugate gradients. */
#include "components/constraint/lagrangian/solver/lagrangian_solver.h"

typedef BuiltSolver NNCGConstraintSolver;

enum { QUIRK_NNCG_EXTRAPOLATED = 1 };
static const SofaQuirk quirks[] = {
    {QUIRK_NNCG_EXTRAPOLATED, "nncg-extrapolated",
     "NNCGConstraintSolver ends with an extrapolation, and when forces change by less than the "
     "tolerance",
     "test_constraint_components.nncg_extrapolated"},
};

static SofaErr construct(SofaObject *object) {
  ((LagrangianSolver *)object)->method.last_extrapolated =
      sofa_quirk(object, QUIRK_NNCG_EXTRAPOLATED);
  return SOFA_OK;
}

static SofaErr solve(SofaConstraintSolver *solver, SofaConstraintProblem *problem) {
  return generic_solver_run(solver, problem, sofa_constraint_nncg);
}

static const SofaConstraintSolverOps ops = {.solve = solve};

SOFA_CLASS(NNCGConstraintSolver) = {
    SOFA_NAMED(NNCGConstraintSolver),
    LAGRANGIAN_SOLVER_MODULE,
    .help = "Finds the forces of Lagrangian constraints by nonsmooth nonlinear conjugate gradients "
            "(Silcowitz, Niebe and Erleben, 2010): Gauss-Seidel sweeps whose changes are taken for "
            "gradients. `sor` has no effect.",
    .equations = "delta = delta_0 + W lambda, W = J A^-1 J^T",
    .base = &built_solver_class,
    SOFA_QUIRKS(quirks),
    .construct = construct,
    SOFA_IMPLEMENTS({SOFA_CONSTRAINT_SOLVER, &ops}),
};
