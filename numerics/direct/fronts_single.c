/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Factorizations by fronts and solutions in single precision. Entries of L become small with the
 * distance of its rows: below the range of normal numbers they are flushed to 0, because arithmetic
 * with denormals is a hundred times slower on many processors. */
#define FRONT_SINGLE
#include "base/denormals_impl.h"

typedef SofaFlushMode FrontMode;
static inline FrontMode front_mode_begin(void) {
  return sofa_flush_begin();
}
static inline void front_mode_end(FrontMode mode) {
  sofa_flush_end(mode);
}

#include "numerics/direct/fronts_numeric_impl.h"
#include "numerics/direct/supernode_solver_numeric_impl.h"

void sofa_fronts_factorise_single(SofaFronts *f, const double *values, double scale, float *l,
                                  size_t *minor) {
  const Run run = {f, kernels_of(f->ctx), values, scale, l};
  factorise(&run, minor);
}

void sofa_supernode_solver_apply_single(const SofaSupernodeSolver *solver, const float *l,
                                        float *y) {
  solve(solver, l, y);
}
