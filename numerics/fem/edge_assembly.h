/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The matrix of edges between points: the blocks of edges are summed up to those of pairs of
 * points, each of which is added to the matrix once, on the context's team. Every sum has a fixed
 * order: the bits are the same on any number of threads. */
#ifndef SOFA_NUMERICS_FEM_EDGE_ASSEMBLY_H
#define SOFA_NUMERICS_FEM_EDGE_ASSEMBLY_H

#include "behavior/force_field.h"

SOFA_BEGIN_DECLS

/* Edges one after the other: those of an element, then those of the next one. */
typedef struct SofaEdgeList {
  const uint32_t *ends; /* two of edge k at ends + stride k */
  size_t stride, n;
  unsigned per_element;
  bool symmetric; /* blocks of edges */
} SofaEdgeList;

typedef struct SofaEdgeAssembly SofaEdgeAssembly;

/* Makes the lists where they are not those of the edges; points are below n_points. *a: NULL or
 * the lists of before, which are used again or freed; NULL on a failure. */
SofaErr sofa_edge_assembly_follow(SofaContext *ctx, SofaEdgeList edges, size_t n_points,
                                  SofaEdgeAssembly **a);
/* *a may be NULL, and is then. */
void sofa_edge_assembly_free(SofaContext *ctx, SofaEdgeAssembly **a);

typedef struct SofaEdgeBlocks {
  /* The blocks B of the edges of elements begin .. end - 1, row major, one after the other; on any
   * thread. begin is a multiple of SOFA_LANES, end is one or the number of elements, behind which
   * the group may be filled up. */
  void (*make)(void *user, size_t begin, size_t end, double *blocks);
  void *user;
} SofaEdgeBlocks;

/* Adds to the tangent of the only state df_i = B (dx_j - dx_i), df_j = B^T (dx_i - dx_j) of edges
 * from i to j. */
void sofa_edge_assembly_add(const SofaContext *ctx, SofaEdgeAssembly *a,
                            const SofaEdgeBlocks *source, const SofaTangent *tangent);

SOFA_END_DECLS

#endif
