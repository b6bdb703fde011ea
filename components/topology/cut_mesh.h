/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A copy of a triangulated surface that is cut: points come on edges and in triangles, and along
 * marked edges the surface opens. What came and what went is read off at the end.
 *
 * Every new point is a weighted sum of old points. Splitting keeps areas and orientations. */
#ifndef SOFA_TOPOLOGY_CUT_MESH_H
#define SOFA_TOPOLOGY_CUT_MESH_H

#include "change/topology_change.h"

typedef struct CutMesh {
  SofaContext *ctx;
  size_t n_points, n_triangles; /* of the surface that was copied */
  SofaVec3s x;                  /* of the old points, then of the new ones, m */
  SofaAncestors ancestors;      /* of the new points: at most 3 old ones each */
  SofaTriangles triangles;      /* the old ones, then the new ones */
  SofaBools gone;               /* of each triangle: it was replaced by others */
  SofaIndices origin;           /* of each triangle: the old one it lies in */
  SofaIndices first, next;      /* corners 3 t + c around each point, as lists; triangles that are
                                   gone may still be in them */
  SofaEdges cuts;               /* edges along which it will open */
} CutMesh;

/* x: 3 n reals; all vertices < n. */
SofaErr cut_mesh_make(SofaContext *ctx, const double *x, size_t n, const SofaTriangles *triangles,
                      CutMesh *m);
void cut_mesh_free(CutMesh *m);

/* Walks through the corners of a point, removed triangles left out: start with
 * m->first.data[point]; SOFA_NO_ELEMENT: no more. */
uint32_t cut_mesh_corner(const CutMesh *m, uint32_t corner);
static inline uint32_t cut_mesh_first(const CutMesh *m, uint32_t point) {
  return cut_mesh_corner(m, m->first.data[point]);
}
static inline uint32_t cut_mesh_next(const CutMesh *m, uint32_t corner) {
  return cut_mesh_corner(m, m->next.data[corner]);
}
/* The other two vertices of a corner's triangle, in its direction. */
static inline void cut_mesh_others(const CutMesh *m, uint32_t corner, uint32_t *a, uint32_t *b) {
  const uint32_t *v = m->triangles.data[corner / 3].v;
  *a = v[(corner % 3 + 1) % 3];
  *b = v[(corner % 3 + 2) % 3];
}
/* Is the edge that of exactly one triangle? */
bool cut_mesh_on_border(const CutMesh *m, uint32_t a, uint32_t b);

/* A new point at (1 - t) a + t b; all triangles of the edge are split in two, a mark goes over. */
SofaErr cut_mesh_split_edge(CutMesh *m, uint32_t a, uint32_t b, double t, uint32_t *point);
/* A new point in a triangle, which is split in three. */
SofaErr cut_mesh_split_triangle(CutMesh *m, uint32_t triangle, const double w[3], uint32_t *point);
/* Marks an edge, once. */
SofaErr cut_mesh_mark(CutMesh *m, uint32_t a, uint32_t b);
/* Opens the surface: of each point, the triangles that hang together around it only across marked
 * edges get a copy of it. *doubled: number of copies. Afterwards nothing more can be cut. */
SofaErr cut_mesh_open(CutMesh *m, size_t *doubled);

#endif
