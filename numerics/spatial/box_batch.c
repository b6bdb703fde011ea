/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Choice of the kernels of an instruction set. */
#include "numerics/spatial/box_batch_impl.h"

#include "math/isa.h"

const BoxKernels *box_kernels(const SofaContext *ctx) {
  static const BoxKernels *const variants[] = SOFA_VARIANTS(&box_kernels);
  return variants[sofa_isa(ctx)];
}
