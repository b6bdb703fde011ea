/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parts of meshes in slices, on several processes of MPI: no part is empty or too large, borders
 * are no longer than those of bisection, and shorter where a body is no bar. Prints the parts'
 * checksum. */
#include <stdio.h>
#include <stdlib.h>

#include "base/checksum.h"
#include "petsc_calls.h"
#include "petsc_partition.h"
#include "petsc_process.h"
#include "tests/unit/geometry/slice_meshes.h"
#include "topology/partition.h"

enum { CELLS = 12, MOST = 64 };

typedef struct Body {
  const char *name;
  LeftOut is_left_out;
  bool mixed;
} Body;

static const Body bodies[] = {{"cube", none_left_out, false},
                              {"mixed", none_left_out, true},
                              {"L", corner_left_out, false},
                              {"shell", core_left_out, false}};

typedef struct Test {
  SofaContext *ctx;
  SofaPlace place;
  SofaMeshSlice slice;
  SofaDualGraph graph;
  uint32_t *part;
  size_t n;
  int n_failures;
} Test;

static void check(Test *t, bool good, const Body *body, const char *what) {
  if (good) return;
  t->n_failures++;
  fprintf(stderr, "process %d, %s: FAILED: %s\n", t->place.rank, body->name, what);
}

/* Faces between the parts; sizes: of the parts. */
static uint64_t measure(Test *t, SofaPartition method, const Body *body, uint64_t *sizes) {
  uint64_t n_cut = 0;
  check(t, sofa_partition(t->ctx, &t->slice, method, t->part) == SOFA_OK, body, "partition");
  check(t, sofa_dual_graph_cut(t->ctx, &t->graph, t->part, &n_cut) == SOFA_OK, body, "cut");
  for (int p = 0; p < t->place.n; p++) sizes[p] = 0;
  for (size_t i = 0; i < t->n; i++) sizes[t->part[i]]++;
  check(t, sofa_process_sum_counts(t->ctx, (size_t)t->place.n, sizes) == SOFA_OK, body, "sizes");
  return n_cut;
}

static void check_sizes(Test *t, const Body *body, const uint64_t *sizes) {
  const double mean = (double)sofa_mesh_slice_n_whole_volumes(&t->slice) / t->place.n;
  for (int p = 0; p < t->place.n; p++)
    check(t, sizes[p] > 0 && (double)sizes[p] <= 1.05 * mean, body, "sizes of the parts");
}

/* Of the parts of all processes, in their order. */
static uint64_t checksum(Test *t) {
  uint64_t all[MOST] = {0};
  const uint64_t mine = sofa_checksum(SOFA_CHECKSUM_BEGIN, t->part, t->n * sizeof *t->part);
  sofa_process_collect(t->ctx, sizeof mine, &mine, all);
  return sofa_checksum(SOFA_CHECKSUM_BEGIN, all, (size_t)t->place.n * sizeof *all);
}

/* PT-Scotch itself, without the choice. */
static void look_at_graph(Test *t, const Body *body, uint64_t cut_of_bisection) {
  uint64_t n_cut = 0;
  const SofaGraph graph = {.first = t->graph.begin[t->place.rank],
                           .n = t->graph.n,
                           .n_whole = t->graph.begin[t->place.n],
                           .start = t->graph.start.data,
                           .to = t->graph.to.data};
  if (t->place.n == 1) return;
  check(t, sofa_process_partition(t->ctx, &graph, t->part) == SOFA_OK, body, "graph");
  check(t, sofa_dual_graph_cut(t->ctx, &t->graph, t->part, &n_cut) == SOFA_OK, body, "cut");
  if (body->is_left_out == none_left_out) /* bisection cuts it by planes */
    check(t, (double)n_cut <= 1.05 * (double)cut_of_bisection, body, "a long border of the graph");
  const uint64_t sum = checksum(t);
  if (t->place.rank == 0)
    printf("%s: graph %llu, bisection %llu, %016llx\n", body->name, (unsigned long long)n_cut,
           (unsigned long long)cut_of_bisection, (unsigned long long)sum);
}

static void test_body(Test *t, const Body *body) {
  SofaMesh mesh = {0};
  uint64_t sizes[MOST];
  check(t, make_cells(t->ctx, CELLS, body->is_left_out, body->mixed, &mesh) == SOFA_OK, body,
        "mesh");
  check(t, make_slice(t->ctx, &mesh, &t->slice) == SOFA_OK, body, "slice");
  t->n = sofa_mesh_slice_n_volumes(&t->slice);
  t->part = sofa_alloc(t->ctx, t->n, sizeof *t->part);
  check(t, sofa_dual_graph_make(t->ctx, &t->slice, &t->graph) == SOFA_OK, body, "graph");
  const uint64_t bisected = measure(t, SOFA_PARTITION_BISECTION, body, sizes);
  check_sizes(t, body, sizes);
  const uint64_t best = measure(t, SOFA_PARTITION_DEFAULT, body, sizes);
  check_sizes(t, body, sizes);
  const uint64_t sum = checksum(t);
  check(t, best <= bisected, body, "a longer border than that of the bisection");
  if (body->is_left_out == corner_left_out && t->place.n > 1)
    check(t, best < bisected, body, "no shorter border than that of the bisection");
  if (t->place.rank == 0)
    printf("%s: %llu faces between %d parts, %016llx\n", body->name, (unsigned long long)best,
           t->place.n, (unsigned long long)sum);
  look_at_graph(t, body, bisected);
  sofa_free(t->ctx, t->part);
  sofa_dual_graph_free(t->ctx, &t->graph);
  sofa_mesh_slice_free(t->ctx, &t->slice);
}

static const SofaProcessOps ops = {.join = petsc_join,
                                   .end = petsc_end,
                                   .collect = petsc_collect,
                                   .gather = petsc_gather,
                                   .spread = petsc_spread,
                                   .exchange = petsc_exchange,
                                   .partition = PETSC_PARTITION};

int main(void) {
  Test t = {0};
  if (sofa_context_create_bare(NULL, &t.ctx) != SOFA_OK) return 1;
  if (petsc_join(t.ctx, &t.place) != SOFA_OK || t.place.n > MOST) return 1;
  if (sofa_process_set(t.ctx, &t.place, &ops, NULL) != SOFA_OK) return 1;
  for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) test_body(&t, &bodies[i]);
  sofa_context_destroy(&t.ctx);
  if (t.place.rank == 0 && !t.n_failures) printf("%d processes: all tests passed\n", t.place.n);
  fflush(stdout);
  petsc_end(t.n_failures != 0);
  return t.n_failures != 0;
}
