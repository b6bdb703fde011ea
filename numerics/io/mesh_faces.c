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

SofaErr sofa_mesh_add_mid_edge(SofaContext *ctx, const uint32_t v[3], bool appended,
                               SofaTupleMap *known, SofaMeshData *out) {
  SofaEdges *edges = &out->mesh.edges;
  if (!appended) {
    const SofaEdge edge = {{v[0] < v[1] ? v[0] : v[1], v[0] < v[1] ? v[1] : v[0]}};
    if (known) {
      const SofaTuple key = sofa_tuple2(v[0], v[1]);
      uint32_t found;
      SOFA_TRY(sofa_tuple_map_add(ctx, known, &key, (uint32_t)edges->n, &found));
      if (found != edges->n) return SOFA_OK;
    }
    SOFA_TRY(SOFA_APPEND(ctx, edges, &edge));
  }
  const SofaQuad record = {{v[2], (uint32_t)edges->n - 1, 1, 1}};
  return SOFA_APPEND(ctx, &out->mid_edges, &record);
}
