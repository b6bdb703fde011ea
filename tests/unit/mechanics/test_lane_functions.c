/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Logarithms and exponentials of lanes against those of long double. */
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

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(exponentials), cmocka_unit_test(logarithms),
                                     cmocka_unit_test(exponentials_less_one)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
