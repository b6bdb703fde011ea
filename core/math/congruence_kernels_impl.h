/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The values of L^T K R, compiled once per instruction set. Use math/sparse_product.h. */
#ifndef SOFA_MATH_CONGRUENCE_KERNELS_H
#define SOFA_MATH_CONGRUENCE_KERNELS_H

#include "base/bytes.h"
#include "math/block_matrix.h"

/* Blocks of several block rows. Row i has d scalar rows and the blocks start[i] .. start[i + 1];
 * each has d rows of `width` reals (4 or 8, zeros behind the last column), and the first one
 * begins at value + base[i]. */
typedef struct SofaPaddedBlocks {
  const uint32_t *start;
  const size_t *base;
  double *value;
  unsigned width;
} SofaPaddedBlocks;

/* T = factor K R by block rows of K, then L^T T by block rows of the target. */
typedef struct SofaCongruenceWork {
  const SofaBlockRows *k;
  double factor;
  SofaPaddedBlocks left, right; /* by block rows and block columns of K */
  SofaPaddedBlocks t;
  /* for each block of K, each block of R: its block of T within the row; those of row i begin at
   * t_first[i] */
  const uint32_t *t_slot, *t_first;
  /* result rows first_row .. first_row + n_rows: the blocks of L in that column, ascending */
  const SofaBlockRows *target;
  unsigned size; /* of all blocks of the target that are reached, or 0 when it differs */
  size_t first_row, n_rows;
  const uint32_t *lt_start, *lt_row, *lt_block;
  /* for each of them, each block of T: its result block within the row; those of row p begin at
   * first[p] */
  const uint32_t *slot, *first;
  const uint32_t *block_start, *block_column;
  double *value; /* result blocks one after the other, row major; those of row p at value_at[p] */
  const size_t *value_at;
} SofaCongruenceWork;

typedef struct SofaCongruenceKernels {
  /* rows begin .. end - 1 of T */
  void (*t)(const SofaCongruenceWork *work, size_t begin, size_t end);
  /* rows begin .. end - 1 of the result; room: for the padded blocks of any of them */
  void (*result)(const SofaCongruenceWork *work, size_t begin, size_t end, double *room);
} SofaCongruenceKernels;

/* The last two exist on x86-64 only. */
extern const SofaCongruenceKernels sofa_congruence_kernels_baseline, sofa_congruence_kernels_avx2,
    sofa_congruence_kernels_avx512;

#endif
