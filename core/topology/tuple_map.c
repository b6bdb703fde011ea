/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The hash map of vertex tuples: open addressing, at most half full. */
#include "topology/tuple_map.h"

/* Mixes the four indices; the finisher is that of splitmix64 (Steele, Lea, Flood 2014). */
static size_t hash(const SofaTuple *key) {
  uint64_t h = ((uint64_t)key->v[0] << 32 | key->v[1]) * 0x9e3779b97f4a7c15u;
  h ^= ((uint64_t)key->v[2] << 32 | key->v[3]) + 0x632be59bd9b4e019u + (h << 6) + (h >> 2);
  h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9u;
  h = (h ^ (h >> 27)) * 0x94d049bb133111ebu;
  return (size_t)(h ^ (h >> 31));
}

enum { NEAR = 32 }; /* slots tried near the place of the first vertex */

static bool is_free_or(const SofaTupleEntry *entry, const SofaTuple *key) {
  return entry->id == UINT32_MAX || memcmp(&entry->key, key, sizeof *key) == 0;
}

/* Entry of the key, or the free entry for it. If a vertex has very many keys, they fill the slots
 * near its place; the hash gives the slots of further keys. */
static size_t probe(const SofaTupleMap *map, const SofaTuple *key) {
  const size_t h = hash(key);
  if (map->scale) {
    const size_t near =
        (size_t)((key->v[0] * map->scale) >> 32) + (size_t)((h >> 32) * map->window >> 32);
    for (size_t k = 0; k < NEAR; k++)
      if (is_free_or(&map->entries[(near + k) & map->mask], key)) return (near + k) & map->mask;
  }
  size_t i = h & map->mask;
  while (!is_free_or(&map->entries[i], key)) i = (i + 1) & map->mask;
  return i;
}

void sofa_tuple_map_local(SofaTupleMap *map, size_t n_vertices) {
  map->n_vertices = n_vertices < UINT32_MAX ? (uint32_t)n_vertices : UINT32_MAX;
}

/* Slots per vertex for this capacity. */
static void set_scale(SofaTupleMap *map) {
  if (map->n_vertices == 0 || map->mask >= UINT32_MAX) return;
  map->scale = ((uint64_t)(map->mask + 1) << 32) / map->n_vertices;
  map->window = (map->mask + 1) / map->n_vertices;
  if (map->window == 0) map->window = 1;
}

SofaErr sofa_tuple_map_reserve(SofaContext *ctx, SofaTupleMap *map, size_t n) {
  if (n > SIZE_MAX / 64) return SOFA_ERR_MEMORY;
  size_t capacity = 16;
  while (capacity < 2 * n) capacity *= 2;
  if (map->entries && capacity <= map->mask + 1) return SOFA_OK;
  SofaTupleMap bigger = {.mask = capacity - 1, .n = map->n, .n_vertices = map->n_vertices};
  set_scale(&bigger);
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

SofaErr sofa_tuple_map_add(SofaContext *ctx, SofaTupleMap *map, const SofaTuple *key, uint32_t id,
                           uint32_t *found) {
  if (!map->entries || 2 * (map->n + 1) > map->mask + 1)
    SOFA_TRY(sofa_tuple_map_reserve(ctx, map, 2 * map->n + 8));
  SofaTupleEntry *entry = &map->entries[probe(map, key)];
  if (entry->id == UINT32_MAX) {
    *entry = (SofaTupleEntry){*key, id};
    map->n++;
  }
  *found = entry->id;
  return SOFA_OK;
}

uint32_t sofa_tuple_map_find(const SofaTupleMap *map, const SofaTuple *key) {
  return map->entries ? map->entries[probe(map, key)].id : UINT32_MAX;
}

void sofa_tuple_map_free(SofaContext *ctx, SofaTupleMap *map) {
  sofa_free(ctx, map->entries);
  *map = (SofaTupleMap){0};
}
