/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The division of meshes: sizes of the parts, owners, and sums over shared points, of all parts in
 * one process. */
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

#include "numerics/distributed/mesh_parts.h"
#include "tests/unit/base/failing_allocator.h"

enum { CELLS = 5, SIDE = CELLS + 1, POINTS = SIDE * SIDE * SIDE + 2, MOST = 7, WIDTH = 3 };
enum { HEXAS = CELLS * CELLS * CELLS, EDGES = 4, ELEMENTS = HEXAS + EDGES };

/* Hexahedra of a cube, some edges inside of it, and two points that no element has. */
typedef struct Cube {
  uint32_t hexas[8 * HEXAS], edges[2 * EDGES], part[ELEMENTS];
  double centres[3 * ELEMENTS], value[ELEMENTS];
  SofaElements lists[2];
} Cube;

static void make_cube(Cube *c) {
  static const uint32_t edges[2 * EDGES] = {0, 215, 3, 100, 7, 8, 150, 20};
  for (uint32_t e = 0; e < HEXAS; e++) {
    const uint32_t at[3] = {e % CELLS, e / CELLS % CELLS, e / CELLS / CELLS};
    for (uint32_t k = 0; k < 8; k++)
      c->hexas[8 * e + k] =
          at[0] + (k & 1) + SIDE * (at[1] + (k >> 1 & 1)) + SIDE * SIDE * (at[2] + (k >> 2));
    for (int k = 0; k < 3; k++) c->centres[3 * e + (uint32_t)k] = at[k];
  }
  memcpy(c->edges, edges, sizeof edges);
  for (uint32_t e = 0; e < EDGES; e++)
    for (uint32_t k = 0; k < 3; k++) c->centres[3 * (HEXAS + e) + k] = e + k;
  for (uint32_t e = 0; e < ELEMENTS; e++) c->value[e] = sin(1.0 + e) * pow(10, e % 9);
  c->lists[0] = (SofaElements){c->hexas, HEXAS, 8};
  c->lists[1] = (SofaElements){c->edges, EDGES, 2};
}

static SofaContext *new_context(void) {
  SofaContext *ctx = NULL;
  assert_int_equal(sofa_context_create_bare(NULL, &ctx), SOFA_OK);
  return ctx;
}

static void sizes(void **state) {
  (void)state;
  Cube *c = calloc(1, sizeof *c);
  SofaContext *ctx = new_context();
  make_cube(c);
  for (uint32_t n = 1; n <= MOST; n++) {
    uint32_t count[MOST] = {0};
    assert_int_equal(sofa_bisect_places(ctx, ELEMENTS, c->centres, n, c->part), SOFA_OK);
    for (uint32_t e = 0; e < ELEMENTS; e++) {
      assert_true(c->part[e] < n);
      count[c->part[e]]++;
    }
    for (uint32_t k = 0; k < n; k++)
      assert_true(count[k] >= ELEMENTS / n && count[k] <= ELEMENTS / n + 1);
  }
  /* more parts than places; all in one place: by their rank */
  const double same[9] = {0};
  uint32_t part[3];
  assert_int_equal(sofa_bisect_places(ctx, 3, same, 3, part), SOFA_OK);
  for (uint32_t k = 0; k < 3; k++) assert_int_equal(part[k], k);
  assert_int_equal(sofa_bisect_places(ctx, 0, same, 3, part), SOFA_OK);
  assert_int_equal(sofa_bisect_places(ctx, 1, same, 5, part), SOFA_OK);
  assert_true(part[0] < 5);
  sofa_context_destroy(&ctx);
  free(c);
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
  assert_int_equal(sofa_bisect_places(ctx, 8, places, 2, part), SOFA_OK);
  for (int i = 0; i < 8; i++) assert_int_equal(part[i], i < 4 ? 1 : 0);
  sofa_context_destroy(&ctx);
}

/* Adds the value of each element of the part to its points. */
static void add_elements(const Cube *c, const SofaMeshPart *part, double *f) {
  for (size_t i = 0; i < part->elements.n; i++) {
    const uint32_t e = part->elements.data[i];
    const SofaElements *list = &c->lists[e >= HEXAS];
    const uint32_t *v = list->v + (e < HEXAS ? e : e - HEXAS) * list->width;
    for (unsigned k = 0; k < list->width; k++) {
      const uint32_t local = sofa_mesh_part_local(part, v[k]);
      assert_true(local < part->points.n);
      for (int a = 0; a < WIDTH; a++) f[WIDTH * local + (size_t)a] += c->value[e] * (a + 1);
    }
  }
}

typedef struct Side {
  SofaMeshPart part;
  double *f, *sent, *received, *own;
} Side;

static double *reals(size_t n) {
  return calloc(n + 1, sizeof(double));
}

static void make_side(SofaContext *ctx, const Cube *c, uint32_t n, uint32_t rank, Side *s) {
  const SofaDividedMesh mesh = {c->lists, 2, POINTS, c->part, n};
  assert_int_equal(sofa_mesh_part_make(ctx, &mesh, rank, &s->part), SOFA_OK);
  s->f = reals(WIDTH * s->part.points.n);
  s->sent = reals(WIDTH * s->part.shared.n);
  s->received = reals(WIDTH * s->part.shared.n);
  s->own = reals(WIDTH * s->part.border.n);
  add_elements(c, &s->part, s->f);
  sofa_mesh_part_pack(&s->part, WIDTH, s->f, s->sent);
}

/* What part k of the list of neighbours has sent to `side`. */
static void receive(Side *side, size_t k, const Side *from) {
  const SofaMeshPart *a = &side->part, *b = &from->part;
  size_t back = 0;
  while (b->neighbours.data[back] != a->rank) back++;
  const size_t n = a->start.data[k + 1] - a->start.data[k];
  assert_int_equal(n, b->start.data[back + 1] - b->start.data[back]);
  for (size_t s = 0; s < n; s++) /* the same points, in the same order */
    assert_int_equal(a->points.data[a->shared.data[a->start.data[k] + s]],
                     b->points.data[b->shared.data[b->start.data[back] + s]]);
  memcpy(side->received + WIDTH * a->start.data[k], from->sent + WIDTH * b->start.data[back],
         WIDTH * n * sizeof(double));
}

/* Every copy of a point has the same bits, those of the sum of the parts in their order; one of
 * the copies owns it. */
static void expect_sums(Side *sides, uint32_t n, const double *whole) {
  for (uint32_t p = 0; p < POINTS; p++) {
    int owners = 0, copies = 0;
    const double *first = NULL;
    for (uint32_t r = 0; r < n; r++) {
      const SofaMeshPart *part = &sides[r].part;
      const uint32_t local = sofa_mesh_part_local(part, p);
      if (local == SOFA_NO_ELEMENT) continue;
      const double *f = sides[r].f + WIDTH * local;
      if (!first) assert_int_equal(part->owned.data[local], 1); /* the lowest */
      owners += part->owned.data[local];
      if (first) assert_memory_equal(first, f, WIDTH * sizeof *f);
      first = first ? first : f;
      copies++;
      for (int a = 0; a < WIDTH; a++)
        assert_true(fabs(f[a] - whole[WIDTH * p + (size_t)a]) <= 1e-7);
    }
    assert_int_equal(owners, 1);
    assert_true(copies >= 1);
  }
}

static void sums(void **state) {
  (void)state;
  Cube *c = calloc(1, sizeof *c);
  SofaContext *ctx = new_context();
  Side whole, sides[MOST];
  make_cube(c);
  make_side(ctx, c, 1, 0, &whole);
  assert_int_equal(whole.part.points.n, POINTS);
  assert_int_equal(whole.part.neighbours.n, 0);
  for (uint32_t n = 1; n <= MOST; n++) {
    size_t elements = 0;
    assert_int_equal(sofa_bisect_places(ctx, ELEMENTS, c->centres, n, c->part), SOFA_OK);
    for (uint32_t r = 0; r < n; r++) make_side(ctx, c, n, r, &sides[r]);
    for (uint32_t r = 0; r < n; r++) {
      elements += sides[r].part.elements.n;
      for (size_t k = 0; k < sides[r].part.neighbours.n; k++)
        receive(&sides[r], k, &sides[sides[r].part.neighbours.data[k]]);
    }
    assert_int_equal(elements, ELEMENTS);
    for (uint32_t r = 0; r < n; r++)
      sofa_mesh_part_sum(&sides[r].part, WIDTH, sides[r].received, sides[r].own, sides[r].f);
    expect_sums(sides, n, whole.f);
    for (uint32_t r = 0; r < n; r++) {
      sofa_mesh_part_free(ctx, &sides[r].part);
      free(sides[r].f), free(sides[r].sent), free(sides[r].received), free(sides[r].own);
    }
  }
  sofa_mesh_part_free(ctx, &whole.part);
  free(whole.f), free(whole.sent), free(whole.received), free(whole.own);
  sofa_context_destroy(&ctx);
  free(c);
}

static void lack_of_memory(void **state) {
  (void)state;
  Cube *c = calloc(1, sizeof *c);
  make_cube(c);
  bool done = false;
  for (uint64_t n = 1; !done; n++) {
    FailingAllocator allocator = {0};
    const SofaContextOptions options = {
        .allocate = failing_allocate, .allocate_user = &allocator, .sink = quiet_sink};
    SofaContext *ctx = NULL;
    SofaMeshPart part = {0};
    const SofaDividedMesh mesh = {c->lists, 2, POINTS, c->part, 3};
    assert_int_equal(sofa_context_create_bare(&options, &ctx), SOFA_OK);
    allocator.fail_at = allocator.calls + n;
    SofaErr err = sofa_bisect_places(ctx, ELEMENTS, c->centres, 3, c->part);
    if (err == SOFA_OK) err = sofa_mesh_part_make(ctx, &mesh, 1, &part);
    done = allocator.calls < allocator.fail_at;
    assert_int_equal(err, done ? SOFA_OK : SOFA_ERR_MEMORY);
    sofa_mesh_part_free(ctx, &part);
    sofa_context_destroy(&ctx);
    assert_int_equal(allocator.live, 0);
  }
  free(c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sizes),
      cmocka_unit_test(cut_across),
      cmocka_unit_test(sums),
      cmocka_unit_test(lack_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
