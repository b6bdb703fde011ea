/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "numerics/fem/packed_pairs.h"

#include <stdbool.h>

#include "numerics/fem/pair_assembly.h"

enum { DIM = 6, BLOCK = DIM * DIM };

typedef struct Source {
  const SofaElementPairs *pairs;
  const SofaPackedElements *elements;
} Source;

/* Where a block is in a packed matrix, whose entries are SOFA_LANES apart: rows high .. high + 5,
 * columns low .. low + 5, of a matrix whose upper half is not stored. */
typedef struct Place {
  const double *packed;
  size_t high, low;
} Place;

static inline void set_or_add(bool first, double value, double *to) {
  *to = first ? value : *to + value;
}

/* Sets a sum to a block, or its transpose, or adds it. */
static inline void put_block(Place p, bool first, bool turned, double *restrict sum) {
#pragma GCC unroll 6
  for (size_t i = 0; i < DIM; i++) {
    const size_t r = p.high + i;
    const double *from = p.packed + SOFA_LANES * (r * (r + 1) / 2 + p.low);
#pragma GCC unroll 6
    for (size_t j = 0; j < DIM; j++)
      set_or_add(first, from[SOFA_LANES * j], sum + (turned ? i + DIM * j : DIM * i + j));
  }
}

/* The same on the diagonal, from the lower half. */
static inline void put_own(Place p, bool first, double *restrict sum) {
#pragma GCC unroll 6
  for (size_t i = 0; i < DIM; i++) {
    const size_t r = p.high + i;
    const double *from = p.packed + SOFA_LANES * (r * (r + 1) / 2 + p.low);
#pragma GCC unroll 6
    for (size_t j = 0; j <= i; j++) {
      set_or_add(first, from[SOFA_LANES * j], sum + DIM * i + j);
      if (j < i) set_or_add(first, from[SOFA_LANES * j], sum + i + DIM * j);
    }
  }
}

/* Asks for a share of the next group: the matrices may lie in memory, and what is read of one are
 * single reals of many lines. Inlined: a call that only asks has no effect, and is left out. */
static inline __attribute__((always_inline)) void ask_ahead(const SofaPackedElements *e,
                                                            size_t element) {
  const size_t size = DIM * (size_t)e->n_nodes, lines = size * (size + 1) / 2;
  const size_t lane = element % SOFA_LANES, next = element / SOFA_LANES + 1;
  if (next * SOFA_LANES >= e->n) return;
  const double *group = e->k + next * e->k_stride;
  for (size_t k = lines * lane / SOFA_LANES; k < lines * (lane + 1) / SOFA_LANES; k++)
    __builtin_prefetch(group + SOFA_LANES * k, 0, 2);
}

static inline void put_part(const SofaPackedElements *e, SofaPairPart part, bool first,
                            double *sum) {
  const size_t row = DIM * (size_t)part.row_node, column = DIM * (size_t)part.column_node;
  const double *group = e->k + part.element / SOFA_LANES * e->k_stride;
  const Place p = {group + part.element % SOFA_LANES, row > column ? row : column,
                   row > column ? column : row};
  if (row == column) ask_ahead(e, part.element);
  if (row == column) put_own(p, first, sum);
  else if (row > column) put_block(p, first, false, sum);
  else put_block(p, first, true, sum);
}

/* A pair has a part at least. */
static void make_pairs(void *user, size_t begin, size_t end, double *blocks) {
  const Source *source = user;
  const SofaElementPairs *pairs = source->pairs;
  for (size_t p = begin; p < end; p++, blocks += BLOCK) {
    size_t k = pairs->start[p];
    put_part(source->elements, pairs->part[k++], true, blocks);
    for (; k < pairs->start[p + 1]; k++) put_part(source->elements, pairs->part[k], false, blocks);
  }
}

static SofaErr make_lists(SofaContext *ctx, const SofaPackedElements *e, size_t n_points,
                          SofaElementPairs *out) {
  const size_t width = e->n_nodes;
  uint32_t *v = sofa_alloc(ctx, e->n * width, sizeof *v);
  if (!v) return SOFA_ERR_MEMORY;
  for (size_t k = 0; k < e->n * width; k++) {
    const size_t i = k / width;
    v[k] = e->v[i / SOFA_LANES * e->v_stride + k % width * SOFA_LANES + i % SOFA_LANES];
  }
  const SofaElements list = {v, e->n, e->n_nodes};
  const SofaErr err = sofa_element_pairs_create(ctx, list, n_points, SOFA_PAIRS_PARTS, out);
  sofa_free(ctx, v);
  return err;
}

static SofaErr make(SofaContext *ctx, const SofaPackedElements *elements, size_t n_points,
                    SofaElementPairs **out) {
  SofaElementPairs *pairs = sofa_alloc(ctx, 1, sizeof *pairs);
  if (!pairs) return SOFA_ERR_MEMORY;
  const SofaErr err = make_lists(ctx, elements, n_points, pairs);
  if (err == SOFA_OK) *out = pairs;
  else sofa_free(ctx, pairs);
  return err;
}

SofaErr sofa_packed_pairs_add(SofaContext *ctx, const SofaPackedElements *elements, size_t n_points,
                              const SofaTangent *tangent, SofaElementPairs **pairs) {
  if (!elements->n) return SOFA_OK;
  if (!*pairs) SOFA_TRY(make(ctx, elements, n_points, pairs));
  Source source = {*pairs, elements};
  const SofaPairBlocks sums = {.dim = DIM, .make = make_pairs, .user = &source};
  sofa_pairs_add(ctx, *pairs, &sums, tangent);
  return SOFA_OK;
}

void sofa_packed_pairs_free(SofaContext *ctx, SofaElementPairs **pairs) {
  if (*pairs) sofa_element_pairs_free(ctx, *pairs);
  sofa_free(ctx, *pairs);
  *pairs = NULL;
}
