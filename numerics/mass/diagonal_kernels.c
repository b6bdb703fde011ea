/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Choice of the kernels of diagonal masses. */
#include "math/isa.h"
#include "numerics/mass/mass_kernels_impl.h"

const SofaMassKernels *sofa_mass_kernels_of(const SofaContext *ctx) {
  static const SofaMassKernels *const variants[] = SOFA_VARIANTS(&sofa_mass_kernels);
  return variants[sofa_isa(ctx)];
}
