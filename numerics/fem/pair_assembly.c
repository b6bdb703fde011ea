/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "numerics/fem/pair_assembly.h"

#include <stdatomic.h>

#include "base/team.h"
#include "math/kernels.h"

enum { CHECK_GRAIN = 32, MAX_BLOCK = 36 }; /* the grain: pieces of pairs */

typedef struct Adding {
  const SofaElementPairs *pairs;
  const SofaPairBlocks *source;
  const SofaTangent *tangent;
  const SofaTangentPair *to;
  const SofaContext *ctx;
  SofaBlockRun run;
  size_t n_calls;
  bool known;          /* that the calls follow the record */
  atomic_bool differs; /* from the record */
} Adding;

static size_t piece_end(const SofaElementPairs *pairs, size_t piece) {
  const size_t end = (piece + 1) * SOFA_PAIRS_AT_ONCE;
  return end < pairs->n ? end : pairs->n;
}

/* The blocks of a piece; `room` has place for them. */
static const double *blocks_of(const Adding *a, size_t piece, double *room) {
  const size_t begin = piece * SOFA_PAIRS_AT_ONCE;
  const unsigned dim = a->source->dim;
  if (a->source->blocks) return a->source->blocks + dim * dim * begin;
  if (a->source->next) return a->source->next(a->source->user, piece);
  a->source->make(a->source->user, begin, piece_end(a->pairs, piece), room);
  return room;
}

/* ---- on the team ---- */

static void check_pieces(void *user, size_t begin, size_t end) {
  Adding *a = user;
  const size_t first = begin * SOFA_PAIRS_AT_ONCE, last = piece_end(a->pairs, end - 1);
  size_t call = a->pairs->call[begin];
  bool same = true;
  for (size_t p = first; p < last && same; p++) {
    const uint32_t i = a->to->row + a->pairs->row[p], j = a->to->row + a->pairs->column[p];
    same = sofa_block_run_expects(&a->run, call++, i, j);
    if (same && i != j) same = sofa_block_run_expects(&a->run, call++, j, i);
  }
  if (!same) atomic_store_explicit(&a->differs, true, memory_order_relaxed);
}

static SofaBlockPairs pairs_of(const Adding *a, size_t piece, const double *blocks) {
  const size_t begin = piece * SOFA_PAIRS_AT_ONCE;
  return (SofaBlockPairs){.n = piece_end(a->pairs, piece) - begin,
                          .row = a->pairs->row + begin,
                          .column = a->pairs->column + begin,
                          .blocks = blocks,
                          .first_row = a->to->row,
                          .first_column = a->to->column,
                          .factor = a->tangent->factor,
                          .known = a->known};
}

static void add_pieces(void *user, size_t begin, size_t end) {
  const Adding *a = user;
  for (size_t piece = begin; piece < end; piece++) {
    double room[MAX_BLOCK * SOFA_PAIRS_AT_ONCE];
    const SofaBlockPairs pairs = pairs_of(a, piece, blocks_of(a, piece, room));
    SofaBlockTrace trace = {.blocks = a->run.blocks,
                            .row = a->run.row,
                            .column = a->run.column,
                            .n = a->n_calls,
                            .cursor = a->pairs->call[piece],
                            .values = a->run.values};
    if (a->source->dim == 3) a->ctx->kernels->add_pairs3(&pairs, 0, &trace);
    else a->ctx->kernels->add_pairs6(&pairs, &trace);
  }
}

/* false: nothing was added. */
static bool add_on_team(const SofaContext *ctx, Adding *a, size_t pieces) {
  if (!sofa_block_matrix_begin_run(a->to->matrix, a->source->dim, a->n_calls, &a->run))
    return false;
  if (!a->known) sofa_team_for(ctx, pieces, CHECK_GRAIN, check_pieces, a);
  if (atomic_load_explicit(&a->differs, memory_order_relaxed)) return false;
  a->known = true;
  sofa_team_for(ctx, pieces, 1, add_pieces, a);
  sofa_block_matrix_end_run(a->to->matrix, a->n_calls);
  return true;
}

/* ---- one by one ---- */

static void add_piece(const Adding *a, size_t piece) {
  double room[MAX_BLOCK * SOFA_PAIRS_AT_ONCE], transposed[MAX_BLOCK];
  const unsigned dim = a->source->dim, size = dim * dim;
  const double *block = blocks_of(a, piece, room);
  if (dim == 3) {
    const SofaBlockPairs pairs = pairs_of(a, piece, block);
    if (a->to->matrix) sofa_block_matrix_add_pairs(a->to->matrix, &pairs);
    return;
  }
  for (size_t p = piece * SOFA_PAIRS_AT_ONCE; p < piece_end(a->pairs, piece); p++, block += size) {
    const uint32_t i = a->pairs->row[p], j = a->pairs->column[p];
    sofa_tangent_add(a->tangent, 0, i, 0, j, block);
    if (i == j) continue;
    for (unsigned k = 0; k < size; k++) transposed[k] = block[k % dim * dim + k / dim];
    sofa_tangent_add(a->tangent, 0, j, 0, i, transposed);
  }
}

static bool has_kernel(const Adding *a) {
  return a->source->dim == 3 || a->source->dim == 6;
}

/* Where the assembly stands before the calls. */
static SofaPairsFollowed before(const Adding *a) {
  SofaPairsFollowed now = {{.pattern = 0}, a->to->row, a->to->column};
  if (has_kernel(a) && a->to->matrix) now.stand = sofa_block_matrix_stand(a->to->matrix);
  return now;
}

static bool same_place(const SofaPairsFollowed *a, const SofaPairsFollowed *b) {
  return a->stand.pattern && a->stand.pattern == b->stand.pattern &&
         a->stand.record == b->stand.record && a->stand.cursor == b->stand.cursor &&
         a->row == b->row && a->column == b->column;
}

/* Keeps where all calls followed the record. */
static void keep(const Adding *a, const SofaPairsFollowed *from, SofaElementPairs *pairs) {
  const SofaPairsFollowed to = before(a);
  SofaPairsFollowed expected = *from;
  expected.stand.cursor += a->n_calls;
  if (same_place(&to, &expected)) pairs->followed = *from;
}

void sofa_pairs_add(const SofaContext *ctx, SofaElementPairs *pairs, const SofaPairBlocks *source,
                    const SofaTangent *tangent) {
  const size_t pieces = (pairs->n + SOFA_PAIRS_AT_ONCE - 1) / SOFA_PAIRS_AT_ONCE;
  Adding adding = {.pairs = pairs,
                   .source = source,
                   .tangent = tangent,
                   .to = sofa_tangent_pair(tangent, 0, 0),
                   .ctx = ctx,
                   .n_calls = pairs->call[pieces]};
  const SofaPairsFollowed from = before(&adding);
  adding.known = same_place(&from, &pairs->followed);
  // one thread adds blocks of 3 x 3 as it goes along the record, those of 6 x 6 where it is
  // followed
  const bool several = source->dim == 6 || (ctx->threads > 1 && pieces > 1);
  const bool team = several && ctx->kernels && has_kernel(&adding) && !source->next &&
                    adding.to->matrix && adding.to->row == adding.to->column;
  if (!team || !add_on_team(ctx, &adding, pieces))
    for (size_t piece = 0; piece < pieces; piece++) add_piece(&adding, piece);
  keep(&adding, &from, pairs);
}
