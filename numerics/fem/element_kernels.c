/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Choice of the element kernels: those of the instruction set the context chose. */
#include "numerics/fem/element_kernels_impl.h"

#include "math/isa.h"

const SofaElementKernels *sofa_element_kernels(const SofaContext *ctx) {
  static const SofaElementKernels *const variants[] = SOFA_VARIANTS(&sofa_element_kernels);
  return variants[sofa_isa(ctx)];
}
