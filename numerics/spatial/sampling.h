/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sampling of points: each point belongs to its nearest sample, by the straight distance or along
 * edges; samples spread by taking the farthest point. */
#ifndef SOFA_NUMERICS_SPATIAL_SAMPLING_H
#define SOFA_NUMERICS_SPATIAL_SAMPLING_H

#include "topology/topology.h"

SOFA_BEGIN_DECLS

typedef struct Sampling {
  SofaContext *ctx;
  const SofaVec3s *points;  /* borrowed */
  const SofaAround *around; /* neighbours; NULL: straight distances. Borrowed */
  SofaIndices samples;      /* owned */
  double *distance;         /* of each point to its sample; owned */
  uint32_t *region;         /* rank of its sample; owned */
} Sampling;

/* Fills a zeroed struct; there must be a point. Free also on failure. */
SofaErr sofa_sampling_start(Sampling *s, SofaContext *ctx, const SofaVec3s *points,
                            const SofaAround *around);
void sofa_sampling_free(Sampling *s);
/* Forgets all distances. */
void sofa_sampling_reset(Sampling *s);
/* Lowers distances where a sample is nearer, along edges by Dijkstra's algorithm (1959); of samples
 * at the same distance a point keeps the one it has. */
SofaErr sofa_sampling_spread(Sampling *s);
/* Adds samples until there are n (at most all points): first point 0, then each time the point
 * farthest from all, the first of equal ones. reset: forget the distances before each spreading. */
SofaErr sofa_sampling_farthest(Sampling *s, size_t n, bool reset);

SOFA_END_DECLS

#endif
