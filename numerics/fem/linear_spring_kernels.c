/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Choice of the kernels of linear springs: those of the instruction set the context chose. */
#include "numerics/fem/linear_spring_kernels.h"

#include "math/isa.h"

const SofaLinearSpringKernels *sofa_linear_spring_kernels(const SofaContext *ctx) {
  static const SofaLinearSpringKernels *const variants[] =
      SOFA_VARIANTS(&sofa_linear_spring_kernels);
  return variants[sofa_isa(ctx)];
}
