/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The graph of the volume elements of a mesh in slices: two elements with a common face are beside
 * each other. Its vertices are numbered process after process, in the order of each slice. */
#ifndef SOFA_TOPOLOGY_DUAL_GRAPH_H
#define SOFA_TOPOLOGY_DUAL_GRAPH_H

#include "topology/mesh_slice.h"

SOFA_BEGIN_DECLS

typedef struct SofaDualGraph {
  size_t n;          /* volume elements of the slice */
  size_t *begin;     /* owned: first vertex of each process; behind them: number of all */
  SofaIndices start; /* place of the first neighbour of each; one more */
  SofaIndices to;    /* neighbours, ascending, each once */
} SofaDualGraph;

/* Called by all processes. Of three or more elements with one face, each is beside the next. */
SofaErr sofa_dual_graph_make(SofaContext *ctx, const SofaMeshSlice *slice, SofaDualGraph *out);
void sofa_dual_graph_free(SofaContext *ctx, SofaDualGraph *graph);
/* Called by all processes. n_cut = edges of the whole graph between elements of different parts. */
SofaErr sofa_dual_graph_cut(SofaContext *ctx, const SofaDualGraph *graph, const uint32_t *part,
                            uint64_t *n_cut);

SOFA_END_DECLS

#endif
