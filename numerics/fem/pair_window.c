/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "numerics/fem/pair_window.h"

#include "base/bytes.h"

static size_t piece_count(const SofaElementPairs *pairs) {
  return (pairs->n + SOFA_PAIRS_AT_ONCE - 1) / SOFA_PAIRS_AT_ONCE;
}

/* What each piece needs and each group reaches; returns the most pieces between the two. */
static size_t measure(const SofaElementPairs *pairs, size_t lanes, SofaPairWindow *w) {
  const size_t n_local = sofa_element_pairs_local(pairs->n_nodes), pieces = piece_count(pairs);
  const size_t n_groups = (pairs->n_elements + lanes - 1) / lanes;
  size_t width = 1;
  for (size_t e = 0; e < pairs->n_elements; e++) {
    const size_t g = e / lanes;
    if (e % lanes == 0) w->reach[g] = g ? w->reach[g - 1] : 0;
    for (size_t k = 0; k < n_local; k++) {
      const size_t piece = (pairs->slot[e * n_local + k] >> 2) / SOFA_PAIRS_AT_ONCE;
      if (piece >= w->reach[g]) w->reach[g] = (uint32_t)piece + 1;
      w->groups[piece] = (uint32_t)g + 1;
    }
  }
  for (size_t p = 1; p < pieces; p++)
    if (w->groups[p] < w->groups[p - 1]) w->groups[p] = w->groups[p - 1];
  for (size_t p = 0; p < pieces && n_groups; p++) {
    const size_t kept = w->reach[w->groups[p] - 1] - p;
    if (kept > width) width = kept;
  }
  return width;
}

SofaErr sofa_pair_window_create(SofaContext *ctx, const SofaElementPairs *pairs, size_t lanes,
                                size_t block, SofaPairWindow *out) {
  const size_t pieces = piece_count(pairs);
  size_t kept = 1;
  *out = (SofaPairWindow){.block = block};
  out->groups = sofa_alloc(ctx, pieces + 1, sizeof *out->groups);
  out->reach = sofa_alloc(ctx, pairs->n_elements / lanes + 1, sizeof *out->reach);
  if (out->groups && out->reach) {
    const size_t width = measure(pairs, lanes, out);
    while (kept < width) kept *= 2;
    out->mask = kept * SOFA_PAIRS_AT_ONCE - 1;
    if (kept > pieces) kept = pieces; // never wraps
    out->blocks = sofa_alloc(ctx, kept * SOFA_PAIRS_AT_ONCE * block + 1, sizeof *out->blocks);
  }
  if (out->blocks) return SOFA_OK;
  sofa_pair_window_free(ctx, out);
  return SOFA_ERR_MEMORY;
}

void sofa_pair_window_free(SofaContext *ctx, SofaPairWindow *w) {
  sofa_free(ctx, w->groups);
  sofa_free(ctx, w->reach);
  sofa_free(ctx, w->blocks);
  *w = (SofaPairWindow){0};
}

void sofa_pair_window_begin(SofaPairWindow *w) {
  w->group = w->piece = 0;
}

static double *piece_blocks(const SofaPairWindow *w, size_t piece) {
  return w->blocks + w->block * (piece * SOFA_PAIRS_AT_ONCE & w->mask);
}

const double *sofa_pair_window_blocks(const SofaPairWindow *w, size_t piece) {
  return piece_blocks(w, piece);
}

bool sofa_pair_window_next(SofaPairWindow *w, size_t piece, size_t *group) {
  if (w->group >= w->groups[piece]) return false;
  for (; w->piece < w->reach[w->group]; w->piece++)
    sofa_zero(piece_blocks(w, w->piece), SOFA_PAIRS_AT_ONCE * w->block * sizeof *w->blocks);
  *group = w->group++;
  return true;
}
