/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Choice of the kernels of an instruction set. */
#include "numerics/spatial/vertex_normals_impl.h"

#include "base/bytes.h"
#include "math/isa.h"

static const NormalKernels *kernels_of(const SofaContext *ctx) {
  static const NormalKernels *const variants[] = SOFA_VARIANTS(&normal_kernels);
  return variants[sofa_isa(ctx)];
}

void sofa_vertex_areas(const SofaContext *ctx, const SofaFaces *faces, double *normals) {
  sofa_zero(normals, 3 * faces->n_points * sizeof *normals);
  kernels_of(ctx)->areas(faces, normals);
}

void sofa_normalize_all(const SofaContext *ctx, double *normals, size_t n) {
  kernels_of(ctx)->normalize(normals, n);
}
