/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Blocks of elements with a dense stiffness, on one thread or by the chunks of late_blocks.h. */
#ifndef SOFA_NUMERICS_FEM_DENSE_BLOCKS_H
#define SOFA_NUMERICS_FEM_DENSE_BLOCKS_H

#include "base/team.h"
#include "numerics/fem/dense_lanes_impl.h"
#include "numerics/fem/mirrored_blocks_impl.h"

enum { PAIRS_GRAIN = 2048, LATE_GRAIN = 128 }; /* pairs */

/* -R^T K_ab R of one local pair, whose block begins at entry `first`. */
ALWAYS void rotated_block(size_t dim, Stiffness k, size_t first, const Lanes *r, Lanes *out) {
  Lanes kr[9];
  for (size_t i = 0; i < dim; i++) {
    for (size_t j = 0; j < dim; j++) {
      kr[dim * i + j] = stiffness_entry(k, first + dim * i) * r[j];
      for (size_t m = 1; m < dim; m++)
        kr[dim * i + j] =
            lanes_madd(stiffness_entry(k, first + dim * i + m), r[dim * m + j], kr[dim * i + j]);
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

enum { PARTS = SOFA_LANES / LANES };

/* A group whose blocks are added. */
typedef struct BlockGroup {
  const SofaElementBatch *b;
  size_t nodes, dim, g;
  Stiffness k; /* of the first part */
  Lanes r[PARTS][9];
} BlockGroup;

/* R of a group's lanes, or its transpose, for blocks. */
ALWAYS void block_rotations(BlockGroup *group) {
  const SofaElementBatch *b = group->b;
  const size_t dim = group->dim, square = dim * dim;
  for (size_t k = 0; k < square; k++) {
    const size_t from = b->turned_blocks ? k % dim * dim + k / dim : k;
    for (int s = 0; s < PARTS; s++)
      group->r[s][k] = lanes_load(b->rotation[group->g * square + from] + LANES * s);
  }
}

/* -R^T K_ab R of the group's local pair p, of nodes m and n, added to the blocks of its slots. */
ALWAYS void dense_block(const BlockGroup *group, const size_t *mnp, LanePlaces *places) {
  const SofaElementBatch *b = group->b;
  const size_t nodes = group->nodes, dim = group->dim, n_pairs = nodes * (nodes + 1) / 2;
  const size_t count = lanes_in_group(b->n, group->g), p = mnp[2];
  const size_t first = (p < nodes ? n_pairs - nodes + p : p - nodes) * dim * dim;
  const uint32_t *slot = b->pairs.slot + group->g * SOFA_LANES * n_pairs + p;
  double exact[9][SOFA_LANES], out[9][SOFA_LANES];
  for (size_t s = 0; s < PARTS; s++) {
    const size_t lane = s * LANES;
    const Stiffness k = {group->k.k + (group->k.shared ? 0 : lane), group->k.shared};
    Lanes block[9];
    if (b->turn) {
      dense_turn_block(b, nodes, (Part){group->g, (int)lane}, (size_t[]){mnp[0], mnp[1], first}, k,
                       exact);
      rotated_block(dim, (Stiffness){exact[0], false}, 0, group->r[s], block);
    } else {
      rotated_block(dim, k, first, group->r[s], block);
    }
    if (dim == 3 && lane < count)
      add_lane_blocks(block, slot + lane * n_pairs, n_pairs,
                      count - lane < LANES ? count - lane : (size_t)LANES, places);
    for (size_t i = 0; dim != 3 && i < dim * dim; i++) lanes_store(out[i] + lane, block[i]);
  }
  for (size_t l = 0; dim != 3 && l < count; l++, slot += n_pairs)
    add_turned(dim, (const double(*)[SOFA_LANES])out, l, *slot & 3,
               places->blocks + dim * dim * (*slot >> 2 & places->mask));
}

ALWAYS void dense_group_of(BlockGroup *group, LanePlaces *places) {
  block_rotations(group);
  for (size_t m = 0, p = 0; m < group->nodes; m++) {
    for (size_t n = m; n < group->nodes; n++, p++) dense_block(group, (size_t[]){m, n, p}, places);
  }
}

/* The blocks of hexahedra in the order of mirrored ones. */
static void blocks_in_order(BlockGroup *group, LanePlaces *places) {
  const SofaElementBatch *b = group->b;
  double blocks[SOFA_MIRROR_PAIRS][9][SOFA_LANES];
  block_rotations(group);
  for (size_t p = 0; p < SOFA_MIRROR_PAIRS; p++) {
    const size_t first = 9 * (p < 8 ? SOFA_MIRROR_PAIRS - 8 + p : p - 8);
    for (size_t s = 0; s < PARTS; s++) {
      const Stiffness k = {group->k.k + (group->k.shared ? 0 : s * LANES), group->k.shared};
      Lanes block[9];
      rotated_block(3, k, first, group->r[s], block);
      for (size_t i = 0; i < 9; i++) lanes_store(blocks[p][i] + s * LANES, block[i]);
    }
  }
  const size_t count = lanes_in_group(b->n, group->g);
  const uint32_t *slot = b->pairs.slot + group->g * SOFA_LANES * SOFA_MIRROR_PAIRS;
  for (size_t l = 0; l < count; l++, slot += SOFA_MIRROR_PAIRS) {
    for (size_t k = 0; k < SOFA_MIRROR_PAIRS; k++) {
      const size_t p = b->order[k];
      add_turned(3, (const double(*)[SOFA_LANES])blocks[p], l, slot[p] & 3,
                 place_of(places, slot[p]));
    }
  }
}

/* The same of a batch that is added element by element. */
static void ordered_blocks(const SofaElementBatch *b, size_t begin, size_t end,
                           LanePlaces *places) {
  const size_t size = 9 * SOFA_MIRROR_PAIRS;
  for (size_t g = begin; g < end; g++) {
    const size_t kind = b->kind[g];
    if (kind && b->mirrored[kind - 1]) {
      mirrored_group(b, g, b->mirror + SOFA_MIRROR_SIZE * (kind - 1), places);
      continue;
    }
    BlockGroup group = {.b = b, .nodes = 8, .dim = 3, .g = g};
    group.k =
        kind ? (Stiffness){b->kinds + size * (kind - 1), true} : (Stiffness){b->k[g * size], false};
    blocks_in_order(&group, places);
  }
}

ALWAYS void dense_blocks_of(const SofaElementBatch *b, size_t nodes, size_t dim, size_t begin,
                            size_t end, LanePlaces *places) {
  if (nodes == 8 && dim == 3 && b->in_order) {
    ordered_blocks(b, begin, end, places);
    return;
  }
  const size_t size = nodes * (nodes + 1) / 2 * dim * dim;
  for (size_t g = begin; g < end; g++) {
    BlockGroup group = {.b = b, .nodes = nodes, .dim = dim, .g = g};
    if (b->kind[g]) {
      group.k = (Stiffness){b->kinds + size * (b->kind[g] - 1u), true};
      dense_group_of(&group, places);
    } else {
      group.k = (Stiffness){b->k[g * size], false};
      dense_group_of(&group, places);
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
    LanePlaces places = {loop->blocks, SIZE_MAX, late->owner, (uint8_t)c,
                         late->blocks + 9 * late->start[c]};
    DENSE(dense_blocks_of, b, first, last, &places);
  }
}

static void add_late_blocks(void *user, size_t begin, size_t end) {
  const BlockLoop *loop = user;
  const SofaLateBlocks *late = &loop->b->late;
  sofa_late_blocks_add(late, late->blocks, begin, end, loop->blocks);
}

static void dense_blocks(const SofaElementBatch *b, const SofaContext *ctx, double *blocks) {
  if (ctx->threads > 1 && b->late.n_chunks > 1) {
    BlockLoop loop = {b, blocks};
    sofa_team_for(ctx, b->pairs.n, PAIRS_GRAIN, zero_pairs, &loop);
    sofa_team_for(ctx, b->late.n_chunks, 1, block_chunks, &loop);
    sofa_team_for(ctx, b->late.n_pairs, LATE_GRAIN, add_late_blocks, &loop);
    return;
  }
  LanePlaces places = {.blocks = blocks, .mask = SIZE_MAX};
  sofa_zero(blocks, b->dim * b->dim * b->pairs.n * sizeof *blocks);
  DENSE(dense_blocks_of, b, 0, b->n_groups, &places);
}

static void dense_group_blocks(const SofaElementBatch *b, size_t group) {
  LanePlaces places = {.blocks = b->window.blocks, .mask = b->window.mask};
  DENSE(dense_blocks_of, b, group, group + 1, &places);
}

#endif
