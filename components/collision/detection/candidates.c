/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "components/collision/detection/candidates.h"
#include "base/bytes.h"

#include <math.h>
#include <string.h>

enum {
  LEAST_ELEMENTS = 128, /* of two trees; searches in smaller ones are cheap */
  LONGEST_LIFE = 1000,  /* detections; bounds the rounding errors of travels */
  SEARCH_COST = 7       /* half the time of a search per pair, in tests of boxes */
};

void candidates_free(SofaContext *ctx, CandidateStore *store) {
  CandidatesList *const lists[] = {&store->kept, &store->unused};
  for (int k = 0; k < 2; k++) {
    for (size_t i = 0; i < lists[k]->n; i++) {
      sofa_list_free(ctx, &lists[k]->data[i]->pairs);
      sofa_free(ctx, lists[k]->data[i]);
    }
    sofa_list_free(ctx, lists[k]);
  }
  sofa_list_free(ctx, &store->fresh);
  sofa_bounding_work_free(ctx, &store->work);
}

void candidates_begin(CandidateStore *store) {
  size_t n = 0;
  for (size_t i = 0; i < store->kept.n; i++) {
    Candidates *c = store->kept.data[i];
    if (c->used == store->detection) store->kept.data[n++] = c;
    else store->unused.data[store->unused.n++] = c;
  }
  store->kept.n = n;
  store->detection++;
}

/* ---- entries ---- */

static int compare(const Candidates *c, const SofaBoundingTree *a, const SofaBoundingTree *b) {
  if (c->tree[0] != a) return (uintptr_t)c->tree[0] < (uintptr_t)a ? -1 : 1;
  if (c->tree[1] != b) return (uintptr_t)c->tree[1] < (uintptr_t)b ? -1 : 1;
  return 0;
}

/* Place of the first entry that is not before the trees. */
static size_t place_of(const CandidateStore *store, const SofaBoundingTree *a,
                       const SofaBoundingTree *b) {
  size_t low = 0, high = store->kept.n;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (compare(store->kept.data[middle], a, b) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/* There is room in `unused` for every entry. */
static SofaErr take_entry(SofaContext *ctx, CandidateStore *store, Candidates **out) {
  CandidatesList *kept = &store->kept;
  if (kept->n == kept->capacity) {
    SOFA_TRY(SOFA_RESERVE(ctx, &store->unused, 2 * kept->n + 8));
    SOFA_TRY(SOFA_RESERVE(ctx, kept, 2 * kept->n + 8));
  }
  if (store->unused.n) {
    *out = store->unused.data[--store->unused.n];
    return SOFA_OK;
  }
  *out = sofa_alloc(ctx, 1, sizeof **out);
  return *out ? SOFA_OK : SOFA_ERR_MEMORY;
}

static SofaErr entry_of(SofaContext *ctx, CandidateStore *store, SofaBoundingTree *a,
                        SofaBoundingTree *b, Candidates **out) {
  const size_t at = place_of(store, a, b);
  CandidatesList *kept = &store->kept;
  if (at < kept->n && compare(kept->data[at], a, b) == 0) {
    *out = kept->data[at];
    return SOFA_OK;
  }
  SOFA_TRY(take_entry(ctx, store, out));
  sofa_move(kept->data + at + 1, kept->data + at, (kept->n - at) * sizeof(Candidates *));
  kept->data[at] = *out;
  kept->n++;
  **out = (Candidates){.tree = {a, b}, .margin = -1, .pairs = (*out)->pairs};
  return SOFA_OK;
}

/* ---- validity ---- */

static double largest(const double *v, size_t n) {
  double most = 0;
  for (size_t i = 0; i < n; i++) most = fmax(most, fabs(v[i]));
  return most;
}

/* More than the rounding errors of boxes, travels and sums. */
static double rounding(const Candidates *c) {
  double most = c->distance + c->margin;
  for (int k = 0; k < 2; k++)
    most = fmax(most, fmax(largest(c->tree[k]->travel, 6), largest(c->tree[k]->cells[0].box, 6)));
  return 1e-12 * most;
}

static bool is_valid(const Candidates *c, double distance, uint64_t detection) {
  const SofaBoundingTree *a = c->tree[0], *b = c->tree[1];
  if (a->generation != c->generation[0] || b->generation != c->generation[1] ||
      distance != c->distance || detection > c->found + LONGEST_LIFE)
    return false;
  return sofa_bounding_trees_approach(a, b, c->then) + rounding(c) <= c->margin;
}

/* The margin costs tests of boxes in every detection, and saves searches. For elements of the size
 * h that approach by s in a detection the sum of both is least near sqrt(2 cost h s). Where
 * elements move by more than a seventh of their size there is no margin. */
static double margin_of(const SofaBoundingTree *a, const SofaBoundingTree *b, double distance) {
  const double h = (a->extent + b->extent) / 2 + distance;
  double s = 0;
  for (int k = 0; k < 3; k++)
    s = fmax(s, fmax(b->step[3 + k] - a->step[k], a->step[3 + k] - b->step[k]));
  if (!isfinite(h) || !(s <= h / 7)) return 0;
  return fmin(fmax(sqrt(SEARCH_COST * h * s), h / 10), h / 2);
}

/* ---- search ---- */

static SofaErr search(SofaContext *ctx, CandidateStore *store, SofaBoundingTree *a,
                      SofaBoundingTree *b, double distance, SofaElementPairs *out) {
  size_t n = 0;
  out->n = 0;
  SOFA_TRY(sofa_bounding_tree_pairs(ctx, a, b, distance, &store->work, out));
  if (a != b) return SOFA_OK;
  for (size_t i = 0; i < out->n; i++) {
    const SofaElementPair pair = out->data[i];
    out->data[n] = pair;
    n += pair.first < pair.second;
  }
  out->n = n;
  return SOFA_OK;
}

static SofaErr renew(SofaContext *ctx, CandidateStore *store, Candidates *c, double distance) {
  c->margin = -1; /* not valid until the search has succeeded */
  const double margin = margin_of(c->tree[0], c->tree[1], distance);
  SOFA_TRY(search(ctx, store, c->tree[0], c->tree[1], distance + margin, &c->pairs));
  for (int k = 0; k < 2; k++) {
    memcpy(c->then + 6 * k, c->tree[k]->travel, 6 * sizeof(double));
    c->generation[k] = c->tree[k]->generation;
  }
  c->distance = distance;
  c->margin = margin;
  c->found = store->detection;
  return SOFA_OK;
}

SofaErr candidates_find(SofaContext *ctx, CandidateStore *store, SofaBoundingTree *a,
                        SofaBoundingTree *b, double distance, CandidatePairs *out) {
  Candidates *c;
  if (a->n + b->n < LEAST_ELEMENTS || a->n < SOFA_BOUNDING_TRAVELS ||
      b->n < SOFA_BOUNDING_TRAVELS) {
    SOFA_TRY(search(ctx, store, a, b, distance, &store->fresh));
    *out = (CandidatePairs){store->fresh.data, store->fresh.n, true};
    return SOFA_OK;
  }
  SOFA_TRY(entry_of(ctx, store, a, b, &c));
  if (!is_valid(c, distance, store->detection)) SOFA_TRY(renew(ctx, store, c, distance));
  c->used = store->detection;
  *out = (CandidatePairs){c->pairs.data, c->pairs.n, c->margin == 0};
  return SOFA_OK;
}
