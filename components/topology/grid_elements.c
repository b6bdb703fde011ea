/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Numbers the elements of a grid: hexahedra, quads in three groups, triangles, edges. */
#include "grid_elements.h"

/* Rank of a point. */
static uint32_t point(const int n[3], int x, int y, int z) {
  return (uint32_t)x + (uint32_t)n[0] * ((uint32_t)y + (uint32_t)n[1] * (uint32_t)z);
}

static SofaErr add_hexas(SofaContext *ctx, const int n[3], SofaHexas *out) {
  for (int z = 0; z + 1 < n[2]; z++) {
    for (int y = 0; y + 1 < n[1]; y++) {
      for (int x = 0; x + 1 < n[0]; x++) {
        const SofaHexa hexa = {{point(n, x, y, z), point(n, x + 1, y, z), point(n, x + 1, y + 1, z),
                                point(n, x, y + 1, z), point(n, x, y, z + 1),
                                point(n, x + 1, y, z + 1), point(n, x + 1, y + 1, z + 1),
                                point(n, x, y + 1, z + 1)}};
        SOFA_TRY(SOFA_APPEND(ctx, out, &hexa));
      }
    }
  }
  return SOFA_OK;
}

/* Quads along the axes a and b, at every point that has a next one on both. */
static SofaErr add_plane(SofaContext *ctx, const int n[3], int a, int b, SofaQuads *out) {
  const int da[3] = {a == 0, a == 1, a == 2}, db[3] = {b == 0, b == 1, b == 2};
  for (int z = 0; z + da[2] + db[2] < n[2]; z++) {
    for (int y = 0; y + da[1] + db[1] < n[1]; y++) {
      for (int x = 0; x + da[0] + db[0] < n[0]; x++) {
        const SofaQuad quad = {{point(n, x, y, z), point(n, x + da[0], y + da[1], z + da[2]),
                                point(n, x + da[0] + db[0], y + da[1] + db[1], z + da[2] + db[2]),
                                point(n, x + db[0], y + db[1], z + db[2])}};
        SOFA_TRY(SOFA_APPEND(ctx, out, &quad));
      }
    }
  }
  return SOFA_OK;
}

static SofaErr add_quads(SofaContext *ctx, const int n[3], SofaQuads *out) {
  SOFA_TRY(add_plane(ctx, n, 0, 1, out));
  SOFA_TRY(add_plane(ctx, n, 0, 2, out));
  return add_plane(ctx, n, 1, 2, out);
}

static SofaErr add_triangles(SofaContext *ctx, const SofaQuads *quads, SofaTriangles *out) {
  SOFA_TRY(SOFA_RESERVE(ctx, out, 2 * quads->n));
  for (size_t i = 0; i < quads->n; i++) {
    const uint32_t *q = quads->data[i].v;
    const SofaTriangle t[2] = {{{q[0], q[1], q[2]}}, {{q[0], q[2], q[3]}}};
    SOFA_TRY(SOFA_APPEND(ctx, out, &t[0]));
    SOFA_TRY(SOFA_APPEND(ctx, out, &t[1]));
  }
  return SOFA_OK;
}

static SofaErr add_lines(SofaContext *ctx, const int n[3], SofaEdges *out) {
  for (int axis = 0; axis < 3; axis++) {
    const int d[3] = {axis == 0, axis == 1, axis == 2};
    for (int z = 0; z + d[2] < n[2]; z++) {
      for (int y = 0; y + d[1] < n[1]; y++) {
        for (int x = 0; x + d[0] < n[0]; x++) {
          const SofaEdge edge = {{point(n, x, y, z), point(n, x + d[0], y + d[1], z + d[2])}};
          SOFA_TRY(SOFA_APPEND(ctx, out, &edge));
        }
      }
    }
  }
  return SOFA_OK;
}

SofaErr sofa_grid_elements(SofaContext *ctx, const int n[3], const SofaGridLists *lists,
                           SofaMesh *mesh) {
  SofaErr err = SOFA_OK;
  SofaQuads quads = {0};
  if (lists->hexas) SOFA_GO(err, done, add_hexas(ctx, n, &mesh->hexahedra));
  if (lists->quads || lists->triangles) SOFA_GO(err, done, add_quads(ctx, n, &quads));
  if (lists->triangles) SOFA_GO(err, done, add_triangles(ctx, &quads, &mesh->triangles));
  if (lists->edges && mesh->triangles.n) {
    // quads do not count here: all their edges are edges of triangles
    SOFA_GO(err, done, sofa_derive_surface_edges(ctx, mesh, &mesh->edges));
  } else if (lists->edges) {
    SOFA_GO(err, done, add_lines(ctx, n, &mesh->edges));
  }
  if (lists->quads) {
    sofa_list_free(ctx, &mesh->quads);
    mesh->quads = quads;
    quads = (SofaQuads){0};
  }
done:
  sofa_list_free(ctx, &quads);
  return err;
}
