/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The matrix of triangles under pressure: by edges, on the context's team. */
#ifndef SOFA_COMPONENTS_MECHANICALLOAD_FACE_MATRIX_H
#define SOFA_COMPONENTS_MECHANICALLOAD_FACE_MATRIX_H

#include "components/mechanicalload/faces.h"
#include "numerics/fem/edge_assembly.h"

/* Lists of the triangles, made by the first assembly and when they have changed; all owned. */
typedef struct FaceMatrix {
  SofaIndices ends; /* of the three edges of each triangle */
  SofaIndices open; /* numbers of those that no other triangle has in reverse */
  SofaEdgeAssembly *edges;
} FaceMatrix;

void face_matrix_free(SofaContext *ctx, FaceMatrix *matrix);

/* Adds factor times the matrix to a tangent; kept: of face_add_forces. */
SofaErr face_matrix_add(const SofaForceField *ff, FaceMatrix *matrix,
                        const SofaTriangles *triangles, FaceTangent of);

#endif
