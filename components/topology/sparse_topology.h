/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SparseGridTopology, for the class based on it and for components that use its finer levels. */
#ifndef SOFA_TOPOLOGY_SPARSE_TOPOLOGY_H
#define SOFA_TOPOLOGY_SPARSE_TOPOLOGY_H

#include "behavior/loader.h"
#include "mesh_topology.h"
#include "sparse_grid.h"
#include "voxel_image.h"

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
  SofaVec3s given_points; /* of the surface in the fields, which the grid replaces */
  SofaTriangles given_triangles;
  SofaQuads given_quads;
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

/* The voxels of a file or of a VoxelGridLoader in context; *found: the grid is made of them. Sets
 * the box of the grid and makes the surface around the voxels. */
SofaErr sofa_sparse_take_image(SofaSparseTopology *grid, SofaVoxelImage *image, bool *found);
/* The finest level, of the share of voxels in each cell. */
SofaErr sofa_sparse_fill_image(SofaSparseTopology *grid, const SofaVoxelImage *image,
                               SofaSparseLevel *finest);

#endif
