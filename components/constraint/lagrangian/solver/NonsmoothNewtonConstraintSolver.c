/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* NonsmoothNewtonConstraintSolver: a semismooth Newton method for all laws. */
#include "components/constraint/lagrangian/solver/lagrangian_solver.h"

typedef struct NonsmoothNewtonConstraintSolver {
  LagrangianSolver base;
  int iterations; /* outputs */
  double error;
} NonsmoothNewtonConstraintSolver;

typedef NonsmoothNewtonConstraintSolver SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW(base.method.max_iterations, "maxIterations", "300", "1",
             "most Newton iterations of a solve", .range = SOFA_AT_LEAST(1)),
    SOFA_ROW(base.method.tolerance, "tolerance", "1e-12", "1",
             "a solve ends when the norm of the natural maps, relative to the forces and the terms "
             "of the violations, falls to this; blocks are weighted by energy",
             .range = SOFA_AT_LEAST(0)),
    SOFA_ROW(base.method.regularization, "regularizationTerm", "0", "",
             "added to the diagonal of the compliance W of all rows: constraints give way to it",
             .range = SOFA_AT_LEAST(0)),
    SOFA_ROW(iterations, "currentIterations", "0", "1", "Newton iterations of the last solve",
             .flags = SOFA_FIELD_OUTPUT),
    SOFA_ROW(error, "currentError", "0", "1", "see tolerance; of the last solve",
             .flags = SOFA_FIELD_OUTPUT),
};

static SofaErr construct(SofaObject *object) {
  ((LagrangianSolver *)object)->method.sor = 1;
  return SOFA_OK;
}

static void clear(NonsmoothNewtonConstraintSolver *s) {
  s->iterations = 0;
  s->error = 0;
}

static SofaErr reset(SofaObject *object) {
  clear((NonsmoothNewtonConstraintSolver *)object);
  return SOFA_OK;
}

static SofaErr solve(SofaConstraintSolver *solver, SofaConstraintProblem *problem) {
  NonsmoothNewtonConstraintSolver *s = (NonsmoothNewtonConstraintSolver *)solver;
  clear(s);
  if (problem->n == 0) return lagrangian_solver_idle(&s->base);
  SOFA_TRY(lagrangian_solver_begin(&s->base, problem));
  SOFA_TRY(sofa_constraint_newton(&s->base.solve));
  s->iterations = (int)s->base.solve.report.iterations;
  s->error = s->base.solve.report.error;
  return lagrangian_solver_end(&s->base);
}

static const SofaConstraintSolverOps ops = {.solve = solve};

SOFA_CLASS(NonsmoothNewtonConstraintSolver) = {
    SOFA_NAMED(NonsmoothNewtonConstraintSolver),
    .module = "csofa",
    .category = "ConstraintSolver",
    .help = "Finds the forces of Lagrangian constraints, friction included, to rounding by a "
            "semismooth Newton method on the natural maps of their laws (Alart and Curnier, 1991) "
            "with a line search; Gauss-Seidel sweeps start it and go on where it does not "
            "decrease. For bodies with large ratios of masses. Not in SOFA.",
    .equations = "delta = delta_0 + W lambda, W = J A^-1 J^T",
    .base = &lagrangian_solver_class,
    SOFA_FIELDS(fields),
    .construct = construct,
    .reset = reset,
    SOFA_IMPLEMENTS({SOFA_CONSTRAINT_SOLVER, &ops}),
};
