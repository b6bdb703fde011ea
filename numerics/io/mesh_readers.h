/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Readers of the smaller formats: STL, OFF, Trian, Xsp, GiD, spheres, voxels. Each reads a file
 * into *out (empty on entry, empty again on failure). faces->triangulate is left to the loader. */
#ifndef SOFA_NUMERICS_IO_MESH_READERS_H
#define SOFA_NUMERICS_IO_MESH_READERS_H

#include "behavior/loader.h"
#include "numerics/io/mesh_faces.h"

SOFA_BEGIN_DECLS

typedef struct SofaStlOptions {
  SofaFaceOptions faces;
  size_t header_size; /* bytes in front of the count of a binary file */
  bool force_binary;  /* even when the file begins with "solid" */
} SofaStlOptions;
/* Vertices with equal coordinates become one point, in order of first appearance. */
SofaErr sofa_stl_read(SofaContext *ctx, const SofaFileBytes *file, const SofaStlOptions *options,
                      SofaMeshData *out);

SofaErr sofa_off_read(SofaContext *ctx, const SofaFileBytes *file, const SofaFaceOptions *faces,
                      SofaMeshData *out);

/* The data of Trian files beyond the mesh. All-zero: empty. */
typedef struct SofaTrianData {
  SofaInts neighbors;    /* 3 per triangle: behind the edges opposite to its vertices, -1: none */
  SofaIndexRows border;  /* edges without a neighbour, 2 points each */
  SofaIndices on_border; /* triangles with such an edge */
} SofaTrianData;
void sofa_trian_data_free(SofaContext *ctx, SofaTrianData *trian);
/* trian2: the form with a header of 13 lines, named sections and normals. */
SofaErr sofa_trian_read(SofaContext *ctx, const SofaFileBytes *file, bool trian2,
                        const SofaFaceOptions *faces, SofaMeshData *out, SofaTrianData *trian);

/* Springs of an Xsp file; its points and edges are those of the mesh. */
typedef struct SofaXspData {
  SofaReals masses;      /* of each point, kg; negative in the file (a fixed point): its size */
  SofaReals stiffness;   /* of each edge, N/m */
  SofaReals damping;     /* of each edge, N s/m */
  SofaReals rest_length; /* of each edge, m */
  SofaVec3s rest_vector; /* of each edge, m; version 4 has them, else 0 */
} SofaXspData;
void sofa_xsp_data_free(SofaContext *ctx, SofaXspData *xsp);
/* xsp may be NULL. */
SofaErr sofa_xsp_read(SofaContext *ctx, const SofaFileBytes *file, SofaMeshData *out,
                      SofaXspData *xsp);

SofaErr sofa_gid_read(SofaContext *ctx, const SofaFileBytes *file, SofaMeshData *out);

/* Files of spheres: centers [m] and radii [m], both empty on entry. */
SofaErr sofa_spheres_read(SofaContext *ctx, const SofaFileBytes *file, SofaVec3s *centers,
                          SofaReals *radii);

/* Which voxels of a raw image (one byte each, x fastest) are used, and how. */
typedef struct SofaVoxelOptions {
  int resolution[3];        /* voxels along x, y, z */
  int roi[6];               /* first and last voxel used, clamped to the image */
  size_t header_size;       /* bytes in front of the voxels */
  SofaVec3 voxel_size;      /* m */
  SofaInts active, ignored; /* borrowed: used values; if there are none, all but the ignored ones */
  bool hexahedra;           /* else points */
} SofaVoxelOptions;
/* grid_index: rank in the image of each voxel used; empty on entry. */
SofaErr sofa_voxels_read(SofaContext *ctx, const SofaFileBytes *file,
                         const SofaVoxelOptions *options, SofaMesh *out, SofaIndices *grid_index);

SOFA_END_DECLS

#endif
