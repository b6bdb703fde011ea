/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ModesAnimationLoop: the lowest mode of three masses m between walls and springs k on a line,
 * omega^2 = (2 - sqrt(2)) k / m, with displacements 1 : sqrt(2) : 1. */
#include "tests/support/scene_run.h"

#include <math.h>

/* The box of all points is 4 x 3 x 12 m: its diagonal has 13 m. */
#define SCENE(loop)                                                                                \
  "<Node name='root' dt='0.25' gravity='0 0 0'><ModesAnimationLoop name='modes' modes='3' " loop   \
  "/><DefaultVisualManagerLoop/><Node name='body'><EulerImplicitSolver/><SparseLDLSolver/>"        \
  "<MechanicalObject name='state' position='1 2 5 2 2 5 3 2 5 4 2 5 5 2 5 2 5 17'/>"               \
  "<UniformMass vertexMass='2'/><MeshTopology lines='0 1 1 2 2 3 3 4'/>"                           \
  "<MeshSpringForceField linesStiffness='100' linesDamping='0'/>"                                  \
  "<FixedProjectiveConstraint indices='0 4 5'/><PartialFixedProjectiveConstraint "                 \
  "indices='1 2 3' fixedDirections='0 1 1'/></Node></Node>"

/* A quarter of the period after the start the middle mass is farthest away. */
static void check_shape(const char *scene, double most) {
  SceneRun run;
  scene_run_open(&run, scene, NULL);
  scene_run_steps(&run, 1);
  const double *x = scene_run_state(&run, "/body/state")->position.data;
  const double moved = x[6] - 3, sign = moved < 0 ? -1 : 1;
  assert_true(fabs(fabs(moved) - most) < 1e-9);
  assert_true(fabs(x[3] - 2 - sign * most / sqrt(2)) < 1e-9);
  assert_true(fabs(x[9] - 4 - sign * most / sqrt(2)) < 1e-9);
  scene_run_steps(&run, 2);
  x = scene_run_state(&run, "/body/state")->position.data;
  assert_true(fabs(x[6] - 3 + moved) < 1e-9);
  scene_run_close(&run);
}

static void shows_a_tenth_of_the_diagonal(void **state) {
  (void)state;
  check_shape(SCENE(""), 1.3);
  check_shape(SCENE("amplitude='0.2'"), 0.2);
}

static void tells_frequencies(void **state) {
  (void)state;
  const double two_pi = 2 * acos(-1.0);
  SceneRun run;
  scene_run_open(&run, SCENE(""), NULL);
  scene_run_steps(&run, 1);
  const SofaObject *loop = scene_run_object(&run, "/modes");
  const SofaReals *values = sofa_field_value(loop, sofa_class_field(loop->klass, "values"));
  assert_int_equal(values->n, 3);
  for (int i = 0; i < 3; i++)
    assert_true(fabs(values->data[i] - sqrt(50 * (2 + (i - 1) * sqrt(2))) / two_pi) < 1e-9);
  scene_run_close(&run);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shows_a_tenth_of_the_diagonal),
      cmocka_unit_test(tells_frequencies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
