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
  SofaInts3 data_resolution; /* of voxel files, which are not read */
  SofaVec3 voxel_size;
  uint32_t marching_cube_step, convolution_size;
  SofaSparseLevel *levels; /* finest first, n_levels; the last one is the topology */
  size_t n_levels;
  /* appends the bodies that the grid is made of; set by the class */
  SofaErr (*take_bodies)(struct SofaSparseTopology *grid, SofaSparseBodies *out);
} SofaSparseTopology;

extern const SofaClass sofa_SparseGridTopology_class;
extern const SofaClass sofa_SparseGridRamificationTopology_class;

/* Appends the body of one file, given by the named field, to *out. */
SofaErr sofa_sparse_read_body(SofaSparseTopology *grid, const char *field, const SofaFileName *file,
                              double stiffness, double mass, SofaSparseBodies *out);

#endif
