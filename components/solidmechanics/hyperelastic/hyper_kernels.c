/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Choice of the kernels of hyperelastic tetrahedra. */
#include "components/solidmechanics/hyperelastic/hyper_kernels.h"

#include "math/isa.h"

const SofaHyperKernels *sofa_hyper_kernels(const SofaContext *ctx) {
  static const SofaHyperKernels *const variants[] = SOFA_VARIANTS(&sofa_hyper_kernels);
  return variants[sofa_isa(ctx)];
}
