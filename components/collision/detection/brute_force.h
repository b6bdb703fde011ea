/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The broad phase of all pairs of models, which several classes share. Many models are swept along
 * an axis, on several threads; the pairs and their order are the same. */
#ifndef COMPONENTS_COLLISION_BRUTE_FORCE_H
#define COMPONENTS_COLLISION_BRUTE_FORCE_H

#include "behavior/collision.h"

/* A body with the box around it, made larger by the skin of its model and half the alarm distance:
 * two such boxes overlap when the bodies may touch. */
typedef struct AcceptedBody {
  double box[6];
  uint32_t body;
  bool simulated;
} AcceptedBody;
SOFA_LIST(AcceptedBody, AcceptedBodies);

SOFA_LIST(SofaModelPairs, ModelPairLists);

typedef struct BruteForce {
  SofaBox box;             /* limit of the scene; invalid: none */
  AcceptedBodies accepted; /* bodies inside the box, in the search */
  SofaIndices order;       /* of accepted ones along an axis, from the last search with many */
  SofaModelPairs close;    /* pairs of accepted ones whose boxes overlap: later, earlier */
  ModelPairLists found;    /* the same, of each thread of the search */
  SofaModelPairs sorted;   /* the same by the later, then the earlier one */
  SofaIndices start;       /* of each later one in `sorted` */
} BruteForce;

typedef struct BruteForceBroadPhase {
  SofaObject object;
  BruteForce brute;
} BruteForceBroadPhase;

#define BRUTE_FORCE_ROW_BOX(T)                                                                     \
  SOFA_FIELD(T, brute.box, "box", NULL, "m",                                                       \
             "models outside this box do not collide; by default there is no limit")

extern const SofaClass sofa_BruteForceBroadPhase_class;

void brute_force_free(SofaContext *ctx, BruteForce *b);
/* Makes `sorted` and `start` by a sweep along an axis. false: a box is not finite. */
SofaErr brute_force_sweep(SofaContext *ctx, BruteForce *b, bool *done);
/* Appends the pairs of bodies whose root boxes are close: for each body first the pair with itself,
 * then those with the earlier ones. self_first: all pairs of a body with itself come first. */
SofaErr brute_force_find(SofaContext *ctx, BruteForce *b, const SofaCollisionScene *scene,
                         bool self_first, SofaModelPairs *out);

#endif
