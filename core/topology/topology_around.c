/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Neighbourhoods of a topology: sub-elements of elements, elements around points and sub-elements;
 * made when first asked for, and again after insertions; removals
 * update them (topology_remove.c). */
#include "topology/topology_cache_impl.h"
#include "topology/tuple_map.h"

void sofa_around_free(SofaContext *ctx, SofaAround *around) {
  sofa_free(ctx, around->start);
  sofa_free(ctx, around->count);
  sofa_free(ctx, around->ids);
  *around = (SofaAround){0};
}

void sofa_topology_cache_clear(SofaContext *ctx, SofaTopologyCache *cache) {
  for (int i = 0; i < SOFA_N_ELEMENT_KINDS; i++) {
    for (int j = 0; j < SOFA_N_ELEMENT_KINDS; j++) {
      sofa_free(ctx, cache->sub[i][j]);
      cache->sub[i][j] = NULL;
      sofa_around_free(ctx, &cache->around[i][j]);
    }
  }
}

/* The cache, emptied when the topology changed since; NULL: no memory. */
static SofaTopologyCache *cache_of(SofaTopology *topology) {
  SofaContext *ctx = topology->object.ctx;
  if (!topology->cache) {
    topology->cache = (SofaTopologyCache *)sofa_alloc(ctx, 1, sizeof *topology->cache);
    if (!topology->cache) {
      topology->failure = SOFA_ERR_MEMORY;
      return NULL;
    }
    topology->cache->revision = topology->revision;
  }
  if (topology->cache->revision != topology->revision) {
    sofa_topology_cache_clear(ctx, topology->cache);
    topology->cache->revision = topology->revision;
  }
  return topology->cache;
}

/* The list of a kind, derived first where the class derives it lazily. */
static SofaElements elements_of(SofaTopology *topology, SofaElementKind kind) {
  switch (kind) {
  case SOFA_ELEMENT_EDGE:
    sofa_topology_edges(topology);
    break;
  case SOFA_ELEMENT_TRIANGLE:
    sofa_topology_triangles(topology);
    break;
  case SOFA_ELEMENT_QUAD:
    sofa_topology_quads(topology);
    break;
  default:
    break;
  }
  return sofa_mesh_elements(&topology->mesh, kind);
}

/* Vertex set of sub-element j of an element, as a key. */
static SofaTuple sub_key(SofaElementKind sub, SofaElementKind kind, unsigned j, const uint32_t *v) {
  if (sub == SOFA_ELEMENT_TRIANGLE) {
    const uint8_t *f = sofa_tetra_faces[j];
    return sofa_tuple3(v[f[0]], v[f[1]], v[f[2]]);
  }
  if (sub == SOFA_ELEMENT_QUAD) {
    const uint8_t *q = sofa_hexa_quads[j];
    return sofa_tuple4(v[q[0]], v[q[1]], v[q[2]], v[q[3]]);
  }
  switch (kind) {
  case SOFA_ELEMENT_TRIANGLE:
    return sofa_tuple2(v[(j + 1) % 3], v[(j + 2) % 3]);
  case SOFA_ELEMENT_QUAD:
    return sofa_tuple2(v[(j + 1) % 4], v[(j + 2) % 4]);
  case SOFA_ELEMENT_TETRA:
    return sofa_tuple2(v[sofa_tetra_edges[j][0]], v[sofa_tetra_edges[j][1]]);
  default:
    return sofa_tuple2(v[sofa_hexa_edges[j][0]], v[sofa_hexa_edges[j][1]]);
  }
}

unsigned sofa_topology_sub_count(SofaElementKind sub, SofaElementKind kind) {
  if (sub == SOFA_ELEMENT_TRIANGLE) return kind == SOFA_ELEMENT_TETRA ? 4 : 0;
  if (sub == SOFA_ELEMENT_QUAD) return kind == SOFA_ELEMENT_HEXA ? 6 : 0;
  if (sub != SOFA_ELEMENT_EDGE) return 0;
  switch (kind) {
  case SOFA_ELEMENT_TRIANGLE:
    return 3;
  case SOFA_ELEMENT_QUAD:
    return 4;
  case SOFA_ELEMENT_TETRA:
    return 6;
  case SOFA_ELEMENT_HEXA:
    return 12;
  default:
    return 0;
  }
}

/* Finds the ids of all sub-elements by their vertex sets. */
static SofaErr make_sub(SofaTopology *topology, SofaElements subs, SofaElementKind sub,
                        SofaElements list, SofaElementKind kind, uint32_t **out) {
  SofaContext *ctx = topology->object.ctx;
  SofaErr err;
  SofaTupleMap map = {0};
  const unsigned per = sofa_topology_sub_count(sub, kind);
  uint32_t *ids = (uint32_t *)sofa_alloc(ctx, list.n * per + 1, sizeof *ids);
  if (!ids) return SOFA_ERR_MEMORY;
  sofa_tuple_map_local(&map, sofa_mesh_vertex_count(&topology->mesh));
  SOFA_GO(err, done, sofa_tuple_map_reserve(ctx, &map, subs.n));
  for (size_t i = 0; i < subs.n; i++) {
    const uint32_t *v = subs.v + i * subs.width;
    const SofaTuple key = subs.width == 2   ? sofa_tuple2(v[0], v[1])
                          : subs.width == 3 ? sofa_tuple3(v[0], v[1], v[2])
                                            : sofa_tuple4(v[0], v[1], v[2], v[3]);
    uint32_t found;
    SOFA_GO(err, done, sofa_tuple_map_add(ctx, &map, &key, (uint32_t)i, &found));
  }
  for (size_t i = 0; i < list.n; i++) {
    for (unsigned j = 0; j < per; j++) {
      const SofaTuple key = sub_key(sub, kind, j, list.v + i * list.width);
      ids[i * per + j] = sofa_tuple_map_find(&map, &key);
    }
  }
  *out = ids;
  ids = NULL;
done:
  sofa_free(ctx, ids);
  sofa_tuple_map_free(ctx, &map);
  return err;
}

const uint32_t *sofa_topology_sub(SofaTopology *topology, SofaElementKind sub, SofaElementKind kind,
                                  unsigned *per) {
  *per = sofa_topology_sub_count(sub, kind);
  if (*per == 0) return NULL;
  const SofaElements subs = elements_of(topology, sub), list = elements_of(topology, kind);
  SofaTopologyCache *cache = list.n ? cache_of(topology) : NULL;
  if (!cache) return NULL;
  if (!cache->sub[sub][kind]) {
    const SofaErr err = make_sub(topology, subs, sub, list, kind, &cache->sub[sub][kind]);
    if (err != SOFA_OK) topology->failure = err;
  }
  return cache->sub[sub][kind];
}

/* Inverts element -> ids (per ids each; those >= n_rows are skipped): rows ascend. */
static SofaErr invert(SofaContext *ctx, const uint32_t *ids, size_t n, unsigned per, size_t n_rows,
                      SofaAround *out) {
  SofaAround around = {.n_rows = n_rows};
  around.start = (uint32_t *)sofa_alloc(ctx, n_rows + 2, sizeof *around.start);
  if (!around.start) return SOFA_ERR_MEMORY;
  // count row r at r + 2, so that filling row r moves start[r + 1] to its end
  size_t total = 0;
  for (size_t i = 0; i < n * per; i++)
    if (ids[i] < n_rows) around.start[ids[i] + 2]++, total++;
  for (size_t r = 0; r < n_rows; r++) around.start[r + 2] += around.start[r + 1];
  around.ids = (uint32_t *)sofa_alloc(ctx, total + 1, sizeof *around.ids);
  around.count = (uint32_t *)sofa_alloc(ctx, n_rows + 1, sizeof *around.count);
  if (!around.ids || !around.count) {
    sofa_around_free(ctx, &around);
    return SOFA_ERR_MEMORY;
  }
  for (size_t i = 0; i < n; i++)
    for (unsigned j = 0; j < per; j++)
      if (ids[i * per + j] < n_rows) around.ids[around.start[ids[i * per + j] + 1]++] = (uint32_t)i;
  for (size_t r = 0; r < n_rows; r++) around.count[r] = around.start[r + 1] - around.start[r];
  *out = around;
  return SOFA_OK;
}

/* Triangles that run along their edge move to the front of its row, last one first. */
static SofaErr along_first(SofaContext *ctx, const SofaMesh *mesh, SofaAround *around) {
  size_t longest = 0;
  for (size_t e = 0; e < around->n_rows; e++)
    if (around->start[e + 1] - around->start[e] > longest)
      longest = around->start[e + 1] - around->start[e];
  uint32_t *along = (uint32_t *)sofa_alloc(ctx, longest + 1, sizeof *along);
  if (!along) return SOFA_ERR_MEMORY;
  for (size_t e = 0; e < around->n_rows; e++) {
    uint32_t *row = around->ids + around->start[e];
    const size_t n = around->start[e + 1] - around->start[e];
    const uint32_t *edge = mesh->edges.data[e].v;
    size_t n_along = 0, kept = 0;
    for (size_t i = 0; i < n; i++) {
      const uint32_t *t = mesh->triangles.data[row[i]].v;
      bool same = false;
      for (int j = 0; j < 3; j++)
        same = same || (t[(j + 1) % 3] == edge[0] && t[(j + 2) % 3] == edge[1]);
      if (same) {
        along[n_along++] = row[i];
      } else {
        row[kept++] = row[i];
      }
    }
    sofa_move(row + n_along, row, kept * sizeof *row);
    for (size_t i = 0; i < n_along; i++) row[i] = along[n_along - 1 - i];
  }
  sofa_free(ctx, along);
  return SOFA_OK;
}

static SofaErr make_around(SofaTopology *topology, SofaElementKind kind, SofaElementKind of,
                           SofaAround *out) {
  SofaContext *ctx = topology->object.ctx;
  const SofaElements list = elements_of(topology, kind);
  if (of == SOFA_ELEMENT_POINT) {
    size_t n_points = sofa_mesh_vertex_count(&topology->mesh);
    if (topology->n_points > n_points) n_points = topology->n_points;
    return invert(ctx, list.v, list.n, list.width, n_points, out);
  }
  unsigned per;
  const uint32_t *sub = sofa_topology_sub(topology, of, kind, &per);
  const size_t n_rows = elements_of(topology, of).n;
  if (list.n && per && !sub) return SOFA_ERR_MEMORY;
  SOFA_TRY(invert(ctx, sub, sub ? list.n : 0, per, n_rows, out));
  SofaErr err = SOFA_OK;
  if (kind == SOFA_ELEMENT_TRIANGLE && topology->container != SOFA_CONTAINER_SET)
    err = along_first(ctx, &topology->mesh, out);
  if (err != SOFA_OK) sofa_around_free(ctx, out);
  return err;
}

const SofaAround *sofa_topology_around(SofaTopology *topology, SofaElementKind kind,
                                       SofaElementKind of) {
  static const SofaAround nothing = {0};
  // derive the lists first, because a derivation empties the cache
  elements_of(topology, kind);
  elements_of(topology, of);
  SofaTopologyCache *cache = cache_of(topology);
  if (!cache || kind == SOFA_ELEMENT_POINT) return &nothing;
  if (!cache->around[kind][of].start) {
    const SofaErr err = make_around(topology, kind, of, &cache->around[kind][of]);
    if (err != SOFA_OK) topology->failure = err;
  }
  return cache->around[kind][of].start ? &cache->around[kind][of] : &nothing;
}

uint32_t sofa_topology_edge_index(SofaTopology *topology, uint32_t a, uint32_t b) {
  const SofaAround *around = sofa_topology_around(topology, SOFA_ELEMENT_EDGE, SOFA_ELEMENT_POINT);
  const uint32_t *ids = NULL;
  const size_t n = sofa_around_row(around, a, &ids);
  for (size_t i = 0; i < n; i++) {
    const uint32_t *v = topology->mesh.edges.data[ids[i]].v;
    if ((v[0] == a && v[1] == b) || (v[0] == b && v[1] == a)) return ids[i];
  }
  return SOFA_NO_ELEMENT;
}
