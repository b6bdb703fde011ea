/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What constraint solvers share: fields, outputs, and what is reported of a solve. */
#ifndef SOFA_COMPONENTS_CONSTRAINT_LAGRANGIAN_SOLVER_H
#define SOFA_COMPONENTS_CONSTRAINT_LAGRANGIAN_SOLVER_H

#include "behavior/solve_count.h"
#include "numerics/constraint/solve.h"

typedef struct LagrangianSolver {
  SofaConstraintSolver solver;
  SofaConstraintMethod method; /* of the fields and quirks */
  SofaConstraintSolve solve;
  SofaSolveCount solves;
  double begun; /* the current solve, s */
  bool compute_forces;
  SofaReals forces; /* outputs */
  SofaVec2 residual;
} LagrangianSolver;

/* abstract: computeConstraintForces, constraintForces, residual */
extern const SofaClass lagrangian_solver_class;

/* SofaConstraintSolverOps.solve is begin, a method of numerics/constraint/solve.h, end. */
SofaErr lagrangian_solver_begin(LagrangianSolver *s, SofaConstraintProblem *problem);
SofaErr lagrangian_solver_end(LagrangianSolver *s);
/* Instead of them, for a step without rows. */
SofaErr lagrangian_solver_idle(LagrangianSolver *s);

/* The fields of SOFA's solvers but LCPConstraintSolver. */
typedef struct GenericSolver {
  LagrangianSolver base;
  int n_constraints, n_groups, iterations; /* outputs */
  double error;
} GenericSolver;

/* abstract: maxIterations, tolerance, ..., graphs, current*; quirk constraint-iterations */
extern const SofaClass generic_solver_class;
/* Runs a method from begin to end; sets the outputs. */
SofaErr generic_solver_run(SofaConstraintSolver *solver, SofaConstraintProblem *problem,
                           SofaErr (*method)(SofaConstraintSolve *s));

typedef struct BuiltSolver {
  GenericSolver base;
  int n_threads; /* without effect */
  char *scheduler;
  bool multithreading;
} BuiltSolver;

/* abstract: those that form W; multithreading, useSVDForRegularization, ... */
extern const SofaClass built_solver_class;

#define LAGRANGIAN_SOLVER_MODULE                                                                   \
  .module = "Sofa.Component.Constraint.Lagrangian.Solver", .category = "ConstraintSolver"

#endif
