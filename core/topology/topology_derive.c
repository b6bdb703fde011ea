/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Edges, triangles and quads that a mesh implies, in order of first appearance. */
#include "topology/topology.h"
#include "topology/tuple_map.h"

/* Adds an edge unless an edge between the two points is known. */
static SofaErr add_edge(SofaContext *ctx, SofaTupleMap *map, uint32_t a, uint32_t b,
                        SofaEdges *out) {
  const SofaTuple key = sofa_tuple2(a, b);
  const uint32_t id = (uint32_t)out->n;
  uint32_t found;
  SOFA_TRY(sofa_tuple_map_add(ctx, map, &key, id, &found));
  const SofaEdge edge = {{a, b}};
  return found == id ? SOFA_APPEND(ctx, out, &edge) : SOFA_OK;
}

/* Edges of every element by a table of vertex pairs, stored (min, max). */
static SofaErr table_edges(SofaContext *ctx, SofaElements list, unsigned n,
                           const uint8_t (*table)[2], SofaTupleMap *map, SofaEdges *out) {
  for (size_t i = 0; i < list.n; i++) {
    const uint32_t *v = list.v + i * list.width;
    for (unsigned j = 0; j < n; j++) {
      const uint32_t a = v[table[j][0]], b = v[table[j][1]];
      SOFA_TRY(add_edge(ctx, map, a < b ? a : b, a < b ? b : a, out));
    }
  }
  return SOFA_OK;
}

static SofaErr volume_edges(SofaContext *ctx, const SofaMesh *mesh, bool tetras, bool hexas,
                            SofaEdges *out) {
  SofaErr err;
  SofaTupleMap map = {0};
  sofa_tuple_map_local(&map, sofa_mesh_vertex_count(mesh));
  SOFA_GO(err, done,
          sofa_tuple_map_reserve(ctx, &map, mesh->tetrahedra.n * 5 / 4 + 3 * mesh->hexahedra.n));
  if (tetras)
    SOFA_GO(err, done,
            table_edges(ctx, sofa_mesh_elements(mesh, SOFA_ELEMENT_TETRA), 6, sofa_tetra_edges,
                        &map, out));
  err = SOFA_OK;
  if (hexas)
    err = table_edges(ctx, sofa_mesh_elements(mesh, SOFA_ELEMENT_HEXA), 12, sofa_hexa_edges, &map,
                      out);
done:
  sofa_tuple_map_free(ctx, &map);
  if (err != SOFA_OK) sofa_list_free(ctx, out);
  return err;
}

SofaErr sofa_derive_tetra_edges(SofaContext *ctx, const SofaMesh *mesh, SofaEdges *out) {
  return volume_edges(ctx, mesh, true, false, out);
}

SofaErr sofa_derive_hexa_edges(SofaContext *ctx, const SofaMesh *mesh, SofaEdges *out) {
  return volume_edges(ctx, mesh, false, true, out);
}

SofaErr sofa_derive_volume_edges(SofaContext *ctx, const SofaMesh *mesh, SofaEdges *out) {
  return volume_edges(ctx, mesh, true, true, out);
}

SofaErr sofa_derive_surface_edges(SofaContext *ctx, const SofaMesh *mesh, SofaEdges *out) {
  SofaErr err;
  SofaTupleMap map = {0};
  sofa_tuple_map_local(&map, sofa_mesh_vertex_count(mesh));
  SOFA_GO(err, done, sofa_tuple_map_reserve(ctx, &map, mesh->triangles.n + 2 * mesh->quads.n));
  for (size_t i = 0; i < mesh->triangles.n; i++) {
    const uint32_t *t = mesh->triangles.data[i].v;
    for (int j = 0; j < 3; j++)
      SOFA_GO(err, done, add_edge(ctx, &map, t[(j + 1) % 3], t[(j + 2) % 3], out));
  }
  for (size_t i = 0; i < mesh->quads.n; i++) {
    const uint32_t *q = mesh->quads.data[i].v;
    for (int j = 0; j < 4; j++) {
      const uint32_t a = q[(j + 1) % 4], b = q[(j + 2) % 4];
      SOFA_GO(err, done, add_edge(ctx, &map, a < b ? a : b, a < b ? b : a, out));
    }
  }
done:
  sofa_tuple_map_free(ctx, &map);
  if (err != SOFA_OK) sofa_list_free(ctx, out);
  return err;
}

/* Rotates a cycle of n vertices until the smallest one is first. */
static void smallest_first(uint32_t *v, int n, const uint32_t *from, const uint8_t *table) {
  int first = 0;
  for (int k = 1; k < n; k++)
    if (from[table[k]] < from[table[first]]) first = k;
  for (int k = 0; k < n; k++) v[k] = from[table[(first + k) % n]];
}

SofaErr sofa_derive_triangles(SofaContext *ctx, const SofaTetras *tetras, SofaTriangles *out) {
  SofaErr err;
  SofaTupleMap map = {0};
  const SofaMesh mesh = {.tetrahedra = *tetras};
  sofa_tuple_map_local(&map, sofa_mesh_vertex_count(&mesh));
  SOFA_GO(err, done, sofa_tuple_map_reserve(ctx, &map, 2 * tetras->n));
  for (size_t i = 0; i < tetras->n; i++) {
    for (int j = 0; j < 4; j++) {
      SofaTriangle t;
      smallest_first(t.v, 3, tetras->data[i].v, sofa_tetra_faces[j]);
      const SofaTuple key = sofa_tuple3(t.v[0], t.v[1], t.v[2]);
      uint32_t found;
      SOFA_GO(err, done, sofa_tuple_map_add(ctx, &map, &key, (uint32_t)out->n, &found));
      if (found == out->n) SOFA_GO(err, done, SOFA_APPEND(ctx, out, &t));
    }
  }
done:
  sofa_tuple_map_free(ctx, &map);
  if (err != SOFA_OK) sofa_list_free(ctx, out);
  return err;
}

SofaErr sofa_derive_quads(SofaContext *ctx, const SofaHexas *hexas, SofaQuads *out) {
  SofaErr err;
  SofaTupleMap map = {0};
  const SofaMesh mesh = {.hexahedra = *hexas};
  sofa_tuple_map_local(&map, sofa_mesh_vertex_count(&mesh));
  SOFA_GO(err, done, sofa_tuple_map_reserve(ctx, &map, 3 * hexas->n));
  for (size_t i = 0; i < hexas->n; i++) {
    for (int j = 0; j < 6; j++) {
      SofaQuad q;
      smallest_first(q.v, 4, hexas->data[i].v, sofa_hexa_quads[j]);
      // a cycle and its reverse are the same quad: equal first vertices and equal opposite ones
      SofaTuple key = {{q.v[0], q.v[1], q.v[2], q.v[3]}};
      sofa_tuple_order(&key.v[1], &key.v[3]);
      uint32_t found;
      SOFA_GO(err, done, sofa_tuple_map_add(ctx, &map, &key, (uint32_t)out->n, &found));
      if (found == out->n) SOFA_GO(err, done, SOFA_APPEND(ctx, out, &q));
    }
  }
done:
  sofa_tuple_map_free(ctx, &map);
  if (err != SOFA_OK) sofa_list_free(ctx, out);
  return err;
}
