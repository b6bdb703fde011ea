/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CubeTopology, for the class based on it. */
#ifndef SOFA_TOPOLOGY_CUBE_SURFACE_H
#define SOFA_TOPOLOGY_CUBE_SURFACE_H

#include "grid_topology.h"

typedef struct SofaCubeTopology {
  SofaMeshTopology mesh_topology;
  int nx, ny, nz;
  bool internal_points, split_normals;
  SofaVec3 min, max;
  SofaLegacyBox legacy;
} SofaCubeTopology;

extern const SofaClass sofa_CubeTopology_class;

/* Place (0 .. n - 1 along each axis) of point i. */
void sofa_cube_place(const SofaCubeTopology *cube, size_t i, int at[3]);
bool sofa_cube_has_positions(const SofaTopology *topology);

#endif
