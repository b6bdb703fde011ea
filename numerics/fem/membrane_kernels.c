/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Choice of the kernels of triangles of springs: those of the instruction set that the context
 * chose. */
#include "numerics/fem/membrane_kernels.h"

#include "math/isa.h"

const SofaMembraneKernels *sofa_membrane_kernels(const SofaContext *ctx) {
  static const SofaMembraneKernels *const variants[] = SOFA_VARIANTS(&sofa_membrane_kernels);
  return variants[sofa_isa(ctx)];
}
