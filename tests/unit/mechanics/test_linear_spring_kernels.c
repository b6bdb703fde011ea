/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kernels of springs whose forces are linear: their formulas, spring by spring, between one state
 * and two; AVX2 and AVX-512 give the same bits. */
#include "tests/support/scene_run.h"

#include <math.h>
#include <string.h>

#include "tests/unit/mechanics/each_isa.h"
#include "math/vec.h"
#include "numerics/fem/linear_spring_kernels.h"

enum { SPRINGS = 40, POINTS = 15, REALS = 3 * POINTS };

/* Springs and edges between points, and what they gave. */
typedef struct Model {
  SofaVectorSpring springs[SPRINGS];
  uint32_t start[POINTS + 1], column[SPRINGS]; /* of points' springs; each fourth has none */
  double scale[SPRINGS];
  double x[2][REALS], v[2][REALS], f[2][REALS], df[2][REALS], bent[REALS];
  int second; /* state */
} Model;

static double wave(size_t i, double a) {
  return sin(a * (double)i + 0.3 * a);
}

static void fill(Model *m, int second) {
  memset(m, 0, sizeof *m);
  m->second = second;
  for (size_t i = 0; i < 2 * REALS; i++) {
    m->x[i / REALS][i % REALS] = wave(i, 1.7);
    m->v[i / REALS][i % REALS] = wave(i, 2.9);
  }
  for (uint32_t k = 0; k < SPRINGS; k++) {
    m->springs[k] = (SofaVectorSpring){.m1 = 3 * k % POINTS,
                                       .m2 = (7 * k + k / 9 + 1) % POINTS,
                                       .stiffness = 10 + k,
                                       .damping = 0.1 * k,
                                       .rest = {wave(k, 0.9), wave(k, 1.1), wave(k, 1.3)}};
    m->column[k] = 3 * k % POINTS;
    m->scale[k] = wave(k, 0.8);
  }
  // 5, 4, 3, 0 springs and so on
  for (uint32_t i = 0; i < POINTS; i++)
    m->start[i + 1] = m->start[i] + (i % 4 == 3 ? 0 : i < 12 ? 5 - i % 4 : 1);
}

static void run(const SofaLinearSpringKernels *kernels, Model *m) {
  const double *const x[2] = {m->x[0], m->x[m->second]}, *const v[2] = {m->v[0], m->v[m->second]};
  double *const f[2] = {m->f[0], m->f[m->second]}, *const df[2] = {m->df[0], m->df[m->second]};
  const SofaPoint at = {.x = x, .v = v, .n = 2};
  const SofaVectorSpringRange range = {m->springs, 0, SPRINGS, NULL};
  kernels->vector_force(&range, &at, f);
  kernels->vector_product(&range, -0.3, 0.7, v, df);
  const SofaPointSprings springs = {m->start, m->column, m->scale};
  kernels->point_forces(&springs, 0, 7, 0.6, m->x[0], m->bent);
  kernels->point_forces(&springs, 7, POINTS, 0.6, m->x[0], m->bent);
}

static void add_spring(const Model *m, const SofaVectorSpring *s, double (*f)[REALS],
                       double (*df)[REALS]) {
  const size_t a = 3 * (size_t)s->m1, b = 3 * (size_t)s->m2;
  const int second = m->second;
  for (size_t i = 0; i < 3; i++) {
    const double rate = m->v[second][b + i] - m->v[0][a + i];
    const double force =
        s->stiffness * (m->x[second][b + i] - m->x[0][a + i] - s->rest[i]) + s->damping * rate;
    const double change = (-0.3 * s->stiffness + 0.7 * s->damping) * rate;
    f[0][a + i] += force;
    f[second][b + i] -= force;
    df[0][a + i] += change;
    df[second][b + i] -= change;
  }
}

static void add_point(const Model *m, size_t i, double *f) {
  for (size_t k = m->start[i]; k < m->start[i + 1]; k++)
    for (size_t c = 0; c < 3; c++)
      f[3 * i + c] += 0.6 * m->scale[k] * (m->x[0][3 * m->column[k] + c] - m->x[0][3 * i + c]);
}

static void compare(const char *what, const double *found, const double *expected) {
  for (int i = 0; i < REALS; i++)
    if (!(fabs(found[i] - expected[i]) <= 1e-12 * (1 + fabs(expected[i]))))
      fail_msg("%s %d: %.17g, expected %.17g", what, i, found[i], expected[i]);
}

/* The same bits by way of places, of two ranges. */
static void compare_parts(const SofaLinearSpringKernels *kernels, const Model *m) {
  enum { CUT = 16 };
  const double *const x[2] = {m->x[0], m->x[m->second]}, *const v[2] = {m->v[0], m->v[m->second]};
  double parts[2][3 * SPRINGS], f[2][2][REALS] = {{{0}}};
  const SofaPoint at = {.x = x, .v = v, .n = 2};
  for (size_t begin = 0; begin < SPRINGS; begin = begin ? SPRINGS : CUT) {
    SofaVectorSpringRange range = {m->springs, begin, begin ? SPRINGS : CUT, parts[0] + 3 * begin};
    kernels->vector_force(&range, &at, NULL);
    range.parts = parts[1] + 3 * begin;
    kernels->vector_product(&range, -0.3, 0.7, v, NULL);
  }
  for (size_t w = 0; w < 2; w++)
    for (size_t i = 0; i < 3 * SPRINGS; i++) {
      f[w][0][3 * m->springs[i / 3].m1 + i % 3] += parts[w][i];
      f[w][m->second][3 * m->springs[i / 3].m2 + i % 3] -= parts[w][i];
    }
  assert_memory_equal(f[0], m->f, sizeof m->f);
  assert_memory_equal(f[1], m->df, sizeof m->df);
}

static void check(const SofaLinearSpringKernels *kernels) {
  for (int second = 0; second < 2; second++) {
    double f[2][REALS] = {{0}}, df[2][REALS] = {{0}}, bent[REALS] = {0};
    Model m;
    fill(&m, second);
    run(kernels, &m);
    assert_true(m.start[POINTS] <= SPRINGS);
    for (int k = 0; k < SPRINGS; k++) add_spring(&m, &m.springs[k], f, df);
    for (size_t i = 0; i < POINTS; i++) add_point(&m, i, bent);
    for (int s = 0; s < 2; s++) {
      compare("force", m.f[s], f[s]);
      compare("product", m.df[s], df[s]);
    }
    compare("forces on points", m.bent, bent);
    compare_parts(kernels, &m);
  }
}

static void formulas(void **state) {
  (void)state;
  EACH_ISA(check, sofa_linear_spring_kernels);
}

static void same_bits(void **state) {
  (void)state;
#if defined(__x86_64__)
  if (!sofa_kernels_select("avx512")) skip();
  Model two, five;
  fill(&two, 1);
  fill(&five, 1);
  run(&sofa_linear_spring_kernels_avx2, &two);
  run(&sofa_linear_spring_kernels_avx512, &five);
  assert_memory_equal(two.f, five.f, sizeof two.f);
  assert_memory_equal(two.df, five.df, sizeof two.df);
  assert_memory_equal(two.bent, five.bent, sizeof two.bent);
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
    assert_string_equal(sofa_linear_spring_kernels(ctx)->name, names[i]);
    sofa_context_destroy(&ctx);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(formulas), cmocka_unit_test(same_bits),
                                     cmocka_unit_test(chosen)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
