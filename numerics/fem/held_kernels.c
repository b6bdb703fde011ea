/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Choice of the kernels of held points: those of the instruction set the context chose. */
#include "numerics/fem/held_kernels.h"

#include "math/isa.h"

const SofaHeldKernels *sofa_held_kernels(const SofaContext *ctx) {
  static const SofaHeldKernels *const variants[] = SOFA_VARIANTS(&sofa_held_kernels);
  return variants[sofa_isa(ctx)];
}
