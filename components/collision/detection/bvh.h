/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The narrow phase over bounding trees, which several classes share. */
#ifndef COMPONENTS_COLLISION_BVH_H
#define COMPONENTS_COLLISION_BVH_H

#include "components/collision/detection/exact_tests.h"
#include "components/collision/detection/pair_map.h"

typedef struct BVHNarrowPhase {
  SofaObject object;
  PairMap map;              /* values: SofaModelContact */
  SofaModelContacts unused; /* entries whose memory waits for the next pair; owned */
  CandidateStore candidates;
  ExactTests tests;
  size_t n_close;   /* pairs of elements whose boxes were close, in the last detection */
  bool begins_anew; /* a reset: the map is emptied before the next detection */
} BVHNarrowPhase;

extern const SofaClass sofa_BVHNarrowPhase_class;

/* A detection, see SofaNarrowPhaseOps. */
SofaErr bvh_find(BVHNarrowPhase *b, const SofaCollisionScene *scene, const SofaModelPairs *pairs,
                 SofaModelContacts *out);

/* The parts of bvh_find: the entries are emptied; those with detections are the result. */
void bvh_begin(BVHNarrowPhase *b);
SofaErr bvh_end(BVHNarrowPhase *b, size_t n_pairs, SofaModelContacts *out);
/* The entry of a pair of models; it is made where there is none. */
SofaErr bvh_entry(BVHNarrowPhase *b, SofaCollisionModel *first, SofaCollisionModel *second,
                  SofaModelContact **out);

#endif
