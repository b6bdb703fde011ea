/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Nodes in the middle of edges, faces and cells. */
#include "numerics/fem/raise_order.h"

#include "math/vec.h"

/* Appends the mean of n nodes. */
static SofaErr add_middle(SofaContext *ctx, SofaVec3s *nodes, const uint32_t *v, unsigned n) {
  SofaVec3 mean = {{0, 0, 0}};
  for (unsigned k = 0; k < n; k++) sofa_vec3_axpy(1. / n, nodes->data[v[k]].v, mean.v);
  return SOFA_APPEND(ctx, nodes, &mean);
}

/* The node in the middle of n corners, which is made when there is none. That of a cell is not
 * shared. */
static SofaErr middle(SofaContext *ctx, SofaRaisedMesh *mesh, const uint32_t *v, unsigned n,
                      uint32_t *out) {
  const uint32_t next = (uint32_t)mesh->nodes.n;
  *out = next;
  if (n <= 4) {
    const SofaTuple key = n == 2 ? sofa_tuple2(v[0], v[1]) : sofa_tuple4(v[0], v[1], v[2], v[3]);
    SOFA_TRY(sofa_tuple_map_add(ctx, &mesh->middles, &key, next, out));
  }
  return *out == next ? add_middle(ctx, &mesh->nodes, v, n) : SOFA_OK;
}

SofaErr sofa_raise_order(SofaContext *ctx, SofaRaisedMesh *mesh, SofaShape shape,
                         const uint32_t *elements, size_t n, SofaIndices *list) {
  const unsigned n_nodes = sofa_shape_info(shape)->n_nodes;
  const unsigned n_corners = sofa_shape_info(sofa_shape_info(shape)->corners)->n_nodes;
  size_t at = list->n;
  SOFA_TRY(SOFA_RESIZE(ctx, list, at + n * n_nodes));
  for (size_t e = 0; e < n; e++) {
    for (unsigned a = 0; a < n_nodes; a++, at++) {
      uint8_t corner[8];
      uint32_t v[8] = {0};
      const unsigned count = sofa_shape_node_corners(shape, a, corner);
      for (unsigned k = 0; k < count; k++) v[k] = elements[n_corners * e + corner[k]];
      list->data[at] = v[0];
      if (count > 1) SOFA_TRY(middle(ctx, mesh, v, count, &list->data[at]));
    }
  }
  return SOFA_OK;
}

void sofa_raised_mesh_free(SofaContext *ctx, SofaRaisedMesh *mesh) {
  sofa_list_free(ctx, &mesh->nodes);
  sofa_tuple_map_free(ctx, &mesh->middles);
  *mesh = (SofaRaisedMesh){.nodes = {0}};
}
