/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Appending the faces of mesh files. */
#include "numerics/io/mesh_faces.h"

SofaErr sofa_mesh_add_face(SofaContext *ctx, const SofaFaceOptions *options, const uint32_t *v,
                           size_t n, SofaMesh *mesh) {
  if (n == 2) {
    const SofaEdge edge = {{v[0] < v[1] ? v[0] : v[1], v[0] < v[1] ? v[1] : v[0]}};
    return SOFA_APPEND(ctx, &mesh->edges, &edge);
  }
  if (n == 4 && !options->triangulate) {
    SofaQuad quad;
    for (int k = 0; k < 4; k++) quad.v[k] = v[options->flip_normals ? 3 - k : k];
    return SOFA_APPEND(ctx, &mesh->quads, &quad);
  }
  for (size_t j = 2; j < n; j++) {
    const uint32_t t[3] = {v[0], v[j - 1], v[j]};
    SofaTriangle triangle;
    for (int k = 0; k < 3; k++) triangle.v[k] = t[options->flip_normals ? 2 - k : k];
    SOFA_TRY(SOFA_APPEND(ctx, &mesh->triangles, &triangle));
  }
  return SOFA_OK;
}
