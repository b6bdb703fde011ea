/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kernels of polynomial springs that hold points: their formulas, spring by spring, for every count
 * of springs up to two groups, with a polynomial and length for each spring and for all; AVX2 and
 * AVX-512 give the same bits. */
#include "tests/support/scene_run.h"

#include <math.h>
#include <string.h>

#include "tests/unit/mechanics/each_isa.h"
#include "math/vec.h"
#include "numerics/fem/held_kernels.h"

enum { SPRINGS = 70, POINTS = 30, REALS = 3 * POINTS, KEPT = 72 * SOFA_HELD_ROWS };
enum { EACH_POLYNOMIAL = 1, EACH_LENGTH = 2, DIAGONAL = 4, KINDS = 8 };

/* Springs that hold points, and what they gave. */
typedef struct Model {
  uint32_t held[SPRINGS], at[SPRINGS], degrees[SPRINGS], start[SPRINGS];
  double coefficients[4 * SPRINGS], lengths[SPRINGS];
  double places[REALS], x[REALS], dx[REALS], f[REALS], df[REALS], kept[KEPT];
  SofaHeldPoints points;
} Model;

static double wave(size_t i, double a) {
  return sin(a * (double)i + 0.3 * a);
}

/* A list of two lengths goes on with the first one. Spring 2 is at rest. */
static void fill(Model *m, size_t n, int kind) {
  memset(m, 0, sizeof *m);
  for (size_t i = 0; i < REALS; i++) {
    m->places[i] = wave(i, 1.7);
    m->x[i] = wave(i, 2.9);
    m->dx[i] = wave(i, 0.7);
  }
  for (uint32_t k = 0; k < SPRINGS; k++) {
    m->held[k] = 3 * k % POINTS;
    m->at[k] = (7 * k + k / 9) % POINTS;
    m->degrees[k] = 1 + k % 4;
    m->start[k] = k ? m->start[k - 1] + m->degrees[k - 1] : 0;
    m->lengths[k] = 1.5 + wave(k, 0.9);
  }
  for (int i = 0; i < 4 * SPRINGS; i++) m->coefficients[i] = 5 + 4 * wave((size_t)i, 1.3);
  m->degrees[0] = 3; // its coefficients are those of the next ones, too
  memcpy(m->x + 3 * m->held[2], m->places + 3 * m->at[2], 3 * sizeof *m->x);
  m->points = (SofaHeldPoints){
      .held = m->held,
      .at = m->at,
      .n = n,
      .places = m->places,
      .polynomials = {m->coefficients, m->degrees, m->start, kind & EACH_POLYNOMIAL ? n : 1},
      .lengths = m->lengths,
      .n_lengths = kind & EACH_LENGTH ? (n > 9 ? n : 2) : 1,
      .shift = 0.2,
      .scale = 0.8,
      .diagonal = kind & DIAGONAL};
}

/* Force and product of spring k. */
static void add_spring(const Model *m, size_t k, double *f, double *df) {
  const SofaHeldPoints *p = &m->points;
  const size_t i = p->polynomials.n > 1 ? k : 0, to = 3 * (size_t)m->held[k];
  const double length = m->lengths[k < p->n_lengths ? k : 0], *dx = m->dx + to;
  double w[3], value = 0, slope = 0, d[3] = {0};
  sofa_vec3_sub(m->x + to, m->places + 3 * (size_t)m->at[k], w);
  const double r = sofa_vec3_norm(w), e = exp(p->shift - p->scale * r * r);
  const double size = sqrt(r * r + e), spread = 1 - p->scale * e;
  for (uint32_t c = 0; c < m->degrees[i]; c++) {
    value += m->coefficients[m->start[i] + c] * pow(r / length, c + 1);
    slope += m->coefficients[m->start[i] + c] * (c + 1) * pow(r / length, c) / length;
  }
  sofa_vec3_scale(1 / size, w, w);
  const double across = value / size;
  const double along = r > 0 ? slope * size / r - across * spread : 0;
  for (int c = 0; c < 3; c++)
    d[c] = p->diagonal ? (across + (slope - across) * spread * w[c] * w[c]) * dx[c]
                       : across * dx[c] + along * sofa_vec3_dot(w, dx) * w[c];
  sofa_vec3_axpy(-value, w, f + to);
  sofa_vec3_axpy(0.3, d, df + to);
}

static void run(const SofaHeldKernels *kernels, Model *m) {
  kernels->force(&m->points, m->x, m->f, m->kept);
  kernels->product(&m->points, -0.3, m->kept, m->dx, m->df);
}

static void compare(const char *what, const Model *m, const double *found, const double *expected) {
  for (int i = 0; i < REALS; i++)
    if (!(fabs(found[i] - expected[i]) <= 1e-12 * (1 + fabs(expected[i]))))
      fail_msg("%zu springs, %s %d: %.17g, expected %.17g", m->points.n, what, i, found[i],
               expected[i]);
}

static void check(const SofaHeldKernels *kernels) {
  for (size_t n = 0; n <= SPRINGS; n += n < 18 ? 1 : 13)
    for (int kind = 0; kind < KINDS; kind++) {
      double f[REALS] = {0}, df[REALS] = {0};
      Model m;
      fill(&m, n, kind);
      run(kernels, &m);
      for (size_t k = 0; k < n; k++) add_spring(&m, k, f, df);
      compare("force", &m, m.f, f);
      compare("product", &m, m.df, df);
    }
}

static void formulas(void **state) {
  (void)state;
  EACH_ISA(check, sofa_held_kernels);
}

/* Without smoothing there is no direction at the place itself: no force, no tangent. */
static void check_without_smoothing(const SofaHeldKernels *kernels) {
  const double zero[REALS] = {0};
  Model m;
  fill(&m, 2, 0);
  m.points.shift = -1000;
  m.points.held = m.points.at = m.held;
  memcpy(m.x, m.places, sizeof m.x);
  run(kernels, &m);
  assert_memory_equal(m.f, zero, sizeof m.f);
  compare("product", &m, m.df, zero);
}

static void without_smoothing(void **state) {
  (void)state;
  EACH_ISA(check_without_smoothing, sofa_held_kernels);
}

static void same_bits(void **state) {
  (void)state;
#if defined(__x86_64__)
  if (!sofa_kernels_select("avx512")) skip();
  for (size_t n = 1; n <= SPRINGS; n++) {
    Model two, five;
    fill(&two, n, (int)(n % KINDS));
    fill(&five, n, (int)(n % KINDS));
    run(&sofa_held_kernels_avx2, &two);
    run(&sofa_held_kernels_avx512, &five);
    assert_memory_equal(two.f, five.f, sizeof two.f);
    assert_memory_equal(two.df, five.df, sizeof two.df);
  }
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
    assert_string_equal(sofa_held_kernels(ctx)->name, names[i]);
    sofa_context_destroy(&ctx);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(formulas),
                                     cmocka_unit_test(without_smoothing),
                                     cmocka_unit_test(same_bits), cmocka_unit_test(chosen)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
