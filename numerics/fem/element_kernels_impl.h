/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The hot loops over finite elements, compiled once per instruction set.
 *
 * Forces are added element by element and node by node in the order of the elements: by one thread
 * directly, by several through element storage that is gathered per point in the same order, so the
 * bits never depend on the number of threads. avx2 and avx512 agree with each other. */
#ifndef SOFA_NUMERICS_FEM_ELEMENT_KERNELS_H
#define SOFA_NUMERICS_FEM_ELEMENT_KERNELS_H

#include "base/context.h"
#include "numerics/fem/element_batch.h"
#include "numerics/fem/tetra_element.h"

/* Vectors of tetrahedra hold n_points x 3 reals. Loops run on the context's team where the batch
 * has its force storage. */
typedef struct SofaElementKernels {
  const char *name; /* as of SofaKernels */
  /* Frames and gradients at x, then f += forces (f NULL: only the former). */
  void (*tetra_force)(SofaTetraBatch *batch, const SofaContext *ctx, const double *x, double *f);
  /* df -= factor K dx with the gradients of the last force. */
  void (*tetra_dforce)(SofaTetraBatch *batch, const SofaContext *ctx, double factor,
                       const double *dx, double *df);
  /* Packs the gradients of the groups begin .. end - 1 for tetra_blocks. */
  void (*tetra_pack)(const SofaTetraBatch *batch, size_t begin, size_t end);
  /* -K of the pairs begin .. end - 1, 9 reals each. */
  void (*tetra_blocks)(const SofaTetraBatch *batch, size_t begin, size_t end, double *blocks);
  /* The same for elements with a dense stiffness; vectors hold n_points x dim reals. */
  void (*dense_force)(SofaElementBatch *batch, const SofaContext *ctx, const double *x, double *f);
  /* Before the products and blocks of an exact batch: Q and W of the last force. */
  void (*dense_turn)(SofaElementBatch *batch, const SofaContext *ctx);
  void (*dense_dforce)(SofaElementBatch *batch, const SofaContext *ctx, double factor,
                       const double *dx, double *df);
  /* -K of all pairs into blocks, dim^2 reals each. */
  void (*dense_blocks)(const SofaElementBatch *batch, const SofaContext *ctx, double *blocks);
  /* The same of a group, added to the blocks of the batch's window. */
  void (*dense_group_blocks)(const SofaElementBatch *batch, size_t group);
} SofaElementKernels;

/* The kernels of the context's instruction set. */
const SofaElementKernels *sofa_element_kernels(const SofaContext *ctx);

/* Use sofa_element_kernels. The last two exist on x86-64 only. */
extern const SofaElementKernels sofa_element_kernels_baseline, sofa_element_kernels_avx2,
    sofa_element_kernels_avx512;

#endif
