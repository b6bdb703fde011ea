/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A map from unordered pairs of points to two numbers, for making springs from meshes. */
#ifndef SOFA_SPRING_PAIR_MAP_H
#define SOFA_SPRING_PAIR_MAP_H

#include "base/array.h"

/* Open addressing, a power of two of places; all zero is an empty map. */
typedef struct SofaPairMap {
  uint64_t *keys; /* smaller point << 32 | larger point, plus one; 0: free */
  uint32_t (*values)[2];
  size_t size, n;
} SofaPairMap;

void sofa_pair_map_free(SofaContext *ctx, SofaPairMap *map);
/* The value of the pair, added as zeros when it is not there; valid until the next call. */
SofaErr sofa_pair_map_get(SofaContext *ctx, SofaPairMap *map, uint32_t a, uint32_t b,
                          uint32_t **value, bool *is_new);

#endif
