/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kernels of vertex_normals.h, one table per instruction set. */
#ifndef NUMERICS_SPATIAL_VERTEX_NORMALS_IMPL_H
#define NUMERICS_SPATIAL_VERTEX_NORMALS_IMPL_H

#include "numerics/spatial/vertex_normals.h"

typedef struct NormalKernels {
  void (*areas)(const SofaFaces *faces, double *normals); /* added */
  void (*normalize)(double *normals, size_t n);
} NormalKernels;

/* The last two exist on x86-64 only. */
extern const NormalKernels normal_kernels_baseline, normal_kernels_avx2, normal_kernels_avx512;

#endif
