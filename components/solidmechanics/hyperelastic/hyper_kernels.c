/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Choice of the kernels of hyperelastic tetrahedra. */
#include "components/solidmechanics/hyperelastic/hyper_kernels.h"

#include <string.h>
#include "math/kernels.h"

const SofaHyperKernels *sofa_hyper_kernels(const SofaContext *ctx) {
#if defined(__x86_64__)
  const char *isa = ctx->kernels ? ctx->kernels->name : "baseline";
  if (strcmp(isa, "avx512") == 0) return &sofa_hyper_kernels_avx512;
  if (strcmp(isa, "avx2") == 0) return &sofa_hyper_kernels_avx2;
#else
  (void)ctx;
#endif
  return &sofa_hyper_kernels_baseline;
}
