/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests of the pace of the window's runs, with a clock of their own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "viewer/window/pace.h"

static void near(double a, double b) {
  assert_true(fabs(a - b) < 1e-12);
}

/* Runs for some seconds of a clock that shows every `tick`; steps take no time. */
static double run(Pace *p, double from, double seconds, double tick, double dt, double time) {
  for (int i = 0; i * tick < seconds; i++) {
    const double now = from + i * tick;
    pace_follow(p, true, now, time);
    while (pace_ahead(p, now, time) <= 0 && p->factor > 0) time += dt;
    assert_true(pace_ahead(p, now, time) <= dt + 1e-12);
  }
  return time;
}

static void keeps_its_factor(void **state) {
  (void)state;
  static const double factors[] = {1, 0.1, 0.01, 3};
  for (int i = 0; i < 4; i++) {
    Pace p = {.factor = factors[i]};
    const double time = run(&p, 100, 20, 0.01, 1e-3, 5);
    assert_true(fabs(time - 5 - 20 * factors[i]) < 0.01 * factors[i] + 2e-3);
    assert_true(fabs(p.rate - factors[i]) < 0.05 * factors[i] + 4e-3);
  }
}

static void without_a_factor_nothing_waits(void **state) {
  (void)state;
  Pace p = {.factor = 0};
  pace_follow(&p, true, 1, 0);
  near(pace_ahead(&p, 1, 1e6), 0);
}

/* After a step of 10 s the run does not hurry, and after a pause it begins anew. */
static void lost_time_is_lost(void **state) {
  (void)state;
  Pace p = {.factor = 1};
  pace_follow(&p, true, 0, 0);
  near(pace_ahead(&p, 0.1, 0.1), 0);
  near(pace_ahead(&p, 0.1, 0.15), 0.05);
  pace_follow(&p, true, 10, 0.2);
  near(pace_ahead(&p, 10, 0.2), 0);
  near(pace_ahead(&p, 10, 0.3), 0.1);
  // a small delay is made up for
  pace_follow(&p, true, 10.15, 0.2);
  near(pace_ahead(&p, 10.15, 0.2), -0.15);
  pace_follow(&p, false, 20, 0.3);
  near(p.rate, 0);
  pace_follow(&p, true, 30, 0.3);
  near(pace_ahead(&p, 30, 0.3), 0);
  // the scene went back
  pace_follow(&p, true, 30.1, 0.05);
  near(pace_ahead(&p, 30.1, 0.05), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(keeps_its_factor),
      cmocka_unit_test(without_a_factor_nothing_waits),
      cmocka_unit_test(lost_time_is_lost),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
