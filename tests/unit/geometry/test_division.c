/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The division of meshes: sizes of the parts, owners, sums over shared points, gathering. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* after the headers it needs */
#include <cmocka.h>

#include "tests/support/whole_division.c"
#include "tests/unit/base/failing_allocator.h"
#include "tests/unit/simulation/processes.h"
#include "topology/division.h"

enum { CELLS = 5, SIDE = CELLS + 1, POINTS = SIDE * SIDE * SIDE + 2, WIDTH = 3 };
enum { HEXAS = CELLS * CELLS * CELLS, EDGES = 4 };

/* Hexahedra of a cube, some edges across it, and two points that no element has. */
typedef struct Cube {
  SofaVec3 points[POINTS];
  SofaHexa hexas[HEXAS];
  SofaEdge edges[EDGES];
  SofaMesh mesh;
} Cube;

static void make_cube(Cube *c) {
  static const uint32_t edges[2 * EDGES] = {0, 215, 3, 100, 7, 8, 150, 20};
  for (uint32_t i = 0; i < POINTS; i++) {
    const uint32_t at[3] = {i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE};
    for (int k = 0; k < 3; k++) c->points[i].v[k] = at[k];
  }
  for (uint32_t e = 0; e < HEXAS; e++) {
    const uint32_t at[3] = {e % CELLS, e / CELLS % CELLS, e / CELLS / CELLS};
    for (uint32_t k = 0; k < 8; k++)
      c->hexas[e].v[k] =
          at[0] + (k & 1) + SIDE * (at[1] + (k >> 1 & 1)) + SIDE * SIDE * (at[2] + (k >> 2));
  }
  memcpy(c->edges, edges, sizeof edges);
  c->mesh = (SofaMesh){.position = {c->points, POINTS, POINTS},
                       .hexahedra = {c->hexas, HEXAS, HEXAS},
                       .edges = {c->edges, EDGES, EDGES}};
}

static SofaContext *new_context(void) {
  SofaContext *ctx = NULL;
  assert_int_equal(sofa_context_create_bare(NULL, &ctx), SOFA_OK);
  return ctx;
}

static void sizes(void **state) {
  (void)state;
  double places[3 * HEXAS];
  uint32_t part[HEXAS];
  SofaContext *ctx = new_context();
  for (uint32_t e = 0; e < HEXAS; e++)
    for (int k = 0; k < 3; k++) places[3 * e + (uint32_t)k] = sin(e * (k + 1.3));
  for (uint32_t n = 1; n <= MOST_PROCESSES; n++) {
    uint32_t count[MOST_PROCESSES] = {0};
    assert_int_equal(whole_bisect(ctx, HEXAS, places, n, part), SOFA_OK);
    for (uint32_t e = 0; e < HEXAS; e++) {
      assert_true(part[e] < n);
      count[part[e]]++;
    }
    for (uint32_t k = 0; k < n; k++)
      assert_true(count[k] >= HEXAS / n && count[k] <= HEXAS / n + 1);
  }
  /* more parts than places; all in one place: by their rank */
  const double same[9] = {0};
  assert_int_equal(whole_bisect(ctx, 3, same, 3, part), SOFA_OK);
  for (uint32_t k = 0; k < 3; k++) assert_int_equal(part[k], k);
  assert_int_equal(whole_bisect(ctx, 0, same, 3, part), SOFA_OK);
  assert_int_equal(whole_bisect(ctx, 1, same, 5, part), SOFA_OK);
  assert_true(part[0] < 5);
  sofa_context_destroy(&ctx);
}

/* A bar of 8 places in two parts is cut across, in the middle. */
static void cut_across(void **state) {
  (void)state;
  SofaContext *ctx = new_context();
  double places[24];
  uint32_t part[8];
  for (int i = 0; i < 8; i++) {
    places[3 * i] = 0.3 * (i % 2);
    places[3 * i + 1] = 8 - i;
    places[3 * i + 2] = 1;
  }
  assert_int_equal(whole_bisect(ctx, 8, places, 2, part), SOFA_OK);
  for (int i = 0; i < 8; i++) assert_int_equal(part[i], i < 4 ? 1 : 0);
  sofa_context_destroy(&ctx);
}

/* ---- values, on several processes ---- */

static double value_of(uint32_t element, int axis) {
  return sin(1.0 + element) * pow(10, element % 9) * (axis + 1);
}

/* What all processes found, by numbers of the whole mesh. */
typedef struct Found {
  const Cube *cube;
  double sum[POINTS * WIDTH];                    /* at each owner */
  double copies[MOST_PROCESSES][POINTS * WIDTH]; /* NAN: it has no copy */
  int owners[POINTS], elements[HEXAS];
  double gathered[POINTS * WIDTH];
} Found;

#define CHECK(condition)                                                                           \
  if (!(condition)) return fprintf(stderr, "%s:%d\n", __FILE__, __LINE__), SOFA_ERR_ARGUMENT

static SofaErr check_values(SofaContext *ctx, int rank, const SofaDivision *d, Found *found) {
  double *f = sofa_alloc(ctx, d->n * WIDTH + 1, sizeof *f), *g;
  CHECK(f);
  for (size_t i = 0; i < d->elements[SOFA_ELEMENT_HEXA].n; i++) {
    const uint32_t e = d->elements[SOFA_ELEMENT_HEXA].data[i];
    for (int k = 0; k < 8; k++) {
      const uint32_t local = sofa_division_local(d, found->cube->hexas[e].v[k]);
      CHECK(local < d->n);
      for (int a = 0; a < WIDTH; a++) f[WIDTH * local + (uint32_t)a] += value_of(e, a);
    }
  }
  SOFA_TRY(sofa_division_sum(ctx, d, WIDTH, f));
  for (size_t i = 0; i < POINTS * WIDTH; i++) found->copies[rank][i] = NAN;
  for (size_t i = 0; i < d->n; i++)
    memcpy(&found->copies[rank][WIDTH * d->number.data[i]], f + WIDTH * i, WIDTH * sizeof *f);
  SOFA_TRY(sofa_division_gather(ctx, d, 0, WIDTH, f, rank ? NULL : found->gathered));
  /* scattered again, the others' copies from their owners */
  CHECK(g = sofa_alloc(ctx, d->n * WIDTH + 1, sizeof *g));
  SOFA_TRY(sofa_division_scatter(ctx, d, 0, WIDTH, rank ? NULL : found->gathered, g));
  CHECK(memcmp(f, g, d->n * WIDTH * sizeof *f) == 0);
  for (size_t i = d->n_owned * WIDTH; i < d->n * WIDTH; i++) g[i] = -1;
  SOFA_TRY(sofa_division_copy(ctx, d, WIDTH, g));
  CHECK(memcmp(f, g, d->n * WIDTH * sizeof *f) == 0);
  sofa_free(ctx, f);
  sofa_free(ctx, g);
  return SOFA_OK;
}

static SofaErr check_cut(SofaContext *ctx, const SofaDivision *d, const Cube *cube) {
  SofaMesh own = {0};
  SOFA_TRY(sofa_list_copy(ctx, &own.position, &cube->mesh.position, sizeof(SofaVec3)));
  SOFA_TRY(sofa_list_copy(ctx, &own.hexahedra, &cube->mesh.hexahedra, sizeof(SofaHexa)));
  SOFA_TRY(whole_division_cut(ctx, d, &own));
  CHECK(own.position.n == d->n && own.hexahedra.n == d->elements[SOFA_ELEMENT_HEXA].n);
  for (size_t i = 0; i < own.hexahedra.n; i++)
    for (int k = 0; k < 8; k++) {
      const uint32_t e = d->elements[SOFA_ELEMENT_HEXA].data[i];
      const SofaVec3 *p = &own.position.data[own.hexahedra.data[i].v[k]];
      CHECK(memcmp(p, &cube->points[cube->hexas[e].v[k]], sizeof *p) == 0);
    }
  sofa_mesh_free(ctx, &own);
  return SOFA_OK;
}

static SofaErr divide(ThreadProcess *process, void *user) {
  Found *found = user;
  SofaContext *ctx = NULL;
  SofaDivision d;
  SOFA_TRY(sofa_context_create_bare(NULL, &ctx));
  SOFA_TRY(thread_join(process, ctx));
  const SofaPlace place = {process->rank, process->all->n};
  SOFA_TRY(whole_division_make(ctx, &found->cube->mesh, &place, &d));
  for (size_t i = 0; i < d.n; i++) {
    CHECK(sofa_division_local(&d, d.number.data[i]) == i);
    CHECK((i == 0 || i == d.n_owned) || d.number.data[i - 1] < d.number.data[i]);
  }
  SOFA_TRY(check_values(ctx, process->rank, &d, found));
  SOFA_TRY(check_cut(ctx, &d, found->cube));
  pthread_mutex_lock(&process->all->mutex);
  for (size_t i = 0; i < d.n_owned; i++) found->owners[d.number.data[i]]++;
  for (size_t i = 0; i < d.elements[SOFA_ELEMENT_HEXA].n; i++)
    found->elements[d.elements[SOFA_ELEMENT_HEXA].data[i]]++;
  pthread_mutex_unlock(&process->all->mutex);
  sofa_division_free(ctx, &d);
  sofa_context_destroy(&ctx);
  return SOFA_OK;
}

/* Every copy of a point has the same bits, those of the sum of the parts in their order; one of
 * the copies owns it. */
static void values(void **state) {
  (void)state;
  Cube *c = calloc(1, sizeof *c);
  Found *one = calloc(1, sizeof *one), *found = calloc(1, sizeof *found);
  make_cube(c);
  one->cube = c;
  assert_int_equal(threads_run(1, divide, one), SOFA_OK);
  for (int n = 1; n <= MOST_PROCESSES; n++) {
    *found = (Found){.cube = c};
    assert_int_equal(threads_run(n, divide, found), SOFA_OK);
    for (int i = 0; i < POINTS; i++) assert_int_equal(found->owners[i], 1);
    for (int e = 0; e < HEXAS; e++) assert_int_equal(found->elements[e], 1);
    for (int i = 0; i < POINTS * WIDTH; i++) {
      assert_true(fabs(found->gathered[i] - one->gathered[i]) <= 1e-7);
      for (int r = 0; r < n; r++)
        if (!isnan(found->copies[r][i]))
          assert_memory_equal(&found->copies[r][i], &found->gathered[i], sizeof(double));
    }
  }
  free(c), free(one), free(found);
}

static SofaErr reduce(ThreadProcess *process, void *user) {
  SofaContext *ctx = NULL;
  (void)user;
  SOFA_TRY(sofa_context_create_bare(NULL, &ctx));
  SOFA_TRY(thread_join(process, ctx));
  const int n = process->all->n, r = process->rank;
  double sum[2] = {r + 1, r == n - 1 ? 1e300 : r}, most[2] = {-r, r == 1 ? (double)NAN : r}, to = r;
  uint64_t count = (uint64_t)r;
  bool same = false;
  SOFA_TRY(sofa_process_sum(ctx, 2, sum));
  SOFA_TRY(sofa_process_max(ctx, 2, most));
  SOFA_TRY(sofa_process_sum_counts(ctx, 1, &count));
  CHECK(sum[0] == n * (n + 1) / 2 && sum[1] == 1e300);
  CHECK(most[0] == 0 && (n > 1 ? isnan(most[1]) : most[1] == 0));
  CHECK(count == (uint64_t)(n * (n - 1) / 2));
  SOFA_TRY(sofa_process_spread(ctx, n - 1, sizeof to, &to));
  CHECK(to == n - 1);
  SOFA_TRY(sofa_process_same(ctx, sizeof to, &to, &same));
  CHECK(same);
  to = r;
  SOFA_TRY(sofa_process_same(ctx, sizeof to, &to, &same));
  CHECK(same == (n == 1));
  sofa_context_destroy(&ctx);
  return SOFA_OK;
}

static void reductions(void **state) {
  (void)state;
  for (int n = 1; n <= MOST_PROCESSES; n++) assert_int_equal(threads_run(n, reduce, NULL), SOFA_OK);
}

/* One process has left out an object, and the next thing that it does is not that of the others. */
static SofaErr meet(ThreadProcess *process, void *user) {
  const SofaContextOptions options = {.sink = quiet_sink, .keep_going = true};
  const int n = process->all->n, bad = *(const int *)user, r = process->rank;
  SofaContext *ctx = NULL;
  double value = 1, all[MOST_PROCESSES];
  SOFA_TRY(sofa_context_create_bare(&options, &ctx));
  SOFA_TRY(thread_join(process, ctx));
  SOFA_TRY(sofa_process_sum(ctx, 1, &value));
  CHECK(value == n);
  if (bad == r) sofa_fail(ctx, SOFA_ERR_SCENE, NULL, "an object is left out");
  const SofaErr err = r % 2 ? sofa_process_spread(ctx, 1, sizeof value, &value)
                            : sofa_process_collect(ctx, sizeof value, &value, all);
  CHECK(err == (n > 1 ? SOFA_ERR_SCENE : SOFA_OK));
  CHECK(ctx->n_messages[SOFA_ERROR] == (bad == r ? n > 1 ? 2 : 1 : 0));
  /* they stay apart */
  CHECK(sofa_process_sum(ctx, 1, &value) == err && sofa_process_end_loading(ctx) == err);
  sofa_context_destroy(&ctx);
  return SOFA_OK;
}

/* All have left out the same number; afterwards, in steps, errors of one are its own. */
static SofaErr meet_alike(ThreadProcess *process, void *user) {
  const SofaContextOptions options = {.sink = quiet_sink, .keep_going = true};
  SofaContext *ctx = NULL;
  double value = 1;
  (void)user;
  SOFA_TRY(sofa_context_create_bare(&options, &ctx));
  SOFA_TRY(thread_join(process, ctx));
  sofa_fail(ctx, SOFA_ERR_SCENE, NULL, "an object is left out");
  SOFA_TRY(sofa_process_sum(ctx, 1, &value));
  SOFA_TRY(sofa_process_end_loading(ctx));
  if (process->rank == 0) sofa_fail(ctx, SOFA_ERR_SCENE, NULL, "an error of a step");
  SOFA_TRY(sofa_process_sum(ctx, 1, &value));
  CHECK(value == process->all->n * process->all->n);
  sofa_context_destroy(&ctx);
  return SOFA_OK;
}

static void meetings(void **state) {
  (void)state;
  for (int n = 1; n <= MOST_PROCESSES; n++) {
    for (int bad = 0; bad < n; bad++) assert_int_equal(threads_run(n, meet, &bad), SOFA_OK);
    assert_int_equal(threads_run(n, meet_alike, NULL), SOFA_OK);
  }
}

static void lack_of_memory(void **state) {
  (void)state;
  Cube *c = calloc(1, sizeof *c);
  const SofaPlace place = {1, 3};
  bool done = false;
  make_cube(c);
  for (uint64_t n = 1; !done; n++) {
    FailingAllocator allocator = {0};
    const SofaContextOptions options = {
        .allocate = failing_allocate, .allocate_user = &allocator, .sink = quiet_sink};
    SofaContext *ctx = NULL;
    SofaDivision d = {0};
    assert_int_equal(sofa_context_create_bare(&options, &ctx), SOFA_OK);
    allocator.fail_at = allocator.calls + n;
    const SofaErr err = whole_division_make(ctx, &c->mesh, &place, &d);
    done = allocator.calls < allocator.fail_at;
    assert_int_equal(err, done ? SOFA_OK : SOFA_ERR_MEMORY);
    sofa_division_free(ctx, &d);
    sofa_context_destroy(&ctx);
    assert_int_equal(allocator.live, 0);
  }
  free(c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sizes),      cmocka_unit_test(cut_across), cmocka_unit_test(values),
      cmocka_unit_test(reductions), cmocka_unit_test(meetings),   cmocka_unit_test(lack_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
