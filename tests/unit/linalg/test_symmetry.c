/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether a matrix is symmetric: every entry counts, on every instruction set. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <math.h>

#include "numerics/krylov/symmetry.h"
#include "object/factory.h"

enum { ROWS = 45, REACH = 2 }; /* a band: several batches of pairs, and a rest */

/* Block (i, j) of a symmetric matrix. */
static void block_of(size_t i, size_t j, unsigned size, double *v) {
  for (unsigned r = 0; r < size; r++) {
    for (unsigned c = 0; c < size; c++) {
      const double a = (double)(size * i + r), b = (double)(size * j + c);
      v[r * size + c] = cos(a) * cos(b) + sin(a + b) + (a == b ? 50 : 0);
    }
  }
}

/* The entry `entry` of the block at (row, column) is `more` larger; none where row is ROWS. */
typedef struct Change {
  size_t row, column;
  unsigned entry;
  double more;
} Change;

static void fill(SofaBlockMatrix *m, unsigned size, Change change) {
  sofa_block_matrix_begin(m);
  for (size_t i = 0; i < ROWS; i++) {
    for (size_t j = i > REACH ? i - REACH : 0; j <= i + REACH && j < ROWS; j++) {
      double v[36];
      block_of(i, j, size, v);
      if (i == change.row && j == change.column) v[change.entry] += change.more;
      sofa_block_matrix_add(m, (uint32_t)i, (uint32_t)j, v, 1);
    }
  }
  assert_int_equal(sofa_block_matrix_end(m), SOFA_OK);
}

static bool symmetric(SofaContext *ctx, const SofaBlockMatrix *m, SofaSymmetryCheck *check) {
  SofaBlockRows rows;
  bool is = false;
  sofa_block_matrix_rows(m, &rows);
  assert_int_equal(sofa_symmetry_find(ctx, m, &rows, check, &is), SOFA_OK);
  return is;
}

static void try_size(const char *isa, unsigned size) {
  SofaContext *ctx = NULL;
  SofaBlockMatrix *m = NULL;
  SofaSymmetryCheck check = {0};
  uint8_t blocks[ROWS];
  const SofaContextOptions options = {.isa = isa};
  const Change none = {.row = ROWS};
  if (sofa_context_create(&options, &ctx) != SOFA_OK) return;
  for (size_t i = 0; i < ROWS; i++) blocks[i] = (uint8_t)size;
  assert_int_equal(sofa_block_matrix_create(ctx, ROWS, blocks, ROWS, blocks, &m), SOFA_OK);
  fill(m, size, none);
  assert_true(symmetric(ctx, m, &check));
  for (size_t i = 0; i < ROWS; i++) {
    for (size_t j = i > REACH ? i - REACH : 0; j <= i + REACH && j < ROWS; j++) {
      for (unsigned e = 0; e < size * size; e++) {
        const bool own = i == j && e % (size + 1) == 0; /* its own mirror */
        fill(m, size, (Change){i, j, e, 1e-9});
        assert_int_equal(symmetric(ctx, m, &check), own);
        fill(m, size, (Change){i, j, e, 1e-15}); /* rounding of the diagonal */
        assert_true(symmetric(ctx, m, &check));
      }
    }
  }
  sofa_symmetry_free(ctx, &check);
  sofa_block_matrix_destroy(&m);
  sofa_context_destroy(&ctx);
}

static void every_entry_counts(void **state) {
  (void)state;
  static const char *const isas[] = {"baseline", "avx2", "avx512"};
  for (size_t k = 0; k < sizeof isas / sizeof *isas; k++) {
    try_size(isas[k], 3);
    try_size(isas[k], 2);
  }
}

/* A block whose mirror is not in the pattern. */
static void a_block_alone(void **state) {
  (void)state;
  SofaContext *ctx = NULL;
  SofaBlockMatrix *m = NULL;
  SofaSymmetryCheck check = {0};
  const uint8_t blocks[3] = {3, 3, 3};
  const double unit[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, some[9] = {0, 0, 0.5};
  assert_int_equal(sofa_context_create(NULL, &ctx), SOFA_OK);
  for (int above = 0; above < 2; above++) {
    for (int zero = 0; zero < 2; zero++) {
      assert_int_equal(sofa_block_matrix_create(ctx, 3, blocks, 3, blocks, &m), SOFA_OK);
      sofa_block_matrix_begin(m);
      for (uint32_t i = 0; i < 3; i++) sofa_block_matrix_add(m, i, i, unit, 1);
      sofa_block_matrix_add(m, above ? 0 : 2, above ? 2 : 0, some, zero ? 0 : 1);
      assert_int_equal(sofa_block_matrix_end(m), SOFA_OK);
      assert_int_equal(symmetric(ctx, m, &check), zero);
      sofa_block_matrix_destroy(&m);
      sofa_symmetry_free(ctx, &check);
    }
  }
  sofa_context_destroy(&ctx);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_entry_counts),
                                     cmocka_unit_test(a_block_alone)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
