/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reader of Wavefront OBJ files and their material libraries. */
#ifndef SOFA_NUMERICS_IO_OBJ_READER_H
#define SOFA_NUMERICS_IO_OBJ_READER_H

#include "behavior/loader.h"
#include "numerics/io/mesh_faces.h"

SOFA_BEGIN_DECLS

typedef struct SofaObjOptions {
  SofaFaceOptions faces;
  bool handle_seams; /* one point per (position, texture coordinate, normal) used by a face */
} SofaObjOptions;

/* The data of an OBJ file beyond the mesh. All-zero: empty. */
typedef struct SofaObjData {
  SofaVec3s positions, normals;                      /* `v` and `vn` lines as in the file */
  SofaVec2s texcoords;                               /* `vt` lines as in the file */
  SofaIndexRows faces, face_texcoords, face_normals; /* per face and corner; -1: none */
  SofaVec2s point_texcoords;                         /* per point of the mesh, or empty */
  SofaInts point_position, point_normal; /* seams: rank of the position and normal of each point */
  SofaStrings libraries;                 /* files named by `mtllib` */
} SofaObjData;

/* Reads a file into *mesh and *obj (both empty on entry; empty again on failure). */
SofaErr sofa_obj_read(SofaContext *ctx, const SofaFileBytes *file, const SofaObjOptions *options,
                      SofaMeshData *mesh, SofaObjData *obj);
void sofa_obj_data_free(SofaContext *ctx, SofaObjData *obj);

/* Appends the materials of a library. Words it does not know are ignored, as viewers do. */
SofaErr sofa_mtl_read(SofaContext *ctx, const SofaFileBytes *file, SofaMaterials *out);

/* Reads the libraries that the OBJ file names, from its folder. One that is missing leaves its
 * materials unknown. */
SofaErr sofa_obj_materials(SofaObject *object, const SofaOrigin *origin, const SofaObjData *obj,
                           SofaMaterials *out);

/* The points and faces of the mesh once all lines are read (obj_points.c): without and with seams.
 * face_lines: line of each face, for messages. */
SofaErr sofa_obj_points(SofaContext *ctx, const SofaObjOptions *options, SofaMeshData *mesh,
                        SofaObjData *obj);
SofaErr sofa_obj_seam_points(SofaContext *ctx, const SofaObjOptions *options, SofaMeshData *mesh,
                             SofaObjData *obj);

SOFA_END_DECLS

#endif
