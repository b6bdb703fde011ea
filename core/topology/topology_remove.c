/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Removal of elements and points. Neighbourhoods that were made are updated where the removed and
 * the moved elements are, so that a removal does not look at the rest of the mesh. */

#include "topology/topology_cache_impl.h"

/* One element that is removed, and the last one, which takes its place. */
typedef struct Swap {
  SofaTopology *topology;
  SofaTopologyCache *cache;
  SofaElementKind kind;
  uint32_t id, last;
} Swap;

/* The neighbourhoods, unless they have to be made again anyway. */
static SofaTopologyCache *fresh_cache(const SofaTopology *topology) {
  SofaTopologyCache *cache = topology->cache;
  return cache && cache->revision == topology->revision ? cache : NULL;
}

/* The topology has changed, and its neighbourhoods with it. */
static void keep_cache(SofaTopology *topology, SofaTopologyCache *cache) {
  sofa_topology_changed(topology);
  if (cache) cache->revision = topology->revision;
}

/* ---- rows ---- */

static void row_remove(SofaAround *around, uint32_t row, uint32_t id) {
  if (row >= around->n_rows) return;
  uint32_t *ids = around->ids + around->start[row], n = 0;
  for (uint32_t i = 0; i < around->count[row]; i++)
    if (ids[i] != id) ids[n++] = ids[i];
  around->count[row] = n;
}

/* Puts `to` in the place of `from`; ids ascend. */
static void row_rename(SofaAround *around, uint32_t row, uint32_t from, uint32_t to) {
  if (row >= around->n_rows) return;
  uint32_t *ids = around->ids + around->start[row];
  for (uint32_t i = 0; i < around->count[row]; i++) {
    if (ids[i] != from) continue;
    uint32_t k = i;
    for (; k > 0 && ids[k - 1] > to; k--) ids[k] = ids[k - 1];
    ids[k] = to;
  }
}

static void row_move(SofaAround *around, uint32_t from, uint32_t to) {
  if (from >= around->n_rows) return;
  around->start[to] = around->start[from];
  around->count[to] = around->count[from];
  around->n_rows--;
}

/* ---- elements ---- */

/* The element in the rows of its points or sub-elements. */
static void leave_rows(const Swap *s, SofaElementKind of) {
  SofaContext *ctx = s->topology->object.ctx;
  SofaAround *around = &s->cache->around[s->kind][of];
  const SofaElements list = sofa_mesh_elements(&s->topology->mesh, s->kind);
  const bool points = of == SOFA_ELEMENT_POINT;
  const uint32_t *subs = points ? list.v : s->cache->sub[of][s->kind];
  const size_t per = points ? list.width : sofa_topology_sub_count(of, s->kind);
  // rows in which triangles are ordered by their direction are made again
  const bool directed = s->kind == SOFA_ELEMENT_TRIANGLE && of == SOFA_ELEMENT_EDGE &&
                        s->topology->container != SOFA_CONTAINER_SET;
  if (!around->start) return;
  if (!subs || directed) {
    sofa_around_free(ctx, around);
    return;
  }
  for (size_t k = 0; k < per; k++) row_remove(around, subs[s->id * per + k], s->id);
  for (size_t k = 0; k < per && s->last != s->id; k++)
    row_rename(around, subs[s->last * per + k], s->last, s->id);
}

/* The element as a sub-element of larger ones. */
static void leave_larger(const Swap *s, SofaElementKind larger) {
  SofaContext *ctx = s->topology->object.ctx;
  SofaAround *around = &s->cache->around[larger][s->kind];
  uint32_t *sub = s->cache->sub[s->kind][larger];
  const unsigned per = sofa_topology_sub_count(s->kind, larger);
  if (sub && !around->start) {
    sofa_free(ctx, sub);
    s->cache->sub[s->kind][larger] = NULL;
  } else if (sub) {
    const uint32_t ids[2] = {s->id, s->last}, now[2] = {SOFA_NO_ELEMENT, s->id};
    for (int k = 0; k < (s->id == s->last ? 1 : 2); k++) {
      const uint32_t *users = NULL;
      const size_t n = sofa_around_row(around, ids[k], &users);
      for (size_t i = 0; i < n * per; i++) {
        uint32_t *entry = &sub[users[i / per] * (size_t)per + i % per];
        if (*entry == ids[k]) *entry = now[k];
      }
    }
  }
  if (around->start) row_move(around, s->last, s->id);
}

static void update_cache(const Swap *s) {
  for (int k = 0; k < SOFA_N_ELEMENT_KINDS; k++) leave_rows(s, (SofaElementKind)k);
  for (int k = 0; k < SOFA_N_ELEMENT_KINDS; k++) leave_larger(s, (SofaElementKind)k);
  for (int k = 0; k < SOFA_N_ELEMENT_KINDS; k++) {
    uint32_t *sub = s->cache->sub[k][s->kind];
    const size_t per = sofa_topology_sub_count((SofaElementKind)k, s->kind);
    if (sub && s->id != s->last)
      sofa_copy(sub + s->id * per, sub + s->last * per, per * sizeof *sub);
  }
}

void sofa_topology_take_elements(SofaTopology *topology, SofaElementKind kind, const uint32_t *ids,
                                 size_t n) {
  SofaTopologyCache *cache = fresh_cache(topology);
  SofaAnyList *list = sofa_mesh_list(&topology->mesh, kind);
  const size_t size = sofa_element_kind_info(kind)->width * sizeof(uint32_t);
  for (size_t k = 0; k < n; k++) {
    const Swap swap = {topology, cache, kind, ids[k], (uint32_t)list->n - 1};
    char *data = list->data;
    if (cache) update_cache(&swap);
    if (swap.id != swap.last) sofa_copy(data + swap.id * size, data + swap.last * size, size);
    list->n--;
  }
  keep_cache(topology, cache);
}

/* ---- points ---- */

/* Renames point `from` to `to` in the elements of a kind; false: some elements still have `to`. */
static bool rename_point(SofaTopology *topology, SofaElementKind kind, uint32_t from, uint32_t to) {
  SofaAround *around = &topology->cache->around[kind][SOFA_ELEMENT_POINT];
  const SofaElements list = sofa_mesh_elements(&topology->mesh, kind);
  uint32_t *v = ((SofaIndices *)sofa_mesh_list(&topology->mesh, kind))->data;
  const uint32_t *users = NULL;
  const bool alone = from == to || sofa_around_row(around, to, &users) == 0;
  const size_t n = from == to ? 0 : sofa_around_row(around, from, &users);
  for (size_t i = 0; i < n * list.width; i++) {
    uint32_t *vertex = &v[users[i / list.width] * (size_t)list.width + i % list.width];
    if (*vertex == from) *vertex = to;
  }
  return alone;
}

SofaErr sofa_topology_take_points(SofaTopology *topology, const uint32_t *ids, size_t n) {
  SofaVec3s *position = &topology->mesh.position;
  const bool positions = position->n == topology->n_points;
  bool whole = true;
  for (int k = SOFA_ELEMENT_EDGE; k < SOFA_N_ELEMENT_KINDS; k++)
    if (sofa_mesh_elements(&topology->mesh, (SofaElementKind)k).n)
      (void)sofa_topology_around(topology, (SofaElementKind)k, SOFA_ELEMENT_POINT);
  SOFA_TRY(topology->failure);
  SofaTopologyCache *cache = fresh_cache(topology);
  for (size_t i = 0; i < n; i++) {
    const uint32_t last = (uint32_t)--topology->n_points;
    for (int k = SOFA_ELEMENT_EDGE; k < SOFA_N_ELEMENT_KINDS; k++) {
      const SofaElementKind kind = (SofaElementKind)k;
      SofaAround *around = cache ? &cache->around[kind][SOFA_ELEMENT_POINT] : NULL;
      if (!around || !around->start) continue;
      // elements may have vertices beyond the points of the container
      whole = rename_point(topology, kind, last, ids[i]) && around->n_rows == last + 1u && whole;
      row_move(around, last, ids[i]);
    }
    if (positions) position->data[ids[i]] = position->data[--position->n];
  }
  if (cache && !whole) sofa_topology_cache_clear(topology->object.ctx, cache);
  keep_cache(topology, cache);
  return SOFA_OK;
}
