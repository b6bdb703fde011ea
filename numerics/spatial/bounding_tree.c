/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "numerics/spatial/bounding_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LEAVES = 4 }; /* of a cell that is not split */

void sofa_bounding_tree_free(SofaContext *ctx, SofaBoundingTree *tree) {
  sofa_free(ctx, tree->order);
  sofa_free(ctx, tree->leaf);
  sofa_free(ctx, tree->cells);
  sofa_free(ctx, tree->boxes);
  *tree = (SofaBoundingTree){0};
}

static SofaErr reserve(SofaContext *ctx, SofaBoundingTree *tree, size_t n) {
  if (n <= tree->capacity) return SOFA_OK;
  sofa_bounding_tree_free(ctx, tree);
  tree->order = sofa_alloc(ctx, n, sizeof *tree->order);
  tree->leaf = sofa_alloc(ctx, 6 * n, sizeof *tree->leaf);
  tree->boxes = sofa_alloc(ctx, 6 * n, sizeof *tree->boxes);
  tree->cells = sofa_alloc(ctx, n + 1, sizeof *tree->cells);
  if (!tree->order || !tree->leaf || !tree->boxes || !tree->cells) {
    sofa_bounding_tree_free(ctx, tree);
    return SOFA_ERR_MEMORY;
  }
  tree->capacity = n;
  return SOFA_OK;
}

SofaErr sofa_bounding_tree_resize(SofaContext *ctx, SofaBoundingTree *tree, size_t n) {
  SOFA_TRY(reserve(ctx, tree, n));
  if (n != tree->n) tree->n_cells = 0;
  tree->n = n;
  return SOFA_OK;
}

/* ---- building ---- */

typedef struct Leaf {
  double key;
  uint32_t place, element;
} Leaf;

/* Stable: equal keys keep their order. */
static int by_key(const void *a, const void *b) {
  const Leaf *p = a, *q = b;
  if (p->key != q->key) return p->key < q->key ? -1 : 1;
  return p->place < q->place ? -1 : p->place > q->place;
}

static void cover(const SofaBoundingTree *tree, SofaBoundingCell *cell) {
  const double *leaf = tree->leaf + 6 * (size_t)cell->first;
  memcpy(cell->box, leaf, sizeof cell->box);
  for (uint32_t i = cell->first + 1; i < cell->last; i++) {
    leaf += 6;
    for (int k = 0; k < 3; k++) {
      if (leaf[k] < cell->box[k]) cell->box[k] = leaf[k];
      if (leaf[3 + k] > cell->box[3 + k]) cell->box[3 + k] = leaf[3 + k];
    }
  }
}

static int longest_axis(const double box[6]) {
  const double x = box[3] - box[0], y = box[4] - box[1], z = box[5] - box[2];
  if (x > y) return x > z ? 0 : 2;
  return y > z ? 1 : 2;
}

static void place_leaves(SofaBoundingTree *tree) {
  for (size_t i = 0; i < tree->n; i++)
    memcpy(tree->leaf + 6 * i, tree->boxes + 6 * (size_t)tree->order[i], 6 * sizeof(double));
}

/* Sorts the leaves of a cell along its longest axis and appends its two halves. */
static void split(SofaBoundingTree *tree, uint32_t index, Leaf *work) {
  SofaBoundingCell *cell = &tree->cells[index];
  const int axis = longest_axis(cell->box);
  const uint32_t n = cell->last - cell->first, middle = cell->first + (n + 1) / 2;
  for (uint32_t i = 0; i < n; i++) {
    const double *box = tree->leaf + 6 * (size_t)(cell->first + i);
    work[i] = (Leaf){box[axis] + box[3 + axis], i, tree->order[cell->first + i]};
  }
  qsort(work, n, sizeof *work, by_key);
  for (uint32_t i = 0; i < n; i++) {
    tree->order[cell->first + i] = work[i].element;
    memcpy(tree->leaf + 6 * (size_t)(cell->first + i), tree->boxes + 6 * (size_t)work[i].element,
           6 * sizeof(double));
  }
  cell->child = (uint32_t)tree->n_cells;
  SofaBoundingCell *half = &tree->cells[tree->n_cells];
  half[0] = (SofaBoundingCell){.first = cell->first, .last = middle};
  half[1] = (SofaBoundingCell){.first = middle, .last = cell->last};
  cover(tree, &half[0]);
  cover(tree, &half[1]);
  tree->n_cells += 2;
}

SofaErr sofa_bounding_tree_build(SofaContext *ctx, SofaBoundingTree *tree, unsigned depth) {
  tree->n_cells = 0;
  if (tree->n == 0) return SOFA_OK;
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  Leaf *work = SOFA_SCRATCH(ctx, Leaf, tree->n);
  if (!work) return SOFA_ERR_MEMORY;
  for (size_t i = 0; i < tree->n; i++) tree->order[i] = (uint32_t)i;
  place_leaves(tree);
  tree->cells[0] = (SofaBoundingCell){.last = (uint32_t)tree->n};
  cover(tree, &tree->cells[0]);
  tree->n_cells = 1;
  size_t begin = 0;
  for (unsigned level = 0; level < depth && begin < tree->n_cells; level++) {
    const size_t end = tree->n_cells;
    for (; begin < end; begin++)
      if (tree->cells[begin].last - tree->cells[begin].first > MAX_LEAVES)
        split(tree, (uint32_t)begin, work);
  }
  sofa_scratch_release(ctx, mark);
  return SOFA_OK;
}

void sofa_bounding_tree_fit(SofaBoundingTree *tree) {
  place_leaves(tree);
  for (size_t i = tree->n_cells; i-- > 0;) {
    SofaBoundingCell *cell = &tree->cells[i];
    if (!cell->child) {
      cover(tree, cell);
      continue;
    }
    const double *a = tree->cells[cell->child].box, *b = tree->cells[cell->child + 1].box;
    for (int k = 0; k < 3; k++) {
      cell->box[k] = a[k] < b[k] ? a[k] : b[k];
      cell->box[3 + k] = a[3 + k] > b[3 + k] ? a[3 + k] : b[3 + k];
    }
  }
}

/* ---- pairs ---- */

/* Cells [first, last), or leaves. */
typedef struct Range {
  uint32_t first, last;
  bool leaves;
} Range;
typedef struct SofaBoundingStep {
  Range a, b;
} RangePair;

static Range children(const SofaBoundingTree *tree, uint32_t cell) {
  const SofaBoundingCell *c = &tree->cells[cell];
  if (c->child) return (Range){c->child, c->child + 2, false};
  return (Range){c->first, c->last, true};
}
static Range below(const SofaBoundingTree *tree, bool leaf, uint32_t i) {
  return leaf ? (Range){i, i + 1, true} : children(tree, i);
}
static const double *box_of(const SofaBoundingTree *tree, bool leaf, uint32_t i) {
  return leaf ? tree->leaf + 6 * (size_t)i : tree->cells[i].box;
}

static SofaErr visit_ranges(SofaContext *ctx, const SofaBoundingTree *a, const SofaBoundingTree *b,
                            const RangePair *now, double distance, SofaBoundingWork *stack,
                            SofaElementPairs *out) {
  for (uint32_t i = now->a.first; i < now->a.last; i++) {
    const double *box = box_of(a, now->a.leaves, i);
    for (uint32_t j = now->b.first; j < now->b.last; j++) {
      if (!sofa_boxes_are_close(box, box_of(b, now->b.leaves, j), distance)) continue;
      if (now->a.leaves && now->b.leaves) {
        const SofaElementPair pair = {a->order[i], b->order[j]};
        SOFA_TRY(SOFA_APPEND(ctx, out, &pair));
      } else {
        const RangePair next = {below(a, now->a.leaves, i), below(b, now->b.leaves, j)};
        SOFA_TRY(SOFA_APPEND(ctx, stack, &next));
      }
    }
  }
  return SOFA_OK;
}

SofaErr sofa_bounding_tree_pairs(SofaContext *ctx, const SofaBoundingTree *a,
                                 const SofaBoundingTree *b, double distance, SofaBoundingWork *work,
                                 SofaElementPairs *out) {
  if (!a->n_cells || !b->n_cells) return SOFA_OK;
  const RangePair roots = {children(a, 0), children(b, 0)};
  work->n = 0;
  SOFA_TRY(SOFA_APPEND(ctx, work, &roots));
  while (work->n > 0) {
    const RangePair now = work->data[--work->n];
    SOFA_TRY(visit_ranges(ctx, a, b, &now, distance, work, out));
  }
  return SOFA_OK;
}

/* ---- rays ---- */

/* By slabs. A direction of zero along an axis asks whether p lies between its planes. */
static bool ray_meets(const double *box, const double p[3], const double d[3]) {
  double low = 0, high = INFINITY;
  for (int k = 0; k < 3; k++) {
    if (d[k] == 0) {
      if (p[k] < box[k] || p[k] > box[3 + k]) return false;
      continue;
    }
    const double a = (box[k] - p[k]) / d[k], b = (box[3 + k] - p[k]) / d[k];
    low = fmax(low, fmin(a, b));
    high = fmin(high, fmax(a, b));
  }
  return low <= high;
}

static void ray_below(const SofaBoundingTree *tree, uint32_t cell, const double p[3],
                      const double d[3], SofaRayVisit visit, void *user) {
  const SofaBoundingCell *c = &tree->cells[cell];
  if (!ray_meets(c->box, p, d)) return;
  if (c->child) {
    ray_below(tree, c->child, p, d, visit, user);
    ray_below(tree, c->child + 1, p, d, visit, user);
    return;
  }
  for (uint32_t i = c->first; i < c->last; i++)
    if (ray_meets(tree->leaf + 6 * (size_t)i, p, d)) visit(user, tree->order[i]);
}

void sofa_bounding_tree_ray(const SofaBoundingTree *tree, const double p[3], const double d[3],
                            SofaRayVisit visit, void *user) {
  if (tree->n_cells) ray_below(tree, 0, p, d, visit, user);
}
