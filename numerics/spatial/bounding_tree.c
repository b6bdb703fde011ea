/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "numerics/spatial/bounding_tree_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/team.h"

void sofa_bounding_tree_free(SofaContext *ctx, SofaBoundingTree *tree) {
  sofa_free(ctx, tree->order);
  sofa_free(ctx, tree->leaf);
  sofa_free(ctx, tree->cells);
  sofa_free(ctx, tree->boxes);
  sofa_free(ctx, tree->fitted);
  sofa_free(ctx, tree->fine);
  sofa_free(ctx, tree->fine_leaf);
  sofa_free(ctx, tree->groups);
  *tree = (SofaBoundingTree){0};
}

static SofaErr reserve(SofaContext *ctx, SofaBoundingTree *tree, size_t n) {
  const uint64_t generation = tree->generation;
  if (n <= tree->capacity) return SOFA_OK;
  sofa_bounding_tree_free(ctx, tree);
  tree->generation = generation + 1;
  tree->order = sofa_alloc(ctx, n, sizeof *tree->order);
  tree->leaf = sofa_alloc(ctx, 6 * n, sizeof *tree->leaf);
  tree->boxes = sofa_alloc(ctx, 6 * n, sizeof *tree->boxes);
  tree->fitted = sofa_alloc(ctx, 6 * n, sizeof *tree->fitted);
  tree->cells = sofa_alloc(ctx, n + 1, sizeof *tree->cells);
  tree->fine = sofa_alloc(ctx, n + 2, sizeof *tree->fine);
  tree->fine_leaf = sofa_alloc(ctx, n, sizeof *tree->fine_leaf);
  tree->groups = sofa_alloc(ctx, n / 2 + 1, sizeof *tree->groups); // cells have two leaves or more
  if (!tree->order || !tree->leaf || !tree->boxes || !tree->fitted || !tree->cells || !tree->fine ||
      !tree->fine_leaf || !tree->groups) {
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
  double box[6];
  memcpy(box, leaf, sizeof box);
  for (uint32_t i = cell->first + 1; i < cell->last; i++)
    bounding_join(box, tree->leaf + 6 * (size_t)i);
  memcpy(cell->box, box, sizeof box);
}

/* The boxes of the leaves are those of the elements from here on. */
static void mark_fitted(SofaBoundingTree *tree) {
  sofa_copy(tree->fitted, tree->boxes, 6 * tree->n * sizeof *tree->fitted);
  memcpy(tree->base, tree->travel, sizeof tree->base);
  tree->moved = false;
}

static void place_leaves(SofaBoundingTree *tree) {
  for (size_t i = 0; i < tree->n; i++)
    memcpy(tree->leaf + 6 * i, tree->boxes + 6 * (size_t)tree->order[i], 6 * sizeof(double));
}

void bounding_boxes_from_leaves(SofaBoundingTree *tree) {
  for (size_t i = 0; i < tree->n; i++)
    memcpy(tree->boxes + 6 * (size_t)tree->order[i], tree->leaf + 6 * i, 6 * sizeof(double));
  mark_fitted(tree);
}

/* Sorts the leaves of a cell along its longest axis and appends its two halves. */
static void split(SofaBoundingTree *tree, uint32_t index, Leaf *work) {
  SofaBoundingCell *cell = &tree->cells[index];
  const int axis = bounding_longest_axis(cell->box);
  const uint32_t n = cell->last - cell->first, middle = cell->first + (n + 1) / 2;
  for (uint32_t i = 0; i < n; i++) {
    const double *box = tree->leaf + 6 * (size_t)(cell->first + i);
    work[i] = (Leaf){box[axis] + box[3 + axis], i, tree->order[cell->first + i]};
  }
  sofa_sort(work, n, sizeof *work, by_key);
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

void bounding_ends_build(SofaBoundingTree *tree) {
  tree->n_groups = 0;
  bounding_fine_build(tree);
  for (size_t i = 0; i < tree->n_cells; i++) {
    SofaBoundingCell *cell = &tree->cells[i];
    if (cell->child || bounding_is_fine(cell)) continue;
    bounding_group_take(tree, cell);
    bounding_group_fill(tree, cell, NULL);
  }
}

/* No motion so far. */
static void forget_motion(SofaBoundingTree *tree) {
  double sum = 0;
  for (size_t i = 0; i < tree->n; i++)
    for (size_t k = 0; k < 3; k++) sum += tree->boxes[6 * i + 3 + k] - tree->boxes[6 * i + k];
  tree->extent = tree->n ? sum / (3 * (double)tree->n) : 0;
  memset(tree->travel, 0, sizeof tree->travel);
  memset(tree->step, 0, sizeof tree->step);
  tree->generation++;
}

SofaErr sofa_bounding_tree_build(SofaContext *ctx, SofaBoundingTree *tree, unsigned depth) {
  tree->n_cells = 0;
  forget_motion(tree);
  mark_fitted(tree);
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
      if (tree->cells[begin].last - tree->cells[begin].first > BOUNDING_MAX_LEAVES)
        split(tree, (uint32_t)begin, work);
  }
  bounding_ends_build(tree);
  sofa_scratch_release(ctx, mark);
  return SOFA_OK;
}

/* ---- fitting ---- */

/* Least and greatest change of the coordinates of some boxes along each axis. */
typedef struct Motion {
  double low[3], high[3];
  bool finite;
} Motion;

static void join_motion(Motion *m, const Motion *other) {
  for (int k = 0; k < 3; k++) {
    if (other->low[k] < m->low[k]) m->low[k] = other->low[k];
    if (other->high[k] > m->high[k]) m->high[k] = other->high[k];
  }
  m->finite = m->finite && other->finite;
}

/* Leaves [first, last) take the boxes of their elements. */
static Motion move_leaves(SofaBoundingTree *tree, size_t first, size_t last) {
  Motion m = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, true};
  double sum = 0; /* finite when all changes are, unless they are beyond any scene */
  for (size_t i = first; i < last; i++) {
    const double *box = tree->boxes + 6 * (size_t)tree->order[i];
    double *leaf = tree->leaf + 6 * i;
    for (int k = 0; k < 6; k++) {
      const double change = box[k] - leaf[k];
      m.low[k % 3] = change < m.low[k % 3] ? change : m.low[k % 3];
      m.high[k % 3] = change > m.high[k % 3] ? change : m.high[k % 3];
      sum += fabs(change);
      leaf[k] = box[k];
    }
  }
  m.finite = isfinite(sum);
  return m;
}

/* Adds a motion since the last fit to the travel. */
static void travel(SofaBoundingTree *tree, const double low[3], const double high[3], bool finite) {
  for (int k = 0; k < 6; k++) {
    const double now = tree->base[k] + (k < 3 ? low[k] : high[k - 3]);
    tree->step[k] = finite ? now - tree->travel[k] : k < 3 ? -INFINITY : INFINITY;
    if (finite) tree->travel[k] = now;
  }
  if (!finite) tree->generation++;
}

/* The same of a fit, of chunks of leaves. */
static void travel_of_leaves(SofaBoundingTree *tree, const Motion *chunk, size_t n) {
  Motion all = chunk[0];
  for (size_t i = 1; i < n; i++) join_motion(&all, &chunk[i]);
  travel(tree, all.low, all.high, all.finite);
}

/* A loop over 0 .. n - 1; trees that are small, or without a context, are one thread's. */
static void for_each(const SofaContext *ctx, const SofaBoundingTree *tree, size_t n, size_t grain,
                     SofaTeamRange work, void *user) {
  if (n == 0) return;
  if (!ctx || tree->n < BOUNDING_THREADS) work(user, 0, n);
  else sofa_team_for(ctx, n, grain, work, user);
}

/* Leaves or boxes are divided into chunks of one width, whatever the number of threads. */
enum { MOST_CHUNKS = 64, CELLS_AT_ONCE = 256 };

typedef struct Chunks {
  SofaBoundingTree *tree;
  size_t width;
  Motion *leaves; /* of each chunk */
  const BoxKernels *kernels;
  BoxMotion *boxes;
} Chunks;

static size_t chunk_width(const SofaBoundingTree *tree) {
  const size_t least = tree->n / MOST_CHUNKS + 1;
  return least > BOUNDING_CHUNK ? least : (size_t)BOUNDING_CHUNK;
}

static void move_chunks(void *user, size_t begin, size_t end) {
  const Chunks *c = user;
  for (size_t i = begin; i < end; i++) {
    const size_t first = i * c->width, last = first + c->width;
    c->leaves[i] = move_leaves(c->tree, first, last < c->tree->n ? last : c->tree->n);
  }
}

static void move_all_leaves(const SofaContext *ctx, SofaBoundingTree *tree) {
  Motion chunk[MOST_CHUNKS];
  Chunks chunks = {.tree = tree, .width = chunk_width(tree), .leaves = chunk};
  const size_t n = (tree->n + chunks.width - 1) / chunks.width;
  if (tree->n < SOFA_BOUNDING_TRAVELS) {
    place_leaves(tree);
    chunk[0] = (Motion){.finite = false};
  } else {
    for_each(ctx, tree, n, 1, move_chunks, &chunks);
  }
  travel_of_leaves(tree, chunk, n);
}

/* A cell without children. */
static void fit_cell(SofaBoundingTree *tree, SofaBoundingCell *cell) {
  if (cell->child) return;
  if (bounding_is_fine(cell)) {
    bounding_fine_fit(tree, cell);
    memcpy(cell->box, tree->fine[cell->fine].box, sizeof cell->box);
  } else {
    cover(tree, cell);
    bounding_group_fill(tree, cell, NULL);
  }
}

static void fit_some(void *user, size_t begin, size_t end) {
  SofaBoundingTree *tree = user;
  for (size_t i = begin; i < end; i++) fit_cell(tree, &tree->cells[i]);
}

/* All cells, when the leaves have their places. */
static void fit_cells(const SofaContext *ctx, SofaBoundingTree *tree) {
  for_each(ctx, tree, tree->n_cells, CELLS_AT_ONCE, fit_some, tree);
  for (size_t i = tree->n_cells; i-- > 0;) {
    SofaBoundingCell *cell = &tree->cells[i];
    if (!cell->child) continue;
    memcpy(cell->box, tree->cells[cell->child].box, sizeof cell->box);
    bounding_join(cell->box, tree->cells[cell->child + 1].box);
  }
  mark_fitted(tree);
}

void sofa_bounding_tree_fit(const SofaContext *ctx, SofaBoundingTree *tree) {
  if (tree->n == 0) return;
  move_all_leaves(ctx, tree);
  fit_cells(ctx, tree);
}

void sofa_bounding_tree_settle(const SofaContext *ctx, SofaBoundingTree *tree) {
  if (!tree->moved || !tree->n_cells) return;
  place_leaves(tree);
  fit_cells(ctx, tree);
}

/* ---- motion ---- */

static void join_boxes(BoxMotion *m, const BoxMotion *other) {
  for (int k = 0; k < 3; k++) {
    m->low[k] = fmin(m->low[k], other->low[k]);
    m->high[k] = fmax(m->high[k], other->high[k]);
  }
  bounding_join(m->box, other->box);
  m->sum += other->sum;
}

static void move_boxes(void *user, size_t begin, size_t end) {
  const Chunks *c = user;
  for (size_t i = begin; i < end; i++) {
    const size_t first = i * c->width, left = c->tree->n - first;
    c->kernels->move(c->tree->boxes + 6 * first, c->tree->fitted + 6 * first,
                     left < c->width ? left : c->width, &c->boxes[i]);
  }
}

static BoxMotion motion_of(const SofaContext *ctx, SofaBoundingTree *tree) {
  BoxMotion chunk[MOST_CHUNKS];
  Chunks chunks = {
      .tree = tree, .width = chunk_width(tree), .kernels = box_kernels(ctx), .boxes = chunk};
  const size_t n = (tree->n + chunks.width - 1) / chunks.width;
  for_each(ctx, tree, n, 1, move_boxes, &chunks);
  for (size_t i = 1; i < n; i++) join_boxes(&chunk[0], &chunk[i]);
  return chunk[0];
}

void sofa_bounding_tree_move(const SofaContext *ctx, SofaBoundingTree *tree) {
  BoxMotion m = {.sum = INFINITY};
  if (tree->n >= SOFA_BOUNDING_TRAVELS) m = motion_of(ctx, tree);
  if (!isfinite(m.sum)) {
    sofa_bounding_tree_fit(ctx, tree);
    return;
  }
  travel(tree, m.low, m.high, true);
  memcpy(tree->cells[0].box, m.box, sizeof m.box);
  tree->moved = true;
}

double sofa_bounding_trees_approach(const SofaBoundingTree *a, const SofaBoundingTree *b,
                                    const double then[12]) {
  double most = 0;
  for (int k = 0; k < 3; k++) {
    const double a_low = a->travel[k] - then[k], a_high = a->travel[3 + k] - then[3 + k];
    const double b_low = b->travel[k] - then[6 + k], b_high = b->travel[3 + k] - then[9 + k];
    most = fmax(most, fmax(b_high - a_low, a_high - b_low));
  }
  return most;
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

void sofa_bounding_tree_ray(SofaBoundingTree *tree, const double p[3], const double d[3],
                            SofaRayVisit visit, void *user) {
  sofa_bounding_tree_settle(NULL, tree);
  if (tree->n_cells) ray_below(tree, 0, p, d, visit, user);
}
