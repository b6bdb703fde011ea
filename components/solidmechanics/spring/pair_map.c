/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A hash map of unordered pairs of points. */
#include "components/solidmechanics/spring/pair_map.h"

#include <string.h>

void sofa_pair_map_free(SofaContext *ctx, SofaPairMap *map) {
  sofa_free(ctx, map->keys);
  sofa_free(ctx, map->values);
  memset(map, 0, sizeof *map);
}

static size_t place_of(const SofaPairMap *map, uint64_t key) {
  size_t place = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (map->size - 1);
  while (map->keys[place] && map->keys[place] != key) place = (place + 1) & (map->size - 1);
  return place;
}

static SofaErr grow(SofaContext *ctx, SofaPairMap *map) {
  SofaPairMap larger = {.size = map->size ? 2 * map->size : 1024, .n = map->n};
  larger.keys = sofa_alloc(ctx, larger.size, sizeof *larger.keys);
  larger.values = sofa_alloc(ctx, larger.size, sizeof *larger.values);
  if (!larger.keys || !larger.values) {
    sofa_pair_map_free(ctx, &larger);
    return SOFA_ERR_MEMORY;
  }
  for (size_t i = 0; i < map->size; i++) {
    if (!map->keys[i]) continue;
    const size_t place = place_of(&larger, map->keys[i]);
    larger.keys[place] = map->keys[i];
    memcpy(larger.values[place], map->values[i], sizeof *map->values);
  }
  sofa_pair_map_free(ctx, map);
  *map = larger;
  return SOFA_OK;
}

SofaErr sofa_pair_map_get(SofaContext *ctx, SofaPairMap *map, uint32_t a, uint32_t b,
                          uint32_t **value, bool *is_new) {
  if (2 * map->n >= map->size) SOFA_TRY(grow(ctx, map));
  const uint64_t key = ((uint64_t)(a < b ? a : b) << 32 | (a < b ? b : a)) + 1;
  const size_t place = place_of(map, key);
  *is_new = !map->keys[place];
  map->keys[place] = key;
  map->n += *is_new;
  *value = map->values[place];
  return SOFA_OK;
}
