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
  double *blocks;      /* 9 per late block, in the order in which the chunk meets them; NULL: kept
                          elsewhere */
  size_t n_pairs;      /* with late blocks */
  uint32_t *pair;      /* n_pairs */
  uint32_t *first;     /* n_pairs + 1: entries of order */
  uint32_t *order;     /* late blocks of a pair, in the order of the elements */
} SofaLateBlocks;

/* The order in which a chunk meets the blocks of a group of `lanes` elements: local pair by local
 * pair and lane by lane, or element by element. */
typedef struct SofaBlockOrder {
  size_t lanes;
  const uint8_t *local; /* n local pairs; NULL: all, ascending */
  size_t n;
  bool by_element;
} SofaBlockOrder;

/* Few chunks have few late blocks. Left empty where an element has a point twice. */
SofaErr sofa_late_blocks_create(SofaContext *ctx, const SofaElementPairs *pairs, size_t n_chunks,
                                const SofaBlockOrder *order, SofaLateBlocks *out);
/* How many late blocks there are; they are to be kept elsewhere. */
size_t sofa_late_blocks_forget(SofaContext *ctx, SofaLateBlocks *late);
void sofa_late_blocks_free(SofaContext *ctx, SofaLateBlocks *late);
/* The places of the blocks of all elements: those of a group one after the other, as if all groups
 * were full. Each has what it needs, and pairs need not be 0 before. */
enum {
  SOFA_PLACE_TURNED = 1, /* the transposed block goes there */
  SOFA_PLACE_FIRST = 2,  /* nothing is there yet */
  SOFA_PLACE_SHIFT = 2   /* of the number of the block; late ones follow those of pairs */
};
SofaErr sofa_block_places_create(SofaContext *ctx, const SofaElementPairs *pairs,
                                 const SofaBlockOrder *order, const SofaLateBlocks *late,
                                 uint32_t **out);
/* Adds the late blocks of the pairs begin .. end - 1 with some; `kept`: all late blocks. */
void sofa_late_blocks_add(const SofaLateBlocks *late, const double *kept, size_t begin, size_t end,
                          double *blocks);
/* The same of blocks of 6 x 6; late ones are behind those of n_pairs pairs. */
void sofa_late_blocks_add6(const SofaLateBlocks *late, size_t n_pairs, size_t begin, size_t end,
                           double *blocks);

SOFA_END_DECLS

#endif
