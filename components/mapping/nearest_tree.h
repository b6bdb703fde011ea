/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A k-d tree over points: which one is nearest? (Bentley 1975.) */
#ifndef SOFA_MAPPING_NEAREST_TREE_H
#define SOFA_MAPPING_NEAREST_TREE_H

#include "base/array.h"

typedef struct SofaNearestTree { /* all-zero: empty */
  size_t n;
  SofaVec3 *points; /* owned, in the order of the ids below */
  uint32_t *ids;    /* owned; the middle of each range splits it */
  uint8_t *axes;    /* owned; axis of each split */
} SofaNearestTree;

/* Takes over `points` (n of them), also on failure; their ids are their ranks. */
SofaErr sofa_nearest_tree_build(SofaContext *ctx, SofaVec3 *points, size_t n, SofaNearestTree *out);
void sofa_nearest_tree_free(SofaContext *ctx, SofaNearestTree *tree);
/* Id of the point with the smallest squared distance (computed as dx dx + dy dy + dz dz), the
 * lowest id of several. UINT32_MAX when the tree is empty. */
uint32_t sofa_nearest_tree_find(const SofaNearestTree *tree, const double p[3]);

#endif
