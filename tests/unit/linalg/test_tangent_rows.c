/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rows of multiples of the identity are added to a tangent as their blocks are, to the bit, on any
 * number of threads, along a record and away from it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "behavior/tangent_rows.h"
#include "object/factory.h"
#include "math/block_matrix.h"

enum { N = 1500, MOST = 4 * N }; /* points: more than a thread takes at once */

typedef struct Rows {
  uint32_t start[N + 1], column[MOST];
  double own[N], value[MOST];
} Rows;

/* Two neighbours of each point, `apart` from it. */
static void fill(Rows *r, uint32_t apart) {
  uint32_t at = 0;
  for (uint32_t i = 0; i < N; i++) {
    r->start[i] = at;
    r->own[i] = 1 + 0.1 * (double)(i % 7);
    for (uint32_t k = 1; k <= 2; k++) {
      r->column[at] = (i + k * apart) % N;
      r->value[at++] = 0.3 / (double)(i % 11 + k);
    }
  }
  r->start[N] = at;
}

/* What the rows mean, one by one. */
static void add_blocks(const SofaScalarRows *rows, const SofaTangent *tangent) {
  const size_t deriv = rows->deriv;
  for (uint32_t i = 0; i < rows->n && !(tangent->by_points && i >= tangent->n_owned); i++) {
    double block[36] = {0};
    for (size_t c = 0; rows->own && c < deriv; c++) block[c * (deriv + 1)] = rows->own[i];
    if (rows->own) sofa_tangent_add(tangent, 0, i, 0, i, block);
    for (uint32_t k = rows->start ? rows->start[i] : 0; rows->start && k < rows->start[i + 1];
         k++) {
      for (size_t c = 0; c < deriv; c++) block[c * (deriv + 1)] = rows->value[k];
      sofa_tangent_add(tangent, 0, i, 0, rows->column[k], block);
    }
  }
}

static SofaBlockMatrix *matrix_of(SofaContext *ctx, size_t deriv) {
  SofaBlockMatrix *matrix = NULL;
  uint8_t sizes[N + 1]; // the state begins at the second point
  memset(sizes, (int)deriv, sizeof sizes);
  assert_int_equal(sofa_block_matrix_create(ctx, N + 1, sizes, N + 1, sizes, &matrix), SOFA_OK);
  return matrix;
}

/* A block before the rows, the rows twice. */
static void assemble(SofaContext *ctx, SofaBlockMatrix *matrix, const SofaScalarRows *rows,
                     bool blocks, size_t n_owned) {
  static const double one[36] = {2, 0.5};
  const SofaTangentPair pair = {.matrix = matrix, .row = 1, .column = 1};
  SofaTangent tangent = {
      .pairs = &pair, .n = 1, .factor = 0.7, .by_points = n_owned < N, .n_owned = n_owned};
  sofa_block_matrix_begin(matrix);
  sofa_block_matrix_add(matrix, 3, 3, one, 1);
  for (int k = 0; k < 2; k++, tangent.factor = -0.2) {
    if (blocks) add_blocks(rows, &tangent);
    else sofa_tangent_add_scalar_rows(ctx, rows, &tangent);
  }
  assert_int_equal(sofa_block_matrix_end(matrix), SOFA_OK);
}

static void same(const SofaBlockMatrix *a, const SofaBlockMatrix *b, size_t deriv) {
  SofaBlockRows p, q;
  sofa_block_matrix_rows(a, &p);
  sofa_block_matrix_rows(b, &q);
  assert_int_equal(p.start[p.n_rows], q.start[q.n_rows]);
  assert_memory_equal(p.column, q.column, p.start[p.n_rows] * sizeof *p.column);
  assert_memory_equal(p.values, q.values, p.start[p.n_rows] * deriv * deriv * sizeof *p.values);
}

static void check(const Rows *first, const Rows *other, size_t deriv, int threads) {
  SofaContext *ctx = NULL;
  const SofaContextOptions options = {.threads = threads};
  assert_int_equal(sofa_context_create(&options, &ctx), SOFA_OK);
  for (int form = 0; form < 3; form++) { // with own ones, without, own ones alone
    SofaBlockMatrix *got = matrix_of(ctx, deriv), *expected = matrix_of(ctx, deriv);
    for (int pass = 0; pass < 5; pass++) {
      const Rows *r = pass == 2 ? other : first; // recorded, followed, left, left again
      const size_t n_owned = pass == 4 ? N - 9 : N;
      const SofaScalarRows rows = {.n = N,
                                   .deriv = deriv,
                                   .own = form == 1 ? NULL : r->own,
                                   .start = form == 2 ? NULL : r->start,
                                   .column = form == 2 ? NULL : r->column,
                                   .value = form == 2 ? NULL : r->value};
      assemble(ctx, expected, &rows, true, n_owned);
      assemble(ctx, got, &rows, false, n_owned);
      same(got, expected, deriv);
    }
    sofa_block_matrix_destroy(&got);
    sofa_block_matrix_destroy(&expected);
  }
  sofa_context_destroy(&ctx);
}

static void scalar_rows(void **state) {
  (void)state;
  Rows *first = calloc(1, sizeof *first), *other = calloc(1, sizeof *other);
  assert_true(first && other);
  fill(first, 1);
  fill(other, 5);
  for (size_t deriv = 1; deriv <= 6; deriv++)
    for (int threads = 1; threads <= 3; threads++) check(first, other, deriv, threads);
  free(first);
  free(other);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(scalar_rows)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
