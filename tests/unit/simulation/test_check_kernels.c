/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests of all numbers of a vector: each place, each length, each instruction set. */
#include "simulation/check_kernels_impl.h"

#include <float.h>
#include <math.h>

#include "math/isa.h"
#include "tests/support/scene_run.h"

enum { MOST = 40 };

static void check(SofaAreWithin *within) {
  const double bad[] = {NAN, INFINITY, -INFINITY, 1.5, -1.5};
  double x[MOST] = {0};
  for (size_t n = 0; n <= MOST; n++) {
    for (size_t i = 0; i < n; i++) x[i] = i % 2 ? 1 : -1;
    assert_true(within(x, n, 1));
    for (size_t i = 0; i < n; i++)
      for (size_t k = 0; k < SOFA_COUNT(bad); k++) {
        const double kept = x[i];
        x[i] = bad[k];
        assert_false(within(x, n, 1));
        assert_int_equal(within(x, n, DBL_MAX), k > 2);
        x[i] = kept;
      }
  }
}

static void finds_each_number(void **state) {
  static SofaAreWithin *const variants[] = SOFA_VARIANTS(sofa_are_within);
  SofaContext *ctx = NULL;
  (void)state;
  assert_int_equal(sofa_context_create(NULL, &ctx), SOFA_OK);
  for (size_t i = 0; i <= (size_t)sofa_isa(ctx); i++) check(variants[i]);
  sofa_context_destroy(&ctx);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(finds_each_number)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
