/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The k-d tree: built by repeated selection of medians, searched with exact pruning. */
#include "nearest_tree.h"

#include <math.h>
#include <string.h>

/* Order along an axis, by id where equal: no two entries are equal. */
static bool before(const SofaNearestTree *t, size_t a, const SofaVec3 *p, uint32_t id, int axis) {
  const double x = t->points[a].v[axis], y = p->v[axis];
  return x < y || (x == y && t->ids[a] < id);
}

static void swap(SofaNearestTree *t, size_t a, size_t b) {
  const SofaVec3 p = t->points[a];
  const uint32_t id = t->ids[a];
  t->points[a] = t->points[b], t->ids[a] = t->ids[b];
  t->points[b] = p, t->ids[b] = id;
}

/* Quickselect (Hoare 1961) of entry `middle` in [low, high); pivots from a fixed sequence. */
static void select_middle(SofaNearestTree *t, size_t low, size_t high, size_t middle, int axis) {
  uint64_t random = 0x9e3779b97f4a7c15u;
  while (high - low > 1) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    swap(t, low + (size_t)(random >> 33) % (high - low), high - 1);
    const SofaVec3 pivot = t->points[high - 1];
    const uint32_t id = t->ids[high - 1];
    size_t at = low;
    for (size_t i = low; i + 1 < high; i++)
      if (before(t, i, &pivot, id, axis)) swap(t, i, at++);
    swap(t, at, high - 1);
    if (at == middle) return;
    if (at < middle) low = at + 1;
    if (at > middle) high = at;
  }
}

static int longest_axis(const SofaNearestTree *t, size_t low, size_t high) {
  double size[3];
  for (int k = 0; k < 3; k++) {
    double min = INFINITY, max = -INFINITY;
    for (size_t i = low; i < high; i++) {
      min = fmin(min, t->points[i].v[k]);
      max = fmax(max, t->points[i].v[k]);
    }
    size[k] = max - min;
  }
  if (size[0] >= size[1] && size[0] >= size[2]) return 0;
  return size[1] >= size[2] ? 1 : 2;
}

/* Depth is the logarithm of the number of points. */
static void split(SofaNearestTree *t, size_t low, size_t high) {
  if (high - low < 2) return;
  const size_t middle = low + (high - low) / 2;
  const int axis = longest_axis(t, low, high);
  select_middle(t, low, high, middle, axis);
  t->axes[middle] = (uint8_t)axis;
  split(t, low, middle);
  split(t, middle + 1, high);
}

SofaErr sofa_nearest_tree_build(SofaContext *ctx, SofaVec3 *points, size_t n,
                                SofaNearestTree *out) {
  *out = (SofaNearestTree){.n = n, .points = points};
  out->ids = (uint32_t *)sofa_alloc(ctx, n + 1, sizeof *out->ids);
  out->axes = (uint8_t *)sofa_alloc(ctx, n + 1, sizeof *out->axes);
  if (!out->ids || !out->axes) {
    sofa_nearest_tree_free(ctx, out);
    return SOFA_ERR_MEMORY;
  }
  for (size_t i = 0; i < n; i++) out->ids[i] = (uint32_t)i;
  split(out, 0, n);
  return SOFA_OK;
}

void sofa_nearest_tree_free(SofaContext *ctx, SofaNearestTree *tree) {
  sofa_free(ctx, tree->points);
  sofa_free(ctx, tree->ids);
  sofa_free(ctx, tree->axes);
  *tree = (SofaNearestTree){0};
}

typedef struct Search {
  const SofaNearestTree *tree;
  const double *p;
  double best;
  uint32_t id;
} Search;

static void search(Search *s, size_t low, size_t high) {
  const SofaNearestTree *t = s->tree;
  if (low >= high) return;
  const size_t middle = low + (high - low) / 2;
  const double *q = t->points[middle].v;
  const double d[3] = {s->p[0] - q[0], s->p[1] - q[1], s->p[2] - q[2]};
  const double distance = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
  if (distance < s->best || (distance == s->best && t->ids[middle] < s->id)) {
    s->best = distance;
    s->id = t->ids[middle];
  }
  if (high - low == 1) return;
  // near side first; the far side only when the plane is not farther than the best point. Rounding
  // keeps order, so that no nearer or equally near point is missed
  const double plane = d[t->axes[middle]];
  if (plane <= 0) {
    search(s, low, middle);
    if (plane * plane <= s->best) search(s, middle + 1, high);
  } else {
    search(s, middle + 1, high);
    if (plane * plane <= s->best) search(s, low, middle);
  }
}

uint32_t sofa_nearest_tree_find(const SofaNearestTree *tree, const double p[3]) {
  Search s = {.tree = tree, .p = p, .best = INFINITY, .id = UINT32_MAX};
  search(&s, 0, tree->n);
  return s.id;
}
