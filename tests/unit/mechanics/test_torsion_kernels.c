/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kernels of turned surfaces: sums and forces against formulas with the arc tangent of the C
 * library, for every count of points up to three groups; AVX2 and AVX-512 give the same bits. */
#include "tests/support/scene_run.h"

#include <math.h>
#include <string.h>

#include "components/mechanicalload/torsion_kernels.h"
#include "math/vec.h"
#include "tests/unit/mechanics/each_isa.h"

enum { MOST = 24, REALS = 3 * 2 * MOST };

/* Points, and what they gave. */
typedef struct Model {
  TorsionSurface surface;
  uint32_t index[MOST];
  double rest[TORSION_ROWS * MOST], x[REALS];
  double now[3 * MOST], f[REALS];
  TorsionSums sums;
} Model;

static double *row(Model *m, size_t k, size_t of) {
  return &m->rest[(k / SOFA_LANES * TORSION_ROWS + of) * SOFA_LANES + k % SOFA_LANES];
}

/* Turns from the rest shape: quarters and eighths, where formulas change, and a half. */
static double turn_of(size_t k) {
  static const double turns[] = {0,     M_PI / 4, -M_PI / 4,    M_PI / 2,         -M_PI / 2,
                                 3,     -3.,      3 * M_PI / 4, -3 * M_PI / 4,    1e-9,
                                 -1e-5, 3.14159,  0.7,          M_PI / 8 - 1e-12, M_PI / 4 + 1e-12,
                                 -1.2};
  return turns[k % (sizeof turns / sizeof *turns)];
}

/* Point k in the frame; every seventh is on the axis, at rest or now. */
static void place(size_t k, double *rest, double *now) {
  const double angle = 0.9 * (double)k,
               distance = k % 14 == 6 ? 0 : 0.5 + fabs(sin(2. * (double)k));
  const double away = k % 14 == 13 ? 0 : distance * (1 + 0.3 * cos(1. * (double)k));
  sofa_vec3_set(rest, sin(3. * (double)k), distance * cos(angle), distance * sin(angle));
  sofa_vec3_set(now, rest[0] + 0.1, away * cos(angle + turn_of(k)), away * sin(angle + turn_of(k)));
}

/* n points, one behind the other or each second one. */
static void fill(Model *m, size_t n, uint32_t apart) {
  static const double u[3] = {1, -2, 2}, w[3] = {0.3, 0, 1};
  memset(m, 0, sizeof *m);
  m->surface.n = n;
  m->surface.index = m->index;
  m->surface.rest = m->rest;
  sofa_vec3_set(m->surface.center, 0.2, -0.1, 0.4);
  sofa_mat3_frame(u, w, m->surface.frame);
  for (size_t k = 0; k < MOST; k++) m->index[k] = apart * (uint32_t)(k < n ? k : n ? n - 1 : 0);
  for (size_t k = 0; k < n; k++) {
    double rest[3], now[3], *x = m->x + 3 * (size_t)m->index[k];
    place(k, rest, now);
    for (size_t i = 0; i < 3; i++) *row(m, k, i) = rest[i];
    *row(m, k, TORSION_DISTANCE) = hypot(rest[1], rest[2]);
    *row(m, k, TORSION_SHARE) = 0.01 * (double)(k + 1);
    sofa_mat3_apply_t(m->surface.frame, now, x);
    sofa_vec3_add(x, m->surface.center, x);
  }
}

static const TorsionPush push = {0.6, 0.8, 40, 3};

static void run(const TorsionKernels *kernels, Model *m) {
  kernels->measure(&m->surface, m->x, m->now, &m->sums);
  kernels->push(&m->surface, &push, m->now, m->f);
}

static void assert_near(const char *what, size_t n, double a, double b, double size) {
  if (!(fabs(a - b) <= 1e-14 * size)) fail_msg("%zu points: %s %.17g, not %.17g", n, what, a, b);
}

static void compare_sums(const Model *m) {
  TorsionSums sums = {0};
  for (size_t k = 0; k < m->surface.n; k++) {
    double p[3], q[3];
    place(k, p, q);
    const double distance = hypot(q[1], q[2]);
    if (distance < 1e-10 || hypot(p[1], p[2]) < 1e-10) continue;
    sums.turned += distance * turn_of(k);
    sums.weight += distance;
    sums.along += p[1] * q[1] + p[2] * q[2];
    sums.across += p[1] * q[2] - p[2] * q[1];
  }
  assert_near("turned", m->surface.n, m->sums.turned, sums.turned, 1 + 2 * sums.weight);
  assert_near("weight", m->surface.n, m->sums.weight, sums.weight, 1 + sums.weight);
  assert_near("along", m->surface.n, m->sums.along, sums.along, 1 + 3 * sums.weight);
  assert_near("across", m->surface.n, m->sums.across, sums.across, 1 + 3 * sums.weight);
}

static void compare_forces(const Model *m) {
  double f[REALS] = {0};
  for (size_t k = 0; k < m->surface.n; k++) {
    double p[3], q[3], force[3], world[3];
    place(k, p, q);
    const double distance = hypot(q[1], q[2]);
    sofa_vec3_set(force, push.penalty * (p[0] - q[0]),
                  push.penalty * (push.cosine * p[1] - push.sine * p[2] - q[1]),
                  push.penalty * (push.sine * p[1] + push.cosine * p[2] - q[2]));
    if (distance > 1e-10 && hypot(p[1], p[2]) > 1e-10) {
      const double each = push.moment * 0.01 * (double)(k + 1) / (distance * distance);
      force[1] -= each * q[2];
      force[2] += each * q[1];
    }
    sofa_mat3_apply_t(m->surface.frame, force, world);
    sofa_vec3_add(f + 3 * (size_t)m->index[k], world, f + 3 * (size_t)m->index[k]);
  }
  for (size_t i = 0; i < REALS; i++) assert_near("force", m->surface.n, m->f[i], f[i], 200);
}

static void check(const TorsionKernels *kernels) {
  for (uint32_t apart = 1; apart < 3; apart++) {
    for (size_t n = 0; n <= MOST; n++) {
      Model m;
      fill(&m, n, apart);
      run(kernels, &m);
      compare_sums(&m);
      compare_forces(&m);
    }
  }
}

static void formulas(void **state) {
  (void)state;
  EACH_ISA(check, torsion_kernels);
}

/* The angle of a point alone has no error of a sum: it is right to a few units in the last place.
 */
static void check_angles(const TorsionKernels *kernels) {
  for (int i = -1000; i <= 1000; i++) {
    const double angle = M_PI * i / 1001;
    Model m;
    fill(&m, 1, 1);
    const double at[3] = {0, cos(angle), sin(angle)};
    *row(&m, 0, TORSION_FIRST) = *row(&m, 0, TORSION_DISTANCE) = 1;
    *row(&m, 0, TORSION_SECOND) = 0;
    sofa_vec3_set(m.surface.center, 0, 0, 0);
    sofa_mat3_identity(m.surface.frame);
    sofa_vec3_copy(at, m.x);
    run(kernels, &m);
    const double turned = m.sums.turned / m.sums.weight, expected = atan2(at[2], at[1]);
    if (!(fabs(turned - expected) <= 6e-16 * fabs(expected)))
      fail_msg("angle %.17g, not %.17g", turned, expected);
  }
}

static void angles(void **state) {
  (void)state;
  EACH_ISA(check_angles, torsion_kernels);
}

static void same_bits(void **state) {
  (void)state;
#if defined(__x86_64__)
  if (!sofa_kernels_select("avx512")) skip();
  for (size_t n = 1; n <= MOST; n++) {
    Model two, five;
    fill(&two, n, 1 + n % 2);
    fill(&five, n, 1 + n % 2);
    run(&torsion_kernels_avx2, &two);
    run(&torsion_kernels_avx512, &five);
    assert_memory_equal(two.f, five.f, sizeof two.f);
    assert_memory_equal(&two.sums, &five.sums, sizeof two.sums);
  }
#else
  skip();
#endif
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(formulas), cmocka_unit_test(angles),
                                     cmocka_unit_test(same_bits)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
