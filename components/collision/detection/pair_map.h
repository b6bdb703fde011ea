/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An ordered map over pairs of collision models, in SOFA's order.
 *
 * The key of a pair is (id of the first, id of the second), and the order is that of the keys. A
 * model gets its id, the next free number, when it is compared for the first time, and keeps it as
 * long as the map lives. When the keys A and B are compared, the models get ids in the order A's
 * second, A's first, B's second, B's first. */
#ifndef COMPONENTS_COLLISION_PAIR_MAP_H
#define COMPONENTS_COLLISION_PAIR_MAP_H

#include "behavior/collision.h"
#include "object/checkpoint.h"

typedef struct ModelPair {
  SofaCollisionModel *first, *second;
} ModelPair;

typedef struct PairMapEntry {
  ModelPair key;
  void *value; /* the user's */
} PairMapEntry;
SOFA_LIST(PairMapEntry, PairMapEntries);
typedef struct ModelId {
  const SofaCollisionModel *model;
  uint32_t id;
} ModelId;
SOFA_LIST(ModelId, ModelIds);

typedef struct PairMap {
  PairMapEntries entries; /* in the order of the keys */
  ModelIds ids;           /* sorted by address, for the search alone */
} PairMap;

void pair_map_free(SofaContext *ctx, PairMap *map);
/* The entry of a pair, made with the value NULL when there is none; entries then move. Which keys
 * are compared first: the largest one with the pair (detections), or the pair with one that is
 * there (contacts). */
typedef enum PairMapFirst { PAIR_MAP_LARGEST, PAIR_MAP_NEW } PairMapFirst;
SofaErr pair_map_insert(SofaContext *ctx, PairMap *map, ModelPair key, PairMapFirst first,
                        PairMapEntry **out);
/* Gives ids as a search for the pair does. */
SofaErr pair_map_ask(SofaContext *ctx, PairMap *map, ModelPair key);
/* For checkpoints: keys and ids, in their order; restored entries have the value NULL. */
void pair_map_save(const PairMap *map, SofaCheckpointWriter *to);
SofaErr pair_map_restore(SofaContext *ctx, PairMap *map, SofaCheckpointReader *from);
/* Removes the entries that `keep` refuses; models keep their ids. */
void pair_map_filter(PairMap *map, bool (*keep)(const PairMapEntry *entry, void *user), void *user);

#endif
