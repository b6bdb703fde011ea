/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CGLinearSolver, for the class of its name for several threads. */
#ifndef LINEARSOLVER_CG_LINEAR_SOLVER_H
#define LINEARSOLVER_CG_LINEAR_SOLVER_H

#include "numerics/krylov/iterative.h"

typedef struct CGLinearSolver {
  SofaLinearSolver solver;
  SofaIterativeChecks checks;
  uint32_t iterations;
  double tolerance, threshold;
  bool warm_start;
  SofaReals graph;   /* |r| / |b| before each iteration of the last solve */
  bool solved;       /* at least once */
  double norm;       /* |b| of the solve that runs */
  double largest;    /* |b| of this run */
  SofaReals r, p, q; /* n_v reals each */
} CGLinearSolver;

extern const SofaClass sofa_CGLinearSolver_class;

SofaErr cg_solve(SofaLinearSolver *solver, const double *b, double *x);

#endif
