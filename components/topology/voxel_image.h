/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Images of voxels that sparse grids are made of: files, loaders, and the surface around them. */
#ifndef SOFA_TOPOLOGY_VOXEL_IMAGE_H
#define SOFA_TOPOLOGY_VOXEL_IMAGE_H

#include "base/files.h"
#include "sparse_grid.h"

/* Voxels of a box from the origin on, x fastest. All-zero: empty. */
typedef struct SofaVoxelImage {
  int n[3];       /* voxels along x, y, z */
  double size[3]; /* of a voxel, m */
  SofaBools used;
} SofaVoxelImage;
void sofa_voxel_image_free(SofaContext *ctx, SofaVoxelImage *image);

/* Raw bytes, one per voxel, used unless 0; n and size are set. */
SofaErr sofa_voxel_image_raw(SofaContext *ctx, const SofaFileBytes *file, SofaVoxelImage *image);
/* A text: numbers of voxels along x, y, z, their sizes, then a number per voxel, used unless 0. */
SofaErr sofa_voxel_image_text(SofaContext *ctx, const SofaFileBytes *file, SofaVoxelImage *image);

/* The share of used voxels in each cell of the level's grid, whose box is that of the image. A
 * voxel counts where its lower corner lies, or in all cells it covers where cells are smaller.
 * share: one per cell. */
void sofa_voxel_image_shares(const SofaVoxelImage *image, const SofaSparseLevel *level,
                             double *share);

/* The closed surface around the used voxels, looking outwards: where the image, smoothed by means
 * over cubes of `smoothing` voxels (0, 1: not), sampled at the center of every step-th voxel, is a
 * half. */
SofaErr sofa_voxel_image_surface(SofaContext *ctx, const SofaVoxelImage *image, unsigned step,
                                 unsigned smoothing, SofaVec3s *points, SofaTriangles *triangles);

#endif
