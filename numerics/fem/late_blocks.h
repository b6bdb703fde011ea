/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The blocks of elements in chunks, for one thread each, that give the sums of one thread.
 *
 * A pair of points belongs to the first chunk with an element of it, which adds to it. Those of
 * later chunks are kept and added afterwards, in the order of the elements. */
#ifndef SOFA_NUMERICS_FEM_LATE_BLOCKS_H
#define SOFA_NUMERICS_FEM_LATE_BLOCKS_H

#include "numerics/fem/element_pairs.h"

SOFA_BEGIN_DECLS

/* All arrays are owned. All-zero: one thread adds all. */
typedef struct SofaLateBlocks {
  size_t n_chunks;
  size_t chunk_groups; /* groups of elements of a chunk */
  uint8_t *owner;      /* chunk of each pair */
  size_t *start;       /* n_chunks + 1: late blocks of a chunk */
  double *blocks;      /* 9 per late block, in the order in which the chunk meets them */
  size_t n_pairs;      /* with late blocks */
  uint32_t *pair;      /* n_pairs */
  uint32_t *first;     /* n_pairs + 1: entries of order */
  uint32_t *order;     /* late blocks of a pair, in the order of the elements */
} SofaLateBlocks;

/* Elements in groups of `lanes`; a chunk meets the blocks group by group, local pair by local pair,
 * lane by lane, or, in an `order` of the local pairs, element by element. Few chunks have few late
 * blocks. Left empty where an element has a point twice. */
SofaErr sofa_late_blocks_create(SofaContext *ctx, const SofaElementPairs *pairs, size_t lanes,
                                size_t n_chunks, const uint8_t *order, SofaLateBlocks *out);
void sofa_late_blocks_free(SofaContext *ctx, SofaLateBlocks *late);
/* Adds the late blocks of the pairs begin .. end - 1 with some. */
void sofa_late_blocks_add(const SofaLateBlocks *late, size_t begin, size_t end, double *blocks);

SOFA_END_DECLS

#endif
