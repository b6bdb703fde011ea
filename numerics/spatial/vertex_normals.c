/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Choice of the kernels of an instruction set. */
#include "numerics/spatial/vertex_normals_impl.h"

#include <string.h>

#include "base/bytes.h"
#include "math/kernels.h"

static const NormalKernels *kernels_of(const SofaContext *ctx) {
#if defined(__x86_64__)
  if (strcmp(ctx->kernels->name, "avx512") == 0) return &normal_kernels_avx512;
  if (strcmp(ctx->kernels->name, "avx2") == 0) return &normal_kernels_avx2;
#else
  (void)ctx;
#endif
  return &normal_kernels_baseline;
}

void sofa_vertex_areas(const SofaContext *ctx, const SofaFaces *faces, double *normals) {
  sofa_zero(normals, 3 * faces->n_points * sizeof *normals);
  kernels_of(ctx)->areas(faces, normals);
}

void sofa_normalize_all(const SofaContext *ctx, double *normals, size_t n) {
  kernels_of(ctx)->normalize(normals, n);
}
