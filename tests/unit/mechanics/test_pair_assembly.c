/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Blocks of pairs of points in a matrix: the same bits on any number of threads, whether the
 * assembly follows its record or leaves it before, within or behind the pairs. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "math/kernels.h"
#include "numerics/fem/pair_assembly.h"
#include "numerics/fem/pair_product.h"
#include "object/factory.h"

enum { POINTS = 700, ELEMENTS = 2500, FIRST = 5, ROWS = POINTS + 2 * FIRST };

typedef struct Case {
  SofaElementPairs pairs;
  double *blocks;
} Case;

static double random_real(uint64_t *seed) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(int64_t)*seed * 0x1p-63;
}

static uint32_t random_point(uint64_t *seed) {
  return (uint32_t)((random_real(seed) + 1) / 2 * (POINTS - 1));
}

static Case make_case(SofaContext *ctx, uint64_t seed) {
  Case c;
  static uint32_t v[4 * ELEMENTS];
  for (size_t k = 0; k < 4 * ELEMENTS; k++) v[k] = random_point(&seed);
  const SofaElements elements = {v, ELEMENTS, 4};
  assert_int_equal(sofa_element_pairs_create(ctx, elements, POINTS, 0, &c.pairs), SOFA_OK);
  c.blocks = malloc(9 * c.pairs.n * sizeof *c.blocks);
  assert_non_null(c.blocks);
  for (size_t k = 0; k < 9 * c.pairs.n; k++) c.blocks[k] = random_real(&seed);
  return c;
}

static void free_case(SofaContext *ctx, Case *c) {
  sofa_element_pairs_free(ctx, &c->pairs);
  free(c->blocks);
}

static void make_blocks(void *user, size_t begin, size_t end, double *blocks) {
  const Case *c = user;
  assert_true(end - begin <= SOFA_PAIRS_AT_ONCE && end <= c->pairs.n);
  memcpy(blocks, c->blocks + 9 * begin, 9 * (end - begin) * sizeof *blocks);
}

/* The pairs of a case between other calls; before: how many are made in front of them. */
static void assemble(const SofaContext *ctx, SofaBlockMatrix *m, Case *c, uint32_t before,
                     bool made) {
  const SofaTangentPair to = {m, FIRST, FIRST};
  const SofaTangent tangent = {.pairs = &to, .n = 1, .factor = -0.37};
  const SofaPairBlocks source = {
      .dim = 3, .blocks = made ? NULL : c->blocks, .make = make_blocks, .user = c};
  sofa_block_matrix_begin(m);
  for (uint32_t i = 0; i < before; i++) sofa_block_matrix_add(m, i, ROWS - 1 - i, c->blocks, 1.1);
  sofa_pairs_add(ctx, &c->pairs, &source, &tangent);
  for (uint32_t i = 0; i < ROWS; i++) sofa_block_matrix_add(m, i, i, c->blocks + 9 * i, 0.3);
  assert_int_equal(sofa_block_matrix_end(m), SOFA_OK);
}

static void same(const SofaBlockMatrix *a, const SofaBlockMatrix *b) {
  SofaBlockRows p, q;
  sofa_block_matrix_rows(a, &p);
  sofa_block_matrix_rows(b, &q);
  const size_t n = p.start[ROWS];
  assert_memory_equal(p.start, q.start, (ROWS + 1) * sizeof *p.start);
  assert_memory_equal(p.column, q.column, n * sizeof *p.column);
  assert_memory_equal(p.values, q.values, 9 * n * sizeof *p.values);
}

static SofaContext *make_context(int threads) {
  const SofaContextOptions options = {.threads = threads};
  SofaContext *ctx = NULL;
  assert_int_equal(sofa_context_create(&options, &ctx), SOFA_OK);
  return ctx;
}

static SofaBlockMatrix *make_matrix(SofaContext *ctx) {
  uint8_t sizes[ROWS];
  SofaBlockMatrix *m = NULL;
  memset(sizes, 3, sizeof sizes);
  assert_int_equal(sofa_block_matrix_create(ctx, ROWS, sizes, ROWS, sizes, &m), SOFA_OK);
  return m;
}

static void same_bits_on_any_threads(void **state) {
  SofaContext *one = make_context(1);
  Case cases[2] = {make_case(one, 1), make_case(one, 2)};
  (void)state;
  // which case, and how many calls come first; twice the same follows the record
  static const struct {
    int which;
    uint32_t before;
  } steps[] = {{0, 3}, {0, 3}, {0, 3}, {1, 3}, {1, 3}, {0, 2}, {0, 2}, {0, 4}, {1, 0}, {1, 0}};
  for (int threads = 1; threads <= 4; threads++) {
    SofaContext *many = make_context(threads);
    SofaBlockMatrix *a = make_matrix(one), *b = make_matrix(many);
    for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
      assemble(one, a, &cases[steps[k].which], steps[k].before, false);
      assemble(many, b, &cases[steps[k].which], steps[k].before, k % 2 == 0);
      same(a, b);
    }
    sofa_block_matrix_destroy(&a);
    sofa_block_matrix_destroy(&b);
    sofa_context_destroy(&many);
  }
  for (int i = 0; i < 2; i++) free_case(one, &cases[i]);
  sofa_context_destroy(&one);
}

/* The pairs of a case backwards: another record of the same blocks. */
static Case turned_round(SofaContext *ctx, const Case *c) {
  const size_t n = c->pairs.n;
  Case r = {.pairs = {.n = n, .n_elements = c->pairs.n_elements, .n_nodes = c->pairs.n_nodes}};
  r.pairs.row = sofa_alloc(ctx, n, sizeof *r.pairs.row);
  r.pairs.column = sofa_alloc(ctx, n, sizeof *r.pairs.column);
  r.blocks = malloc(9 * n * sizeof *r.blocks);
  assert_true(r.pairs.row && r.pairs.column && r.blocks);
  for (size_t p = 0; p < n; p++) {
    r.pairs.row[p] = c->pairs.row[n - 1 - p];
    r.pairs.column[p] = c->pairs.column[n - 1 - p];
    memcpy(r.blocks + 9 * p, c->blocks + 9 * (n - 1 - p), 9 * sizeof *r.blocks);
  }
  assert_int_equal(sofa_element_pairs_count(ctx, &r.pairs), SOFA_OK);
  return r;
}

/* Pairs that followed one record are not taken to follow another one of the same pattern, or of
 * another matrix, or elsewhere in the record. */
static void other_records(void **state) {
  (void)state;
  static const struct {
    int which, matrix;
    uint32_t before;
  } steps[] = {{0, 0, 1}, {0, 0, 1}, {1, 1, 1}, {1, 1, 1}, {0, 1, 1}, {0, 0, 1}, {1, 0, 1},
               {0, 0, 1}, {0, 0, 1}, {0, 0, 0}, {0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
  for (int threads = 1; threads <= 2; threads++) {
    SofaContext *ctx = make_context(threads);
    Case cases[2] = {make_case(ctx, 5)};
    cases[1] = turned_round(ctx, &cases[0]);
    SofaBlockMatrix *m[2] = {make_matrix(ctx), make_matrix(ctx)};
    for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
      SofaBlockMatrix *fresh = make_matrix(ctx);
      assemble(ctx, m[steps[k].matrix], &cases[steps[k].which], steps[k].before, false);
      const SofaPairsFollowed kept = cases[steps[k].which].pairs.followed;
      assemble(ctx, fresh, &cases[steps[k].which], steps[k].before, false);
      cases[steps[k].which].pairs.followed = kept;
      same(m[steps[k].matrix], fresh);
      sofa_block_matrix_destroy(&fresh);
    }
    for (int i = 0; i < 2; i++) free_case(ctx, &cases[i]);
    for (int i = 0; i < 2; i++) sofa_block_matrix_destroy(&m[i]);
    sofa_context_destroy(&ctx);
  }
}

/* y of the product with -0.37 times the matrix, from y = 1. */
static void multiply(const char *isa, int threads, const Case *c, const double *x, double *y) {
  SofaContext *ctx = NULL;
  SofaPairProduct product = {0};
  const SofaContextOptions options = {.threads = threads, .isa = isa};
  assert_int_equal(sofa_context_create(&options, &ctx), SOFA_OK);
  for (size_t i = 0; i < 3 * POINTS; i++) y[i] = 1;
  if (threads > 1)
    assert_int_equal(sofa_pair_product_create(ctx, &c->pairs, POINTS, &product), SOFA_OK);
  const SofaPairMatrix matrix = {&c->pairs, &product, c->blocks, POINTS};
  assert_int_equal(sofa_pair_product_add(ctx, &matrix, -0.37, x, y), SOFA_OK);
  sofa_pair_product_free(ctx, &product);
  sofa_context_destroy(&ctx);
}

/* Products by the pairs against those of the assembled matrix; the bits on any number of threads,
 * of avx2 and avx512. */
static void products(void **state) {
  (void)state;
  static const char *const isas[] = {"baseline", "avx2", "avx512"};
  uint64_t seed = 7;
  SofaContext *one = make_context(1);
  Case c = make_case(one, 3);
  double x[3 * ROWS] = {0}, wanted[3 * ROWS] = {0}, first[3][3 * POINTS], y[3 * POINTS];
  SofaBlockMatrix *m = make_matrix(one);
  for (size_t i = 0; i < 3 * POINTS; i++) x[3 * FIRST + i] = random_real(&seed);
  const SofaTangentPair to = {m, FIRST, FIRST};
  const SofaTangent tangent = {.pairs = &to, .n = 1, .factor = -0.37};
  const SofaPairBlocks source = {.dim = 3, .blocks = c.blocks};
  sofa_block_matrix_begin(m);
  sofa_pairs_add(one, &c.pairs, &source, &tangent);
  assert_int_equal(sofa_block_matrix_end(m), SOFA_OK);
  sofa_block_matrix_multiply(m, x, wanted, 1);
  for (int isa = 0; isa < 3 && (isa == 0 || sofa_kernels_select(isas[isa])); isa++) {
    multiply(isas[isa], 1, &c, x + 3 * FIRST, first[isa]);
    for (size_t i = 0; i < 3 * POINTS; i++)
      assert_true(fabs(first[isa][i] - 1 - wanted[3 * FIRST + i]) < 1e-12);
    for (int threads = 2; threads <= 5; threads++) {
      multiply(isas[isa], threads, &c, x + 3 * FIRST, y);
      assert_memory_equal(first[isa], y, sizeof y);
    }
    if (isa == 2) assert_memory_equal(first[1], first[2], sizeof y);
  }
  sofa_block_matrix_destroy(&m);
  free_case(one, &c);
  sofa_context_destroy(&one);
}

/* y of the product of blocks of 6 x 6, from y = 1. */
static void multiply6(const char *isa, int threads, const Case *c, const double *x, double *y) {
  SofaContext *ctx = NULL;
  SofaPairProduct product = {0};
  const SofaContextOptions options = {.threads = threads, .isa = isa};
  assert_int_equal(sofa_context_create(&options, &ctx), SOFA_OK);
  for (size_t i = 0; i < 6 * POINTS; i++) y[i] = 1;
  if (threads > 1)
    assert_int_equal(sofa_pair_product_create6(ctx, &c->pairs, POINTS, &product), SOFA_OK);
  const SofaPairMatrix matrix = {&c->pairs, &product, c->blocks, POINTS};
  assert_int_equal(sofa_pair_product_add6(ctx, &matrix, -0.37, x, y), SOFA_OK);
  sofa_pair_product_free(ctx, &product);
  sofa_context_destroy(&ctx);
}

/* Products of blocks of 6 x 6 against the sum over the pairs; the bits on any number of threads, of
 * avx2 and avx512. */
static void products6(void **state) {
  (void)state;
  static const char *const isas[] = {"baseline", "avx2", "avx512"};
  uint64_t seed = 9;
  SofaContext *one = make_context(1);
  Case c = make_case(one, 6);
  static double x[6 * POINTS], wanted[6 * POINTS], first[3][6 * POINTS], y[6 * POINTS];
  double *blocks = malloc((36 * c.pairs.n + 2) * sizeof *blocks);
  assert_non_null(blocks);
  for (size_t k = 0; k < 36 * c.pairs.n + 2; k++) blocks[k] = random_real(&seed);
  free(c.blocks);
  c.blocks = blocks;
  for (size_t i = 0; i < 6 * POINTS; i++) x[i] = random_real(&seed);
  for (size_t i = 0; i < 6 * POINTS; i++) wanted[i] = 1;
  for (size_t e = 0; e < 36 * c.pairs.n; e++) {
    const size_t p = e / 36, i = 6 * c.pairs.row[p] + e % 36 / 6, j = 6 * c.pairs.column[p] + e % 6;
    wanted[i] -= 0.37 * blocks[e] * x[j];
    if (c.pairs.row[p] != c.pairs.column[p]) wanted[j] -= 0.37 * blocks[e] * x[i];
  }
  for (int isa = 0; isa < 3 && (isa == 0 || sofa_kernels_select(isas[isa])); isa++) {
    multiply6(isas[isa], 1, &c, x, first[isa]);
    for (size_t i = 0; i < 6 * POINTS; i++) assert_true(fabs(first[isa][i] - wanted[i]) < 1e-12);
    for (int threads = 2; threads <= 5; threads++) {
      multiply6(isas[isa], threads, &c, x, y);
      assert_memory_equal(first[isa], y, sizeof y);
    }
    if (isa == 2) assert_memory_equal(first[1], first[2], sizeof y);
  }
  free_case(one, &c);
  sofa_context_destroy(&one);
}

/* Blocks of 2 x 2 and of 1 x 1, against the sum over the pairs. */
static void other_dimensions(void **state) {
  (void)state;
  SofaContext *ctx = make_context(2);
  Case c = make_case(ctx, 4);
  for (unsigned dim = 1; dim <= 2; dim++) {
    uint8_t sizes[ROWS];
    uint64_t seed = 8;
    double x[2 * ROWS], y[2 * ROWS] = {0}, wanted[2 * ROWS] = {0};
    SofaBlockMatrix *m = NULL;
    memset(sizes, (int)dim, sizeof sizes);
    assert_int_equal(sofa_block_matrix_create(ctx, ROWS, sizes, ROWS, sizes, &m), SOFA_OK);
    const SofaTangentPair to = {m, FIRST, FIRST};
    const SofaTangent tangent = {.pairs = &to, .n = 1, .factor = -0.37};
    const SofaPairBlocks source = {.dim = dim, .blocks = c.blocks};
    sofa_block_matrix_begin(m);
    sofa_pairs_add(ctx, &c.pairs, &source, &tangent);
    assert_int_equal(sofa_block_matrix_end(m), SOFA_OK);
    for (size_t k = 0; k < dim * ROWS; k++) x[k] = random_real(&seed);
    for (size_t p = 0; p < c.pairs.n; p++) {
      const size_t i = FIRST + c.pairs.row[p], j = FIRST + c.pairs.column[p];
      for (unsigned k = 0; k < dim * dim; k++) {
        const double entry = -0.37 * c.blocks[dim * dim * p + k];
        const size_t row = dim * i + k / dim, column = dim * j + k % dim;
        wanted[row] += entry * x[column];
        if (i != j) wanted[column] += entry * x[row];
      }
    }
    sofa_block_matrix_multiply(m, x, y, 1);
    for (size_t k = 0; k < dim * ROWS; k++) assert_true(fabs(y[k] - wanted[k]) < 1e-12);
    sofa_block_matrix_destroy(&m);
  }
  free_case(ctx, &c);
  sofa_context_destroy(&ctx);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(same_bits_on_any_threads), cmocka_unit_test(other_dimensions),
      cmocka_unit_test(other_records), cmocka_unit_test(products), cmocka_unit_test(products6)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
