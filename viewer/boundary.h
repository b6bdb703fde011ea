/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The faces of elements that are seen from outside. */
#ifndef VIEWER_BOUNDARY_H
#define VIEWER_BOUNDARY_H

#include "topology/topology.h"

typedef struct BoundaryFace {
  uint32_t v[4];          /* points; the last one of a triangle is SOFA_NO_ELEMENT */
  uint32_t list, element; /* of which element: rank of its list, and in it */
} BoundaryFace;
SOFA_LIST(BoundaryFace, BoundaryFaces);

/* Fills *out with the faces that belong to one element only, in the order of the elements; the
 * faces of triangles and quads are themselves. Elements with a point >= n_points are left out. */
SofaErr boundary_find(SofaContext *ctx, const SofaElements *lists, const SofaElementKind *kinds,
                      size_t n_lists, size_t n_points, BoundaryFaces *out);

#endif
