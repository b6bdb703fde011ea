/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The narrow phase over bounding trees, which several classes share. */
#ifndef COMPONENTS_COLLISION_BVH_H
#define COMPONENTS_COLLISION_BVH_H

#include "components/collision/detection/pair_map.h"
#include "numerics/spatial/bounding_tree.h"

typedef struct BVHNarrowPhase {
  SofaNarrowPhase phase;
  PairMap map;               /* values: SofaModelContact */
  SofaModelContacts unused;  /* entries whose memory waits for the next pair; owned */
  SofaElementPairs elements; /* of the pair being tested */
  SofaBoundingWork work;
  bool begins_anew; /* a reset: the map is emptied before the next detection */
} BVHNarrowPhase;

extern const SofaClass sofa_BVHNarrowPhase_class;

#endif
