/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Faces of mesh files: how corners become edges, triangles and quads of a mesh, and the edges of
 * quadratic elements. */
#ifndef SOFA_NUMERICS_IO_MESH_FACES_H
#define SOFA_NUMERICS_IO_MESH_FACES_H

#include "behavior/loader.h"
#include "topology/tuple_map.h"

SOFA_BEGIN_DECLS

/* How the loader's options change faces that it makes itself. */
typedef struct SofaFaceOptions {
  bool flip_normals; /* reverse the vertices of triangles and quads */
  bool triangulate;  /* four corners give two triangles instead of a quad */
  bool turn_strips;  /* every other triangle of a strip is turned, from the first one on (VTK: from
                        the second one on) */
} SofaFaceOptions;

/* Appends the face with these corners: 2 an edge (smaller index first), 4 a quad, others a fan of
 * triangles around the first; fewer than 2 give nothing. */
SofaErr sofa_mesh_add_face(SofaContext *ctx, const SofaFaceOptions *options, const uint32_t *v,
                           size_t n, SofaMesh *mesh);

/* Appends the record of the node v[2] in the middle of the edge from v[0] to v[1], and the edge
 * itself unless it is the last one already (`appended`). known: edges with a record so far, which
 * get no other; NULL: every call makes one. */
SofaErr sofa_mesh_add_mid_edge(SofaContext *ctx, const uint32_t v[3], bool appended,
                               SofaTupleMap *known, SofaMeshData *out);

SOFA_END_DECLS

#endif
