/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Choice of the kernels of penalty loads. */
#include "components/mechanicalload/penalty_kernels.h"

#include "math/isa.h"

const PenaltyKernels *penalty_kernels(const SofaContext *ctx) {
  static const PenaltyKernels *const variants[] = SOFA_VARIANTS(&penalty_kernels);
  return variants[sofa_isa(ctx)];
}
