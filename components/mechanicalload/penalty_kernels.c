/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Choice of the kernels of penalty loads. */
#include "components/mechanicalload/penalty_kernels.h"

#include <string.h>
#include "math/kernels.h"

const PenaltyKernels *penalty_kernels(const SofaContext *ctx) {
#if defined(__x86_64__)
  const char *isa = ctx->kernels ? ctx->kernels->name : "baseline";
  if (strcmp(isa, "avx512") == 0) return &penalty_kernels_avx512;
  if (strcmp(isa, "avx2") == 0) return &penalty_kernels_avx2;
#else
  (void)ctx;
#endif
  return &penalty_kernels_baseline;
}
