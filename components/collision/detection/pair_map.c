/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "components/collision/detection/pair_map.h"

void pair_map_free(SofaContext *ctx, PairMap *map) {
  sofa_list_free(ctx, &map->entries);
  sofa_list_free(ctx, &map->ids);
}

/* ---- ids ---- */

static size_t place_of(const PairMap *map, const SofaCollisionModel *model) {
  size_t low = 0, high = map->ids.n;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if ((uintptr_t)map->ids.data[middle].model < (uintptr_t)model) low = middle + 1;
    else high = middle;
  }
  return low;
}

static uint32_t id_of(const PairMap *map, const SofaCollisionModel *model) {
  return map->ids.data[place_of(map, model)].id;
}

static SofaErr give_id(SofaContext *ctx, PairMap *map, const SofaCollisionModel *model) {
  const size_t place = place_of(map, model), n = map->ids.n;
  if (place < n && map->ids.data[place].model == model) return SOFA_OK;
  const ModelId id = {model, (uint32_t)n};
  SOFA_TRY(SOFA_APPEND(ctx, &map->ids, &id));
  sofa_move(map->ids.data + place + 1, map->ids.data + place, (n - place) * sizeof id);
  map->ids.data[place] = id;
  return SOFA_OK;
}

static SofaErr touch(SofaContext *ctx, PairMap *map, ModelPair key) {
  SOFA_TRY(give_id(ctx, map, key.second));
  return give_id(ctx, map, key.first);
}

/* ---- entries ---- */

static int compare(const PairMap *map, ModelPair a, ModelPair b) {
  const uint32_t p[2] = {id_of(map, a.first), id_of(map, a.second)};
  const uint32_t q[2] = {id_of(map, b.first), id_of(map, b.second)};
  const int k = p[0] == q[0];
  return p[k] < q[k] ? -1 : p[k] > q[k];
}

/* The place of the first entry whose key is not smaller; all have ids. */
static size_t lower_bound(const PairMap *map, ModelPair key) {
  size_t low = 0, high = map->entries.n;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (compare(map, map->entries.data[middle].key, key) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

SofaErr pair_map_insert(SofaContext *ctx, PairMap *map, ModelPair key, PairMapFirst first,
                        PairMapEntry **out) {
  PairMapEntries *entries = &map->entries;
  const PairMapEntry entry = {.key = key};
  const size_t n = entries->n;
  size_t place = 0;
  if (n > 0) {
    const ModelPair last = entries->data[n - 1].key;
    SOFA_TRY(touch(ctx, map, first == PAIR_MAP_LARGEST ? last : key));
    SOFA_TRY(touch(ctx, map, first == PAIR_MAP_LARGEST ? key : last));
    place = lower_bound(map, key);
  }
  if (place == n || compare(map, key, entries->data[place].key) != 0) {
    SOFA_TRY(SOFA_APPEND(ctx, entries, &entry));
    sofa_move(entries->data + place + 1, entries->data + place, (n - place) * sizeof entry);
    entries->data[place] = entry;
  }
  *out = &entries->data[place];
  return SOFA_OK;
}

SofaErr pair_map_ask(SofaContext *ctx, PairMap *map, ModelPair key) {
  if (map->entries.n == 0) return SOFA_OK;
  SOFA_TRY(touch(ctx, map, map->entries.data[map->entries.n - 1].key));
  return touch(ctx, map, key);
}

void pair_map_filter(PairMap *map, bool (*keep)(const PairMapEntry *entry, void *user),
                     void *user) {
  size_t n = 0;
  for (size_t i = 0; i < map->entries.n; i++)
    if (keep(&map->entries.data[i], user)) map->entries.data[n++] = map->entries.data[i];
  map->entries.n = n;
}

/* ---- checkpoints ---- */

void pair_map_save(const PairMap *map, SofaCheckpointWriter *to) {
  sofa_checkpoint_put_uint(to, map->ids.n);
  for (uint32_t id = 0; id < map->ids.n; id++)
    for (size_t i = 0; i < map->ids.n; i++)
      if (map->ids.data[i].id == id)
        sofa_checkpoint_put_object(to, &map->ids.data[i].model->object);
  sofa_checkpoint_put_uint(to, map->entries.n);
  for (size_t i = 0; i < map->entries.n; i++) {
    sofa_checkpoint_put_object(to, &map->entries.data[i].key.first->object);
    sofa_checkpoint_put_object(to, &map->entries.data[i].key.second->object);
  }
}

static SofaCollisionModel *get_model(SofaCheckpointReader *from) {
  SofaObject *object = sofa_checkpoint_get_object(from);
  if (object && sofa_implements(object, SOFA_COLLISION_MODEL)) return (SofaCollisionModel *)object;
  sofa_checkpoint_misread(from);
  return NULL;
}

SofaErr pair_map_restore(SofaContext *ctx, PairMap *map, SofaCheckpointReader *from) {
  const uint64_t n_ids = sofa_checkpoint_get_uint(from);
  pair_map_free(ctx, map);
  for (uint64_t i = 0; i < n_ids; i++) {
    const SofaCollisionModel *model = get_model(from);
    if (sofa_checkpoint_is_bad(from)) return SOFA_OK;
    SOFA_TRY(give_id(ctx, map, model));
  }
  const uint64_t n = sofa_checkpoint_get_uint(from);
  for (uint64_t i = 0; i < n; i++) {
    PairMapEntry entry = {.value = NULL};
    entry.key.first = get_model(from);
    entry.key.second = get_model(from);
    if (sofa_checkpoint_is_bad(from)) return SOFA_OK;
    SOFA_TRY(SOFA_APPEND(ctx, &map->entries, &entry));
  }
  return SOFA_OK;
}
