/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ConstraintAnimationLoop: without mappings a step is that of FreeMotionAnimationLoop with
 * BlockGaussSeidelConstraintSolver; collisions may be detected before the free motion. */
#include "tests/support/scene_run.h"

#include <math.h>

#define ROUNDS "maxIterations='200' tolerance='1e-14'"
#define FREE "<FreeMotionAnimationLoop/><BlockGaussSeidelConstraintSolver " ROUNDS "/>"
#define OWN "<ConstraintAnimationLoop name='loop' " ROUNDS "/>"
#define EARLY "<ConstraintAnimationLoop doCollisionsFirst='1' " ROUNDS "/>"

/* A point falls onto a floor that it touches within 0.05 m. */
#define FALL(loop)                                                                                 \
  "<Node name='root' dt='0.01' gravity='0 -10 0'>" loop "<DefaultVisualManagerLoop/>"              \
  "<CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/><MinProximityIntersection "         \
  "alarmDistance='0.2' contactDistance='0.05'/><CollisionResponse "                                \
  "response='FrictionContactConstraint' responseParams='mu=0'/>"                                   \
  "<Node name='floor'><MeshTopology position='-9 0 -9 -9 0 9 9 0 0' triangles='0 1 2'/>"           \
  "<MechanicalObject/><TriangleCollisionModel moving='0' simulated='0'/></Node>"                   \
  "<Node name='body'><EulerImplicitSolver/><CGLinearSolver iterations='10' tolerance='1e-14' "     \
  "threshold='1e-30'/><MechanicalObject name='state' position='0 0.15 0'/>"                        \
  "<UniformMass totalMass='2'/><UncoupledConstraintCorrection "                                    \
  "defaultCompliance='0.5'/><PointCollisionModel/></Node>"                                         \
  "</Node>"

static double height_after(const char *scene, int steps) {
  SceneRun run;
  scene_run_open(&run, scene, NULL);
  scene_run_steps(&run, steps);
  const double y = scene_run_state(&run, "/body/state")->position.data[1];
  scene_run_close(&run);
  return y;
}

static void motion_is_that_of_free_motion(void **state) {
  (void)state;
  for (int steps = 1; steps < 40; steps += 6)
    assert_true(fabs(height_after(FALL(OWN), steps) - height_after(FALL(FREE), steps)) < 1e-13);
}

static void points_rest_on_the_floor(void **state) {
  (void)state;
  assert_true(fabs(height_after(FALL(OWN), 60) - 0.05) < 1e-9);
  assert_true(fabs(height_after(FALL(EARLY), 60) - 0.05) < 1e-9);
}

static const SofaReals *graph(const SofaObject *object, const char *name) {
  return sofa_field_value(object, sofa_class_field(object->klass, name));
}

/* The last value of graphForces is the impulse against the weight of a step. */
static void graphs_are_those_of_the_solver(void **state) {
  (void)state;
  static const char *const names[] = {"graphErrors", "graphConstraints", "graphForces"};
  SceneRun run;
  scene_run_open(&run, FALL(OWN), NULL);
  scene_run_steps(&run, 60);
  SofaObject *loop = scene_run_object(&run, "/loop"), *solver = scene_run_object(&run, "/solver");
  for (int k = 0; k < 3; k++) {
    const SofaReals *shown = graph(loop, names[k]), *made = graph(solver, names[k]);
    assert_true(shown->n > 0);
    assert_int_equal(shown->n, made->n);
    assert_memory_equal(shown->data, made->data, made->n * sizeof *made->data);
  }
  assert_int_equal(sofa_simulation_reset(run.simulation), SOFA_OK);
  for (int k = 0; k < 3; k++) assert_int_equal(graph(loop, names[k])->n, 0);
  scene_run_close(&run);
}

/* The fields of the loop are those of the solver that it makes. */
static void fields_reach_the_solver(void **state) {
  (void)state;
  static const char *const fields[][3] = {{"tolerance", "1e-05", "0.003"},
                                          {"maxIterations", "1000", "77"},
                                          {"scaleTolerance", "1", "0"},
                                          {"allVerified", "0", "1"},
                                          {"sor", "1", "0.75"}};
  for (int given = 0; given < 2; given++) {
    char text[300] = "<Node><ConstraintAnimationLoop ";
    SceneRun run;
    for (size_t k = 0; given && k < SOFA_COUNT(fields); k++) {
      const size_t n = strlen(text);
      snprintf(text + n, sizeof text - n, "%s='%s' ", fields[k][0], fields[k][2]);
    }
    strcat(text, "/></Node>");
    scene_run_open(&run, text, NULL);
    const SofaObject *solver = scene_run_object(&run, "/solver");
    for (size_t k = 0; k < SOFA_COUNT(fields); k++) {
      SofaText printed = {0};
      const SofaField *field = sofa_class_field(solver->klass, fields[k][0]);
      assert_int_equal(sofa_field_print(solver, field, &printed), SOFA_OK);
      if (strtod(printed.data, NULL) != strtod(fields[k][1 + given], NULL))
        fail_msg("%s is %s, not %s", fields[k][0], printed.data, fields[k][1 + given]);
      sofa_list_free(run.ctx, &printed);
    }
    scene_run_close(&run);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(motion_is_that_of_free_motion),
      cmocka_unit_test(points_rest_on_the_floor),
      cmocka_unit_test(graphs_are_those_of_the_solver),
      cmocka_unit_test(fields_reach_the_solver),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
