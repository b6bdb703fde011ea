/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fields of distances through a body of hexahedra: shortest ways and harmonic functions. */
#ifndef SOFA_ENGINE_ANALYZE_DISTANCE_MAPS_H
#define SOFA_ENGINE_ANALYZE_DISTANCE_MAPS_H

#include "topology/topology.h"

/* The body. Everything is borrowed. */
typedef struct SofaDistanceBody {
  SofaContext *ctx;
  const SofaHexas *hexas;
  const SofaAround *around; /* hexahedra around points */
  const double *x;          /* n_points x 3, m */
  size_t n_points;
  const double *coefficient; /* of each hexahedron, > 0: factor of its ways, and of its
                                conductivity; NULL: 1 */
} SofaDistanceBody;

/* Lengths of the shortest ways from a point, which is `entry` away itself; a way leads straight
 * between the corners of a hexahedron. inf where none leads. distance: n_points. */
SofaErr sofa_distance_ways(const SofaDistanceBody *body, uint32_t point, double entry,
                           double *distance);

/* The harmonic function (div(c grad u) = 0, no flow through the surface) with the values u has
 * where `fixed`; inf at points without a way to one of these. By trilinear elements and conjugate
 * gradients. *bad (may be NULL) gets a hexahedron without volume, with SOFA_ERR_GEOMETRY. */
SofaErr sofa_distance_harmonic(const SofaDistanceBody *body, const bool *fixed, double *u,
                               size_t *bad);

#endif
