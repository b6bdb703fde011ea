/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "numerics/fem/late_blocks.h"

enum { NONE = 255, LEAST_GROUPS = 4 };

/* The walk over all blocks, in the order of the chunks. */
typedef struct Walk {
  const SofaElementPairs *pairs;
  size_t lanes;
  const uint8_t *order; /* of local pairs; NULL: group by group */
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
  const size_t local = sofa_element_pairs_local(pairs->n_nodes), n = pairs->n_elements;
  const size_t size = w->out->chunk_groups * w->lanes;
  w->n = 0;
  for (size_t begin = 0; begin < n; begin += w->lanes) {
    const size_t end = n - begin < w->lanes ? n : begin + w->lanes, chunk = begin / size;
    if (begin % size == 0) w->out->start[chunk] = w->n;
    for (size_t k = 0; k < local * (end - begin); k++) {
      const size_t e = w->order ? k / local : k % (end - begin);
      const size_t p = w->order ? w->order[k % local] : k / (end - begin);
      meet(w, (uint8_t)chunk, pairs->slot[local * (begin + e) + p] >> 2);
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

SofaErr sofa_late_blocks_create(SofaContext *ctx, const SofaElementPairs *pairs, size_t lanes,
                                size_t n_chunks, const uint8_t *order, SofaLateBlocks *out) {
  const size_t groups = (pairs->n_elements + lanes - 1) / lanes;
  SofaErr err = SOFA_ERR_MEMORY;
  *out = (SofaLateBlocks){.n_chunks = n_chunks < NONE ? n_chunks : NONE - 1};
  if (out->n_chunks < 2 || groups < LEAST_GROUPS * out->n_chunks || has_double_points(pairs)) {
    *out = (SofaLateBlocks){0};
    return SOFA_OK;
  }
  out->chunk_groups = (groups - 1) / out->n_chunks + 1;
  out->n_chunks = (groups - 1) / out->chunk_groups + 1;
  Walk w = {.pairs = pairs, .lanes = lanes, .order = order, .out = out};
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

void sofa_late_blocks_free(SofaContext *ctx, SofaLateBlocks *late) {
  sofa_free(ctx, late->owner);
  sofa_free(ctx, late->start);
  sofa_free(ctx, late->blocks);
  sofa_free(ctx, late->pair);
  sofa_free(ctx, late->first);
  sofa_free(ctx, late->order);
  *late = (SofaLateBlocks){0};
}

void sofa_late_blocks_add(const SofaLateBlocks *late, size_t begin, size_t end, double *blocks) {
  for (size_t k = begin; k < end; k++) {
    double *to = blocks + 9 * (size_t)late->pair[k];
    for (uint32_t i = late->first[k]; i < late->first[k + 1]; i++) {
      const double *from = late->blocks + 9 * (size_t)late->order[i];
      for (int j = 0; j < 9; j++) to[j] += from[j];
    }
  }
}
