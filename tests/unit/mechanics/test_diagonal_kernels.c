/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Operations of diagonal masses: the bits of scalar code on every instruction set, also of massless
 * points, and nothing behind the vectors. */
#include "numerics/mass/diagonal_kernels.h"

#include <math.h>

#include "math/kernels.h"
#include "tests/support/scene_run.h"
#include "tests/unit/math/random.h"

enum { MOST = 13, REALS = 3 * MOST };

typedef struct Data {
  SofaRigidMass m[MOST];
  double x[REALS], y[REALS + 1], expected[REALS + 1];
} Data;

static void fill(Random *random, Data *d) {
  random_reals(random, REALS, d->x);
  random_reals(random, REALS + 1, d->y);
  for (int i = 0; i < MOST; i++) d->m[i].mass = i % 5 == 3 ? 0 : fabs(random_real(random));
  for (int i = 0; i < REALS; i += 11) d->x[i] = 0;
  memcpy(d->expected, d->y, sizeof d->y);
}

static void same(const Data *d) {
  assert_memory_equal(d->y, d->expected, sizeof d->y);
}

static double quotient(double f, double mass) {
  return mass != 0 || f != 0 ? f / mass : 0;
}

static void check_one_mass(const SofaDiagonalKernels *kernels, Random *random, size_t n) {
  static const double weight[3] = {0.1, -0.7, 9.81};
  Data d = {0};
  fill(random, &d);
  for (size_t i = 0; i < n; i++) d.expected[i] += 0.3 * d.x[i];
  kernels->add(0.3, d.x, n, d.y);
  same(&d);
  for (int k = 0; k < 2; k++) {
    const double mass = k ? 0.7 : 0;
    for (size_t i = 0; i < n; i++) d.expected[i] = quotient(d.x[i], mass);
    kernels->divide(mass, d.x, n, d.y);
    same(&d);
  }
  for (size_t i = 0; i < n / 3 * 3; i++) d.expected[i] += weight[i % 3];
  kernels->add_weight(weight, n / 3, d.y);
  same(&d);
}

static void check_masses(const SofaDiagonalKernels *kernels, Random *random, size_t n) {
  static const double gravity[3] = {0.1, -0.7, 9.81};
  Data d = {0};
  fill(random, &d);
  for (size_t i = 0; i < 3 * n; i++) d.expected[i] += (0.3 * d.m[i / 3].mass) * d.x[i];
  kernels->add_points(d.m, 0.3, d.x, n, d.y);
  same(&d);
  for (size_t i = 0; i < 3 * n; i++) d.expected[i] += d.m[i / 3].mass * gravity[i % 3];
  kernels->add_weights(d.m, gravity, n, d.y);
  same(&d);
  for (size_t i = 0; i < 3 * n; i++) d.expected[i] = quotient(d.x[i], d.m[i / 3].mass);
  kernels->divide_points(d.m, d.x, n, d.y);
  same(&d);
}

static void same_bits(void **state) {
  static const char *const names[] = {"baseline", "avx2", "avx512"};
  (void)state;
  for (size_t k = 0; k < SOFA_COUNT(names); k++) {
    const SofaContext ctx = {.kernels = sofa_kernels_select(names[k])};
    Random random = {7};
    if (!ctx.kernels) continue; // not on this processor
    for (size_t n = 0; n <= REALS; n++) check_one_mass(sofa_diagonal_kernels_of(&ctx), &random, n);
    for (size_t n = 0; n <= MOST; n++) check_masses(sofa_diagonal_kernels_of(&ctx), &random, n);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(same_bits)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
