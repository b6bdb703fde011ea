/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Choice of the kernels of edges. */
#include "numerics/fem/edge_kernels.h"

#include "math/isa.h"

const SofaEdgeKernels *sofa_edge_kernels(const SofaContext *ctx) {
  static const SofaEdgeKernels *const variants[] = SOFA_VARIANTS(&sofa_edge_kernels);
  return variants[sofa_isa(ctx)];
}
