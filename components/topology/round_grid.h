/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What CylinderGridTopology and SphereGridTopology share: a frame around an axis. */
#ifndef SOFA_TOPOLOGY_ROUND_GRID_H
#define SOFA_TOPOLOGY_ROUND_GRID_H

#include "grid_topology.h"

typedef struct SofaRoundGrid {
  SofaGridTopology grid;
  SofaVec3 center, axis;
  double radius, length;
} SofaRoundGrid;

#define SOFA_ROUND_GRID_ROWS                                                                       \
  SOFA_FIELD(SofaRoundGrid, center, "center", "0 0 0", "m",                                        \
             "Centre; of a cylinder: of its base.", ),                                             \
      SOFA_FIELD(SofaRoundGrid, axis, "axis", "0 0 1", "1", "Direction of the third axis, not 0.", \
                 .range = SOFA_DIRECTION),                                                         \
      SOFA_FIELD(SofaRoundGrid, radius, "radius", "1", "m", "Radius.",                             \
                 .range = SOFA_FINITE_ABOVE(0))

/* Coordinate of place k of an axis with n points, from -radius to radius; radius 0: 0. */
double sofa_round_coordinate(double k, int n, double radius);
/* p = centre + X q0 + Y q1 + Z q2, Z along the axis. */
void sofa_round_to_world(const SofaRoundGrid *grid, const double q[3], double p[3]);
/* Checks the fields and fills the grid. */
SofaErr sofa_round_grid_init(SofaObject *object);

#endif
