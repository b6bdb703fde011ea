/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SparseGridTopology, for the class based on it and for components that use its finer levels. */
#ifndef SOFA_TOPOLOGY_SPARSE_TOPOLOGY_H
#define SOFA_TOPOLOGY_SPARSE_TOPOLOGY_H

#include "behavior/loader.h"
#include "mesh_topology.h"
#include "sparse_grid.h"

typedef struct SofaSparseTopology {
  SofaMeshTopology mesh_topology;
  SofaSparseOptions options;
  SofaInts3 n;
  SofaVec3 min, max;
  double cell_width;
  int n_finer;
  SofaIndexRows facets;
  SofaInts3 data_resolution; /* of raw files */
  SofaVec3 voxel_size;
  uint32_t marching_cube_step, convolution_size;
  SofaVec3s surface_points; /* around voxels */
  SofaTriangles surface_triangles;
  SofaSparseLevel *levels; /* finest first, n_levels; the last one is the topology */
  size_t n_levels;
} SofaSparseTopology;

extern const SofaClass sofa_SparseGridTopology_class;

#endif
