/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What iterative solvers share: what they refuse, and how they end. */
#ifndef SOFA_NUMERICS_KRYLOV_ITERATIVE_H
#define SOFA_NUMERICS_KRYLOV_ITERATIVE_H

#include "numerics/krylov/assembled.h"

typedef struct IterativeChecks {
  SymmetryCheck symmetry;
  double curvature;                      /* a negative one of this solve, or 0 */
  bool by_preconditioner;                /* not by the matrix */
  bool told_iterations, told_indefinite; /* with keep_going the first is told once; the second is */
} IterativeChecks;

void iterative_checks_free(SofaContext *ctx, IterativeChecks *checks);

/* Before a solve: at least one iteration; a matrix, where the system has one, is symmetric. */
SofaErr iterative_begin(const SofaLinearSolver *solver, uint32_t iterations,
                        IterativeChecks *checks);
/* p.A p of a vector p and its image q = A p, n_v_main reals each; A is the matrix or the inverse of
 * the preconditioner. Remembers when it is negative by more than rounding: A is not positive
 * definite. */
void iterative_curvature(const SofaLinearSolver *solver, IterativeChecks *checks,
                         bool preconditioner, double curvature, const double *p, const double *q);
/* After a solve: log; is x finite when the residual is not? A matrix or preconditioner that is not
 * positive definite does no harm as long as the iterations converge, but they need not: a residual
 * larger than the right-hand side is then a warning, once, and one that is 100 times larger, or
 * without any progress because of the preconditioner, an error (with keep_going a warning too). */
SofaErr iterative_end(const SofaLinearSolver *solver, IterativeChecks *checks, bool finite,
                      const double *b, const double *x);

#endif
