/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "numerics/fem/edge_assembly.h"

#include "base/bytes.h"
#include "base/team.h"
#include "numerics/fem/edge_kernels.h"
#include "numerics/fem/lane_count.h"
#include "numerics/fem/pair_assembly.h"

enum { GROUPS_GRAIN = 32, BLOCK = 9 }; /* the grain: groups of SOFA_LANES elements */

/* All arrays are owned. */
struct SofaEdgeAssembly {
  size_t n;       /* edges */
  uint32_t *ends; /* 2 n, that the lists were made of */
  unsigned per_element;
  SofaElementPairs pairs; /* without lists of its own */
  SofaEdgeParts parts;
  double *blocks; /* 9 per edge, of whole groups of SOFA_LANES elements */
};

/* ---- lists ---- */

static bool is_of(const SofaEdgeAssembly *a, SofaEdgeList edges) {
  if (!a || a->n != edges.n || a->per_element != edges.per_element) return false;
  uint32_t differs = 0;
  for (size_t k = 0; k < edges.n; k++) {
    const uint32_t *v = edges.ends + edges.stride * k;
    differs |= (a->ends[2 * k] ^ v[0]) | (a->ends[2 * k + 1] ^ v[1]);
  }
  return !differs;
}

/* Edges of a pair: those whose blocks are added as they are, then those to be transposed. An edge
 * from a point to itself has no part: it does not move against itself. */
static void order_parts(const SofaEdgeAssembly *a, bool symmetric, uint32_t *bound,
                        uint32_t *edge) {
  const SofaElementPairs *pairs = &a->pairs;
  uint32_t n = 0;
  for (size_t p = 0; p < pairs->n; p++) {
    for (unsigned turned = 0; turned < 2; turned++) {
      bound[2 * p + turned] = n;
      for (size_t k = pairs->start[p]; k < pairs->start[p + 1]; k++) {
        const uint32_t e = pairs->part[k].element;
        const unsigned turn = symmetric ? 0 : pairs->part[k].row_node;
        if (turn == turned && a->ends[2 * e] != a->ends[2 * e + 1]) edge[n++] = e;
      }
    }
  }
  bound[2 * pairs->n] = n;
}

static SofaErr make_parts(SofaContext *ctx, bool symmetric, SofaEdgeAssembly *a) {
  SofaElementPairs *pairs = &a->pairs;
  uint32_t *bound = sofa_alloc(ctx, 2 * pairs->n + 1, sizeof *bound);
  uint32_t *edge = sofa_alloc(ctx, pairs->start[pairs->n] + 1, sizeof *edge);
  a->parts = (SofaEdgeParts){pairs->row, pairs->column, bound, edge};
  if (!bound || !edge) return SOFA_ERR_MEMORY;
  order_parts(a, symmetric, bound, edge);
  // only their order is needed from here on
  sofa_element_pairs_forget_parts(ctx, pairs);
  return SOFA_OK;
}

static SofaErr make_lists(SofaContext *ctx, SofaEdgeList edges, size_t n_points,
                          SofaEdgeAssembly *a) {
  const size_t group = (size_t)SOFA_LANES * edges.per_element;
  const size_t n_groups = (edges.n + group - 1) / group;
  a->n = edges.n;
  a->per_element = edges.per_element;
  // numbers of parts have 32 bits, and an edge has three
  if (edges.n > UINT32_MAX / 4) return SOFA_ERR_MEMORY;
  if (!(a->ends = sofa_alloc(ctx, 2 * edges.n + 1, sizeof *a->ends))) return SOFA_ERR_MEMORY;
  for (size_t k = 0; k < 2 * edges.n; k++) a->ends[k] = edges.ends[edges.stride * (k / 2) + k % 2];
  const SofaElements pairs = {a->ends, edges.n, 2};
  SOFA_TRY(sofa_element_pairs_create(ctx, pairs, n_points, SOFA_PAIRS_PARTS, &a->pairs));
  SOFA_TRY(make_parts(ctx, edges.symmetric, a));
  a->blocks = sofa_alloc(ctx, BLOCK * group * n_groups + 1, sizeof *a->blocks);
  return a->blocks ? SOFA_OK : SOFA_ERR_MEMORY;
}

SofaErr sofa_edge_assembly_follow(SofaContext *ctx, SofaEdgeList edges, size_t n_points,
                                  SofaEdgeAssembly **a) {
  if (is_of(*a, edges)) return SOFA_OK;
  sofa_edge_assembly_free(ctx, a);
  if (!(*a = sofa_alloc(ctx, 1, sizeof **a))) return SOFA_ERR_MEMORY;
  const SofaErr err = make_lists(ctx, edges, n_points, *a);
  if (err != SOFA_OK) sofa_edge_assembly_free(ctx, a);
  return err;
}

void sofa_edge_assembly_free(SofaContext *ctx, SofaEdgeAssembly **assembly) {
  SofaEdgeAssembly *a = *assembly;
  if (!a) return;
  sofa_element_pairs_free(ctx, &a->pairs);
  sofa_free(ctx, (uint32_t *)(uintptr_t)a->parts.bound);
  sofa_free(ctx, (uint32_t *)(uintptr_t)a->parts.edge);
  sofa_free(ctx, a->ends);
  sofa_free(ctx, a->blocks);
  sofa_free(ctx, a);
  *assembly = NULL;
}

/* ---- sums ---- */

typedef struct Adding {
  const SofaEdgeAssembly *a;
  const SofaEdgeBlocks *source;
  const SofaEdgeKernels *kernels;
} Adding;

static void make_groups(void *user, size_t begin, size_t end) {
  const Adding *adding = user;
  const SofaEdgeAssembly *a = adding->a;
  const size_t n = a->n / a->per_element, first = begin * SOFA_LANES, last = end * SOFA_LANES;
  adding->source->make(adding->source->user, first, last < n ? last : n,
                       a->blocks + BLOCK * a->per_element * first);
}

static void sum_pairs(void *user, size_t begin, size_t end, double *blocks) {
  const Adding *adding = user;
  adding->kernels->sums(&adding->a->parts, begin, end, adding->a->blocks, blocks);
}

void sofa_edge_assembly_add(const SofaContext *ctx, SofaEdgeAssembly *a,
                            const SofaEdgeBlocks *source, const SofaTangent *tangent) {
  Adding adding = {a, source, sofa_edge_kernels(ctx)};
  const SofaPairBlocks sums = {.dim = 3, .make = sum_pairs, .user = &adding};
  if (!a->n) return;
  const size_t n = a->n / a->per_element;
  sofa_team_for(ctx, (n + SOFA_LANES - 1) / SOFA_LANES, GROUPS_GRAIN, make_groups, &adding);
  sofa_pairs_add(ctx, &a->pairs, &sums, tangent);
}
