/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Matrices of edges: those of the blocks edge by edge, the same bits on any number of threads and
 * with AVX2 and AVX-512; lists that follow their edges, also without memory. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "math/kernels.h"
#include "numerics/fem/edge_assembly.h"
#include "object/factory.h"
#include "tests/unit/base/failing_allocator.h"

enum { POINTS = 90, ELEMENTS = 701, PER = 3, EDGES = PER * ELEMENTS, REALS = 3 * POINTS };

/* Edges of elements, some of them from a point to itself and many between the same points. */
typedef struct Model {
  uint32_t ends[2 * EDGES];
  unsigned per_element;
  bool symmetric;
} Model;

static double wave(size_t i, double a) {
  return sin(a * (double)i + 0.3 * a);
}

static Model make_model(unsigned per_element, bool symmetric, uint64_t seed) {
  Model m = {.per_element = per_element, .symmetric = symmetric};
  for (size_t k = 0; k < 2 * EDGES; k++) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    m.ends[k] = (uint32_t)(seed >> 33) % POINTS;
    if (k % 2 && k % 26 == 1) m.ends[k] = m.ends[k - 1];
  }
  return m;
}

static void block_of(const Model *m, size_t edge, double *block) {
  for (size_t e = 0; e < 9; e++) {
    const size_t low = e / 3 < e % 3 ? e / 3 : e % 3, high = e / 3 + e % 3 - low;
    block[e] = wave(9 * edge + (m->symmetric ? 3 * low + high : e), 1.9);
  }
}

static void make_blocks(void *user, size_t begin, size_t end, double *blocks) {
  const Model *m = user;
  assert_true(begin % 8 == 0 && (end % 8 == 0 || end * m->per_element == EDGES));
  for (size_t k = begin * m->per_element; k < end * m->per_element; k++, blocks += 9)
    block_of(m, k, blocks);
}

static SofaEdgeList list_of(const Model *m) {
  return (SofaEdgeList){m->ends, 2, EDGES, m->per_element, m->symmetric};
}

static void add(Model *m, double factor, SofaEdgeAssembly **edges, SofaContext *ctx,
                SofaBlockMatrix *matrix) {
  const SofaTangentPair to = {matrix, 0, 0};
  const SofaTangent tangent = {.pairs = &to, .n = 1, .factor = factor};
  const SofaEdgeBlocks source = {make_blocks, m};
  assert_int_equal(sofa_edge_assembly_follow(ctx, list_of(m), POINTS, edges), SOFA_OK);
  sofa_block_matrix_begin(matrix);
  sofa_edge_assembly_add(ctx, *edges, &source, &tangent);
  assert_int_equal(sofa_block_matrix_end(matrix), SOFA_OK);
}

/* All entries, row by row; assembled twice: the second time follows the record. */
static void run(Model *m, const char *isa, int threads, double *entries) {
  const SofaContextOptions options = {.threads = threads, .isa = isa};
  SofaContext *ctx = NULL;
  SofaBlockMatrix *matrix = NULL;
  SofaEdgeAssembly *edges = NULL;
  uint8_t sizes[POINTS];
  memset(sizes, 3, sizeof sizes);
  assert_int_equal(sofa_context_create(&options, &ctx), SOFA_OK);
  assert_int_equal(sofa_block_matrix_create(ctx, POINTS, sizes, POINTS, sizes, &matrix), SOFA_OK);
  add(m, 5, &edges, ctx, matrix);
  const SofaEdgeAssembly *before = edges;
  add(m, -0.7, &edges, ctx, matrix);
  assert_ptr_equal(edges, before);
  for (size_t k = 0; k < (size_t)REALS * REALS; k++)
    entries[k] = sofa_block_matrix_entry(matrix, k / REALS, k % REALS);
  sofa_edge_assembly_free(ctx, &edges);
  assert_null(edges);
  sofa_block_matrix_destroy(&matrix);
  sofa_context_destroy(&ctx);
}

/* df_i = B (dx_j - dx_i), df_j = B^T (dx_i - dx_j), edge by edge. */
static void by_formula(const Model *m, double *entries) {
  memset(entries, 0, (size_t)REALS * REALS * sizeof *entries);
  for (size_t k = 0; k < EDGES; k++) {
    const size_t i = m->ends[2 * k], j = m->ends[2 * k + 1];
    double block[9];
    block_of(m, k, block);
    for (size_t e = 0; e < 9; e++) {
      const size_t r = e / 3, c = e % 3;
      entries[(3 * i + r) * REALS + 3 * j + c] += -0.7 * block[e];
      entries[(3 * i + r) * REALS + 3 * i + c] -= -0.7 * block[e];
      entries[(3 * j + c) * REALS + 3 * i + r] += -0.7 * block[e];
      entries[(3 * j + c) * REALS + 3 * j + r] -= -0.7 * block[e];
    }
  }
}

static double *entries_new(void) {
  double *entries = malloc((size_t)REALS * REALS * sizeof *entries);
  assert_non_null(entries);
  return entries;
}

static void check(Model *m, const char *isa, const double *expected) {
  double *one = entries_new(), *several = entries_new();
  run(m, isa, 1, one);
  for (size_t k = 0; k < (size_t)REALS * REALS; k++)
    if (!(fabs(one[k] - expected[k]) <= 1e-13))
      fail_msg("%s, entry %zu: %.17g, not %.17g", isa, k, one[k], expected[k]);
  for (int threads = 2; threads < 5; threads++) {
    run(m, isa, threads, several);
    assert_memory_equal(one, several, (size_t)REALS * REALS * sizeof *one);
  }
  free(one);
  free(several);
}

static void matrices(void **state) {
  static const char *const names[] = {"baseline", "avx2", "avx512"};
  double *expected = entries_new(), *two = entries_new(), *five = entries_new();
  (void)state;
  for (unsigned k = 0; k < 3; k++) {
    Model m = make_model(k < 2 ? PER : 1, k > 0, k + 1);
    by_formula(&m, expected);
    for (int i = 0; i < 3; i++)
      if (sofa_kernels_select(names[i])) check(&m, names[i], expected);
    if (!sofa_kernels_select("avx512")) continue;
    run(&m, "avx2", 1, two);
    run(&m, "avx512", 1, five);
    assert_memory_equal(two, five, (size_t)REALS * REALS * sizeof *two);
  }
  free(expected);
  free(two);
  free(five);
}

/* Edges that have changed have other lists, whatever changed. */
static void lists_follow_edges(void **state) {
  Model m = make_model(PER, false, 7);
  double *expected = entries_new();
  SofaContext *ctx = NULL;
  SofaBlockMatrix *matrix = NULL;
  SofaEdgeAssembly *edges = NULL;
  uint8_t sizes[POINTS];
  (void)state;
  memset(sizes, 3, sizeof sizes);
  assert_int_equal(sofa_context_create(NULL, &ctx), SOFA_OK);
  assert_int_equal(sofa_block_matrix_create(ctx, POINTS, sizes, POINTS, sizes, &matrix), SOFA_OK);
  for (size_t changed = 0; changed < 2 * EDGES; changed += 2 * EDGES - 1) {
    add(&m, -0.7, &edges, ctx, matrix);
    m.ends[changed] = (m.ends[changed] + 1) % POINTS;
    add(&m, -0.7, &edges, ctx, matrix);
    by_formula(&m, expected);
    for (size_t k = 0; k < (size_t)REALS * REALS; k++)
      assert_true(fabs(sofa_block_matrix_entry(matrix, k / REALS, k % REALS) - expected[k]) <=
                  1e-13);
  }
  sofa_edge_assembly_free(ctx, &edges);
  sofa_block_matrix_destroy(&matrix);
  sofa_context_destroy(&ctx);
  free(expected);
}

static void without_memory(void **state) {
  Model m = make_model(PER, false, 3);
  FailingAllocator allocator = {.once = true};
  const SofaContextOptions options = {
      .allocate = failing_allocate, .allocate_user = &allocator, .sink = quiet_sink};
  SofaContext *ctx = NULL;
  SofaErr err = SOFA_ERR_MEMORY;
  (void)state;
  assert_int_equal(sofa_context_create(&options, &ctx), SOFA_OK);
  for (uint64_t at = 1; err != SOFA_OK; at++) {
    SofaEdgeAssembly *edges = NULL;
    const int64_t live = allocator.live;
    allocator.fail_at = allocator.calls + at;
    err = sofa_edge_assembly_follow(ctx, list_of(&m), POINTS, &edges);
    assert_int_equal(err, allocator.calls < allocator.fail_at ? SOFA_OK : SOFA_ERR_MEMORY);
    assert_true((edges == NULL) == (err != SOFA_OK));
    allocator.fail_at = 0;
    sofa_edge_assembly_free(ctx, &edges);
    assert_int_equal(allocator.live, live);
    if (err == SOFA_OK) assert_true(at > 8);
  }
  sofa_context_destroy(&ctx);
  assert_int_equal(allocator.live, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(matrices),
                                     cmocka_unit_test(lists_follow_edges),
                                     cmocka_unit_test(without_memory)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
