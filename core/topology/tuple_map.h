/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A hash map from small sets of vertices to the id of an element, for finding shared faces. */
#ifndef SOFA_TOPOLOGY_TUPLE_MAP_H
#define SOFA_TOPOLOGY_TUPLE_MAP_H

#include <string.h>
#include "base/context.h"

SOFA_BEGIN_DECLS

/* Key: up to four vertex indices, unused ones UINT32_MAX. */
typedef struct SofaTuple {
  uint32_t v[4];
} SofaTuple;
typedef struct SofaTupleEntry {
  SofaTuple key;
  uint32_t id;
} SofaTupleEntry;              /* id UINT32_MAX: free */
typedef struct SofaTupleLink { /* a key in the list of its first vertex */
  uint32_t v[3];               /* the other vertices */
  uint32_t id, next;           /* next: place of the link + 1; 0: none */
} SofaTupleLink;
typedef struct SofaTupleMap { /* all-zero: empty */
  SofaTupleEntry *entries;    /* owned, open addressing with linear probing */
  size_t mask, n;             /* capacity - 1 (a power of two), used entries */
  /* of sofa_tuple_map_local */
  uint32_t n_vertices;  /* 0: no */
  uint32_t *head;       /* owned, n_vertices: place of the last link + 1; 0: none */
  SofaTupleLink *links; /* owned */
  size_t n_links, link_capacity;
} SofaTupleMap;

/* For the faces of a mesh: a list of keys per first vertex (< n_vertices), in the order in which
 * they come, so that walking through a mesh walks through memory. Before the first key. */
void sofa_tuple_map_local(SofaTupleMap *map, size_t n_vertices);

/* Makes room for `n` entries altogether. */
SofaErr sofa_tuple_map_reserve(SofaContext *ctx, SofaTupleMap *map, size_t n);
/* Adds key -> id unless the map has the key; *found gets the id of the key in the map. */
SofaErr sofa_tuple_map_add(SofaContext *ctx, SofaTupleMap *map, const SofaTuple *key, uint32_t id,
                           uint32_t *found);
/* UINT32_MAX if the map does not have the key. */
uint32_t sofa_tuple_map_find(const SofaTupleMap *map, const SofaTuple *key);
void sofa_tuple_map_free(SofaContext *ctx, SofaTupleMap *map);

/* Keys of vertex sets: sorted. */
static inline SofaTuple sofa_tuple2(uint32_t a, uint32_t b) {
  return a < b ? (SofaTuple){{a, b, UINT32_MAX, UINT32_MAX}}
               : (SofaTuple){{b, a, UINT32_MAX, UINT32_MAX}};
}
static inline void sofa_tuple_order(uint32_t *a, uint32_t *b) {
  if (*a > *b) {
    const uint32_t t = *a;
    *a = *b, *b = t;
  }
}
static inline SofaTuple sofa_tuple3(uint32_t a, uint32_t b, uint32_t c) {
  sofa_tuple_order(&a, &b), sofa_tuple_order(&b, &c), sofa_tuple_order(&a, &b);
  return (SofaTuple){{a, b, c, UINT32_MAX}};
}
static inline SofaTuple sofa_tuple4(uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
  sofa_tuple_order(&a, &b), sofa_tuple_order(&c, &d), sofa_tuple_order(&a, &c);
  sofa_tuple_order(&b, &d), sofa_tuple_order(&b, &c);
  return (SofaTuple){{a, b, c, d}};
}

SOFA_END_DECLS

#endif
