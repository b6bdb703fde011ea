/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Weights of points in the elements of a topology, by the rules of SOFA's mappers (spec:
 * BarycentricMapping). */
#ifndef SOFA_MAPPING_BARYCENTRIC_SEARCH_H
#define SOFA_MAPPING_BARYCENTRIC_SEARCH_H

#include "behavior/topology.h"
#include "weights.h"

/* Points, 3 reals each at a stride. */
typedef struct SofaPointsView {
  const double *x;
  size_t n, stride;
} SofaPointsView;

typedef enum SofaMapper {
  SOFA_MAPPER_NONE,
  SOFA_MAPPER_GRID, /* cells of a regular grid */
  SOFA_MAPPER_SET,  /* one kind of element, found by hashing */
  SOFA_MAPPER_MESH  /* all elements of the highest dimension */
} SofaMapper;

/* Which mapper a topology gets, and by which kinds of element (at most two); *n_kinds 0: none. */
SofaMapper sofa_barycentric_mapper(SofaTopology *topology, SofaElementKind kinds[2],
                                   size_t *n_kinds);

/* Computes the weights of `points` in the topology with vertices at `vertices`. Failures (no
 * mapper, vertices missing) are reported for `object`. */
SofaErr sofa_barycentric_weights(const SofaObject *object, SofaTopology *topology,
                                 const SofaPointsView *vertices, const SofaPointsView *points,
                                 SofaWeights *out);

#endif
