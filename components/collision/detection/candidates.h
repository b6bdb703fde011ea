/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pairs of elements that may be close, kept from detection to detection.
 *
 * A search finds the pairs whose boxes are closer than the distance and a margin. As long as no two
 * boxes can have approached each other by the margin since then, each pair whose boxes are close
 * now is among them. The order in which a search finds pairs follows from the trees alone: the
 * pairs that a new search would find are the close ones of the candidates, in their order. */
#ifndef COMPONENTS_COLLISION_CANDIDATES_H
#define COMPONENTS_COLLISION_CANDIDATES_H

#include "behavior/collision.h"
#include "numerics/spatial/bounding_tree.h"

/* Of two trees. */
typedef struct Candidates {
  SofaBoundingTree *tree[2];
  uint64_t generation[2];
  double then[12]; /* travels of the trees at the search */
  double distance, margin;
  uint64_t found, used; /* detections in which it was searched, and last used */
  SofaElementPairs pairs;
} Candidates;
SOFA_LIST(Candidates *, CandidatesList);

typedef struct CandidateStore {
  CandidatesList kept;   /* sorted by the addresses of the trees; owned */
  CandidatesList unused; /* their memory waits for other trees; owned */
  uint64_t detection;
  SofaBoundingWork work;
  SofaElementPairs fresh; /* of trees whose candidates are not kept */
} CandidateStore;

void candidates_free(SofaContext *ctx, CandidateStore *store);
/* Begins a detection. Candidates that the last one did not use are dropped. */
void candidates_begin(CandidateStore *store);

/* The candidates of two trees, valid until the next call. Of one tree with itself: the pairs whose
 * first element has the smaller index. *close: all pairs are close, and need no test. */
typedef struct CandidatePairs {
  const SofaElementPair *data;
  size_t n;
  bool close;
} CandidatePairs;
SofaErr candidates_find(SofaContext *ctx, CandidateStore *store, SofaBoundingTree *a,
                        SofaBoundingTree *b, double distance, CandidatePairs *out);

#endif
