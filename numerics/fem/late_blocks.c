/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "numerics/fem/late_blocks.h"

enum { NONE = 255, LEAST_GROUPS = 4 };

/* The walk over all blocks, in the order of the chunks. */
typedef struct Walk {
  const SofaElementPairs *pairs;
  const SofaBlockOrder *order;
  SofaLateBlocks *out;
  size_t *count; /* late blocks of each pair; or where the next one goes */
  size_t n;      /* late blocks so far */
  bool fill;
} Walk;

static void meet(Walk *w, uint8_t chunk, size_t pair) {
  SofaLateBlocks *out = w->out;
  if (out->owner[pair] == NONE) out->owner[pair] = chunk;
  if (out->owner[pair] == chunk) return;
  if (w->fill) out->order[w->count[pair]] = (uint32_t)w->n;
  w->count[pair]++;
  w->n++;
}

static void walk(Walk *w) {
  const SofaElementPairs *pairs = w->pairs;
  const SofaBlockOrder *order = w->order;
  const size_t local = sofa_element_pairs_local(pairs->n_nodes), n = pairs->n_elements;
  const size_t met = order->local ? order->n : local, size = w->out->chunk_groups * order->lanes;
  w->n = 0;
  for (size_t begin = 0; begin < n; begin += order->lanes) {
    const size_t left = n - begin, count = left < order->lanes ? left : order->lanes;
    const size_t chunk = begin / size;
    if (begin % size == 0) w->out->start[chunk] = w->n;
    for (size_t k = 0; k < met * count; k++) {
      const size_t e = order->by_element ? k / met : k % count;
      const size_t p = order->by_element ? k % met : k / count;
      const size_t pair = order->local ? order->local[p] : p;
      meet(w, (uint8_t)chunk, pairs->slot[local * (begin + e) + pair] >> 2);
    }
  }
  w->out->start[w->out->n_chunks] = w->n;
}

static bool has_double_points(const SofaElementPairs *pairs) {
  const size_t n = pairs->n_elements * sofa_element_pairs_local(pairs->n_nodes);
  for (size_t k = 0; k < n; k++)
    if ((pairs->slot[k] & 3) == SOFA_PAIR_BOTH) return true;
  return false;
}

/* The lists of late blocks by pair; count: those of each pair. */
static SofaErr list(SofaContext *ctx, Walk *w) {
  SofaLateBlocks *out = w->out;
  size_t sum = 0;
  for (size_t p = 0; p < w->pairs->n; p++) out->n_pairs += w->count[p] > 0;
  if (!(out->pair = sofa_alloc(ctx, out->n_pairs, sizeof *out->pair)) ||
      !(out->first = sofa_alloc(ctx, out->n_pairs + 1, sizeof *out->first)) ||
      !(out->order = sofa_alloc(ctx, w->n, sizeof *out->order)) ||
      !(out->blocks = sofa_alloc(ctx, 9 * w->n + 1, sizeof *out->blocks)))
    return SOFA_ERR_MEMORY;
  for (size_t p = 0, k = 0; p < w->pairs->n; p++) {
    const size_t n = w->count[p];
    if (n == 0) continue;
    out->pair[k] = (uint32_t)p;
    out->first[k++] = (uint32_t)sum;
    w->count[p] = sum;
    sum += n;
  }
  out->first[out->n_pairs] = (uint32_t)sum;
  w->fill = true;
  walk(w);
  return SOFA_OK;
}

SofaErr sofa_late_blocks_create(SofaContext *ctx, const SofaElementPairs *pairs, size_t n_chunks,
                                const SofaBlockOrder *order, SofaLateBlocks *out) {
  const size_t groups = (pairs->n_elements + order->lanes - 1) / order->lanes;
  SofaErr err = SOFA_ERR_MEMORY;
  *out = (SofaLateBlocks){.n_chunks = n_chunks < NONE ? n_chunks : NONE - 1};
  if (out->n_chunks < 2 || groups < LEAST_GROUPS * out->n_chunks || has_double_points(pairs)) {
    *out = (SofaLateBlocks){0};
    return SOFA_OK;
  }
  out->chunk_groups = (groups - 1) / out->n_chunks + 1;
  out->n_chunks = (groups - 1) / out->chunk_groups + 1;
  Walk w = {.pairs = pairs, .order = order, .out = out};
  w.count = sofa_alloc(ctx, pairs->n, sizeof *w.count);
  out->owner = sofa_alloc(ctx, pairs->n, sizeof *out->owner);
  out->start = sofa_alloc(ctx, out->n_chunks + 1, sizeof *out->start);
  if (!w.count || !out->owner || !out->start) goto done;
  for (size_t p = 0; p < pairs->n; p++) out->owner[p] = NONE;
  walk(&w);
  err = list(ctx, &w);
done:
  sofa_free(ctx, w.count);
  if (err != SOFA_OK) sofa_late_blocks_free(ctx, out);
  return err;
}

size_t sofa_late_blocks_forget(SofaContext *ctx, SofaLateBlocks *late) {
  sofa_free(ctx, late->blocks);
  late->blocks = NULL;
  return late->n_chunks ? late->start[late->n_chunks] : 0;
}

/* The place of a block of a chunk; n: that of the next late one. */
static uint32_t place_of(uint32_t slot, uint8_t chunk, const SofaLateBlocks *late, uint8_t *seen,
                         size_t *n) {
  const uint32_t pair = slot >> 2;
  const uint32_t turn = (slot & 3) == SOFA_PAIR_TRANSPOSED ? SOFA_PLACE_TURNED : 0;
  if (late->n_chunks && late->owner[pair] != chunk)
    return (uint32_t)(*n)++ << SOFA_PLACE_SHIFT | SOFA_PLACE_FIRST | turn;
  const uint32_t first = seen[pair] ? 0 : SOFA_PLACE_FIRST;
  seen[pair] = 1;
  return pair << SOFA_PLACE_SHIFT | first | turn;
}

SofaErr sofa_block_places_create(SofaContext *ctx, const SofaElementPairs *pairs,
                                 const SofaBlockOrder *order, const SofaLateBlocks *late,
                                 uint32_t **out) {
  const size_t local = sofa_element_pairs_local(pairs->n_nodes), n = pairs->n_elements;
  const size_t lanes = order->lanes, size = late->n_chunks ? late->chunk_groups * lanes : SIZE_MAX;
  const size_t n_groups = (n + lanes - 1) / lanes;
  size_t n_late = pairs->n; // late blocks are behind those of pairs
  const size_t most = (UINT32_MAX >> SOFA_PLACE_SHIFT) / local;
  if (n > most) return sofa_fail(ctx, SOFA_ERR_RANGE, NULL, "more than %zu elements", most);
  uint8_t *seen = sofa_alloc(ctx, pairs->n + 1, sizeof *seen);
  *out = sofa_alloc(ctx, n_groups * lanes * order->n + 1, sizeof **out);
  for (size_t k = 0; seen && *out && k < n_groups * lanes * order->n; k++) {
    const size_t first = k / (lanes * order->n) * lanes, in = k % (lanes * order->n);
    const size_t e = first + in % lanes;
    const uint32_t *slot = pairs->slot + local * e + order->local[in / lanes];
    (*out)[k] = e < n ? place_of(*slot, (uint8_t)(e / size), late, seen, &n_late) : 0;
  }
  const bool good = seen && *out;
  sofa_free(ctx, seen);
  return good ? SOFA_OK : SOFA_ERR_MEMORY;
}

void sofa_late_blocks_free(SofaContext *ctx, SofaLateBlocks *late) {
  sofa_free(ctx, late->owner);
  sofa_free(ctx, late->start);
  sofa_free(ctx, late->blocks);
  sofa_free(ctx, late->pair);
  sofa_free(ctx, late->first);
  sofa_free(ctx, late->order);
  *late = (SofaLateBlocks){0};
}

static inline void add_late(const SofaLateBlocks *late, size_t k, size_t size, const double *kept,
                            double *blocks) {
  double *to = blocks + size * late->pair[k];
  for (uint32_t i = late->first[k]; i < late->first[k + 1]; i++) {
    const double *from = kept + size * late->order[i];
    for (size_t j = 0; j < size; j++) to[j] += from[j];
  }
}

void sofa_late_blocks_add(const SofaLateBlocks *late, const double *kept, size_t begin, size_t end,
                          double *blocks) {
  for (size_t k = begin; k < end; k++) add_late(late, k, 9, kept, blocks);
}

void sofa_late_blocks_add6(const SofaLateBlocks *late, size_t n_pairs, size_t begin, size_t end,
                           double *blocks) {
  for (size_t k = begin; k < end; k++) add_late(late, k, 36, blocks + 36 * n_pairs, blocks);
}
