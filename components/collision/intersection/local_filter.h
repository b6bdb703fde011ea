/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Filters of LocalMinDistance: a contact counts only in the directions that the surface around the
 * element leaves free. */
#ifndef COMPONENTS_COLLISION_LOCAL_FILTER_H
#define COMPONENTS_COLLISION_LOCAL_FILTER_H

#include "behavior/collision_model.h"

typedef struct LocalFilterRule {
  double angle_cone, cone_factor;
} LocalFilterRule;

/* Of a model, for a batch of its elements. */
typedef struct LocalFilter {
  const SofaCollisionModel *model;
  LocalFilterRule rule;
  const SofaAround *triangles; /* around points or edges of the topology; NULL: none */
  const SofaAround *edges;     /* around points; NULL: none */
  bool passes;                 /* all elements pass */
} LocalFilter;

void local_filter_begin(LocalFilter *f, const SofaCollisionModel *model, LocalFilterRule rule);
/* May element i have a contact in the direction v, from its own place to the other one? */
bool local_filter_accepts(const LocalFilter *f, uint32_t i, const double v[3]);

#endif
