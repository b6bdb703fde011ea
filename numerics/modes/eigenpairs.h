/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The largest eigenvalues of an operator that is symmetric in an inner product, by a block Lanczos
 * method with restarts: eigenvalues that stand several times are found, too. */
#ifndef SOFA_NUMERICS_MODES_EIGENPAIRS_H
#define SOFA_NUMERICS_MODES_EIGENPAIRS_H

#include "base/context.h"

SOFA_BEGIN_DECLS

typedef struct SofaEigenProblem {
  SofaContext *ctx;
  size_t n;                                                 /* rows */
  SofaErr (*apply)(void *user, const double *x, double *y); /* y = A x */
  void (*weigh)(void *user, const double *x, double *y);    /* y = B x, with B A symmetric */
  void *user;
} SofaEigenProblem;

/* The eigenvalues that are largest, descending, and their vectors, which are B-orthonormal, n reals
 * each, one behind the other. *found: fewer than `wanted` when the range of A has fewer
 * dimensions. SOFA_ERR_NOT_CONVERGED, not reported. The same bits on any number of threads. */
SofaErr sofa_eigenpairs(const SofaEigenProblem *problem, size_t wanted, double *values,
                        double *vectors, size_t *found);

SOFA_END_DECLS

#endif
