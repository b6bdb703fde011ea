/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Symmetric matrices whose rows sum up to 0: products, given the blocks of pairs of different
 * points, and sums of the blocks of edges; compiled once per instruction set. avx2 and avx512 give
 * the same bits. */
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

/* Pairs of points, ordered by row, and the edges between them or, of a point with itself, at it:
 * edges from bound[2 p] to bound[2 p + 1], then those whose blocks are to be transposed, to
 * bound[2 p + 2]. */
typedef struct SofaEdgeParts {
  const uint32_t *row, *column;
  const uint32_t *bound, *edge;
} SofaEdgeParts;

typedef struct SofaEdgeKernels {
  const char *name; /* as of SofaKernels */
  /* y_i += factor B (x_j - x_i) and y_j += factor B^T (x_i - x_j) with the block B of each pair
   * i < j. x: four reals per point, of which the fourth may be anything that is finite; y: three.
   * sums: four reals per point, 0 before. */
  void (*product)(const SofaEdgeRows *rows, double factor, const double *x, double *sums,
                  double *y);
  /* The blocks of pairs begin .. end - 1, 9 reals each, one after the other: the sum of those of
   * their edges, 9 reals each, and of points with themselves minus the sum. */
  void (*sums)(const SofaEdgeParts *parts, size_t begin, size_t end, const double *edges,
               double *blocks);
} SofaEdgeKernels;

/* The kernels of the context's instruction set. */
const SofaEdgeKernels *sofa_edge_kernels(const SofaContext *ctx);

/* Use sofa_edge_kernels. The last two exist on x86-64 only. */
extern const SofaEdgeKernels sofa_edge_kernels_baseline, sofa_edge_kernels_avx2,
    sofa_edge_kernels_avx512;

SOFA_END_DECLS

#endif
