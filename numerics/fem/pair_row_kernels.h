/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Products with the blocks of pairs of points, compiled once per instruction set. avx2 and avx512
 * give the same bits. */
#ifndef SOFA_NUMERICS_FEM_PAIR_ROW_KERNELS_H
#define SOFA_NUMERICS_FEM_PAIR_ROW_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#include "base/context.h"

SOFA_BEGIN_DECLS

/* Pairs as those of SofaElementPairs, ordered by row, and where their products go. */
typedef struct SofaPairRows {
  const uint32_t *row, *column;
  const double *blocks; /* 9 per pair, row major */
  const double *x;      /* 4 per point, of which the fourth is 0 */
  double *own;          /* 3 per point: the sum of B_ij x_j of its row, set for rows with pairs */
  double *columns;      /* 4 per point, to which B_ij^T x_i of i < j is added */
} SofaPairRows;

/* The same for a matrix whose rows and columns are to sum up to 0. */
typedef struct SofaPairClosing {
  const uint32_t *row, *column;
  const uint32_t *own; /* the pair of each point with itself */
  double *blocks;
} SofaPairClosing;

typedef struct SofaPairRowKernels {
  const char *name; /* as of SofaKernels */
  /* Of the pairs begin .. end - 1, whole rows; without adding to columns from `limit` on. */
  void (*rows)(const SofaPairRows *pairs, size_t begin, size_t end, size_t limit);
  /* B_ij^T x_i of n listed pairs, 3 reals each, with the bits that rows would add. */
  void (*put)(const SofaPairRows *pairs, const uint32_t *list, size_t n, double *part);
  /* The pairs begin .. end - 1, whole rows, subtract B_ij from the block of point i with itself and
   * B_ij^T from that of point j < limit, i < j. */
  void (*close)(const SofaPairClosing *pairs, size_t begin, size_t end, size_t limit);
  /* As rows and put with 36 reals per block, 8 per point of x and columns, of which the last two of
   * x are 0, and 6 of own and part. Two reals behind the last block are read. */
  void (*rows6)(const SofaPairRows *pairs, size_t begin, size_t end, size_t limit);
  void (*put6)(const SofaPairRows *pairs, const uint32_t *list, size_t n, double *part);
} SofaPairRowKernels;

/* The kernels of the context's instruction set. */
const SofaPairRowKernels *sofa_pair_row_kernels(const SofaContext *ctx);

/* Use sofa_pair_row_kernels. The last two exist on x86-64 only. */
extern const SofaPairRowKernels sofa_pair_row_kernels_baseline, sofa_pair_row_kernels_avx2,
    sofa_pair_row_kernels_avx512;

SOFA_END_DECLS

#endif
