/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The fine trees below the last cells: leaves are put in two halves by the median of their centres
 * along the longest axis of the box, until 4 are left. */
#include <string.h>

#include "numerics/spatial/bounding_tree_impl.h"

static double centre(const SofaBoundingTree *tree, uint32_t leaf, int axis) {
  const double *box = tree->leaf + 6 * (size_t)leaf;
  return box[axis] + box[3 + axis];
}

/* A strict order: equal centres by the leaf. */
static bool is_before(const SofaBoundingTree *tree, uint32_t a, uint32_t b, int axis) {
  const double p = centre(tree, a, axis), q = centre(tree, b, axis);
  return p < q || (p == q && a < b);
}

static void exchange(uint32_t *v, size_t i, size_t k) {
  const uint32_t t = v[i];
  v[i] = v[k];
  v[k] = t;
}

/* Hoare's selection: the first `middle` leaves of v come before the others. */
static void select_half(const SofaBoundingTree *tree, uint32_t *v, size_t n, size_t middle,
                        int axis) {
  size_t low = 0, high = n - 1;
  while (low < high) {
    const uint32_t pivot = v[(low + high) / 2];
    size_t i = low, k = high;
    while (i <= k) {
      while (is_before(tree, v[i], pivot, axis)) i++;
      while (is_before(tree, pivot, v[k], axis)) k--;
      if (i > k) break;
      exchange(v, i++, k);
      if (k == 0) break;
      k--;
    }
    if (middle <= k) high = k;
    else if (middle >= i) low = i;
    else return;
  }
}

/* ---- groups ---- */

void bounding_group_take(SofaBoundingTree *tree, SofaBoundingCell *cell) {
  cell->fine = (uint32_t)tree->n_groups;
  tree->n_groups += (cell->last - cell->first + BOX_GROUP - 1) / BOX_GROUP;
}

void bounding_group_fill(SofaBoundingTree *tree, const SofaBoundingCell *cell,
                         const uint32_t *leaves) {
  for (uint32_t i = 0; i < cell->last - cell->first; i++) {
    BoxGroup *group = &tree->groups[cell->fine + i / BOX_GROUP];
    const uint32_t at = i % BOX_GROUP, place = cell->first + i;
    const double *box = tree->leaf + 6 * (size_t)(leaves ? leaves[place] : place);
    for (int k = 0; k < 3; k++) {
      group->low[k][at] = box[k];
      group->high[k][at] = box[3 + k];
    }
  }
}

/* ---- fine trees ---- */

static void cover(const SofaBoundingTree *tree, SofaBoundingCell *cell) {
  double box[6];
  memcpy(box, tree->leaf + 6 * (size_t)tree->fine_leaf[cell->first], sizeof box);
  for (uint32_t i = cell->first + 1; i < cell->last; i++)
    bounding_join(box, tree->leaf + 6 * (size_t)tree->fine_leaf[i]);
  memcpy(cell->box, box, sizeof box);
}

static void split(SofaBoundingTree *tree, size_t index) {
  SofaBoundingCell *cell = &tree->fine[index], *half = &tree->fine[tree->n_fine];
  const uint32_t n = cell->last - cell->first, middle = n / 2;
  if (n <= BOUNDING_MAX_LEAVES) return;
  select_half(tree, tree->fine_leaf + cell->first, n, middle, bounding_longest_axis(cell->box));
  cell->child = (uint32_t)tree->n_fine;
  half[0] = (SofaBoundingCell){.first = cell->first, .last = cell->first + middle};
  half[1] = (SofaBoundingCell){.first = cell->first + middle, .last = cell->last};
  cover(tree, &half[0]);
  cover(tree, &half[1]);
  tree->n_fine += 2;
}

static void build_below(SofaBoundingTree *tree, SofaBoundingCell *cell) {
  const size_t root = tree->n_fine++;
  cell->fine = (uint32_t)root;
  tree->fine[root] = (SofaBoundingCell){.first = cell->first, .last = cell->last};
  memcpy(tree->fine[root].box, cell->box, sizeof cell->box);
  for (size_t i = root; i < tree->n_fine; i++) {
    SofaBoundingCell *below = &tree->fine[i];
    split(tree, i);
    if (below->child) continue;
    bounding_group_take(tree, below);
    bounding_group_fill(tree, below, tree->fine_leaf);
  }
}

void bounding_fine_build(SofaBoundingTree *tree) {
  tree->n_fine = 1;
  for (size_t i = 0; i < tree->n; i++) tree->fine_leaf[i] = (uint32_t)i;
  for (size_t i = 0; i < tree->n_cells; i++) {
    SofaBoundingCell *cell = &tree->cells[i];
    if (!cell->child && bounding_is_fine(cell)) build_below(tree, cell);
  }
}

/* The cells of a fine tree follow its root, parents first; then comes the tree of later leaves. */
static size_t end_of(const SofaBoundingTree *tree, size_t root) {
  const uint32_t last = tree->fine[root].last;
  size_t end = root + 1;
  while (end < tree->n_fine && tree->fine[end].first < last) end++;
  return end;
}

void bounding_fine_fit(SofaBoundingTree *tree, const SofaBoundingCell *of) {
  for (size_t i = end_of(tree, of->fine); i-- > of->fine;) {
    SofaBoundingCell *cell = &tree->fine[i];
    if (!cell->child) {
      cover(tree, cell);
      bounding_group_fill(tree, cell, tree->fine_leaf);
      continue;
    }
    memcpy(cell->box, tree->fine[cell->child].box, sizeof cell->box);
    bounding_join(cell->box, tree->fine[cell->child + 1].box);
  }
}
