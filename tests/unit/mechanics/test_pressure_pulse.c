/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The pulse of SurfacePressureForceField: a pressure that goes up and down between its bounds, once
 * per step. The load of a triangle of 0.5 m^2 is half the pressure along its normal. */
#include "tests/support/force_at.h"
#include "tests/support/scene_run.h"

#include <math.h>

static double pressure_of(SceneRun *run) {
  SofaForceField *ff = (SofaForceField *)scene_run_object(run, "/ff");
  const SofaMechParams p = sofa_mech_params(0.25, 0, 0, 0, 1);
  double f[9] = {0}, sum[3] = {0};
  assert_int_equal(ff_force(ff, &p, ff->state[0]->position.data, NULL, f), SOFA_OK);
  for (int i = 0; i < 9; i++) sum[i % 3] += f[i];
  assert_true(sum[0] == 0 && sum[1] == 0);
  return 2 * sum[2];
}

static void open_pulse(SceneRun *run, const char *fields) {
  char text[1000];
  snprintf(text, sizeof text,
           "<Node dt='0.25' gravity='0 0 0'><DefaultAnimationLoop/><MeshTopology "
           "position='0 0 0 1 0 0 0 1 0' triangles='0 1 2'/><MechanicalObject/>"
           "<SurfacePressureForceField name='ff' pulseMode='1' %s/></Node>",
           fields);
  scene_run_open(run, text, NULL);
}

static void expect_steps(SceneRun *run, const double *expected, size_t n) {
  for (size_t i = 0; i < n; i++) {
    scene_run_steps(run, 1);
    const double found = pressure_of(run);
    if (!(fabs(found - expected[i]) < 1e-12))
      fail_msg("step %zu: %.17g, expected %.17g", i, found, expected[i]);
  }
}

/* From 0 to 2 Pa, back to 0.75 Pa, up again, by 0.5 Pa per step; a reset begins anew. */
static void up_and_down(void **state) {
  static const double expected[] = {0.75, 1.25, 1.75, 2, 1.5, 1, 0.75, 1.25, 1.75, 2, 1.5};
  SceneRun run;
  (void)state;
  open_pulse(&run, "pressure='2' pressureLowerBound='0.75' pressureSpeed='2'");
  for (int turn = 0; turn < 2; turn++) {
    assert_true(pressure_of(&run) == 0);
    expect_steps(&run, expected, SOFA_COUNT(expected));
    assert_int_equal(sofa_simulation_reset(run.simulation), SOFA_OK);
  }
  scene_run_close(&run);
}

/* At the bounds themselves it goes on. */
static void bounds_are_reached(void **state) {
  static const double expected[] = {0.5, 1, 1, 0.5, 0, 0, 0.5, 1};
  SceneRun run;
  (void)state;
  open_pulse(&run, "pressure='1' pressureLowerBound='0' pressureSpeed='2'");
  expect_steps(&run, expected, SOFA_COUNT(expected));
  scene_run_close(&run);
}

/* Without a speed the pressure is there at once, without its sign. */
static void no_speed(void **state) {
  static const double expected[] = {3, 3};
  SceneRun run;
  (void)state;
  open_pulse(&run, "pressure='-3'");
  expect_steps(&run, expected, SOFA_COUNT(expected));
  scene_run_close(&run);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(up_and_down),
      cmocka_unit_test(bounds_are_reached),
      cmocka_unit_test(no_speed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
