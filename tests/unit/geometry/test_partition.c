/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parts of meshes of which no process has the whole: those of the bisection of a whole mesh; the
 * graph of elements with common faces; the choice between the parts of both. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
/* after the headers it needs */
#include <cmocka.h>

#include "tests/support/whole_division.c"
#include "tests/unit/base/failing_allocator.h"
#include "tests/unit/geometry/slice_meshes.h"
#include "tests/unit/simulation/processes.h"
#include "topology/division.h"
#include "topology/partition.h"

#define CHECK(condition)                                                                           \
  if (!(condition)) return fprintf(stderr, "%s:%d\n", __FILE__, __LINE__), SOFA_ERR_ARGUMENT

typedef struct Body {
  uint32_t n;
  LeftOut is_left_out;
  bool mixed, uneven; /* uneven: no two centres have a coordinate in common */
} Body;

static const Body bodies[] = {{6, none_left_out, true, false},
                              {6, corner_left_out, true, false},
                              {5, core_left_out, false, false},
                              {5, none_left_out, true, true},
                              {1, none_left_out, false, false}};

/* Of one process: the whole mesh, the centres of its elements, and the slice. */
typedef struct Process {
  SofaContext *ctx;
  SofaMesh whole;
  SofaVec3s centres;
  SofaMeshSlice slice;
  size_t n;
  uint32_t *part;
} Process;

static SofaErr open_process(ThreadProcess *process, const Body *body, Process *out) {
  SofaMesh copy = {0};
  *out = (Process){0};
  SOFA_TRY(sofa_context_create_bare(NULL, &out->ctx));
  SOFA_TRY(thread_join(process, out->ctx));
  for (int k = 0; k < 2; k++) {
    SofaMesh *mesh = k ? &copy : &out->whole;
    SOFA_TRY(make_cells(out->ctx, body->n, body->is_left_out, body->mixed, mesh));
    for (size_t i = 0; body->uneven && i < mesh->position.n; i++)
      for (int a = 0; a < 3; a++)
        mesh->position.data[i].v[a] = sin((double)i * (a + 1.3)) * pow(10, (double)(i % 7) - 3);
  }
  SOFA_TRY(whole_centres(out->ctx, &out->whole, &out->centres));
  SOFA_TRY(make_slice(out->ctx, &copy, &out->slice));
  out->n = sofa_mesh_slice_n_volumes(&out->slice);
  out->part = sofa_alloc(out->ctx, out->n, sizeof *out->part);
  return out->part ? SOFA_OK : SOFA_ERR_MEMORY;
}

static void close_process(Process *p) {
  sofa_free(p->ctx, p->part);
  sofa_mesh_free(p->ctx, &p->whole);
  sofa_list_free(p->ctx, &p->centres);
  sofa_mesh_slice_free(p->ctx, &p->slice);
  sofa_context_destroy(&p->ctx);
}

/* ---- bisection ---- */

static SofaErr bisect(ThreadProcess *process, void *user) {
  Process p;
  SOFA_TRY(open_process(process, user, &p));
  uint32_t *expected = sofa_alloc(p.ctx, p.centres.n, sizeof *expected);
  CHECK(expected && p.centres.n == sofa_mesh_slice_n_whole_volumes(&p.slice));
  SOFA_TRY(
      whole_bisect(p.ctx, p.centres.n, p.centres.data->v, (uint32_t)process->all->n, expected));
  SOFA_TRY(sofa_partition(p.ctx, &p.slice, SOFA_PARTITION_BISECTION, p.part));
  for (size_t i = 0; i < p.n; i++) CHECK(p.part[i] == expected[whole_number(&p.slice, i)]);
  /* the same where the processes have no other method */
  SOFA_TRY(sofa_partition(p.ctx, &p.slice, SOFA_PARTITION_DEFAULT, p.part));
  for (size_t i = 0; i < p.n; i++) CHECK(p.part[i] == expected[whole_number(&p.slice, i)]);
  sofa_free(p.ctx, expected);
  close_process(&p);
  return SOFA_OK;
}

static void bisection(void **state) {
  (void)state;
  for (size_t b = 0; b < sizeof bodies / sizeof *bodies; b++)
    for (int n = 1; n <= MOST_PROCESSES; n++)
      assert_int_equal(threads_run(n, bisect, (void *)(uintptr_t)&bodies[b]), SOFA_OK);
}

/* ---- the graph ---- */

/* Elements of the whole mesh, kind after kind: corners and number. */
static const uint32_t *element(const SofaMesh *mesh, size_t number, unsigned *width) {
  for (int k = 0; k < SOFA_N_VOLUME_KINDS; k++) {
    const SofaElements list = sofa_mesh_elements(mesh, sofa_volume_kinds[k]);
    *width = list.width;
    if (number < list.n) return list.v + number * list.width;
    number -= list.n;
  }
  return NULL;
}

/* In these meshes two elements have a common face where they have three points in common, unless
 * these are of a quad of which the other has one half. */
static bool have_common_face(const SofaMesh *mesh, size_t a, size_t b) {
  unsigned width[2], n = 0;
  const uint32_t *v = element(mesh, a, &width[0]), *w = element(mesh, b, &width[1]);
  for (unsigned i = 0; i < width[0]; i++)
    for (unsigned j = 0; j < width[1]; j++) n += v[i] == w[j];
  return n >= 3;
}

/* Numbers in the whole mesh of all vertices of the graph, in its order. */
static SofaErr list_numbers(Process *p, const SofaDualGraph *graph, SofaIndices *out) {
  const int n = p->ctx->processes ? p->ctx->processes->place.n : 1;
  for (int r = 0; r < n; r++) {
    uint32_t before = 0;
    for (int k = 0; k < SOFA_N_VOLUME_KINDS; k++) {
      const size_t all = p->slice.n_whole[sofa_volume_kinds[k]];
      for (size_t e = sofa_slice_begin(all, r, n); e < sofa_slice_begin(all, r + 1, n); e++) {
        const uint32_t number = before + (uint32_t)e;
        SOFA_TRY(SOFA_APPEND(p->ctx, out, &number));
      }
      before += (uint32_t)all;
    }
    CHECK(graph->begin[r + 1] == out->n);
  }
  return SOFA_OK;
}

static bool is_beside(const SofaDualGraph *g, size_t i, uint32_t other) {
  for (uint32_t k = g->start.data[i]; k < g->start.data[i + 1]; k++)
    if (g->to.data[k] == other) return true;
  return false;
}

static SofaErr check_cut(Process *p, const SofaDualGraph *g, const SofaIndices *numbers) {
  uint64_t expected = 0, n_cut = 0;
  for (size_t a = 0; a < numbers->n; a++)
    for (size_t b = 0; b < a; b++)
      expected += numbers->data[a] % 3 != numbers->data[b] % 3 &&
                  have_common_face(&p->whole, numbers->data[a], numbers->data[b]);
  for (size_t i = 0; i < p->n; i++) p->part[i] = (uint32_t)(whole_number(&p->slice, i) % 3);
  SOFA_TRY(sofa_dual_graph_cut(p->ctx, g, p->part, &n_cut));
  CHECK(n_cut == expected);
  return SOFA_OK;
}

static SofaErr build_graph(ThreadProcess *process, void *user) {
  Process p;
  SofaDualGraph g;
  SofaIndices numbers = {0};
  SOFA_TRY(open_process(process, user, &p));
  SOFA_TRY(sofa_dual_graph_make(p.ctx, &p.slice, &g));
  CHECK(g.n == p.n && g.start.data[g.n] == g.to.n);
  SOFA_TRY(list_numbers(&p, &g, &numbers));
  const size_t first = g.begin[process->rank];
  for (size_t i = 0; i < g.n; i++)
    for (uint32_t other = 0; other < numbers.n; other++) {
      const bool expected =
          other != first + i &&
          have_common_face(&p.whole, whole_number(&p.slice, i), numbers.data[other]);
      CHECK(is_beside(&g, i, other) == expected);
    }
  for (size_t i = 0; i < g.n; i++)
    for (uint32_t k = g.start.data[i] + 1; k < g.start.data[i + 1]; k++)
      CHECK(g.to.data[k - 1] < g.to.data[k]);
  SOFA_TRY(check_cut(&p, &g, &numbers));
  sofa_list_free(p.ctx, &numbers);
  sofa_dual_graph_free(p.ctx, &g);
  close_process(&p);
  return SOFA_OK;
}

static void graph(void **state) {
  static const Body small[] = {{4, core_left_out, false, false}, {3, none_left_out, false, false}};
  (void)state;
  for (size_t b = 0; b < sizeof small / sizeof *small; b++)
    for (int n = 1; n <= 5; n += 2)
      assert_int_equal(threads_run(n, build_graph, (void *)(uintptr_t)&small[b]), SOFA_OK);
}

/* One element of each kind, each beside the next, by a triangle or a quad; the last tetrahedron is
 * there three times. */
static SofaErr build_chain(ThreadProcess *process, void *user) {
  static SofaTetra tetras[] = {{{8, 6, 7, 10}}, {{6, 7, 10, 8}}, {{7, 10, 8, 6}}};
  static SofaHexa hexas[] = {{{0, 1, 2, 3, 4, 5, 9, 11}}};
  static SofaPrism prisms[] = {{{4, 5, 6, 11, 9, 7}}};
  static SofaPyramid pyramids[] = {{{5, 9, 7, 6, 8}}};
  /* vertices: the tetrahedra 0 to 2, the hexahedron 3, the prism 4, the pyramid 5 */
  static const uint8_t beside[6][6] = {{0, 1, 0, 0, 0, 0}, {1, 0, 1, 0, 0, 0}, {0, 1, 0, 0, 0, 1},
                                       {0, 0, 0, 0, 1, 0}, {0, 0, 0, 1, 0, 1}, {0, 0, 1, 0, 1, 0}};
  SofaContext *ctx = NULL;
  SofaDualGraph g;
  (void)user;
  SOFA_TRY(sofa_context_create_bare(NULL, &ctx));
  SOFA_TRY(thread_join(process, ctx));
  const SofaMeshSlice slice = {.n_whole = {[SOFA_ELEMENT_POINT] = 12},
                               .mesh = {.tetrahedra = {tetras, 3, 3},
                                        .hexahedra = {hexas, 1, 1},
                                        .prisms = {prisms, 1, 1},
                                        .pyramids = {pyramids, 1, 1}}};
  SOFA_TRY(sofa_dual_graph_make(ctx, &slice, &g));
  for (size_t i = 0; i < 6; i++)
    for (uint32_t k = 0; k < 6; k++) CHECK(is_beside(&g, i, k) == beside[i][k]);
  sofa_dual_graph_free(ctx, &g);
  sofa_context_destroy(&ctx);
  return SOFA_OK;
}

static void kinds(void **state) {
  (void)state;
  assert_int_equal(threads_run(1, build_chain, NULL), SOFA_OK);
}

/* ---- the choice ---- */

/* What a process answers for a graph of two bars, of which each process has one. */
typedef enum Answer { WORSE, BETTER, EMPTY, LARGE, TOO_MANY } Answer;

typedef struct Choice {
  Answer answer;
  SofaErr expected;
} Choice;

static Answer answer_now; /* one test runs at a time */

static SofaErr answer_parts(SofaContext *ctx, const SofaGraph *g, uint32_t *part) {
  const uint32_t n = (uint32_t)ctx->processes->place.n;
  for (size_t i = 0; i < g->n; i++) {
    const size_t vertex = g->first + i;
    part[i] = answer_now == WORSE ? (uint32_t)(vertex % n) : (uint32_t)(vertex * n / g->n_whole);
    if (answer_now == EMPTY && part[i] == 1) part[i] = 0;
    if (answer_now == LARGE && vertex == g->n_whole / 2) part[i] = 0;
    if (answer_now == TOO_MANY && vertex == 0) part[i] = n;
  }
  return SOFA_OK;
}

/* Two bars beside each other that the bisection cuts across: two faces; between the bars are none.
 */
enum { LENGTH = 8 };

static SofaErr make_bars(SofaContext *ctx, SofaMesh *mesh) {
  for (uint32_t bar = 0; bar < 2; bar++)
    for (uint32_t i = 0; i < 4 * (LENGTH + 1); i++) {
      const SofaVec3 p = {{i / 4, i % 2 + 3.0 * bar, i / 2 % 2}};
      SOFA_TRY(SOFA_APPEND(ctx, &mesh->position, &p));
    }
  for (uint32_t bar = 0; bar < 2; bar++)
    for (uint32_t i = 0; i < LENGTH; i++) {
      const uint32_t a = 4 * (i + bar * (LENGTH + 1));
      const SofaHexa h = {{a, a + 4, a + 5, a + 1, a + 2, a + 6, a + 7, a + 3}};
      SOFA_TRY(SOFA_APPEND(ctx, &mesh->hexahedra, &h));
    }
  return SOFA_OK;
}

static SofaErr choose(ThreadProcess *process, void *user) {
  const Choice *choice = user;
  SofaContext *ctx = NULL;
  const SofaContextOptions options = {.sink = quiet_sink};
  const SofaPlace place = {process->rank, process->all->n};
  SofaMesh mesh = {0};
  SofaMeshSlice slice;
  uint32_t part[2 * LENGTH], cut[2 * LENGTH];
  SofaProcessOps ops = thread_ops;
  ops.partition = answer_parts;
  SOFA_TRY(sofa_context_create_bare(&options, &ctx));
  SOFA_TRY(sofa_process_set(ctx, &place, &ops, process));
  SOFA_TRY(make_bars(ctx, &mesh));
  SOFA_TRY(make_slice(ctx, &mesh, &slice));
  SOFA_TRY(sofa_partition(ctx, &slice, SOFA_PARTITION_BISECTION, cut));
  const SofaErr err = sofa_partition(ctx, &slice, SOFA_PARTITION_DEFAULT, part);
  if (choice->answer != TOO_MANY || process->rank == 0) CHECK(err == choice->expected);
  for (size_t i = 0; err == SOFA_OK && i < slice.mesh.hexahedra.n; i++) {
    const size_t number = whole_number(&slice, i);
    CHECK(cut[i] == (number % LENGTH >= LENGTH / 2));
    CHECK(part[i] == (choice->answer == BETTER ? number >= LENGTH : cut[i]));
  }
  sofa_mesh_slice_free(ctx, &slice);
  sofa_context_destroy(&ctx);
  return err;
}

/* The parts of the graph are taken where they are good; else those of the bisection. */
static void choices(void **state) {
  static const Choice rows[] = {{BETTER, SOFA_OK},
                                {WORSE, SOFA_OK},
                                {EMPTY, SOFA_OK},
                                {LARGE, SOFA_OK},
                                {TOO_MANY, SOFA_ERR_RANGE}};
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    answer_now = rows[i].answer;
    assert_int_equal(threads_run(2, choose, (void *)(uintptr_t)&rows[i]), rows[i].expected);
  }
}

static SofaErr ask_for_graph(ThreadProcess *process, void *user) {
  Process p;
  SOFA_TRY(open_process(process, user, &p));
  p.ctx->sink = quiet_sink;
  const SofaErr err = sofa_partition(p.ctx, &p.slice, SOFA_PARTITION_GRAPH, p.part);
  close_process(&p);
  return err;
}

/* The last process has another mesh. */
static SofaErr differ(ThreadProcess *process, void *user) {
  const bool is_last = process->rank == process->all->n - 1;
  Process p;
  (void)user;
  SOFA_TRY(open_process(process, is_last ? &bodies[0] : &bodies[1], &p));
  p.ctx->sink = quiet_sink;
  CHECK(sofa_partition(p.ctx, &p.slice, SOFA_PARTITION_DEFAULT, p.part) == SOFA_ERR_SCENE);
  close_process(&p);
  return SOFA_OK;
}

static void different_meshes(void **state) {
  (void)state;
  assert_int_equal(threads_run(3, differ, NULL), SOFA_OK);
}

/* Processes that cannot divide a graph say so, when they are asked to. */
static void no_graph(void **state) {
  (void)state;
  assert_int_equal(threads_run(2, ask_for_graph, (void *)(uintptr_t)&bodies[2]),
                   SOFA_ERR_UNSUPPORTED);
}

/* ---- memory ---- */

static bool fails_at(uint64_t n, bool *done) {
  FailingAllocator allocator = {0};
  const SofaContextOptions options = {
      .allocate = failing_allocate, .allocate_user = &allocator, .sink = quiet_sink};
  SofaContext *ctx = NULL;
  SofaMesh mesh = {0};
  SofaMeshSlice slice;
  SofaDualGraph g = {0};
  uint64_t n_cut = 0;
  assert_int_equal(sofa_context_create_bare(&options, &ctx), SOFA_OK);
  assert_int_equal(make_cells(ctx, 3, none_left_out, true, &mesh), SOFA_OK);
  assert_int_equal(make_slice(ctx, &mesh, &slice), SOFA_OK);
  uint32_t *part = calloc(sofa_mesh_slice_n_volumes(&slice), sizeof *part);
  allocator.fail_at = allocator.calls + n;
  SofaErr err = sofa_partition(ctx, &slice, SOFA_PARTITION_BISECTION, part);
  if (err == SOFA_OK) err = sofa_dual_graph_make(ctx, &slice, &g);
  if (err == SOFA_OK) err = sofa_dual_graph_cut(ctx, &g, part, &n_cut);
  *done = allocator.calls < allocator.fail_at;
  sofa_dual_graph_free(ctx, &g);
  sofa_mesh_slice_free(ctx, &slice);
  sofa_context_destroy(&ctx);
  free(part);
  return err == (*done ? SOFA_OK : SOFA_ERR_MEMORY) && allocator.live == 0;
}

static void lack_of_memory(void **state) {
  (void)state;
  bool done = false;
  for (uint64_t n = 1; !done; n++) assert_true(fails_at(n, &done));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bisection),        cmocka_unit_test(graph),   cmocka_unit_test(kinds),
      cmocka_unit_test(different_meshes), cmocka_unit_test(choices), cmocka_unit_test(no_graph),
      cmocka_unit_test(lack_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
