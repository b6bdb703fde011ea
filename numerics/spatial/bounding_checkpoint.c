/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Bounding trees in checkpoints. */
#include "numerics/spatial/bounding_tree_impl.h"

void sofa_bounding_tree_save(const SofaBoundingTree *tree, SofaCheckpointWriter *to) {
  const size_t n = sofa_bounding_tree_is_built(tree) ? tree->n : 0;
  sofa_checkpoint_put_uint(to, n);
  if (!n) return;
  sofa_checkpoint_put_uint(to, tree->n_cells);
  sofa_checkpoint_put_uint(to, tree->n_fine);
  sofa_checkpoint_put(to, &tree->extent, sizeof tree->extent);
  sofa_checkpoint_put(to, tree->order, n * sizeof *tree->order);
  sofa_checkpoint_put(to, tree->leaf, 6 * n * sizeof *tree->leaf);
  sofa_checkpoint_put(to, tree->fine_leaf, n * sizeof *tree->fine_leaf);
  sofa_checkpoint_put(to, tree->cells, tree->n_cells * sizeof *tree->cells);
  sofa_checkpoint_put(to, tree->fine, tree->n_fine * sizeof *tree->fine);
}

/* Children come behind their parents; all numbers are those of the tree. */
static bool are_sound(const SofaBoundingTree *tree, const SofaBoundingCell *cells, size_t begin,
                      size_t n) {
  for (size_t i = begin; i < n; i++) {
    const SofaBoundingCell *c = &cells[i];
    if (c->first >= c->last || c->last > tree->n) return false;
    if (c->child && (c->child <= i || c->child + (size_t)1 >= n)) return false;
    if (c->fine && c->fine >= tree->n_fine) return false;
  }
  return true;
}

static bool is_sound(const SofaBoundingTree *tree) {
  for (size_t i = 0; i < tree->n; i++)
    if (tree->order[i] >= tree->n || tree->fine_leaf[i] >= tree->n) return false;
  return are_sound(tree, tree->cells, 0, tree->n_cells) &&
         are_sound(tree, tree->fine, 1, tree->n_fine); /* cell 0 is not used */
}

SofaErr sofa_bounding_tree_restore(SofaContext *ctx, SofaBoundingTree *tree,
                                   SofaCheckpointReader *from) {
  const uint64_t n = sofa_checkpoint_get_uint(from);
  tree->n_cells = 0;
  if (!n) return SOFA_OK;
  const uint64_t n_cells = sofa_checkpoint_get_uint(from), n_fine = sofa_checkpoint_get_uint(from);
  if (n > UINT32_MAX || n_cells > n + 1 || n_fine > n + 2 ||
      n > (size_t)(from->end - from->at) / sizeof *tree->leaf) {
    sofa_checkpoint_misread(from);
    return SOFA_OK;
  }
  SOFA_TRY(sofa_bounding_tree_resize(ctx, tree, n));
  tree->generation++;
  sofa_checkpoint_get(from, &tree->extent, sizeof tree->extent);
  sofa_checkpoint_get(from, tree->order, n * sizeof *tree->order);
  sofa_checkpoint_get(from, tree->leaf, 6 * n * sizeof *tree->leaf);
  sofa_checkpoint_get(from, tree->fine_leaf, n * sizeof *tree->fine_leaf);
  sofa_checkpoint_get(from, tree->cells, n_cells * sizeof *tree->cells);
  sofa_checkpoint_get(from, tree->fine, n_fine * sizeof *tree->fine);
  tree->n_fine = n_fine;
  tree->n_cells = n_cells;
  if (!is_sound(tree)) {
    sofa_checkpoint_misread(from);
    tree->n_cells = 0;
  }
  return SOFA_OK;
}
