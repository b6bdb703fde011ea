/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Bounding trees of boxes: which pairs of elements of two bodies may be close.
 *
 * The leaves are the boxes of elements. Above them are up to depth + 1 levels of cells. The root
 * holds all leaves; a cell with more than 4 leaves is split in two along its longest axis, at the
 * median of the leaves' centres, until the level `depth`. The tree is built once and then fitted to
 * the boxes as they move, so that the order in which pairs are found does not change from step to
 * step.
 *
 * Cells of the last level may have many leaves. Below them stands a second tree, the fine one, that
 * only makes the search fast: its pairs are sorted into the order of the leaves. A search tests the
 * leaves of its last cells in groups (box_batch_impl.h). */
#ifndef SOFA_NUMERICS_SPATIAL_BOUNDING_TREE_H
#define SOFA_NUMERICS_SPATIAL_BOUNDING_TREE_H

#include "object/checkpoint.h"
#include "behavior/collision.h"

SOFA_BEGIN_DECLS

typedef struct SofaBoundingCell {
  double box[6];        /* low, high */
  uint32_t first, last; /* leaves [first, last) */
  uint32_t child;       /* first of two cells; 0: none, its children are its leaves */
  uint32_t fine;        /* without children: root of the fine tree of its many leaves, in
                           tree->fine, or the first group of its few, in tree->groups */
} SofaBoundingCell;

/* Leaves from which on a tree knows its travel: searches in smaller ones cost no more than that. */
enum { SOFA_BOUNDING_TRAVELS = 32 };

typedef struct SofaBoundingTree {
  size_t n;                /* leaves */
  uint32_t *order;         /* n: the element at each leaf */
  double *leaf;            /* 6 n: boxes of the leaves */
  SofaBoundingCell *cells; /* parents before children; cells[0] is the root, when n > 0 */
  size_t n_cells;
  double *boxes;  /* 6 n: boxes of the elements, for the caller to fill */
  double *fitted; /* 6 n: those of the last fit */
  bool moved;     /* since then: cells other than the root, and leaves, are as they were */
  /* How far the boxes have moved since the tree was built: sums over all fits of the least (3) and
   * of the greatest (3) change of their coordinates along each axis, and the changes since the last
   * fit. Between two times the travel bounds the motion where the tree was fitted at the first one.
   * Its last change is `step`, infinite when a coordinate is not a finite number and in small
   * trees. */
  double travel[6], step[6];
  double base[6];      /* the travel of the last fit */
  double extent;       /* mean edge of the leaves when the tree was built */
  uint64_t generation; /* grows when travel does not say how the boxes have moved */
  /* private */
  size_t capacity;        /* leaves there is memory for */
  SofaBoundingCell *fine; /* n_fine cells, parents before children; cell 0 is not used */
  size_t n_fine;
  uint32_t *fine_leaf; /* n: the leaf at each place of the fine trees */
  /* leaves of cells without children and fine trees, and of the last cells of fine trees, once
   * more: in groups that a search tests at once */
  struct SofaBoxGroup *groups;
  size_t n_groups;
} SofaBoundingTree;

void sofa_bounding_tree_free(SofaContext *ctx, SofaBoundingTree *tree);
/* Memory for n elements: their boxes go to tree->boxes. A tree of another number of elements is
 * dropped. Allocates only when n is larger than ever before. */
SofaErr sofa_bounding_tree_resize(SofaContext *ctx, SofaBoundingTree *tree, size_t n);
/* Builds the tree of the boxes. */
SofaErr sofa_bounding_tree_build(SofaContext *ctx, SofaBoundingTree *tree, unsigned depth);
/* Fits the tree that there is to the boxes, on the threads of the context (NULL: on one); the same
 * bits on any number of them. */
void sofa_bounding_tree_fit(const SofaContext *ctx, SofaBoundingTree *tree);
/* The boxes have moved: travel and the box of the root follow, the rest when it is asked for. */
void sofa_bounding_tree_move(const SofaContext *ctx, SofaBoundingTree *tree);
/* Fits what `move` left. Searches do. ctx: as above. */
void sofa_bounding_tree_settle(const SofaContext *ctx, SofaBoundingTree *tree);
static inline bool sofa_bounding_tree_is_built(const SofaBoundingTree *tree) {
  return tree->n_cells > 0;
}

/* Is the gap between two boxes at most d along every axis? Without a branch: which axis separates
 * them cannot be guessed. A coordinate that is not a number separates nothing. */
static inline bool sofa_boxes_are_close(const double *a, const double *b, double d) {
  int far = 0;
  for (int k = 0; k < 3; k++) far |= (a[k] > b[3 + k] + d) | (b[k] > a[3 + k] + d);
  return !far;
}

/* What a search works with; all-zero at first, kept from search to search. */
typedef struct SofaBoundingWork {
  struct SofaBoundingSteps {
    struct SofaBoundingStep *data;
    size_t n, capacity;
  } steps, fine;
  SofaElementPairs pairs; /* of leaves */
  SofaIndices count;      /* per row, for sorting */
  /* of searches on several threads */
  struct SofaBoundingWork *part; /* owned: what each thread works with */
  size_t n_parts;
  SofaElementPairs found; /* of a part */
  struct SofaBoundingTasks {
    struct SofaBoundingTask *data;
    size_t n, capacity;
  } tasks;
} SofaBoundingWork;
void sofa_bounding_work_free(SofaContext *ctx, SofaBoundingWork *work);

/* Appends the pairs of elements (of a, of b) whose boxes are close. The order follows from the
 * trees alone: pairs of cells are visited depth first, the last pair of children first, and pairs
 * of leaves row by row. a and b may be the same tree: then each pair is found both ways, and each
 * element with itself. Large trees are searched on the context's threads, with the same result. */
SofaErr sofa_bounding_tree_pairs(SofaContext *ctx, SofaBoundingTree *a, SofaBoundingTree *b,
                                 double distance, SofaBoundingWork *work, SofaElementPairs *out);

/* By how much the gap between two boxes, one of each tree, can have become smaller along an axis
 * since the travels of the trees were `then` (of a, of b), up to rounding. */
double sofa_bounding_trees_approach(const SofaBoundingTree *a, const SofaBoundingTree *b,
                                    const double then[12]);

/* Calls `visit` for the elements whose boxes the ray p + t d, t >= 0, meets. */
typedef void (*SofaRayVisit)(void *user, uint32_t element);
void sofa_bounding_tree_ray(SofaBoundingTree *tree, const double p[3], const double d[3],
                            SofaRayVisit visit, void *user);

/* For checkpoints: the tree as it was built, which decides the order of pairs. What was restored
 * moves before its next use. */
void sofa_bounding_tree_save(SofaBoundingTree *tree, SofaCheckpointWriter *to);
SofaErr sofa_bounding_tree_restore(SofaContext *ctx, SofaBoundingTree *tree,
                                   SofaCheckpointReader *from);

SOFA_END_DECLS

#endif
