/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Vectors of many elements that are computed before the first is added; for kernels that are
 * compiled once per instruction set. */
#ifndef NUMERICS_FEM_LANE_BLOCK_IMPL_H
#define NUMERICS_FEM_LANE_BLOCK_IMPL_H

#include "numerics/fem/lane_points_impl.h"

enum { BLOCK = 64 }; /* elements of a block */

/* A vector of each element of a block: x y of even and of odd lanes of registers; z. */
typedef struct Block {
  double even[BLOCK], odd[BLOCK], z[BLOCK];
} Block;

/* Keeps the vectors r of lanes from `at` on. */
static inline void put(size_t at, const Lanes *r, Block *block) {
  split_pairs(r[0], r[1], block->even + at, block->odd + at);
  lanes_store(block->z + at, r[2]);
}

#endif
