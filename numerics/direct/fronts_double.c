/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Factorizations by fronts and solutions in double precision. */

typedef int FrontMode; /* nothing is changed */
static inline FrontMode front_mode_begin(void) {
  return 0;
}
static inline void front_mode_end(FrontMode mode) {
  (void)mode;
}

#include "numerics/direct/fronts_numeric_impl.h"
#include "numerics/direct/supernode_solver_numeric_impl.h"

void sofa_fronts_factorise(SofaFronts *f, const double *values, double *l, size_t *minor) {
  const Run run = {f, kernels_of(f->ctx), values, 1, l};
  factorise(&run, minor);
}

void sofa_supernode_solver_apply(const SofaSupernodeSolver *solver, const double *l, double *y) {
  solve(solver, l, y);
}
