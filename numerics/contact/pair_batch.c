/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Choice of the kernels of an instruction set. */
#include "numerics/contact/pair_kernels_impl.h"

#include "math/isa.h"

const SofaPairKernels *sofa_pair_kernels(const SofaContext *ctx) {
  static const SofaPairKernels *const variants[] = SOFA_VARIANTS(&sofa_pair_kernels);
  return variants[sofa_isa(ctx)];
}
