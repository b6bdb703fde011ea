/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kernels of springs: the formulas of spring_set.h, spring by spring, for every count of springs up
 * to two groups, for springs of all flags beside each other, and between one state and two; AVX2
 * and AVX-512 give the same bits. */
#include "tests/support/scene_run.h"

#include <math.h>
#include <string.h>

#include "tests/unit/mechanics/each_isa.h"
#include "math/vec.h"
#include "numerics/fem/spring_kernels.h"

enum { SPRINGS = 70, POINTS = 20, KEPT = 72 * SOFA_SPRING_ROWS };
static const double shortest = 1e-9;

/* Springs between points and what they gave. */
typedef struct Model {
  SofaSpring springs[SPRINGS];
  double x[2][3 * POINTS], v[2][3 * POINTS], dx[2][3 * POINTS];
  double f[2][3 * POINTS], df[2][3 * POINTS];
  double kept[KEPT];
  size_t n;
  bool two; /* states */
} Model;

static double wave(size_t i, double a) {
  return sin(a * (double)i + 0.3 * a);
}

/* Some springs have no length, some are disabled, slack or taut. */
static void fill(Model *m, size_t n, bool two, bool damped) {
  memset(m, 0, sizeof *m);
  m->n = n;
  m->two = two;
  for (size_t i = 0; i < 2 * 3 * POINTS; i++) {
    const size_t state = i / (3 * POINTS), at = i % (3 * POINTS);
    m->x[state][at] = wave(i, 1.7);
    m->v[state][at] = wave(i, 2.9);
    m->dx[state][at] = wave(i, 0.7);
  }
  for (size_t k = 0; k < n; k++)
    m->springs[k] = (SofaSpring){.m1 = (uint32_t)(3 * k % POINTS),
                                 .m2 = (uint32_t)((7 * k + k / 9 + 1) % POINTS),
                                 .stiffness = 10 + (double)k,
                                 .damping = damped && k % 3 ? 0.1 * (double)k : 0,
                                 .length = 0.9 + wave(k, 0.9),
                                 .elongation_only = k % 4 == 1,
                                 .compression_only = k % 4 == 2,
                                 .enabled = k % 7 != 3};
  if (n > 5 && !two) m->springs[5].m2 = m->springs[5].m1;
}

/* The formulas, for one spring. */
static void add_spring(const Model *m, size_t k, SofaSpringFactors by, double (*f)[3 * POINTS],
                       double (*df)[3 * POINTS]) {
  const SofaSpring *s = &m->springs[k];
  const int second = m->two;
  const size_t a = 3 * (size_t)s->m1, b = 3 * (size_t)s->m2;
  double u[3], dv[3], dx[3];
  sofa_vec3_sub(m->x[second] + b, m->x[0] + a, u);
  sofa_vec3_sub(m->v[second] + b, m->v[0] + a, dv);
  sofa_vec3_sub(m->dx[second] + b, m->dx[0] + a, dx);
  const double d = sofa_vec3_norm(u);
  if (!s->enabled || d <= shortest || (s->elongation_only && d <= s->length) ||
      (s->compression_only && d >= s->length))
    return;
  sofa_vec3_scale(1 / d, u, u);
  const double t = s->stiffness * (d - s->length) + s->damping * sofa_vec3_dot(u, dv);
  sofa_vec3_axpy(t, u, f[0] + a);
  sofa_vec3_axpy(-t, u, f[second] + b);
  const double push = by.descends && t < 0 ? t / d : 0;
  const double along = by.k * (s->stiffness - t / d + push) + by.b * s->damping;
  double sum[3] = {0};
  sofa_vec3_axpy(by.k * (t / d - push), dx, sum);
  sofa_vec3_axpy(along * sofa_vec3_dot(u, dx), u, sum);
  sofa_vec3_axpy(1, sum, df[0] + a);
  sofa_vec3_axpy(-1, sum, df[second] + b);
}

static void run(const SofaSpringKernels *kernels, SofaSpringFactors by, Model *m) {
  const int second = m->two;
  const double *const x[2] = {m->x[0], m->x[second]}, *const v[2] = {m->v[0], m->v[second]};
  const double *const dx[2] = {m->dx[0], m->dx[second]};
  double *const f[2] = {m->f[0], m->f[second]}, *const df[2] = {m->df[0], m->df[second]};
  const SofaPoint at = {.x = x, .v = v, .n = 2};
  kernels->force(m->springs, m->n, shortest, &at, f, m->kept);
  kernels->product(m->springs, m->n, by, dx, df, m->kept);
}

static void compare(const Model *m, SofaSpringFactors by) {
  double f[2][3 * POINTS] = {{0}}, df[2][3 * POINTS] = {{0}};
  for (size_t k = 0; k < m->n; k++) add_spring(m, k, by, f, df);
  for (int s = 0; s < 2; s++)
    for (size_t i = 0; i < 3 * POINTS; i++) {
      if (!(fabs(m->f[s][i] - f[s][i]) <= 1e-12 * (1 + fabs(f[s][i]))))
        fail_msg("%zu springs, force %zu: %.17g, expected %.17g", m->n, i, m->f[s][i], f[s][i]);
      if (!(fabs(m->df[s][i] - df[s][i]) <= 1e-11 * (1 + fabs(df[s][i]))))
        fail_msg("%zu springs, product %zu: %.17g, expected %.17g", m->n, i, m->df[s][i], df[s][i]);
    }
}

static void check(const SofaSpringKernels *kernels) {
  for (size_t n = 0; n <= SPRINGS; n += n < 18 ? 1 : 13)
    for (int kind = 0; kind < 8; kind++) {
      const SofaSpringFactors by = {-0.3, kind & 4 ? 0.7 : 0, kind & 4};
      Model m;
      fill(&m, n, kind & 1, kind & 2);
      run(kernels, by, &m);
      compare(&m, by);
    }
}

static void formulas(void **state) {
  (void)state;
  EACH_ISA(check, sofa_spring_kernels);
}

static void same_bits(void **state) {
  (void)state;
#if defined(__x86_64__)
  if (!sofa_kernels_select("avx512")) skip();
  for (size_t n = 1; n <= SPRINGS; n++) {
    const SofaSpringFactors by = {-0.3, 0.7, false};
    Model two, five;
    fill(&two, n, n % 2, true);
    fill(&five, n, n % 2, true);
    run(&sofa_spring_kernels_avx2, by, &two);
    run(&sofa_spring_kernels_avx512, by, &five);
    assert_memory_equal(two.f, five.f, sizeof two.f);
    assert_memory_equal(two.df, five.df, sizeof two.df);
  }
#else
  skip();
#endif
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(formulas), cmocka_unit_test(same_bits)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
