/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Work vectors of iterative solvers. */
#ifndef SOFA_NUMERICS_KRYLOV_WORK_VECTOR_H
#define SOFA_NUMERICS_KRYLOV_WORK_VECTOR_H

#include "behavior/linear_solver.h"

/* Makes v a vector of n reals and the one behind them that kernels may read. Allocates only when n
 * changed, and then starts at zero again. */
static inline SofaErr work_vector(SofaContext *ctx, size_t n, SofaReals *v) {
  if (v->n == n + 1) return SOFA_OK;
  v->n = 0;
  return SOFA_RESIZE(ctx, v, n + 1);
}

#endif
