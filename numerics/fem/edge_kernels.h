/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Products with a symmetric matrix whose rows sum up to 0, given by the blocks of pairs of
 * different points, compiled once per instruction set. avx2 and avx512 give the same bits. */
#ifndef SOFA_NUMERICS_FEM_EDGE_KERNELS_H
#define SOFA_NUMERICS_FEM_EDGE_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#include "base/context.h"

SOFA_BEGIN_DECLS

/* Pairs of points as those of SofaElementPairs: the first one of a row is the point with itself,
 * whose block is not read. */
typedef struct SofaEdgeRows {
  size_t n_points;
  const uint32_t *start;  /* n_points + 1: pairs of a row */
  const uint32_t *column; /* of a pair */
  const double *blocks;   /* 9 per pair, row major; one real behind the last one is read */
} SofaEdgeRows;

typedef struct SofaEdgeKernels {
  const char *name; /* as of SofaKernels */
  /* y_i += factor B (x_j - x_i) and y_j += factor B^T (x_i - x_j) with the block B of each pair
   * i < j. x: four reals per point, of which the fourth may be anything that is finite; y: three.
   * sums: four reals per point, 0 before. */
  void (*product)(const SofaEdgeRows *rows, double factor, const double *x, double *sums,
                  double *y);
} SofaEdgeKernels;

/* The kernels of the context's instruction set. */
const SofaEdgeKernels *sofa_edge_kernels(const SofaContext *ctx);

/* Use sofa_edge_kernels. The last two exist on x86-64 only. */
extern const SofaEdgeKernels sofa_edge_kernels_baseline, sofa_edge_kernels_avx2,
    sofa_edge_kernels_avx512;

SOFA_END_DECLS

#endif
