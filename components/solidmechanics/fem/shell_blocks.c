/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tangents of shell elements, a group at a time, added to the blocks of pairs of points by chunks
 * of elements, as late_blocks.h says: the tangents of all elements would take twice as much memory,
 * those of triangles 2.5 times as much. */
#include "components/solidmechanics/fem/shell_blocks.h"

#include <stdatomic.h>
#include "base/team.h"
#include "numerics/contact/definite.h"

enum { CHUNKS_PER_THREAD = 2, PAIRS_GRAIN = 128, MOST_PAIRS = 10, AHEAD = 2 };

static const uint8_t all_pairs[MOST_PAIRS] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};

static unsigned n_nodes_of(const SofaShellFem *t) {
  return t->kind == SOFA_ELEMENT_QUAD ? 4 : 3;
}

/* ---- places ---- */

static SofaErr make_pairs(SofaShellFem *t) {
  SofaContext *ctx = t->fem.force_field.object.ctx;
  const unsigned width = n_nodes_of(t);
  uint32_t *v = sofa_alloc(ctx, t->n * width + 1, sizeof *v);
  if (!v) return SOFA_ERR_MEMORY;
  for (size_t i = 0; i < t->n; i++)
    for (unsigned k = 0; k < width; k++) v[width * i + k] = t->elements[i].v[k];
  const SofaErr err = sofa_element_pairs_create(ctx, (SofaElements){v, t->n, width}, t->n_points,
                                                SOFA_PAIRS_SLOTS, &t->blocks.pairs);
  sofa_free(ctx, v);
  return err;
}

static SofaErr make_pattern(SofaShellFem *t) {
  SofaContext *ctx = t->fem.force_field.object.ctx;
  SofaShellBlocks *b = &t->blocks;
  const SofaBlockOrder order = {SOFA_LANES, all_pairs, sofa_element_pairs_local(n_nodes_of(t)),
                                false};
  SOFA_TRY(make_pairs(t));
  if (ctx->threads > 1) {
    const size_t n_chunks = CHUNKS_PER_THREAD * (size_t)ctx->threads;
    SOFA_TRY(sofa_late_blocks_create(ctx, &b->pairs, n_chunks, &order, &b->late));
    SOFA_TRY(sofa_pair_product_create6(ctx, &b->pairs, t->n_points, &b->product));
  }
  const size_t n = b->pairs.n + sofa_late_blocks_forget(ctx, &b->late);
  // a product reads two reals behind the last block
  if (!(b->blocks = sofa_alloc(ctx, 36 * n + 2, sizeof *b->blocks))) return SOFA_ERR_MEMORY;
  SOFA_TRY(sofa_block_places_create(ctx, &b->pairs, &order, &b->late, &b->places));
  sofa_free(ctx, b->pairs.slot); // the places say all that it does
  b->pairs.slot = NULL;
  return SOFA_OK;
}

void shell_blocks_free(SofaContext *ctx, SofaShellBlocks *b) {
  sofa_element_pairs_free(ctx, &b->pairs);
  sofa_late_blocks_free(ctx, &b->late);
  sofa_pair_product_free(ctx, &b->product);
  sofa_free(ctx, b->places);
  sofa_free(ctx, b->blocks);
  *b = (SofaShellBlocks){.places = NULL};
}

/* ---- blocks ---- */

typedef struct Loop {
  const SofaShellFem *t;
  const SofaShellKernels *kernels;
  bool descends;
  atomic_bool failed; /* a matrix has no eigenvalues */
} Loop;

/* The matrices of a group become the nearest that cannot raise the energy. */
static bool descend(unsigned n_nodes, double (*k)[SOFA_LANES]) {
  const size_t width = 6 * (size_t)n_nodes;
  for (size_t l = 0; l < SOFA_LANES; l++) {
    double full[SOFA_SHELL_FREEDOMS * SOFA_SHELL_FREEDOMS];
    sofa_shell_unpack(width, k[0] + l, SOFA_LANES, full);
    for (size_t e = 0; e < width * width; e++) full[e] = -full[e];
    if (!sofa_make_definite((int)width, full)) return false;
    for (size_t i = 0, e = 0; i < width; i++)
      for (size_t j = 0; j <= i; j++) k[e++][l] = -full[width * i + j];
  }
  return true;
}

static void add_groups(Loop *loop, size_t begin, size_t end) {
  const SofaShellFem *t = loop->t;
  const unsigned n_nodes = n_nodes_of(t);
  const size_t n_places = SOFA_LANES * (size_t)sofa_element_pairs_local(n_nodes);
  for (size_t g = begin; g < end; g++) {
    const size_t left = t->n - g * SOFA_LANES;
    _Alignas(SOFA_SHELL_LINE) double k[SOFA_SHELL_PACKED][SOFA_LANES];
    const uint32_t *places = t->blocks.places + n_places * g;
    loop->kernels->tangent(n_nodes, &sofa_shell_groups(t)[g], t->point, k);
    if (loop->descends && !descend(n_nodes, k))
      atomic_store_explicit(&loop->failed, true, memory_order_relaxed);
    loop->kernels->spread(
        n_nodes, (const double(*)[SOFA_LANES])k, places, left < SOFA_LANES ? left : SOFA_LANES,
        g + AHEAD < t->n_groups ? places + AHEAD * n_places : NULL, t->blocks.blocks);
  }
}

static void add_chunks(void *user, size_t begin, size_t end) {
  Loop *loop = user;
  const size_t n = loop->t->n_groups, size = loop->t->blocks.late.chunk_groups;
  for (size_t c = begin; c < end; c++)
    add_groups(loop, c * size, n - c * size < size ? n : (c + 1) * size);
}

static void add_late(void *user, size_t begin, size_t end) {
  const SofaShellBlocks *b = &((const Loop *)user)->t->blocks;
  sofa_late_blocks_add6(&b->late, b->pairs.n, begin, end, b->blocks);
}

SofaErr shell_blocks_make(SofaShellFem *t, bool descends) {
  SofaContext *ctx = t->fem.force_field.object.ctx;
  SofaShellBlocks *b = &t->blocks;
  if (!b->places) {
    const SofaErr err = make_pattern(t);
    if (err != SOFA_OK) shell_blocks_free(ctx, b);
    SOFA_TRY(err);
  }
  Loop loop = {.t = t, .kernels = sofa_shell_kernels(ctx), .descends = descends};
  if (b->late.n_chunks) {
    sofa_team_for(ctx, b->late.n_chunks, 1, add_chunks, &loop);
    sofa_team_for(ctx, b->late.n_pairs, PAIRS_GRAIN, add_late, &loop);
  } else {
    add_groups(&loop, 0, t->n_groups);
  }
  return atomic_load_explicit(&loop.failed, memory_order_relaxed) ? SOFA_ERR_NOT_FINITE : SOFA_OK;
}
