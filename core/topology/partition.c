/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The choice between the parts of bisection and those of the graph. */
#include "topology/partition.h"

/* Is no part empty, and none too large? */
static SofaErr check_sizes(SofaContext *ctx, const SofaDualGraph *graph, const uint32_t *part,
                           bool *good) {
  const size_t n_parts = (size_t)sofa_process_count(ctx);
  const double most = 1.05 * (double)graph->begin[n_parts] / (double)n_parts;
  uint64_t *n = sofa_alloc(ctx, n_parts, sizeof *n);
  if (!n) return SOFA_ERR_MEMORY;
  for (size_t i = 0; i < graph->n; i++) n[part[i]]++;
  const SofaErr err = sofa_process_sum_counts(ctx, n_parts, n);
  *good = true;
  for (size_t p = 0; p < n_parts; p++) *good = *good && n[p] > 0 && (double)n[p] <= most;
  sofa_free(ctx, n);
  return err;
}

/* Parts of vertices are checked before they are used as numbers of processes. */
static SofaErr find_parts(SofaContext *ctx, const SofaDualGraph *g, uint32_t *part) {
  const int rank = sofa_process_rank(ctx), n = sofa_process_count(ctx);
  const SofaGraph graph = {.first = g->begin[rank],
                           .n = g->n,
                           .n_whole = g->begin[n],
                           .start = g->start.data,
                           .to = g->to.data};
  SOFA_TRY(sofa_process_partition(ctx, &graph, part));
  for (size_t i = 0; i < g->n; i++)
    if (part[i] >= (uint32_t)n)
      return sofa_fail(ctx, SOFA_ERR_RANGE, NULL, "a graph was divided in more than %d parts", n);
  return SOFA_OK;
}

/* Takes the parts of the graph, if they are better. */
static SofaErr improve(SofaContext *ctx, const SofaDualGraph *graph, uint32_t *part) {
  uint64_t n_cut = 0, n_other = 0;
  bool good = false;
  uint32_t *other = sofa_alloc(ctx, graph->n, sizeof *other);
  SofaErr err = other ? find_parts(ctx, graph, other) : SOFA_ERR_MEMORY;
  if (err == SOFA_OK) err = check_sizes(ctx, graph, other, &good);
  if (err == SOFA_OK && good) err = sofa_dual_graph_cut(ctx, graph, part, &n_cut);
  if (err == SOFA_OK && good) err = sofa_dual_graph_cut(ctx, graph, other, &n_other);
  if (err == SOFA_OK && good && n_other < n_cut) sofa_copy(part, other, graph->n * sizeof *part);
  sofa_free(ctx, other);
  return err;
}

/* Slices of different meshes do not tile any. */
static SofaErr check_same(SofaContext *ctx, const SofaMeshSlice *slice) {
  bool same = true;
  SOFA_TRY(sofa_process_same(ctx, sizeof slice->n_whole, slice->n_whole, &same));
  if (same) return SOFA_OK;
  return sofa_fail(ctx, SOFA_ERR_SCENE, NULL,
                   "the processes have different meshes to divide: their numbers of points or "
                   "elements differ");
}

SofaErr sofa_partition(SofaContext *ctx, const SofaMeshSlice *slice, SofaPartition method,
                       uint32_t *part) {
  SofaDualGraph graph;
  SOFA_TRY(check_same(ctx, slice));
  SOFA_TRY(sofa_bisect_slices(ctx, slice, part));
  if (method == SOFA_PARTITION_BISECTION || !ctx->processes) return SOFA_OK;
  if (method == SOFA_PARTITION_DEFAULT && !sofa_process_can_partition(ctx)) return SOFA_OK;
  SOFA_TRY(sofa_dual_graph_make(ctx, slice, &graph));
  const SofaErr err = improve(ctx, &graph, part);
  sofa_dual_graph_free(ctx, &graph);
  return err;
}
