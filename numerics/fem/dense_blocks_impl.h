/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Blocks of elements with a dense stiffness, on one thread or by the chunks of late_blocks.h. */
#ifndef SOFA_NUMERICS_FEM_DENSE_BLOCKS_H
#define SOFA_NUMERICS_FEM_DENSE_BLOCKS_H

#include "numerics/fem/dense_lanes_impl.h"

enum { PAIRS_GRAIN = 2048, LATE_GRAIN = 128 }; /* pairs */

/* -R^T K_ab R of one local pair. */
ALWAYS void rotated_block(size_t dim, const double *k, const Lanes *r, Lanes *out) {
  Lanes kr[9];
  for (size_t i = 0; i < dim; i++) {
    for (size_t j = 0; j < dim; j++) {
      kr[dim * i + j] = lanes_load(k + dim * i * SOFA_LANES) * r[j];
      for (size_t m = 1; m < dim; m++)
        kr[dim * i + j] =
            lanes_madd(lanes_load(k + (dim * i + m) * SOFA_LANES), r[dim * m + j], kr[dim * i + j]);
    }
  }
  for (size_t i = 0; i < dim; i++) {
    for (size_t j = 0; j < dim; j++) {
      Lanes v = r[i] * kr[j];
      for (size_t m = 1; m < dim; m++) v = lanes_madd(r[dim * m + i], kr[dim * m + j], v);
      out[dim * i + j] = -v;
    }
  }
}

/* R of a group's lanes, or its transpose, for blocks. */
ALWAYS void block_rotation(const SofaElementBatch *b, size_t dim, Part part, Lanes *r) {
  const size_t square = dim * dim;
  for (size_t k = 0; k < square; k++) {
    const size_t from = b->turned_blocks ? k % dim * dim + k / dim : k;
    r[k] = lanes_load(b->rotation[part.g * square + from] + part.s);
  }
}

/* -R^T K_ab R of the group's local pair p, of nodes m and n, added to the blocks of its slots. */
ALWAYS void dense_block(const SofaElementBatch *b, size_t nodes, size_t dim, size_t g,
                        const size_t *mnp, LanePlaces *places) {
  const size_t n_pairs = nodes * (nodes + 1) / 2, count = lanes_in_group(b->n, g), p = mnp[2];
  const size_t place = p < nodes ? n_pairs - nodes + p : p - nodes;
  const double(*k)[SOFA_LANES] =
      (const double(*)[SOFA_LANES])b->k + (g * n_pairs + place) * dim * dim;
  const uint32_t *slot = b->pairs.slot + g * SOFA_LANES * n_pairs + p;
  double exact[9][SOFA_LANES], out[9][SOFA_LANES];
  for (size_t s = 0; s < SOFA_LANES; s += LANES) {
    const Part part = {g, (int)s};
    const double *from = k[0] + s;
    Lanes r[9], block[9];
    block_rotation(b, dim, part, r);
    if (b->turn) {
      dense_turn_block(b, nodes, part, mnp, from, exact);
      from = exact[0];
    }
    rotated_block(dim, from, r, block);
    if (dim == 3 && s < count)
      add_lane_blocks(block, slot + s * n_pairs, n_pairs,
                      count - s < LANES ? count - s : (size_t)LANES, places);
    for (size_t i = 0; dim != 3 && i < dim * dim; i++) lanes_store(out[i] + s, block[i]);
  }
  for (size_t l = 0; dim != 3 && l < count; l++, slot += n_pairs)
    add_turned(dim, (const double(*)[SOFA_LANES])out, l, *slot & 3,
               places->blocks + dim * dim * (*slot >> 2));
}

ALWAYS void dense_blocks_of(const SofaElementBatch *b, size_t nodes, size_t dim, size_t begin,
                            size_t end, LanePlaces *places) {
  for (size_t g = begin; g < end; g++) {
    for (size_t m = 0, p = 0; m < nodes; m++) {
      for (size_t n = m; n < nodes; n++, p++)
        dense_block(b, nodes, dim, g, (size_t[]){m, n, p}, places);
    }
  }
}

/* Calls a function with constants for hexahedra. */
#define DENSE(function, b, ...)                                                                    \
  do {                                                                                             \
    if ((b)->n_nodes == 8 && (b)->dim == 3) function(b, 8, 3, __VA_ARGS__);                        \
    else if ((b)->dim == 3) function(b, (b)->n_nodes, 3, __VA_ARGS__);                             \
    else function(b, (b)->n_nodes, (b)->dim, __VA_ARGS__);                                         \
  } while (0)

/* A loop over the chunks of a batch. */
typedef struct BlockLoop {
  const SofaElementBatch *b;
  double *blocks;
} BlockLoop;

static void zero_pairs(void *user, size_t begin, size_t end) {
  sofa_zero(((const BlockLoop *)user)->blocks + 9 * begin, 9 * (end - begin) * sizeof(double));
}

static void block_chunks(void *user, size_t begin, size_t end) {
  const BlockLoop *loop = user;
  const SofaElementBatch *b = loop->b;
  const SofaLateBlocks *late = &b->late;
  for (size_t c = begin; c < end; c++) {
    const size_t first = c * late->chunk_groups, left = b->n_groups - first;
    const size_t last = first + (left < late->chunk_groups ? left : late->chunk_groups);
    LanePlaces places = {loop->blocks, late->owner, (uint8_t)c, late->blocks + 9 * late->start[c]};
    DENSE(dense_blocks_of, b, first, last, &places);
  }
}

static void add_late_blocks(void *user, size_t begin, size_t end) {
  const BlockLoop *loop = user;
  sofa_late_blocks_add(&loop->b->late, begin, end, loop->blocks);
}

static void dense_blocks(const SofaElementBatch *b, const SofaContext *ctx, double *blocks) {
  if (ctx->threads > 1 && b->late.n_chunks > 1) {
    BlockLoop loop = {b, blocks};
    sofa_team_for(ctx, b->pairs.n, PAIRS_GRAIN, zero_pairs, &loop);
    sofa_team_for(ctx, b->late.n_chunks, 1, block_chunks, &loop);
    sofa_team_for(ctx, b->late.n_pairs, LATE_GRAIN, add_late_blocks, &loop);
    return;
  }
  LanePlaces places = {.blocks = blocks};
  sofa_zero(blocks, b->dim * b->dim * b->pairs.n * sizeof *blocks);
  DENSE(dense_blocks_of, b, 0, b->n_groups, &places);
}

#endif
