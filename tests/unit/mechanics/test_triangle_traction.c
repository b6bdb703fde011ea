/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TrianglePressureForceField with a stress: forces of triangles of any points, by hand. */
#include "tests/support/scene_run.h"

#include <math.h>

/* The triangle 3 1 2 has the area vector n / 2 with n = (0, 0, 4): its points get sigma n / 6 each.
 * One explicit step of 1 s from rest, masses of 1 kg: velocities are forces. */
static void points_get_a_sixth(void **state) {
  static const double expected[3] = {4. / 6 * 7, 4. / 6 * 5, 4. / 6 * 2};
  SceneRun run;
  (void)state;
  scene_run_open(&run,
                 "<Node name='root' dt='1' gravity='0 0 0'><DefaultAnimationLoop/>"
                 "<DefaultVisualManagerLoop/><EulerExplicitSolver/><MechanicalObject name='state' "
                 "position='9 8 7 3 0 0 1 2 0 1 0 0'/><UniformMass totalMass='4'/>"
                 "<TriangleSetTopologyContainer triangles='3 1 2'/><TrianglePressureForceField "
                 "triangleList='0' useConstantForce='0' cauchyStress='1 0 0 0 3 0 7 5 2'/></Node>",
                 NULL);
  scene_run_steps(&run, 1);
  const double *v = scene_run_state(&run, "/state")->velocity.data;
  for (int i = 0; i < 4; i++)
    for (int c = 0; c < 3; c++)
      if (!(fabs(v[3 * i + c] - (i ? expected[c] : 0)) < 1e-12))
        fail_msg("point %d, component %d: %.17g", i, c, v[3 * i + c]);
  scene_run_close(&run);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(points_get_a_sixth)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
