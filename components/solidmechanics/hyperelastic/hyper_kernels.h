/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Stiffness blocks of hyperelastic tetrahedra, compiled once per instruction set. avx2 and avx512
 * give the same bits. */
#ifndef SOFA_HYPER_KERNELS_H
#define SOFA_HYPER_KERNELS_H

#include "base/context.h"
#include "numerics/fem/tetra_element.h"

/* Entry by entry the elements of a group side by side. */
typedef struct SofaHyperGroup {
  double f[9][SOFA_LANES]; /* deformation gradients */
  double g[9][SOFA_LANES]; /* gradients of nodes 1, 2, 3 */
  double volume[SOFA_LANES];
  double s[6][SOFA_LANES];
  double d[21][SOFA_LANES]; /* rows of the upper triangle of D */
} SofaHyperGroup;

/* -K of the local pairs (a, b), a <= b, ordered by a, then b; 3 x 3 each. */
typedef double SofaHyperBlocks[90][SOFA_LANES];

typedef struct SofaHyperKernels {
  void (*blocks)(const SofaHyperGroup *group, SofaHyperBlocks out);
} SofaHyperKernels;

/* The kernels of the context's instruction set. */
const SofaHyperKernels *sofa_hyper_kernels(const SofaContext *ctx);

/* Use sofa_hyper_kernels. The last two exist on x86-64 only. */
extern const SofaHyperKernels sofa_hyper_kernels_baseline, sofa_hyper_kernels_avx2,
    sofa_hyper_kernels_avx512;

#endif
