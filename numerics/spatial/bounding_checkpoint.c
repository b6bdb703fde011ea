/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Bounding trees in checkpoints: the cells, which decide the order of pairs. What is below the last
 * cells only makes searches fast and is built again. */
#include "numerics/spatial/bounding_tree_impl.h"

void sofa_bounding_tree_save(SofaBoundingTree *tree, SofaCheckpointWriter *to) {
  sofa_bounding_tree_settle(NULL, tree);
  const size_t n = sofa_bounding_tree_is_built(tree) ? tree->n : 0;
  sofa_checkpoint_put_uint(to, n);
  if (!n) return;
  sofa_checkpoint_put_uint(to, tree->n_cells);
  sofa_checkpoint_put(to, &tree->extent, sizeof tree->extent);
  sofa_checkpoint_put(to, tree->order, n * sizeof *tree->order);
  sofa_checkpoint_put(to, tree->leaf, 6 * n * sizeof *tree->leaf);
  sofa_checkpoint_put(to, tree->cells, tree->n_cells * sizeof *tree->cells);
}

/* Two cells share the leaves of their parent, of which each has two or more. */
static bool are_halves(const SofaBoundingCell *parent, const SofaBoundingCell *child) {
  return child[0].first == parent->first && child[0].last == child[1].first &&
         child[1].last == parent->last && child[0].first + 2 <= child[0].last &&
         child[1].first + 2 <= child[1].last;
}

/* Children stand in the order of their parents, behind them; all numbers are those of the tree. */
static bool is_sound(const SofaBoundingTree *tree) {
  const SofaBoundingCell *cells = tree->cells;
  size_t next = 1;
  for (size_t i = 0; i < tree->n; i++)
    if (tree->order[i] >= tree->n) return false;
  if (cells[0].first != 0 || cells[0].last != tree->n) return false;
  for (size_t i = 0; i < tree->n_cells; i++) {
    if (!cells[i].child) continue;
    if (i >= next || cells[i].child != next || next + 2 > tree->n_cells) return false;
    if (!are_halves(&cells[i], &cells[next])) return false;
    next += 2;
  }
  return next == tree->n_cells;
}

SofaErr sofa_bounding_tree_restore(SofaContext *ctx, SofaBoundingTree *tree,
                                   SofaCheckpointReader *from) {
  const uint64_t n = sofa_checkpoint_get_uint(from);
  tree->n_cells = 0;
  if (!n) return SOFA_OK;
  const uint64_t n_cells = sofa_checkpoint_get_uint(from);
  if (n > UINT32_MAX || n_cells > n + 1 || n_cells < 1 ||
      n > (size_t)(from->end - from->at) / (6 * sizeof *tree->leaf)) {
    sofa_checkpoint_misread(from);
    return SOFA_OK;
  }
  SOFA_TRY(sofa_bounding_tree_resize(ctx, tree, n));
  tree->generation++;
  sofa_checkpoint_get(from, &tree->extent, sizeof tree->extent);
  sofa_checkpoint_get(from, tree->order, n * sizeof *tree->order);
  sofa_checkpoint_get(from, tree->leaf, 6 * n * sizeof *tree->leaf);
  sofa_checkpoint_get(from, tree->cells, n_cells * sizeof *tree->cells);
  tree->n_cells = n_cells;
  if (!sofa_checkpoint_is_bad(from) && is_sound(tree)) {
    bounding_ends_build(tree);
    bounding_boxes_from_leaves(tree);
    return SOFA_OK;
  }
  sofa_checkpoint_misread(from);
  tree->n_cells = 0;
  return SOFA_OK;
}
