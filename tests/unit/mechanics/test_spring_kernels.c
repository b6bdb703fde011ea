/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kernels of springs: the formulas of spring_set.h, spring by spring, for every count of springs up
 * to two groups, for springs of all flags beside each other, and between one state and two;
 * polynomial tension; AVX2 and AVX-512 give the same bits. */
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
  const SofaSpringRange all = {m->springs, 0, m->n, NULL};
  kernels->force(&all, shortest, &at, f, m->kept);
  kernels->product(&all, by, dx, df, m->kept);
}

static void assert_close(const Model *m, double (*f)[3 * POINTS], double (*df)[3 * POINTS]) {
  for (int s = 0; s < 2; s++)
    for (size_t i = 0; i < 3 * POINTS; i++) {
      if (!(fabs(m->f[s][i] - f[s][i]) <= 1e-12 * (1 + fabs(f[s][i]))))
        fail_msg("%zu springs, force %zu: %.17g, expected %.17g", m->n, i, m->f[s][i], f[s][i]);
      if (!(fabs(m->df[s][i] - df[s][i]) <= 1e-11 * (1 + fabs(df[s][i]))))
        fail_msg("%zu springs, product %zu: %.17g, expected %.17g", m->n, i, m->df[s][i], df[s][i]);
    }
}

static void compare(const Model *m, SofaSpringFactors by) {
  double f[2][3 * POINTS] = {{0}}, df[2][3 * POINTS] = {{0}};
  for (size_t k = 0; k < m->n; k++) add_spring(m, k, by, f, df);
  assert_close(m, f, df);
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

/* Springs without flags, which no other lane has to ask about, but for those without length. */
static void check_plain(const SofaSpringKernels *kernels) {
  for (size_t n = 1; n <= SPRINGS; n += n < 18 ? 1 : 13)
    for (int kind = 0; kind < 4; kind++) {
      const SofaSpringFactors by = {.k = -0.3};
      Model m;
      fill(&m, n, kind & 1, kind & 2);
      for (size_t k = 0; k < n; k++) {
        m.springs[k].enabled = true;
        m.springs[k].elongation_only = m.springs[k].compression_only = false;
      }
      const SofaSpring *none = &m.springs[n / 2];
      sofa_vec3_copy(m.x[0] + 3 * (size_t)none->m1, m.x[kind & 1] + 3 * (size_t)none->m2);
      run(kernels, by, &m);
      compare(&m, by);
    }
}

static void plain(void **state) {
  (void)state;
  EACH_ISA(check_plain, sofa_spring_kernels);
}

static void formulas(void **state) {
  (void)state;
  EACH_ISA(check, sofa_spring_kernels);
}

/* ---- polynomial tension ---- */

enum { COMPRESSIBLE = 1, IDLE_TANGENT = 2, EACH = 4, TWO_STATES = 8, TENSIONS = 16 };

/* Polynomials of springs. */
typedef struct Polynomials {
  double coefficients[4 * SPRINGS];
  uint32_t degrees[SPRINGS], start[SPRINGS];
} Polynomials;

/* Some springs are at rest, at a length of 0 or without a length at rest. */
static SofaTension fill_tension(Model *m, size_t n, int kind, Polynomials *p) {
  fill(m, n, kind & TWO_STATES, false);
  for (uint32_t k = 0; k < SPRINGS; k++) {
    p->degrees[k] = 1 + k % 4;
    p->start[k] = k ? p->start[k - 1] + p->degrees[k - 1] : 0;
  }
  p->degrees[0] = 3;
  for (int i = 0; i < 4 * SPRINGS; i++) p->coefficients[i] = 5 + 4 * wave((size_t)i, 1.3);
  for (size_t k = 0; k < n; k++)
    if (k % 11 == 7) m->springs[k].length = 0;
    else m->springs[k].length = 1.4 + wave(k, 0.9);
  return (SofaTension){{p->coefficients, p->degrees, p->start, kind & EACH ? n : 1},
                       kind & COMPRESSIBLE,
                       kind & IDLE_TANGENT};
}

/* The formulas, for spring k: dF = T (dx2 - dx1). */
static void add_tension(const Model *m, const SofaTension *t, size_t k, double (*f)[3 * POINTS],
                        double (*df)[3 * POINTS]) {
  const SofaSpring *s = &m->springs[k];
  const SofaPolynomialTable *p = &t->polynomials;
  const size_t a = 3 * (size_t)s->m1, b = 3 * (size_t)s->m2, i = p->n > 1 ? k : 0;
  const int second = m->two;
  double u[3], dx[3], value = 0, slope = 0;
  sofa_vec3_sub(m->x[second] + b, m->x[0] + a, u);
  sofa_vec3_sub(m->dx[second] + b, m->dx[0] + a, dx);
  const double l = sofa_vec3_norm(u), e = fabs(l - s->length) / s->length;
  if (!(l > 0) || !(s->length > 0)) return;
  sofa_vec3_scale(1 / l, u, u);
  for (uint32_t c = 0; c < p->degrees[i]; c++) {
    value += p->coefficients[p->start[i] + c] * pow(e, c + 1);
    slope += p->coefficients[p->start[i] + c] * (c + 1) * pow(e, c) / s->length;
  }
  const double sign = l >= s->length ? 1 : t->compressible ? -1 : 0;
  const double drawn = t->idle_tangent ? 1 : sign, across = drawn * value / l;
  double force[3], change[3] = {0};
  sofa_vec3_scale(sign * value, u, force);
  if (drawn != 0) sofa_vec3_axpy((slope - across) * sofa_vec3_dot(u, dx), u, change);
  sofa_vec3_axpy(across, dx, change);
  sofa_vec3_axpy(1, force, f[0] + a);
  sofa_vec3_axpy(-1, force, f[second] + b);
  sofa_vec3_axpy(-0.3, change, df[0] + a);
  sofa_vec3_axpy(0.3, change, df[second] + b);
}

static void run_tension(const SofaSpringKernels *kernels, const SofaTension *t, Model *m) {
  const int second = m->two;
  const double *const x[2] = {m->x[0], m->x[second]}, *const dx[2] = {m->dx[0], m->dx[second]};
  double *const f[2] = {m->f[0], m->f[second]}, *const df[2] = {m->df[0], m->df[second]};
  const SofaSpringRange all = {m->springs, 0, m->n, NULL};
  kernels->polynomial_force(&all, t, x, f, m->kept);
  kernels->product(&all, (SofaSpringFactors){.k = -0.3}, dx, df, m->kept);
}

static void check_tension(const SofaSpringKernels *kernels) {
  for (size_t n = 0; n <= SPRINGS; n += n < 18 ? 1 : 13)
    for (int kind = 0; kind < TENSIONS; kind++) {
      double f[2][3 * POINTS] = {{0}}, df[2][3 * POINTS] = {{0}};
      Polynomials p;
      Model m;
      const SofaTension t = fill_tension(&m, n, kind, &p);
      run_tension(kernels, &t, &m);
      for (size_t k = 0; k < n; k++) add_tension(&m, &t, k, f, df);
      assert_close(&m, f, df);
    }
}

static void tensions(void **state) {
  (void)state;
  EACH_ISA(check_tension, sofa_spring_kernels);
}

/* At the length that was computed at rest there is no force; the tangent is that of a stretch. */
static void check_rest(const SofaSpringKernels *kernels) {
  double f[2][3 * POINTS] = {{0}}, df[2][3 * POINTS] = {{0}};
  Polynomials p;
  Model m;
  const SofaTension t = fill_tension(&m, SPRINGS, 0, &p);
  for (size_t k = 0; k < SPRINGS; k++) {
    double u[3];
    sofa_vec3_sub(m.x[0] + 3 * (size_t)m.springs[k].m2, m.x[0] + 3 * (size_t)m.springs[k].m1, u);
    m.springs[k].length = sofa_vec3_norm(u);
    add_tension(&m, &t, k, f, df);
  }
  run_tension(kernels, &t, &m);
  for (int i = 0; i < 3 * POINTS; i++) assert_true(m.f[0][i] == 0);
  assert_close(&m, f, df);
}

static void at_rest(void **state) {
  (void)state;
  EACH_ISA(check_rest, sofa_spring_kernels);
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
    Polynomials p;
    const SofaTension t = fill_tension(&two, n, (int)n % TENSIONS, &p);
    fill_tension(&five, n, (int)n % TENSIONS, &p);
    run_tension(&sofa_spring_kernels_avx2, &t, &two);
    run_tension(&sofa_spring_kernels_avx512, &t, &five);
    assert_memory_equal(two.f, five.f, sizeof two.f);
    assert_memory_equal(two.df, five.df, sizeof two.df);
  }
#else
  skip();
#endif
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(formulas), cmocka_unit_test(plain),
                                     cmocka_unit_test(tensions), cmocka_unit_test(at_rest),
                                     cmocka_unit_test(same_bits)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
