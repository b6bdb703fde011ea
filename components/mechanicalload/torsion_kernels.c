/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Choice of the kernels of turned surfaces. */
#include "components/mechanicalload/torsion_kernels.h"

#include "math/isa.h"

const TorsionKernels *torsion_kernels(const SofaContext *ctx) {
  static const TorsionKernels *const variants[] = SOFA_VARIANTS(&torsion_kernels);
  return variants[sofa_isa(ctx)];
}
