/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Choice of the kernels of triangles under pressure: those of the instruction set the context
 * chose. */
#include "numerics/fem/face_kernels.h"

#include "math/isa.h"

const SofaFaceKernels *sofa_face_kernels(const SofaContext *ctx) {
  static const SofaFaceKernels *const variants[] = SOFA_VARIANTS(&sofa_face_kernels);
  return variants[sofa_isa(ctx)];
}
