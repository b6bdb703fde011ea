/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Products with the weights of a composite hexahedron, w: 3 x 24, compiled once per instruction
 * set. */
#ifndef COMPONENTS_MAPPING_COMPOSITE_KERNELS_IMPL_H
#define COMPONENTS_MAPPING_COMPOSITE_KERNELS_IMPL_H

typedef struct CompositeKernels {
  void (*add)(const double *w, const double *u, double d[3]);            /* d += w u */
  void (*add_transposed)(const double *w, const double f[3], double *u); /* u += w^T f */
} CompositeKernels;

/* The last two exist on x86-64 only. */
extern const CompositeKernels composite_kernels_baseline, composite_kernels_avx2,
    composite_kernels_avx512;

#endif
