/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Choice of the kernels of diagonal masses. */
#include "math/isa.h"
#include "numerics/mass/diagonal_kernels_impl.h"

const SofaDiagonalKernels *sofa_diagonal_kernels_of(const SofaContext *ctx) {
  static const SofaDiagonalKernels *const variants[] = SOFA_VARIANTS(&sofa_diagonal_kernels);
  return variants[sofa_isa(ctx)];
}
