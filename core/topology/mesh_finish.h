/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Functions that mesh loaders call on a mesh after reading it: transform, sub-elements, unused
 * points, normals. Plain functions on plain data. */
#ifndef SOFA_TOPOLOGY_MESH_FINISH_H
#define SOFA_TOPOLOGY_MESH_FINISH_H

#include "topology/topology.h"
#include "topology/tuple_map.h"
#include "object/type.h"

SOFA_BEGIN_DECLS

/* Row major 4x4 matrix Translate * Rotate * Scale; rotation in degrees, x applied first, then y, z.
 */
void sofa_mesh_matrix(const SofaVec3 *translation, const SofaVec3 *rotation, const SofaVec3 *scale,
                      SofaMat4 *out);
bool sofa_mat4_is_identity(const SofaMat4 *m);
void sofa_mesh_transform(SofaVec3s *position, const SofaMat4 *m);
/* Inverse of a matrix whose last row is 0 0 0 1, by cofactors; false when it is singular. */
bool sofa_mesh_matrix_inverse(const SofaMat4 *m, SofaMat4 *out);

/* Each quad q becomes the triangles (q0,q1,q2), (q0,q2,q3); flip reverses them. Quads are emptied.
 */
SofaErr sofa_mesh_triangulate(SofaContext *ctx, SofaMesh *mesh, bool flip);
/* Appends the faces of volumes, then the edges of faces, unless an element with the same set of
 * vertices is listed. */
SofaErr sofa_mesh_add_subelements(SofaContext *ctx, SofaMesh *mesh);
/* Drops the points no element uses, keeping order. *old_index (may be NULL) gets the old index of
 * each point kept; caller frees the list. */
SofaErr sofa_mesh_drop_unused(SofaContext *ctx, SofaMesh *mesh, SofaIndices *old_index);
/* Unit normals per point: sums of unit normals of the triangles and of the quads' corners. */
SofaErr sofa_mesh_normals(SofaContext *ctx, const SofaMesh *mesh, SofaVec3s *normals);
/* cross(b - a, c - a), made a unit vector unless it is zero. */
SofaVec3 sofa_mesh_unit_normal(const SofaVec3 *a, const SofaVec3 *b, const SofaVec3 *c);

/* The faces, or edges, of the elements of a kind, in the order in which they are added: n rows of
 * points of the element. */
typedef struct SofaFaceTable {
  SofaElementKind face, of;
  unsigned n;
  const uint8_t *points;
} SofaFaceTable;
enum { SOFA_N_FACE_TABLES = 8 };
extern const SofaFaceTable sofa_face_tables[SOFA_N_FACE_TABLES];
/* The same for all faces with the n points. */
SofaTuple sofa_face_key(const uint32_t *v, unsigned n);

SOFA_END_DECLS

#endif
