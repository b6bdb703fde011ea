/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What iterative solvers share: what they refuse, and how they end. */
#ifndef LINEARSOLVER_ITERATIVE_H
#define LINEARSOLVER_ITERATIVE_H

#include "components/linearsolver/assembled.h"

typedef struct IterativeChecks {
  SymmetryCheck symmetry;
  bool told_iterations, told_curvature; /* with keep_going each is told once */
} IterativeChecks;

void iterative_checks_free(SofaContext *ctx, IterativeChecks *checks);

/* Before a solve: at least one iteration; a matrix, where the system has one, is symmetric. */
SofaErr iterative_begin(const SofaLinearSolver *solver, uint32_t iterations,
                        IterativeChecks *checks);
/* p.A p of a vector p and its image q = A p, n_v_main reals each; `what` is A ("the matrix").
 * Negative by more than rounding: it is not positive definite. With keep_going that is told once
 * and the method goes on, as SOFA. */
SofaErr iterative_curvature(const SofaLinearSolver *solver, IterativeChecks *checks,
                            const char *what, double curvature, const double *p, const double *q);
/* After a solve: log; is x finite when the residual is not? */
SofaErr iterative_end(const SofaLinearSolver *solver, bool finite, const double *b,
                      const double *x);

#endif
