/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The pairs of elements that an intersection method must look at: those whose boxes are close, less
 * those that its quick test leaves out. */
#ifndef COMPONENTS_COLLISION_PAIR_FILTER_H
#define COMPONENTS_COLLISION_PAIR_FILTER_H

#include "components/collision/detection/candidates.h"

typedef struct PairFilter {
  const SofaIntersection *method;
  const SofaIntersectionRule *rule;
  const SofaCollisionBody *first, *second;
} PairFilter;

/* Appends those of the candidates that are left, in their order, on any number of threads.
 * *n_close: pairs whose boxes are close. */
SofaErr pair_filter(SofaContext *ctx, const PairFilter *filter, const CandidatePairs *candidates,
                    SofaElementPairs *out, size_t *n_close);

#endif
