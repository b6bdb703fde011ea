/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Logarithms and exponentials of lanes against those of long double; eigenvalues. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "numerics/fem/lane_functions_impl.h"

enum { STEPS = 200000 };

/* Of a value, in units in the last place of what is expected. */
static long double error_of(double value, long double expected) {
  int exponent;
  (void)frexpl(expected, &exponent);
  return fabsl(value - expected) / ldexpl(1, exponent - DBL_MANT_DIG);
}

/* The same function of each lane; a and its neighbour are the first two. */
static double first(Lanes a) {
  return a[0];
}

static void exponentials(void **state) {
  long double worst = 0;
  (void)state;
  for (int k = -STEPS; k <= STEPS; k++) {
    const double scale = k % 2 ? 700.0 : 2.0, a = scale * k / STEPS;
    worst = fmaxl(worst, error_of(first(lanes_exp(lanes_set(a))), expl(a)));
  }
  assert_true(worst < 2);
  assert_true(first(lanes_exp(lanes_set(0))) == 1);
  assert_true(first(lanes_exp(lanes_set(-1000))) == 0);
  assert_true(isinf(first(lanes_exp(lanes_set(1000)))));
  assert_true(isnan(first(lanes_exp(lanes_set(NAN)))));
}

static void logarithms(void **state) {
  long double worst = 0;
  (void)state;
  for (int k = -STEPS; k <= STEPS; k++) {
    const double a = exp((k % 2 ? 700.0 : 0.5) * k / STEPS);
    if (a != 1) worst = fmaxl(worst, error_of(first(lanes_log(lanes_set(a))), logl(a)));
  }
  assert_true(worst < 1);
  assert_true(first(lanes_log(lanes_set(1))) == 0);
  // close to 1, where the logarithm is the difference
  assert_true(error_of(first(lanes_log(lanes_set(1 + DBL_EPSILON))), logl(1 + DBL_EPSILON)) < 2);
  assert_true(error_of(first(lanes_log(lanes_set(1 - DBL_EPSILON))), logl(1 - DBL_EPSILON)) < 2);
}

static void exponentials_less_one(void **state) {
  long double worst = 0;
  (void)state;
  for (int k = -STEPS; k <= STEPS; k++) {
    const double a = (k % 2 ? 30.0 : 0.5) * k / STEPS;
    const long double expected = k ? expm1l(a) / a : 1;
    worst = fmaxl(worst, error_of(first(lanes_expm1_ratio(lanes_set(a))), expected));
  }
  assert_true(worst < 4);
}

/* The characteristic polynomial of the roots is that of the matrix, also near equal ones; those of
 * known matrices are found. */
static void compare_spectrum(const double *stretch, double angle) {
  // the last two axes turned
  const double c = cos(angle), s = sin(angle), u = stretch[1], v = stretch[2];
  const double m[6] = {stretch[0], c * c * u + s * s * v, s * s * u + c * c * v,
                       0,          c * s * (u - v),       0};
  Lanes a[6];
  for (int k = 0; k < 6; k++) a[k] = lanes_set(m[k]);
  const LaneSpectrum of = lanes_spectrum(a);
  const double root[3] = {first(of.mean + of.gap), first(of.mean + of.half),
                          first(of.mean - of.half)};
  const double size = fmax(stretch[0], fmax(u, v)), limit = 16 * DBL_EPSILON;
  assert_true(first(of.half) >= 0 && fabs(first(of.gap)) >= first(of.half));
  const double sum = root[0] + root[1] + root[2];
  const double pairs = root[0] * root[1] + root[1] * root[2] + root[2] * root[0];
  const double det = root[0] * root[1] * root[2];
  assert_true(fabs(sum - (stretch[0] + u + v)) < limit * size);
  assert_true(fabs(pairs - (stretch[0] * (u + v) + u * v)) < limit * size * size);
  assert_true(fabs(det - stretch[0] * u * v) < limit * size * size * size);
}

static void spectra(void **state) {
  static const double gaps[] = {0, 1e-16, 1e-14, 1e-10, 1e-8, 1e-6, 1e-3, 0.1, 1, 10};
  enum { GAPS = sizeof gaps / sizeof *gaps };
  (void)state;
  for (int k = 0; k < 4 * GAPS * GAPS; k++) {
    const double g = gaps[k % GAPS], h = gaps[k / GAPS % GAPS], angle = k / GAPS / GAPS;
    compare_spectrum((double[]){1, 1 + g, 1 + g + h}, angle);
    compare_spectrum((double[]){1 + g, 1, 1 + g + h}, angle);
    compare_spectrum((double[]){1 + g + h, 1, 1 + g}, angle);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(exponentials), cmocka_unit_test(logarithms),
                                     cmocka_unit_test(exponentials_less_one),
                                     cmocka_unit_test(spectra)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
