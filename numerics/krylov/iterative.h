/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by iterative solvers: the checks before and after a solve. */
#ifndef SOFA_NUMERICS_KRYLOV_ITERATIVE_H
#define SOFA_NUMERICS_KRYLOV_ITERATIVE_H

#include "numerics/krylov/assembled.h"
#include "numerics/krylov/symmetry.h"

SOFA_BEGIN_DECLS

/* Relative residuals below this are rounding, whatever smaller tolerance a scene gives. */
#define SOFA_ITERATIVE_ROUNDING 1e-12
/* Of a solve that made the most iterations. */
#define SOFA_ITERATIVE_REMEDY "increase 'iterations' or use a direct solver"

typedef struct SofaIterativeChecks {
  SofaSymmetryCheck symmetry;
  double curvature;                      /* a negative one of this solve, or 0 */
  bool by_preconditioner;                /* not by the matrix */
  bool told_iterations, told_indefinite; /* each reported once; the first with keep_going */
} SofaIterativeChecks;

void sofa_iterative_checks_free(SofaContext *ctx, SofaIterativeChecks *checks);

/* Before a solve: at least one iteration; a matrix, where the system has one, is symmetric. */
SofaErr sofa_iterative_begin(const SofaLinearSolver *solver, uint32_t iterations,
                             SofaIterativeChecks *checks);
/* p.A p of a vector p and its image q = A p, n_v_main reals each; A is the matrix or the inverse of
 * the preconditioner. Remembers when it is negative by more than rounding: A is not positive
 * definite. */
void sofa_iterative_curvature(const SofaLinearSolver *solver, SofaIterativeChecks *checks,
                              bool preconditioner, double curvature, const double *p,
                              const double *q);
/* After a solve: log; is x finite when the residual is not? A matrix or preconditioner that is not
 * positive definite does no harm as long as the iterations converge, but they need not: a residual
 * larger than the right-hand side is then a warning, once, and one that is 100 times larger, or
 * without any progress because of the preconditioner, an error (with keep_going a warning too). */
SofaErr sofa_iterative_end(const SofaLinearSolver *solver, SofaIterativeChecks *checks, bool finite,
                           const double *b, const double *x);

SOFA_END_DECLS

#endif
