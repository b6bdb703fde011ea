/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The brute-force broad phase, which several classes share. */
#ifndef COMPONENTS_COLLISION_BRUTE_FORCE_H
#define COMPONENTS_COLLISION_BRUTE_FORCE_H

#include "behavior/collision.h"

typedef struct BruteForceBroadPhase {
  SofaBroadPhase phase;
  SofaBox box;
  SofaIndices accepted; /* bodies inside the box */
} BruteForceBroadPhase;

extern const SofaClass sofa_BruteForceBroadPhase_class;

/* Appends the pairs of bodies whose root boxes are close: for each body first the pair with itself,
 * then those with the earlier ones. self_first: all pairs of a body with itself come first. */
SofaErr brute_force_find(BruteForceBroadPhase *b, const SofaCollisionScene *scene, bool self_first,
                         SofaModelPairs *out);

#endif
