/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shares of elements in the entries of MeshMatrixMass; edges of a topology by their vertices. */
#ifndef MASS_EDGE_SEARCH_H
#define MASS_EDGE_SEARCH_H

#include <stdlib.h>
#include "base/array.h"
#include "base/bytes.h"
#include "numerics/mass/measure.h"

/* Shares of an element's mass: each vertex gets rho V / vertex, each edge rho V / edge. Simplices:
 * the exact integrals of products of linear shape functions. Quads and hexahedra: as in SOFA, for
 * its quirk and for entries that a scene lists. */
typedef struct Shares {
  double vertex, edge, coefficient;
  unsigned n_edges;
  uint8_t edges[12][2];
} Shares;

static const Shares shares[MASS_N_CELLS] = {
    [MASS_HEXA] = {20,
                   40,
                   2.5,
                   12,
                   {{0, 1},
                    {0, 3},
                    {0, 4},
                    {1, 2},
                    {1, 5},
                    {2, 3},
                    {2, 6},
                    {3, 7},
                    {4, 5},
                    {4, 7},
                    {5, 6},
                    {6, 7}}},
    [MASS_TETRA] = {10, 20, 2.5, 6, {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}},
    [MASS_QUAD] = {8, 16, 2, 4, {{0, 1}, {1, 2}, {2, 3}, {3, 0}}},
    [MASS_TRIANGLE] = {6, 12, 2, 3, {{1, 2}, {2, 0}, {0, 1}}},
    [MASS_EDGE] = {3, 6, 1.5, 1, {{0, 1}}},
};

typedef struct EdgeKey {
  uint64_t key;
  uint32_t edge;
} EdgeKey;
SOFA_LIST(EdgeKey, EdgeKeys);

static inline uint64_t edge_key(uint32_t a, uint32_t b) {
  return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

static inline int compare_keys(const void *a, const void *b) {
  const EdgeKey *x = a, *y = b;
  if (x->key != y->key) return x->key < y->key ? -1 : 1;
  return x->edge < y->edge ? -1 : x->edge > y->edge;
}

static inline SofaErr sort_edges(SofaContext *ctx, const SofaEdges *edges, EdgeKeys *out) {
  SOFA_TRY(SOFA_RESIZE(ctx, out, edges->n));
  for (size_t i = 0; i < edges->n; i++)
    out->data[i] = (EdgeKey){edge_key(edges->data[i].v[0], edges->data[i].v[1]), (uint32_t)i};
  if (out->n) sofa_sort(out->data, out->n, sizeof *out->data, compare_keys);
  return SOFA_OK;
}

/* Number of the edge (a, b), or the list's size. */
static inline size_t find_edge(const EdgeKeys *keys, uint32_t a, uint32_t b) {
  const uint64_t key = edge_key(a, b);
  size_t low = 0, high = keys->n;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (keys->data[middle].key < key) low = middle + 1;
    else high = middle;
  }
  return low < keys->n && keys->data[low].key == key ? keys->data[low].edge : keys->n;
}

#endif
