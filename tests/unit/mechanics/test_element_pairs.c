/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The pattern of pairs of points that elements couple, against a sort of all local pairs. */
#include "tests/support/scene_run.h"

#include "numerics/fem/element_pairs.h"

/* A local pair of an element, as the definition of SofaElementPairs has it. */
typedef struct Entry {
  uint32_t row, column, element, local;
  unsigned a, b, turn;
} Entry;

static int compare(const void *left, const void *right) {
  const Entry *a = left, *b = right;
  const uint32_t keys[4][2] = {
      {a->row, b->row}, {a->column, b->column}, {a->element, b->element}, {a->local, b->local}};
  for (int k = 0; k < 4; k++)
    if (keys[k][0] != keys[k][1]) return keys[k][0] < keys[k][1] ? -1 : 1;
  return 0;
}

static size_t list_entries(SofaElements elements, Entry *out) {
  size_t n = 0;
  for (uint32_t e = 0; e < elements.n; e++) {
    const uint32_t *v = elements.v + e * elements.width;
    uint32_t local = 0;
    for (unsigned a = 0; a < elements.width; a++) {
      for (unsigned b = a; b < elements.width; b++) {
        const unsigned turn = v[a] > v[b]              ? SOFA_PAIR_TRANSPOSED
                              : a != b && v[a] == v[b] ? SOFA_PAIR_BOTH
                                                       : SOFA_PAIR_STRAIGHT;
        out[n++] =
            (Entry){v[a] < v[b] ? v[a] : v[b], v[a] < v[b] ? v[b] : v[a], e, local++, a, b, turn};
      }
    }
  }
  qsort(out, n, sizeof *out, compare);
  return n;
}

static void check_part(const SofaElementPairs *pairs, size_t part, uint32_t element, unsigned row,
                       unsigned column) {
  assert_int_equal(pairs->part[part].element, element);
  assert_int_equal(pairs->part[part].row_node, row);
  assert_int_equal(pairs->part[part].column_node, column);
}

/* All lists of the pairs against the sorted entries. */
static void check(SofaElements elements, const Entry *entries, size_t n,
                  const SofaElementPairs *pairs) {
  const unsigned n_local = sofa_element_pairs_local(elements.width);
  size_t pair = 0, part = 0;
  for (size_t k = 0; k < n; k++) {
    const Entry *e = &entries[k];
    if (k == 0 || e->row != e[-1].row || e->column != e[-1].column) {
      assert_true(pair < pairs->n);
      assert_int_equal(pairs->row[pair], e->row);
      assert_int_equal(pairs->column[pair], e->column);
      assert_int_equal(pairs->start[pair], part);
      pair++;
    }
    assert_int_equal(pairs->slot[e->element * n_local + e->local], (pair - 1) << 2 | e->turn);
    if (e->turn != SOFA_PAIR_TRANSPOSED) check_part(pairs, part++, e->element, e->a, e->b);
    if (e->turn != SOFA_PAIR_STRAIGHT) check_part(pairs, part++, e->element, e->b, e->a);
  }
  assert_int_equal(pairs->n, pair);
  assert_int_equal(pairs->start[pair], part);
}

/* Elements with random points; few points make elements that have one of them several times. */
static void compare_random(SofaContext *ctx, size_t n, unsigned width, uint32_t n_points,
                           uint32_t seed) {
  uint32_t *v = calloc(n * width + 1, sizeof *v);
  const SofaElements elements = {v, n, width};
  Entry *entries = calloc(n * sofa_element_pairs_local(width) + 1, sizeof *entries);
  SofaElementPairs pairs, slots, parts;
  for (size_t k = 0; k < n * width; k++) {
    seed = seed * 1664525u + 1013904223u;
    v[k] = (seed >> 8) % n_points;
  }
  const size_t count = list_entries(elements, entries);
  assert_int_equal(sofa_element_pairs_create(ctx, elements, n_points,
                                             SOFA_PAIRS_SLOTS | SOFA_PAIRS_PARTS, &pairs),
                   SOFA_OK);
  check(elements, entries, count, &pairs);
  // one list alone is the same
  assert_int_equal(sofa_element_pairs_create(ctx, elements, n_points, SOFA_PAIRS_SLOTS, &slots),
                   SOFA_OK);
  assert_int_equal(sofa_element_pairs_create(ctx, elements, n_points, SOFA_PAIRS_PARTS, &parts),
                   SOFA_OK);
  assert_null(slots.part);
  assert_null(parts.slot);
  assert_int_equal(slots.n, pairs.n);
  assert_memory_equal(slots.slot, pairs.slot, count * sizeof *slots.slot);
  assert_memory_equal(parts.start, pairs.start, (pairs.n + 1) * sizeof *parts.start);
  assert_memory_equal(parts.row, pairs.row, pairs.n * sizeof *parts.row);
  sofa_element_pairs_free(ctx, &pairs);
  sofa_element_pairs_free(ctx, &slots);
  sofa_element_pairs_free(ctx, &parts);
  free(entries);
  free(v);
}

static void pairs_are_sorted_entries(void **state) {
  (void)state;
  SceneRun run = {0};
  scene_run_context(&run, NULL);
  compare_random(run.ctx, 1, 4, 4, 1);
  compare_random(run.ctx, 200, 4, 1000, 2);
  compare_random(run.ctx, 200, 4, 5, 3);
  compare_random(run.ctx, 60, 8, 300, 4);
  compare_random(run.ctx, 60, 8, 6, 5);
  compare_random(run.ctx, 20, 27, 40, 6);
  compare_random(run.ctx, 100, 2, 30, 7);
  scene_run_close(&run);
}

static void no_elements_have_no_pairs(void **state) {
  (void)state;
  SceneRun run = {0};
  SofaElementPairs pairs;
  scene_run_context(&run, NULL);
  const SofaElements none = {NULL, 0, 4};
  assert_int_equal(sofa_element_pairs_create(run.ctx, none, 3, SOFA_PAIRS_PARTS, &pairs), SOFA_OK);
  assert_int_equal(pairs.n, 0);
  assert_int_equal(pairs.start[0], 0);
  sofa_element_pairs_free(run.ctx, &pairs);
  scene_run_close(&run);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pairs_are_sorted_entries),
      cmocka_unit_test(no_elements_have_no_pairs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
