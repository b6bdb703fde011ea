/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the files of bounding trees share. */
#ifndef NUMERICS_SPATIAL_BOUNDING_TREE_IMPL_H
#define NUMERICS_SPATIAL_BOUNDING_TREE_IMPL_H

#include "numerics/spatial/bounding_tree.h"
#include "numerics/spatial/box_batch_impl.h"

enum {
  BOUNDING_MAX_LEAVES = 4,   /* of a cell that is not split */
  BOUNDING_FINE_LEAVES = 16, /* a cell of the last level with more has a fine tree */
  BOUNDING_CHUNK = 1024,     /* leaves whose motion is added up together */
  BOUNDING_THREADS = 8192    /* leaves from which on threads are worth while */
};

/* Without a branch, and in registers where the boxes are in some. */
static inline void bounding_join(double *box, const double *other) {
#define JOIN(k, is) box[k] = other[k] is box[k] ? other[k] : box[k]
  JOIN(0, <);
  JOIN(1, <);
  JOIN(2, <);
  JOIN(3, >);
  JOIN(4, >);
  JOIN(5, >);
#undef JOIN
}

/* sofa_boxes_are_close, two comparisons at once. */
typedef double BoundingTwo __attribute__((vector_size(16), aligned(8), may_alias));
static inline bool bounding_close(const double *a, const double *b, double distance) {
#define TWO(p) (*(const BoundingTwo *)(p))
  const BoundingTwo d = {distance, distance}, low = {a[2], b[2]}, high = {b[5], a[5]};
  const __typeof__(d > d) far =
      (TWO(a) > TWO(b + 3) + d) | (TWO(b) > TWO(a + 3) + d) | (low > high + d);
#undef TWO
  return (far[0] | far[1]) == 0;
}

/* x when it is longer than both others, y when it is longer than z, else z. */
static inline int bounding_longest_axis(const double box[6]) {
  const double x = box[3] - box[0], y = box[4] - box[1], z = box[5] - box[2];
  if (x > y) return x > z ? 0 : 2;
  return y > z ? 1 : 2;
}

/* Has a cell without children a fine tree? Otherwise its leaves are in groups. */
static inline bool bounding_is_fine(const SofaBoundingCell *cell) {
  return cell->last - cell->first > BOUNDING_FINE_LEAVES;
}

/* The next groups are those of a cell. */
void bounding_group_take(SofaBoundingTree *tree, SofaBoundingCell *cell);
/* Puts the boxes of a cell's leaves into its groups. leaves: their indices, by the places of the
 * cell; NULL: the places. */
void bounding_group_fill(SofaBoundingTree *tree, const SofaBoundingCell *cell,
                         const uint32_t *leaves);

/* Builds what is below the cells without children: fine trees and groups. */
void bounding_ends_build(SofaBoundingTree *tree);
/* The boxes of the elements, and of the last fit, are those of the leaves. */
void bounding_boxes_from_leaves(SofaBoundingTree *tree);
/* Builds the fine trees of all cells that want one. */
void bounding_fine_build(SofaBoundingTree *tree);
/* Fits the fine tree of a cell. */
void bounding_fine_fit(SofaBoundingTree *tree, const SofaBoundingCell *cell);

#endif
