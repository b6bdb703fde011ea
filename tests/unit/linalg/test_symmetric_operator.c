/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The symmetric operator against the block matrix it is taken from. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "../base/failing_allocator.h"
#include "dense.h"
#include "base/team.h"
#include "math/kernels.h"
#include "math/symmetric_operator.h"
#include "object/factory.h"

/* Springs between the points of an nx x ny x nz grid; `scatter` numbers the points at random. */
typedef struct Grid {
  uint32_t n[3];
  uint32_t *number;
} Grid;

static Grid grid_new(uint32_t nx, uint32_t ny, uint32_t nz, bool scatter) {
  Grid g = {{nx, ny, nz}, calloc((size_t)nx * ny * nz, sizeof(uint32_t))};
  uint64_t seed = 9;
  const uint32_t n = nx * ny * nz;
  for (uint32_t i = 0; i < n; i++) g.number[i] = i;
  for (uint32_t i = n; scatter && i-- > 1;) {
    const uint32_t j = random_below(&seed, i + 1), swap = g.number[i];
    g.number[i] = g.number[j];
    g.number[j] = swap;
  }
  return g;
}

static void add_pair(SofaBlockMatrix *m, uint32_t i, uint32_t j, uint64_t *seed, double skew) {
  double block[9], mirror[9];
  for (int e = 0; e < 9; e++) block[e] = random_real(seed);
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++) mirror[3 * c + r] = block[3 * r + c] + (r > c ? skew : 0);
  const double diagonal[9] = {9, 1, 0, 1, 8, 2, 0, 2, 7};
  sofa_block_matrix_add(m, i, j, block, 1);
  sofa_block_matrix_add(m, j, i, mirror, 1);
  sofa_block_matrix_add(m, i, i, diagonal, 1);
  sofa_block_matrix_add(m, j, j, diagonal, 1);
}

static SofaErr assemble(const Grid *g, SofaBlockMatrix *m, double skew) {
  uint64_t seed = 21;
  sofa_block_matrix_begin(m);
  for (uint32_t z = 0, i = 0; z < g->n[2]; z++) {
    for (uint32_t y = 0; y < g->n[1]; y++) {
      for (uint32_t x = 0; x < g->n[0]; x++, i++) {
        const uint32_t step[3] = {1, g->n[0], g->n[0] * g->n[1]};
        if (x + 1 < g->n[0]) add_pair(m, g->number[i], g->number[i + step[0]], &seed, skew);
        if (y + 1 < g->n[1]) add_pair(m, g->number[i], g->number[i + step[1]], &seed, skew);
        if (z + 1 < g->n[2]) add_pair(m, g->number[i], g->number[i + step[2]], &seed, skew);
      }
    }
  }
  return sofa_block_matrix_end(m);
}

static SofaBlockMatrix *matrix_of(SofaContext *ctx, const Grid *g) {
  const size_t n = (size_t)g->n[0] * g->n[1] * g->n[2];
  uint8_t *sizes = malloc(n);
  SofaBlockMatrix *m = NULL;
  memset(sizes, 3, n);
  sofa_block_matrix_create(ctx, n, sizes, n, sizes, &m);
  free(sizes);
  return m;
}

static void check(SofaContext *ctx, const Grid *g) {
  const size_t n = 3 * (size_t)g->n[0] * g->n[1] * g->n[2];
  SofaBlockMatrix *m = matrix_of(ctx, g);
  SofaSymmetricOperator *op = NULL;
  double *x = calloc(n + 1, 8), *y = calloc(n, 8), *z = calloc(n, 8);
  uint64_t seed = 1;
  bool usable = false;
  for (size_t i = 0; i < n; i++) x[i] = random_real(&seed);
  assert_int_equal(sofa_symmetric_operator_create(ctx, &op), SOFA_OK);
  for (int pass = 0; pass < 2; pass++) {
    ctx->threads = 1; // a new team of threads takes memory of its own
    assert_int_equal(assemble(g, m, 0), SOFA_OK);
    const uint64_t allocations = ctx->n_allocations;
    assert_int_equal(sofa_symmetric_operator_update(op, m, &usable), SOFA_OK);
    if (pass) assert_int_equal(ctx->n_allocations, allocations);
    assert_true(usable);
    sofa_symmetric_operator_apply(op, x, y);
    sofa_block_matrix_multiply(m, x, z, 1);
    for (size_t i = 0; i < n; i++) assert_true(fabs(y[i] - z[i]) < 1e-11);
    for (int threads = 2; threads < 5; threads++) {
      sofa_team_destroy(ctx);
      ctx->threads = threads;
      sofa_symmetric_operator_apply(op, x, z);
      assert_memory_equal(y, z, n * sizeof *y);
    }
  }
  assert_int_equal(assemble(g, m, 1e-3), SOFA_OK);
  assert_int_equal(sofa_symmetric_operator_update(op, m, &usable), SOFA_OK);
  assert_true(usable == (n == 3)); /* one point has no pairs */
  sofa_symmetric_operator_destroy(&op);
  sofa_block_matrix_destroy(&m);
  free(x), free(y), free(z);
}

static void same_as_matrix(void **state) {
  (void)state;
  for (int isa = 0; isa < 2; isa++) {
    SofaContext *ctx = NULL;
    const SofaContextOptions options = {.isa = isa ? "baseline" : NULL, .sink = quiet_sink};
    assert_int_equal(sofa_context_create(&options, &ctx), SOFA_OK);
    static const uint32_t shapes[][4] = {{1, 1, 1, 0},    {3, 4, 5, 0},    {4, 4, 19, 0},
                                         {5, 5, 30, 0},   {7, 7, 7, 1},    {5, 5, 60, 0},
                                         {20, 20, 20, 0}, {20, 20, 20, 1}, {9, 9, 9, 1}};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
      Grid g = grid_new(shapes[s][0], shapes[s][1], shapes[s][2], shapes[s][3]);
      check(ctx, &g);
      free(g.number);
    }
    sofa_context_destroy(&ctx);
  }
}

static void refuses_other_blocks(void **state) {
  (void)state;
  SofaContext *ctx = NULL;
  const SofaContextOptions options = {.sink = quiet_sink};
  assert_int_equal(sofa_context_create(&options, &ctx), SOFA_OK);
  SofaBlockMatrix *m = NULL;
  SofaSymmetricOperator *op = NULL;
  const uint8_t sizes[] = {3, 6};
  bool usable = true;
  assert_int_equal(sofa_block_matrix_create(ctx, 2, sizes, 2, sizes, &m), SOFA_OK);
  assert_int_equal(sofa_symmetric_operator_create(ctx, &op), SOFA_OK);
  assert_int_equal(sofa_symmetric_operator_update(op, m, &usable), SOFA_OK);
  assert_false(usable);
  sofa_symmetric_operator_destroy(&op);
  sofa_block_matrix_destroy(&m);
  sofa_context_destroy(&ctx);
}

/* A pattern without the blocks below the diagonal. */
static void refuses_one_sided_patterns(void **state) {
  (void)state;
  SofaContext *ctx = NULL;
  const SofaContextOptions options = {.sink = quiet_sink};
  assert_int_equal(sofa_context_create(&options, &ctx), SOFA_OK);
  SofaBlockMatrix *m = NULL;
  SofaSymmetricOperator *op = NULL;
  const uint8_t sizes[] = {3, 3, 3, 3};
  const double block[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  bool usable = true;
  assert_int_equal(sofa_block_matrix_create(ctx, 4, sizes, 4, sizes, &m), SOFA_OK);
  assert_int_equal(sofa_symmetric_operator_create(ctx, &op), SOFA_OK);
  for (int upper = 0; upper < 2; upper++) {
    sofa_block_matrix_begin(m);
    for (uint32_t i = 0; i < 4; i++)
      for (uint32_t j = 0; j < i; j++)
        sofa_block_matrix_add(m, upper ? j : i, upper ? i : j, block, 1);
    assert_int_equal(sofa_block_matrix_end(m), SOFA_OK);
    assert_int_equal(sofa_symmetric_operator_update(op, m, &usable), SOFA_OK);
    assert_false(usable);
  }
  sofa_symmetric_operator_destroy(&op);
  sofa_block_matrix_destroy(&m);
  sofa_context_destroy(&ctx);
}

/* A matrix of three points whose entry e of block (0, 2) is off by `error`. Is it usable? */
static bool usable_with(SofaContext *ctx, int e, double error) {
  SofaBlockMatrix *m = NULL;
  SofaSymmetricOperator *op = NULL;
  const uint8_t sizes[] = {3, 3, 3};
  const double own[9] = {4, 1, 2, 1, 5, 3, 2, 3, 6};
  bool usable = false;
  assert_int_equal(sofa_block_matrix_create(ctx, 3, sizes, 3, sizes, &m), SOFA_OK);
  assert_int_equal(sofa_symmetric_operator_create(ctx, &op), SOFA_OK);
  sofa_block_matrix_begin(m);
  for (uint32_t i = 0; i < 3; i++) {
    for (uint32_t j = 0; j < 3; j++) {
      double block[9];
      for (int k = 0; k < 9; k++) block[k] = i == j ? own[k] : i < j ? k : 3 * (k % 3) + k / 3;
      if (i == 0 && j == 2) block[e] += error;
      sofa_block_matrix_add(m, i, j, block, 1);
    }
  }
  assert_int_equal(sofa_block_matrix_end(m), SOFA_OK);
  assert_int_equal(sofa_symmetric_operator_update(op, m, &usable), SOFA_OK);
  sofa_symmetric_operator_destroy(&op);
  sofa_block_matrix_destroy(&m);
  return usable;
}

static void sees_every_entry(void **state) {
  (void)state;
  static const char *const isas[] = {"baseline", "avx2", "avx512"};
  for (size_t i = 0; i < SOFA_COUNT(isas); i++) {
    SofaContext *ctx = NULL;
    const SofaContextOptions options = {.sink = quiet_sink};
    if (!sofa_kernels_select(isas[i])) continue; /* not on this processor */
    assert_int_equal(sofa_context_create(&options, &ctx), SOFA_OK);
    ctx->kernels = sofa_kernels_select(isas[i]);
    for (int e = 0; e < 9; e++) {
      assert_false(usable_with(ctx, e, 1e-9));
      assert_false(usable_with(ctx, e, NAN));
      assert_true(usable_with(ctx, e, 4e-12)); /* to 1e-12 of a diagonal of 6 */
      assert_false(usable_with(ctx, e, -8e-12));
    }
    sofa_context_destroy(&ctx);
  }
}

static void failing_memory(void **state) {
  (void)state;
  FailingAllocator a = {0};
  SofaContext *ctx = NULL;
  const SofaContextOptions options = {
      .allocate = failing_allocate, .allocate_user = &a, .sink = quiet_sink};
  assert_int_equal(sofa_context_create(&options, &ctx), SOFA_OK);
  Grid g = grid_new(17, 17, 17, true);
  SofaBlockMatrix *m = matrix_of(ctx, &g);
  assert_int_equal(assemble(&g, m, 0), SOFA_OK);
  SofaErr err = SOFA_ERR_MEMORY;
  for (uint64_t n = 1; err != SOFA_OK; n++) {
    SofaSymmetricOperator *op = NULL;
    bool usable = false;
    a.fail_at = a.calls + n;
    err = sofa_symmetric_operator_create(ctx, &op);
    if (err == SOFA_OK) err = sofa_symmetric_operator_update(op, m, &usable);
    a.fail_at = 0;
    sofa_symmetric_operator_destroy(&op);
    assert_true(err == SOFA_OK || err == SOFA_ERR_MEMORY);
    assert_true(n < 1000);
  }
  sofa_block_matrix_destroy(&m);
  free(g.number);
  sofa_context_destroy(&ctx);
  assert_int_equal(a.live, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(same_as_matrix),
      cmocka_unit_test(refuses_other_blocks),
      cmocka_unit_test(refuses_one_sided_patterns),
      cmocka_unit_test(sees_every_entry),
      cmocka_unit_test(failing_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
