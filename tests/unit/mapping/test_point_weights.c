/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Weighted sums of points, their transpose and matrix; grids and edges as sources of weights. */
#include "tests/support/scene_run.h"

#include <math.h>

#include "components/mapping/barycentric.h"
#include "tests/unit/math/random.h"

static SofaContext *new_context(void) {
  SofaContext *ctx = NULL;
  assert_int_equal(sofa_context_create(NULL, &ctx), SOFA_OK);
  return ctx;
}

/* Rows of 1 to 8 random entries. */
static SofaPointWeights random_weights(SofaContext *ctx, size_t n_in, size_t n_out,
                                       unsigned width) {
  SofaPointWeights w = {0};
  Random random = {99};
  assert_int_equal(sofa_point_weights_begin(ctx, &w, n_in, n_out), SOFA_OK);
  for (size_t i = 0; i < n_out; i++) {
    uint32_t index[8];
    double weight[8];
    const unsigned n = width ? width : 1 + (unsigned)(i % 8);
    random_reals(&random, (int)n, weight);
    for (unsigned k = 0; k < n; k++)
      index[k] = (uint32_t)((double)(n_in - 1) * fabs(random_real(&random)));
    assert_int_equal(sofa_point_weights_append(ctx, &w, index, weight, n), SOFA_OK);
  }
  assert_int_equal(sofa_point_weights_finish(ctx, &w, true), SOFA_OK);
  return w;
}

static double dot(const double *a, const double *b, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

/* y . W x = (W^T y) . x for every stride, and the matrix does what apply does. */
static void transpose_and_matrix_agree(void **state) {
  (void)state;
  enum { IN = 40, OUT = 300 };
  SofaContext *ctx = new_context();
  for (unsigned width = 0; width <= 4; width += 4) {
    SofaPointWeights w = random_weights(ctx, IN, OUT, width);
    for (size_t stride = 3; stride <= 6; stride += 3) {
      double x[3 * IN], y[6 * OUT], wx[6 * OUT] = {0}, wty[3 * IN] = {0};
      Random random = {stride};
      SofaCsr j;
      random_reals(&random, 3 * IN, x);
      random_reals(&random, 6 * OUT, y);
      sofa_point_weights_apply(&w, ctx, x, wx, stride);
      sofa_point_weights_add_transposed(&w, ctx, y, stride, wty);
      assert_true(fabs(dot(y, wx, stride * OUT) - dot(wty, x, 3 * IN)) < 1e-11);
      assert_int_equal(sofa_point_weights_matrix(ctx, &w, stride, &j), SOFA_OK);
      assert_int_equal(j.n_rows, stride * OUT);
      assert_int_equal(j.n_columns, 3 * IN);
      for (size_t r = 0; r < j.n_rows; r++) {
        double sum = 0;
        uint8_t seen[3 * IN] = {0};
        for (uint32_t k = j.start[r]; k < j.start[r + 1]; k++) {
          sum += j.value[k] * x[j.column[k]];
          assert_int_equal(seen[j.column[k]]++, 0); /* each column once */
        }
        assert_true(fabs(sum - wx[r]) < 1e-13);
      }
    }
    sofa_point_weights_free(ctx, &w);
  }
  sofa_context_destroy(&ctx);
}

static void threads_give_the_same_bits(void **state) {
  (void)state;
  enum { IN = 9000, OUT = 20000 };
  SofaContext *ctx = new_context(), *many = new_context();
  SofaPointWeights w = random_weights(ctx, IN, OUT, 0);
  many->threads = 7;
  double *x = calloc(3 * IN, sizeof *x), *y = calloc(3 * OUT, sizeof *y);
  double *a = calloc(3 * OUT, sizeof *a), *b = calloc(3 * OUT, sizeof *b);
  Random random = {5};
  random_reals(&random, 3 * IN, x);
  random_reals(&random, 3 * OUT, y);
  sofa_point_weights_apply(&w, ctx, x, a, 3);
  sofa_point_weights_apply(&w, many, x, b, 3);
  assert_memory_equal(a, b, 3 * OUT * sizeof *a);
  memcpy(a, x, 3 * IN * sizeof *a);
  memcpy(b, x, 3 * IN * sizeof *b);
  sofa_point_weights_add_transposed(&w, ctx, y, 3, a);
  sofa_point_weights_add_transposed(&w, many, y, 3, b);
  assert_memory_equal(a, b, 3 * IN * sizeof *a);
  free(x), free(y), free(a), free(b);
  sofa_point_weights_free(ctx, &w);
  sofa_context_destroy(&many);
  sofa_context_destroy(&ctx);
}

static void repeated_vertices_are_merged(void **state) {
  (void)state;
  SofaContext *ctx = new_context();
  SofaPointWeights w = {0};
  const uint32_t index[8] = {0, 1, 1, 0, 2, 2, 2, 1};
  const double weight[8] = {1, 2, 4, 8, 16, 32, 64, 128};
  assert_int_equal(sofa_point_weights_begin(ctx, &w, 3, 1), SOFA_OK);
  assert_int_equal(sofa_point_weights_append(ctx, &w, index, weight, 8), SOFA_OK);
  assert_int_equal(w.index.n, 3);
  assert_true(w.weight.data[0] == 9 && w.weight.data[1] == 134 && w.weight.data[2] == 112);
  sofa_point_weights_free(ctx, &w);
  sofa_context_destroy(&ctx);
}

/* ---- grids ---- */

static const SofaGridFrame frame = {
    .n = {3, 4, 5}, .p0 = {1, 2, 3}, .step = {{0.5, 0, 0}, {0, 0.25, 0}, {0, 0, 2}}};

static void grid_point(const uint32_t index, double p[3]) {
  const uint32_t at[3] = {index % 3, index / 3 % 4, index / 12};
  for (int c = 0; c < 3; c++) p[c] = frame.p0[c] + at[c] * frame.step[c][c];
}

/* Also far outside, the weights of a grid extrapolate linear fields exactly. */
static void grids_reproduce_linear_fields(void **state) {
  (void)state;
  enum { N = 500 };
  SofaContext *ctx = new_context();
  SofaPointWeights w = {0};
  Random random = {17};
  double p[7 * N];
  for (int i = 0; i < N; i++)
    for (int c = 0; c < 3; c++) p[7 * i + c] = 2 + 4 * random_real(&random);
  // a vertex, the far corner, a point on the far face: the last cell takes them
  grid_point(16, p);
  grid_point(59, p + 7);
  grid_point(47, p + 14);
  assert_int_equal(sofa_point_weights_begin(ctx, &w, 60, N), SOFA_OK);
  assert_int_equal(sofa_barycentric_grid(ctx, &frame, (SofaOutputPoints){p, N, 7}, &w), SOFA_OK);
  for (size_t i = 0; i < N; i++) {
    double sum = 0, r[3] = {0, 0, 0}, q[3];
    for (uint32_t k = w.start.data[i]; k < w.start.data[i + 1]; k++) {
      assert_true(w.index.data[k] < 60);
      grid_point(w.index.data[k], q);
      sum += w.weight.data[k];
      for (int c = 0; c < 3; c++) r[c] += w.weight.data[k] * q[c];
    }
    assert_true(fabs(sum - 1) < 1e-9);
    for (size_t c = 0; c < 3; c++) assert_true(fabs(r[c] - p[7 * i + c]) < 1e-9);
  }
  // the cell is that of the point, the nearest one outside
  const double inside[3] = {1.6, 2.3, 8}, outside[3] = {0, 9, 8};
  sofa_point_weights_free(ctx, &w);
  assert_int_equal(sofa_point_weights_begin(ctx, &w, 60, 2), SOFA_OK);
  assert_int_equal(sofa_barycentric_grid(ctx, &frame, (SofaOutputPoints){inside, 1, 3}, &w),
                   SOFA_OK);
  assert_int_equal(sofa_barycentric_grid(ctx, &frame, (SofaOutputPoints){outside, 1, 3}, &w),
                   SOFA_OK);
  assert_int_equal(w.index.data[0], 1 + 3 * 1 + 12 * 2);
  assert_int_equal(w.index.data[8], 0 + 3 * 2 + 12 * 2);
  sofa_point_weights_free(ctx, &w);
  sofa_context_destroy(&ctx);
}

/* ---- edges ---- */

static void edges_take_the_first_with_the_foot(void **state) {
  (void)state;
  SofaContext *ctx = new_context();
  SofaPointWeights w = {0};
  const double x[12] = {0, 0, 0, 1, 0, 0, 1, 0, 0, 1, 2, 0};
  const uint32_t v[8] = {1, 2, 0, 1, 1, 3, 0, 1}; /* the first one has no length */
  const double p[12] = {0.25, 5, 0, /* on edge 1 */ 4,          0.5, 0, /* on edge 2 */
                        1,    0, 0, /* at an end of both */ -1, -2,  0 /* on none: the last */};
  const SofaOutputPoints points = {p, 4, 3};
  assert_int_equal(sofa_point_weights_begin(ctx, &w, 4, 4), SOFA_OK);
  assert_int_equal(sofa_barycentric_edges(ctx, x, (SofaElements){v, 4, 2}, points, &w), SOFA_OK);
  const uint32_t first[4] = {0, 1, 0, 0};
  const double second_weight[4] = {0.25, 0.25, 1, -1};
  for (size_t i = 0; i < 4; i++) {
    assert_int_equal(w.index.data[2 * i], first[i]);
    assert_true(fabs(w.weight.data[2 * i + 1] - second_weight[i]) < 1e-15);
    assert_true(fabs(w.weight.data[2 * i] + second_weight[i] - 1) < 1e-15);
  }
  assert_int_equal(sofa_barycentric_edges(ctx, x, (SofaElements){v, 1, 2}, points, &w),
                   SOFA_ERR_GEOMETRY);
  sofa_point_weights_free(ctx, &w);
  sofa_context_destroy(&ctx);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(transpose_and_matrix_agree),
      cmocka_unit_test(threads_give_the_same_bits),
      cmocka_unit_test(repeated_vertices_are_merged),
      cmocka_unit_test(grids_reproduce_linear_fields),
      cmocka_unit_test(edges_take_the_first_with_the_foot),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
