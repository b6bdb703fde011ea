/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Choice of the kernels of triangles: those of the instruction set the context chose. */
#include "numerics/fem/triangle_kernels.h"

#include "math/isa.h"

const SofaTriangleKernels *sofa_triangle_kernels(const SofaContext *ctx) {
  static const SofaTriangleKernels *const variants[] = SOFA_VARIANTS(&sofa_triangle_kernels);
  return variants[sofa_isa(ctx)];
}
