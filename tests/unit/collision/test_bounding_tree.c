/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Bounding trees: their shape, and the pairs they find against all pairs. */
#include "numerics/spatial/bounding_tree.h"

#include <math.h>

#include "numerics/spatial/random.h"
#include "tests/support/scene_run.h"

typedef struct Fixture {
  SofaContext *ctx;
  SofaBoundingTree a, b;
  SofaBoundingWork work;
  SofaElementPairs pairs;
} Fixture;

static int setup(void **state) {
  Fixture *f = calloc(1, sizeof *f);
  assert_int_equal(sofa_context_create(NULL, &f->ctx), SOFA_OK);
  *state = f;
  return 0;
}

static int teardown(void **state) {
  Fixture *f = *state;
  sofa_bounding_tree_free(f->ctx, &f->a);
  sofa_bounding_tree_free(f->ctx, &f->b);
  sofa_bounding_work_free(f->ctx, &f->work);
  sofa_list_free(f->ctx, &f->pairs);
  sofa_context_destroy(&f->ctx);
  free(f);
  return 0;
}

static void build_points(Fixture *f, const double *x, size_t n, unsigned depth) {
  assert_int_equal(sofa_bounding_tree_resize(f->ctx, &f->a, n), SOFA_OK);
  for (size_t i = 0; i < n; i++) {
    const double box[6] = {x[i], 0, 0, x[i], 0, 0};
    memcpy(f->a.boxes + 6 * i, box, sizeof box);
  }
  assert_int_equal(sofa_bounding_tree_build(f->ctx, &f->a, depth), SOFA_OK);
}

static void assert_cell(const SofaBoundingTree *tree, size_t i, uint32_t first, uint32_t last) {
  assert_int_equal(tree->cells[i].first, first);
  assert_int_equal(tree->cells[i].last, last);
}

/* Five leaves are split 3 + 2 and sorted along the longest axis; four are not split. */
static void shape(void **state) {
  Fixture *f = *state;
  build_points(f, (const double[]){3, 2, 1, 0, -1}, 5, 1);
  assert_int_equal(f->a.n_cells, 3);
  for (uint32_t i = 0; i < 5; i++) assert_int_equal(f->a.order[i], 4 - i);
  assert_cell(&f->a, 1, 0, 3);
  assert_cell(&f->a, 2, 3, 5);
  build_points(f, (const double[]){0, 1, 2, 3, 4, 5, 6, 7, 8}, 9, 6);
  assert_int_equal(f->a.n_cells, 5);
  assert_cell(&f->a, 1, 0, 5);
  assert_cell(&f->a, 2, 5, 9);
  assert_cell(&f->a, 3, 0, 3);
  assert_cell(&f->a, 4, 3, 5);
  assert_int_equal(f->a.cells[2].child, 0);
}

/* Equal centres keep their order; equal extents prefer x last: x only when it is longer than both.
 */
static void ties(void **state) {
  Fixture *f = *state;
  const double p[5][3] = {{1, 5, 9}, {1, 4, 8}, {1, 4, 7}, {1, 4, 6}, {1, 5, 5}};
  assert_int_equal(sofa_bounding_tree_resize(f->ctx, &f->a, 5), SOFA_OK);
  for (size_t i = 0; i < 5; i++)
    for (size_t k = 0; k < 3; k++)
      f->a.boxes[6 * i + k] = f->a.boxes[6 * i + 3 + k] = k == 2 ? p[i][1] : p[i][k];
  assert_int_equal(sofa_bounding_tree_build(f->ctx, &f->a, 1), SOFA_OK); // y and z are equally long
  const uint32_t by_z[5] = {1, 2, 3, 0, 4};
  for (int i = 0; i < 5; i++) assert_int_equal(f->a.order[i], by_z[i]);
}

/* Depth first, the last pair of children first; leaves row by row. */
static void order_of_pairs(void **state) {
  Fixture *f = *state;
  const double x[] = {0, 1, 2, 3, 4, 5};
  build_points(f, x, 6, 1);
  f->pairs.n = 0;
  assert_int_equal(sofa_bounding_tree_pairs(f->ctx, &f->a, &f->a, 1.5, &f->work, &f->pairs),
                   SOFA_OK);
  // cells {0 1 2} and {3 4 5}; the pairs of cells are pushed 00 01 10 11 and taken from the end
  const uint32_t expected[][2] = {{3, 3}, {3, 4}, {4, 3}, {4, 4}, {4, 5}, {5, 4}, {5, 5}, {3, 2},
                                  {2, 3}, {0, 0}, {0, 1}, {1, 0}, {1, 1}, {1, 2}, {2, 1}, {2, 2}};
  assert_int_equal(f->pairs.n, SOFA_COUNT(expected));
  for (size_t i = 0; i < f->pairs.n; i++) {
    assert_int_equal(f->pairs.data[i].first, expected[i][0]);
    assert_int_equal(f->pairs.data[i].second, expected[i][1]);
  }
}

/* ---- random boxes against all pairs ---- */

static void random_boxes(EngineRandom *random, double *boxes, size_t n, double size) {
  for (size_t i = 0; i < 6 * n; i += 6)
    for (size_t k = 0; k < 3; k++) {
      boxes[i + k] = engine_random(random, 0, 1);
      boxes[i + 3 + k] = boxes[i + k] + size * engine_random(random, 0, 1);
    }
}

static void assert_all_found(Fixture *f, double distance) {
  size_t n = 0;
  const size_t nb = f->b.n;
  unsigned char *found = calloc(f->a.n * nb + 1, 1);
  f->pairs.n = 0;
  assert_int_equal(sofa_bounding_tree_pairs(f->ctx, &f->a, &f->b, distance, &f->work, &f->pairs),
                   SOFA_OK);
  for (size_t i = 0; i < f->pairs.n; i++)
    found[f->pairs.data[i].first * nb + f->pairs.data[i].second]++;
  for (size_t i = 0; i < f->a.n; i++)
    for (size_t k = 0; k < nb; k++) {
      const bool close = sofa_boxes_are_close(f->a.boxes + 6 * i, f->b.boxes + 6 * k, distance);
      assert_int_equal(found[i * nb + k], close);
      n += close;
    }
  assert_int_equal(n, f->pairs.n);
  free(found);
}

static void all_pairs(void **state) {
  Fixture *f = *state;
  EngineRandom random = engine_random_seed(7);
  for (size_t n = 0; n < 200; n += 1 + n / 3)
    for (unsigned depth = 0; depth < 9; depth += 2) {
      assert_int_equal(sofa_bounding_tree_resize(f->ctx, &f->a, n), SOFA_OK);
      assert_int_equal(sofa_bounding_tree_resize(f->ctx, &f->b, 150 - n / 2), SOFA_OK);
      random_boxes(&random, f->a.boxes, f->a.n, 0.1);
      random_boxes(&random, f->b.boxes, f->b.n, 0.1);
      assert_int_equal(sofa_bounding_tree_build(f->ctx, &f->a, depth), SOFA_OK);
      assert_int_equal(sofa_bounding_tree_build(f->ctx, &f->b, depth), SOFA_OK);
      assert_all_found(f, 0.03);
      // the same trees around other boxes
      random_boxes(&random, f->a.boxes, f->a.n, 0.2);
      if (sofa_bounding_tree_is_built(&f->a)) sofa_bounding_tree_fit(NULL, &f->a);
      assert_all_found(f, 0);
    }
}

/* The order of the pairs of leaves of two cells: by the place of the first, then of the second. */
static void assert_sorted(const Fixture *f) {
  size_t place_a[600], place_b[600], last = 0;
  for (size_t i = 0; i < f->a.n; i++) place_a[f->a.order[i]] = i;
  for (size_t i = 0; i < f->b.n; i++) place_b[f->b.order[i]] = i;
  for (size_t i = 0; i < f->pairs.n; i++) {
    const SofaElementPair p = f->pairs.data[i];
    const size_t key = place_a[p.first] * f->b.n + place_b[p.second];
    assert_true(i == 0 || key > last);
    last = key;
  }
}

/* Two cells with fine trees give the pairs in the order of the leaves. */
static void fine_order(void **state) {
  Fixture *f = *state;
  EngineRandom random = engine_random_seed(11);
  assert_int_equal(sofa_bounding_tree_resize(f->ctx, &f->a, 600), SOFA_OK);
  assert_int_equal(sofa_bounding_tree_resize(f->ctx, &f->b, 100), SOFA_OK);
  random_boxes(&random, f->a.boxes, 600, 0.2);
  random_boxes(&random, f->b.boxes, 100, 0.2);
  memcpy(f->a.boxes, f->b.boxes, 600 * sizeof(double)); // equal centres
  memcpy(f->a.boxes + 600, f->b.boxes, 600 * sizeof(double));
  assert_int_equal(sofa_bounding_tree_build(f->ctx, &f->a, 0), SOFA_OK);
  assert_int_equal(sofa_bounding_tree_build(f->ctx, &f->b, 0), SOFA_OK);
  assert_true(f->a.n_fine > 100 && f->b.n_fine > 20);
  assert_all_found(f, 0.01);
  assert_sorted(f);
}

/* A ray meets exactly the boxes that it passes through. */
static void count_element(void *user, uint32_t element) {
  ((unsigned char *)user)[element]++;
}

static void rays(void **state) {
  Fixture *f = *state;
  EngineRandom random = engine_random_seed(5);
  assert_int_equal(sofa_bounding_tree_resize(f->ctx, &f->a, 300), SOFA_OK);
  random_boxes(&random, f->a.boxes, 300, 0.2);
  assert_int_equal(sofa_bounding_tree_build(f->ctx, &f->a, 6), SOFA_OK);
  for (int n = 0; n < 300; n++) {
    unsigned char met[300] = {0};
    const int axis = n % 3;
    double p[3], d[3] = {0};
    for (int k = 0; k < 3; k++) p[k] = engine_random(&random, -0.2, 1.2);
    d[axis] = n % 2 ? 1 : -1;
    sofa_bounding_tree_ray(&f->a, p, d, count_element, met);
    for (size_t i = 0; i < 300; i++) {
      const double *box = f->a.boxes + 6 * i;
      bool inside = d[axis] > 0 ? box[3 + axis] >= p[axis] : box[axis] <= p[axis];
      for (int k = 0; k < 3; k++)
        if (k != axis) inside = inside && box[k] <= p[k] && p[k] <= box[3 + k];
      assert_int_equal(met[i], inside);
    }
  }
}

/* Warm trees and searches do not allocate. */
static void memory(void **state) {
  Fixture *f = *state;
  EngineRandom random = engine_random_seed(3);
  uint64_t before = 0;
  assert_int_equal(sofa_bounding_tree_resize(f->ctx, &f->a, 300), SOFA_OK);
  for (int i = 0; i < 2; i++) {
    before = f->ctx->n_allocations;
    assert_int_equal(sofa_bounding_tree_resize(f->ctx, &f->a, 300), SOFA_OK);
    random_boxes(&random, f->a.boxes, 300, i ? 0.01 : 0.2);
    if (i == 0) assert_int_equal(sofa_bounding_tree_build(f->ctx, &f->a, 6), SOFA_OK);
    else sofa_bounding_tree_fit(NULL, &f->a);
    f->pairs.n = 0;
    assert_int_equal(sofa_bounding_tree_pairs(f->ctx, &f->a, &f->a, 0, &f->work, &f->pairs),
                     SOFA_OK);
  }
  assert_int_equal(f->ctx->n_allocations, before);
}

/* ---- motion ---- */

/* The motion of all boxes since `before` is within the travel. */
static void assert_travel(const SofaBoundingTree *tree, const double *before) {
  for (size_t i = 0; i < 6 * tree->n; i++) {
    const double change = tree->boxes[i] - before[i];
    assert_true(change >= tree->travel[i % 3] - 1e-12);
    assert_true(change <= tree->travel[3 + i % 3] + 1e-12);
  }
}

static void assert_same_cells(const SofaBoundingTree *a, const SofaBoundingTree *b) {
  assert_int_equal(a->n_cells, b->n_cells);
  for (size_t i = 0; i < a->n_cells; i++)
    assert_memory_equal(a->cells[i].box, b->cells[i].box, sizeof a->cells[i].box);
}

/* A tree that moves has the root and the travel of one that is fitted, and is one when a search
 * has settled it; odd and even numbers of boxes, small trees, and a box that is not a number. */
static void moving(void **state) {
  static const size_t sizes[] = {5, 32, 33, 200, 3001};
  Fixture *f = *state;
  EngineRandom random = engine_random_seed(31);
  for (size_t k = 0; k < 5; k++) {
    const size_t n = sizes[k];
    double *start = malloc(6 * n * sizeof *start);
    assert_int_equal(sofa_bounding_tree_resize(f->ctx, &f->a, n), SOFA_OK);
    assert_int_equal(sofa_bounding_tree_resize(f->ctx, &f->b, n), SOFA_OK);
    random_boxes(&random, f->a.boxes, n, 0.1);
    memcpy(f->b.boxes, f->a.boxes, 6 * n * sizeof *start);
    memcpy(start, f->a.boxes, 6 * n * sizeof *start);
    assert_int_equal(sofa_bounding_tree_build(f->ctx, &f->a, 4), SOFA_OK);
    assert_int_equal(sofa_bounding_tree_build(f->ctx, &f->b, 4), SOFA_OK);
    for (int step = 0; step < 12; step++) {
      for (size_t i = 0; i < 6 * n; i++) f->a.boxes[i] += engine_random(&random, -0.01, 0.02);
      if (k == 3 && step == 7) f->a.boxes[77] = NAN;
      if (k == 3 && step == 8) f->a.boxes[77] = start[77];
      memcpy(f->b.boxes, f->a.boxes, 6 * n * sizeof *start);
      sofa_bounding_tree_move(f->ctx, &f->a);
      sofa_bounding_tree_fit(NULL, &f->b);
      assert_memory_equal(f->a.cells[0].box, f->b.cells[0].box, sizeof f->a.cells[0].box);
      if (n >= SOFA_BOUNDING_TRAVELS && k != 3) assert_travel(&f->a, start);
      if (step % 5 == 4) {
        sofa_bounding_tree_settle(NULL, &f->a);
        assert_same_cells(&f->a, &f->b);
      }
    }
    f->pairs.n = 0;
    assert_int_equal(sofa_bounding_tree_pairs(f->ctx, &f->a, &f->b, 0, &f->work, &f->pairs),
                     SOFA_OK);
    assert_same_cells(&f->a, &f->b);
    free(start);
  }
}

/* ---- threads ---- */

/* A tree of n boxes that was fitted to others, and its pairs with itself. */
static void search_on(int threads, size_t n, unsigned depth, Fixture *f) {
  const SofaContextOptions options = {.threads = threads};
  EngineRandom random = engine_random_seed(29);
  assert_int_equal(sofa_context_create(&options, &f->ctx), SOFA_OK);
  assert_int_equal(sofa_bounding_tree_resize(f->ctx, &f->a, n), SOFA_OK);
  random_boxes(&random, f->a.boxes, n, 0.04);
  assert_int_equal(sofa_bounding_tree_build(f->ctx, &f->a, depth), SOFA_OK);
  for (size_t i = 0; i < 6 * n; i++) f->a.boxes[i] += 0.01 * sin((double)(i / 6));
  sofa_bounding_tree_fit(f->ctx, &f->a);
  for (int i = 0; i < 2; i++) {
    const uint64_t before = f->ctx->n_allocations;
    f->pairs.n = 0;
    assert_int_equal(sofa_bounding_tree_pairs(f->ctx, &f->a, &f->a, 0.01, &f->work, &f->pairs),
                     SOFA_OK);
    if (i) assert_int_equal(f->ctx->n_allocations, before);
  }
}

static void release(Fixture *f) {
  sofa_bounding_tree_free(f->ctx, &f->a);
  sofa_bounding_work_free(f->ctx, &f->work);
  sofa_list_free(f->ctx, &f->pairs);
  sofa_context_destroy(&f->ctx);
}

/* Any number of threads: the same tree, travel and pairs in the same order. */
static void threads(void **state) {
  (void)state;
  for (unsigned depth = 0; depth < 11; depth += 5) {
    Fixture one = {0};
    search_on(1, 9000, depth, &one);
    assert_true(one.pairs.n > 9000);
    for (int n = 2; n < 5; n++) {
      Fixture many = {0};
      search_on(n, 9000, depth, &many);
      assert_int_equal(many.a.n_cells, one.a.n_cells);
      for (size_t i = 0; i < one.a.n_cells; i++)
        assert_memory_equal(many.a.cells[i].box, one.a.cells[i].box, sizeof one.a.cells[i].box);
      assert_memory_equal(many.a.travel, one.a.travel, sizeof one.a.travel);
      assert_int_equal(many.pairs.n, one.pairs.n);
      assert_memory_equal(many.pairs.data, one.pairs.data, one.pairs.n * sizeof *one.pairs.data);
      release(&many);
    }
    release(&one);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(shape, setup, teardown),
      cmocka_unit_test_setup_teardown(ties, setup, teardown),
      cmocka_unit_test_setup_teardown(order_of_pairs, setup, teardown),
      cmocka_unit_test_setup_teardown(all_pairs, setup, teardown),
      cmocka_unit_test_setup_teardown(fine_order, setup, teardown),
      cmocka_unit_test_setup_teardown(rays, setup, teardown),
      cmocka_unit_test_setup_teardown(memory, setup, teardown),
      cmocka_unit_test_setup_teardown(moving, setup, teardown),
      cmocka_unit_test(threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
