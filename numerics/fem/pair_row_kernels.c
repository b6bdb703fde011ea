/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Choice of the kernels of rows of pairs. */
#include "numerics/fem/pair_row_kernels.h"

#include "math/isa.h"

const SofaPairRowKernels *sofa_pair_row_kernels(const SofaContext *ctx) {
  static const SofaPairRowKernels *const variants[] = SOFA_VARIANTS(&sofa_pair_row_kernels);
  return variants[sofa_isa(ctx)];
}
