/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The hash map of vertex tuples: open addressing, at most half full. For meshes a list per first
 * vertex; the keys beyond the first ones of a vertex that has very many are in the hash map. */
#include "topology/tuple_map.h"

/* Mixes the four indices; the finisher is that of splitmix64 (Steele, Lea, Flood 2014). */
static size_t hash(const SofaTuple *key) {
  uint64_t h = ((uint64_t)key->v[0] << 32 | key->v[1]) * 0x9e3779b97f4a7c15u;
  h ^= ((uint64_t)key->v[2] << 32 | key->v[3]) + 0x632be59bd9b4e019u + (h << 6) + (h >> 2);
  h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9u;
  h = (h ^ (h >> 27)) * 0x94d049bb133111ebu;
  return (size_t)(h ^ (h >> 31));
}

/* Entry of the key, or the free entry for it. */
static size_t probe(const SofaTupleMap *map, const SofaTuple *key) {
  size_t i = hash(key) & map->mask;
  while (map->entries[i].id != UINT32_MAX && memcmp(&map->entries[i].key, key, sizeof *key) != 0)
    i = (i + 1) & map->mask;
  return i;
}

/* ---- lists of first vertices ---- */

enum { LONGEST = 64 }; /* links of a vertex */

void sofa_tuple_map_local(SofaTupleMap *map, size_t n_vertices) {
  map->n_vertices = n_vertices < UINT32_MAX ? (uint32_t)n_vertices : UINT32_MAX;
}

static bool has_list(const SofaTupleMap *map, const SofaTuple *key) {
  return key->v[0] < map->n_vertices;
}

/* The link of a key, or NULL; *full: the list has no room for one. */
static const SofaTupleLink *find_link(const SofaTupleMap *map, const SofaTuple *key, bool *full) {
  size_t n = 0;
  *full = false;
  if (!map->head) return NULL;
  for (uint32_t i = map->head[key->v[0]]; i; n++) {
    const SofaTupleLink *link = &map->links[i - 1];
    if (link->v[0] == key->v[1] && link->v[1] == key->v[2] && link->v[2] == key->v[3]) return link;
    i = link->next;
  }
  *full = n >= LONGEST;
  return NULL;
}

static SofaErr reserve_links(SofaContext *ctx, SofaTupleMap *map, size_t n) {
  if (!map->head) map->head = sofa_alloc(ctx, map->n_vertices, sizeof *map->head);
  if (!map->head) return SOFA_ERR_MEMORY;
  if (n <= map->link_capacity) return SOFA_OK;
  SofaTupleLink *grown = sofa_realloc(ctx, map->links, n, sizeof *grown);
  if (!grown) return SOFA_ERR_MEMORY;
  map->links = grown;
  map->link_capacity = n;
  return SOFA_OK;
}

static SofaErr add_link(SofaContext *ctx, SofaTupleMap *map, const SofaTuple *key, uint32_t id) {
  if (map->n_links >= UINT32_MAX - 1) return SOFA_ERR_RANGE;
  if (map->n_links == map->link_capacity || !map->head)
    SOFA_TRY(reserve_links(ctx, map, map->n_links + map->n_links / 2 + 16));
  uint32_t *head = &map->head[key->v[0]];
  map->links[map->n_links++] = (SofaTupleLink){{key->v[1], key->v[2], key->v[3]}, id, *head};
  *head = (uint32_t)map->n_links;
  return SOFA_OK;
}

/* ---- the hash map ---- */

static SofaErr reserve_entries(SofaContext *ctx, SofaTupleMap *map, size_t n) {
  if (n > SIZE_MAX / 64) return SOFA_ERR_MEMORY;
  size_t capacity = 16;
  while (capacity < 2 * n) capacity *= 2;
  if (map->entries && capacity <= map->mask + 1) return SOFA_OK;
  SofaTupleMap bigger = *map;
  bigger.mask = capacity - 1;
  bigger.entries = (SofaTupleEntry *)sofa_alloc(ctx, capacity, sizeof *bigger.entries);
  if (!bigger.entries) return SOFA_ERR_MEMORY;
  // move the entries
  for (size_t i = 0; i < capacity; i++) bigger.entries[i].id = UINT32_MAX;
  for (size_t i = 0; map->entries && i <= map->mask; i++)
    if (map->entries[i].id != UINT32_MAX)
      bigger.entries[probe(&bigger, &map->entries[i].key)] = map->entries[i];
  sofa_free(ctx, map->entries);
  *map = bigger;
  return SOFA_OK;
}

static SofaErr add_entry(SofaContext *ctx, SofaTupleMap *map, const SofaTuple *key, uint32_t id,
                         uint32_t *found) {
  if (!map->entries || 2 * (map->n + 1) > map->mask + 1)
    SOFA_TRY(reserve_entries(ctx, map, 2 * map->n + 8));
  SofaTupleEntry *entry = &map->entries[probe(map, key)];
  if (entry->id == UINT32_MAX) {
    *entry = (SofaTupleEntry){*key, id};
    map->n++;
  }
  *found = entry->id;
  return SOFA_OK;
}

/* ---- both ---- */

SofaErr sofa_tuple_map_reserve(SofaContext *ctx, SofaTupleMap *map, size_t n) {
  return map->n_vertices ? reserve_links(ctx, map, n) : reserve_entries(ctx, map, n);
}

SofaErr sofa_tuple_map_add(SofaContext *ctx, SofaTupleMap *map, const SofaTuple *key, uint32_t id,
                           uint32_t *found) {
  bool full = true;
  const SofaTupleLink *link = has_list(map, key) ? find_link(map, key, &full) : NULL;
  *found = link ? link->id : id;
  if (link) return SOFA_OK;
  return full ? add_entry(ctx, map, key, id, found) : add_link(ctx, map, key, id);
}

uint32_t sofa_tuple_map_find(const SofaTupleMap *map, const SofaTuple *key) {
  bool full = true;
  const SofaTupleLink *link = has_list(map, key) ? find_link(map, key, &full) : NULL;
  if (link) return link->id;
  return full && map->entries ? map->entries[probe(map, key)].id : UINT32_MAX;
}

void sofa_tuple_map_free(SofaContext *ctx, SofaTupleMap *map) {
  sofa_free(ctx, map->entries);
  sofa_free(ctx, map->head);
  sofa_free(ctx, map->links);
  *map = (SofaTupleMap){0};
}
