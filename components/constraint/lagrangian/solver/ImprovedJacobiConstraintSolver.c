/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ImprovedJacobiConstraintSolver: block Jacobi with two ways of damping. */
#include "components/constraint/lagrangian/solver/lagrangian_solver.h"

typedef struct ImprovedJacobiConstraintSolver {
  BuiltSolver base;
  SofaJacobiOptions options;
} ImprovedJacobiConstraintSolver;

typedef ImprovedJacobiConstraintSolver SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW(options.spectral, "useSpectralCorrection", "0", "",
             "scale the violations that the visits see by spectralCorrectionFactor "
             "min(1, 1.8 / R), R: the largest squared eigenvalue of the compliance"),
    SOFA_ROW(options.factor, "spectralCorrectionFactor", "1", "1",
             "factor of the violations with useSpectralCorrection"),
    SOFA_ROW(options.conjugate, "useConjugateResidue", "0", "",
             "iteration i of m goes on by min(1, (i/m)^conjugateResidueSpeedFactor) of its last "
             "change"),
    SOFA_ROW(options.speed, "conjugateResidueSpeedFactor", "10", "1",
             "exponent of the growth with useConjugateResidue: larger begins with smaller changes"),
};

static SofaErr jacobi(SofaConstraintSolve *s) {
  const ImprovedJacobiConstraintSolver *solver = s->owner;
  return sofa_constraint_jacobi(s, &solver->options);
}

static SofaErr solve(SofaConstraintSolver *solver, SofaConstraintProblem *problem) {
  ((LagrangianSolver *)solver)->solve.owner = solver;
  return generic_solver_run(solver, problem, jacobi);
}

static const SofaConstraintSolverOps ops = {.solve = solve};

SOFA_CLASS(ImprovedJacobiConstraintSolver) = {
    SOFA_NAMED(ImprovedJacobiConstraintSolver),
    LAGRANGIAN_SOLVER_MODULE,
    .help = "Finds the forces of Lagrangian constraints by block Jacobi iterations: every block is "
            "visited under the forces of the last iteration. Without corrections it diverges where "
            "rows are strongly coupled.",
    .equations = "delta = delta_0 + W lambda, W = J A^-1 J^T",
    .base = &built_solver_class,
    SOFA_FIELDS(fields),
    SOFA_IMPLEMENTS({SOFA_CONSTRAINT_SOLVER, &ops}),
};
