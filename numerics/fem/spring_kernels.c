/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Choice of the kernels of springs: those of the instruction set the context chose. */
#include "numerics/fem/spring_kernels.h"

#include "math/isa.h"

const SofaSpringKernels *sofa_spring_kernels(const SofaContext *ctx) {
  static const SofaSpringKernels *const variants[] = SOFA_VARIANTS(&sofa_spring_kernels);
  return variants[sofa_isa(ctx)];
}
