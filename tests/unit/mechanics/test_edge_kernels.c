/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kernels of edges: products with blocks of pairs of points by their formula, pair by pair; AVX2
 * and AVX-512 give the same bits. Matrices of elements in any order of their points. */
#include "tests/support/scene_run.h"

#include <math.h>
#include <string.h>

#include "math/vec.h"
#include "numerics/fem/edge_kernels.h"
#include "numerics/fem/edge_matrix.h"
#include "tests/unit/mechanics/each_isa.h"

enum { POINTS = 17, PAIRS = POINTS * (POINTS + 1) / 2, REALS = 3 * POINTS };

/* Points and pairs of them: rows of every length; every sixth point has none. */
typedef struct Model {
  uint32_t start[POINTS + 1], column[PAIRS];
  double blocks[9 * PAIRS + 1], x[4 * POINTS], sums[4 * POINTS], y[REALS];
} Model;

static double wave(size_t i, double a) {
  return sin(a * (double)i + 0.3 * a);
}

static void fill(Model *m) {
  uint32_t n = 0;
  memset(m, 0, sizeof *m);
  for (uint32_t i = 0; i < POINTS; i++) {
    m->start[i] = n;
    for (uint32_t j = i; j < POINTS && i % 6 != 5; j++)
      if (j == i || (j % 6 != 5 && (i + 2 * j) % 4 != 1)) m->column[n++] = j;
  }
  m->start[POINTS] = n;
  for (size_t k = 0; k < 9 * (size_t)n; k++) m->blocks[k] = wave(k, 1.9);
  for (size_t i = 0; i < POINTS; i++) /* those of points with themselves are not read */
    for (int k = 0; k < 9 && m->start[i] < m->start[i + 1]; k++)
      m->blocks[9 * m->start[i] + (size_t)k] = NAN;
  for (size_t k = 0; k < 4 * POINTS; k++) m->x[k] = wave(k, 2.3);
  for (size_t k = 0; k < REALS; k++) m->y[k] = wave(k, 0.7);
}

static void run(const SofaEdgeKernels *kernels, Model *m) {
  const SofaEdgeRows rows = {POINTS, m->start, m->column, m->blocks};
  kernels->product(&rows, -0.6, m->x, m->sums, m->y);
}

static void check(const SofaEdgeKernels *kernels) {
  Model m, before;
  fill(&m);
  before = m;
  run(kernels, &m);
  for (size_t i = 0; i < POINTS; i++) {
    for (uint32_t p = m.start[i]; p < m.start[i + 1]; p++) {
      const size_t j = m.column[p];
      double u[3], r[3];
      if (i == j) continue;
      sofa_vec3_sub(m.x + 4 * j, m.x + 4 * i, u);
      sofa_mat3_apply(m.blocks + 9 * (size_t)p, u, r);
      sofa_vec3_axpy(-0.6, r, before.y + 3 * i);
      sofa_mat3_apply_t(m.blocks + 9 * (size_t)p, u, r);
      sofa_vec3_axpy(0.6, r, before.y + 3 * j);
    }
  }
  for (int k = 0; k < REALS; k++)
    if (!(fabs(m.y[k] - before.y[k]) <= 1e-14 * (20 + fabs(before.y[k]))))
      fail_msg("%s, real %d: %.17g, not %.17g", kernels->name, k, m.y[k], before.y[k]);
}

static void formulas(void **state) {
  (void)state;
  EACH_ISA(check, sofa_edge_kernels);
}

static void same_bits(void **state) {
  (void)state;
#if defined(__x86_64__)
  if (!sofa_kernels_select("avx512")) skip();
  Model two, five;
  fill(&two);
  fill(&five);
  run(&sofa_edge_kernels_avx2, &two);
  run(&sofa_edge_kernels_avx512, &five);
  assert_memory_equal(two.y, five.y, sizeof two.y);
#else
  skip();
#endif
}

/* The kernels of a context are those of its instruction set. */
static void chosen(void **state) {
  (void)state;
  static const char *const names[] = {"baseline", "avx2", "avx512"};
  for (int i = 0; i < 3; i++) {
    const SofaContextOptions options = {.isa = names[i]};
    SofaContext *ctx = NULL;
    if (!sofa_kernels_select(names[i])) continue;
    assert_int_equal(sofa_context_create(&options, &ctx), SOFA_OK);
    assert_string_equal(sofa_edge_kernels(ctx)->name, names[i]);
    sofa_context_destroy(&ctx);
  }
}

/* Elements with ascending, descending and mixed points, one of which has a point twice. */
static const uint32_t corners[] = {0, 1, 3, 5, 3, 1, 3, 6, 0, 6, 6, 5};
enum { CORNERS = 3, ELEMENTS = 4, ENDS = 3 * 9 };

/* Adds the block of nodes a and b to a matrix, and what it does with x to y; twice: returns the
 * energy of that. */
static double add_block(SofaEdgeMatrix *m, size_t e, unsigned a, unsigned b, const double *x,
                        double *y) {
  const size_t i = 3 * (size_t)corners[CORNERS * e + a], j = 3 * (size_t)corners[CORNERS * e + b];
  double block[9], u[3], r[3], energy = 0;
  for (size_t k = 0; k < 9; k++) block[k] = wave(k + 9 * e, 1.1 + a + 0.1 * b);
  sofa_edge_matrix_add(m, e, a, b, block);
  sofa_vec3_sub(x + j, x + i, u);
  sofa_mat3_apply(block, u, r);
  sofa_vec3_add(y + i, r, y + i);
  energy -= sofa_vec3_dot(r, x + i);
  sofa_mat3_apply_t(block, u, r);
  sofa_vec3_sub(y + j, r, y + j);
  return energy + sofa_vec3_dot(r, x + j);
}

static void matrices(void **state) {
  (void)state;
  static const unsigned nodes[3][2] = {{0, 1}, {2, 1}, {2, 0}};
  SofaContext *ctx = NULL;
  SofaEdgeMatrix m;
  double x[ENDS], rest[ENDS], moved[ENDS], y[ENDS] = {0}, expected[ENDS] = {0}, twice = 0;
  assert_int_equal(sofa_context_create(NULL, &ctx), SOFA_OK);
  for (size_t k = 0; k < ENDS; k++) {
    x[k] = wave(k, 2.1);
    rest[k] = wave(k, 0.4);
    moved[k] = x[k] - rest[k];
  }
  const SofaElements elements = {corners, ELEMENTS, CORNERS};
  assert_int_equal(sofa_edge_matrix_create(ctx, elements, rest, ENDS / 3, &m), SOFA_OK);
  for (size_t e = 0; e < ELEMENTS; e++)
    for (int k = 0; k < 3; k++)
      twice += add_block(&m, e, nodes[k][0], nodes[k][1], moved, expected);
  sofa_edge_matrix_finish(&m);
  assert_int_equal(m.rest.n, 3 * 7);
  assert_memory_equal(m.rest.data, rest, m.rest.n * sizeof *rest);
  assert_int_equal(sofa_edge_matrix_multiply(ctx, &m, 1, x, m.rest.data, y), SOFA_OK);
  assert_int_equal(sofa_edge_matrix_multiply(ctx, &m, -0.5, moved, NULL, y), SOFA_OK);
  for (int k = 0; k < ENDS; k++)
    if (!(fabs(y[k] - 0.5 * expected[k]) <= 1e-13)) fail_msg("%d: %g %g", k, y[k], expected[k]);
  if (!(fabs(sofa_edge_matrix_energy(&m, x, rest) - twice / 2) <= 1e-13)) fail_msg("energy");
  /* the own blocks, which assembly adds: rows sum up to 0 */
  for (size_t p = 0; p < m.pairs.n; p++)
    for (size_t k = 0; k < 9; k++) {
      double sum = 0;
      const uint32_t i = m.pairs.row[p];
      if (m.pairs.column[p] != i) continue;
      for (size_t q = 0; q < m.pairs.n; q++) {
        if (m.pairs.row[q] == i) sum += m.blocks.data[9 * q + k];
        else if (m.pairs.column[q] == i) sum += m.blocks.data[9 * q + 3 * (k % 3) + k / 3];
      }
      if (!(fabs(sum) <= 1e-13)) fail_msg("row %u: %g", i, sum);
    }
  sofa_edge_matrix_free(ctx, &m);
  sofa_context_destroy(&ctx);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(matrices), cmocka_unit_test(formulas),
                                     cmocka_unit_test(same_bits), cmocka_unit_test(chosen)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
