/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where the response to a contact acts. */
#include <math.h>

#include "tests/support/scene_run.h"

#define PIPELINE                                                                                   \
  "<DefaultAnimationLoop/><CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/>"            \
  "<DiscreteIntersection/><CollisionResponse name='r' response='PenalityContactForceField'/>"

/* Two balls that 120 N press together: 1000 N/m of contact, at rest 0.88 m apart. */
#define BALL(name, x, force, more)                                                                 \
  "<Node name='" name "'><MechanicalObject name='s' position='" x " 0 0'/>"                        \
  "<UniformMass totalMass='1'/><RestShapeSpringsForceField stiffness='1e-3'/>"                     \
  "<ConstantForceField forces='" force " 0 0'/>"                                                   \
  "<SphereCollisionModel radius='0.5' contactStiffness='31.622776601683793' " more "/></Node>"

static const char *const one_solver =
    "<Node name='root' gravity='0 0 0'>" PIPELINE "<Node name='both'><StaticSolver/>"
    "<NewtonRaphsonSolver maxNbIterationsNewton='5'/><SparseLDLSolver/>" BALL(
        "a", "-0.46", "120", "") BALL("b", "0.46", "-120", "") "</Node></Node>";

static const SofaNode *node_of_contact(SceneRun *run) {
  const SofaObject *manager = scene_run_object(run, "/r");
  const SofaLinks *contacts =
      sofa_field_value(manager, sofa_class_field(manager->klass, "contacts"));
  assert_int_equal(contacts->n, 1);
  assert_non_null(contacts->data[0].target);
  return contacts->data[0].target->node;
}

/* The solver of both bodies holds the contact's stiffness; SOFA puts it above and adds its force of
 * the beginning of the step alone. */
static void below_one_solver(void **state) {
  (void)state;
  for (int quirk = 0; quirk < 2; quirk++) {
    SceneRun run;
    const SofaContextOptions options = {.quirk_words = quirk ? "explicit-contacts" : NULL};
    scene_run_open(&run, one_solver, &options);
    run.quiet = true;
    const SofaErr err = sofa_simulation_step(run.simulation, 0);
    assert_string_equal(node_of_contact(&run)->object.name, quirk ? "root" : "both");
    if (!quirk) {
      const double x = scene_run_state(&run, "/both/b/s")->position.data[0];
      assert_int_equal(err, SOFA_OK);
      assert_true(fabs(x - 0.44) < 1e-6);
    }
    scene_run_close(&run);
  }
}

/* A side that is not simulated: the node of the other one. */
static void not_simulated(void **state) {
  (void)state;
  SceneRun run;
  scene_run_open(
      &run,
      "<Node gravity='0 0 0'>" PIPELINE BALL(
          "a", "-0.46", "0",
          "simulated='0'") "<Node name='moves'><EulerExplicitSolver/>" BALL("b", "0.46", "0",
                                                                            "") "</Node></Node>",
      NULL);
  scene_run_steps(&run, 1);
  assert_string_equal(node_of_contact(&run)->object.name, "b");
  assert_true(scene_run_state(&run, "/moves/b/s")->velocity.data[0] > 0);
  assert_true(scene_run_state(&run, "/a/s")->velocity.data[0] == 0);
  scene_run_close(&run);
}

/* Two solvers: the nearest node above both. */
static void two_solvers(void **state) {
  (void)state;
  SceneRun run;
  scene_run_open(
      &run,
      "<Node gravity='0 0 0'>" PIPELINE
      "<Node name='pair'><Node name='p'><EulerExplicitSolver/>" BALL(
          "a", "-0.46", "0",
          "") "</Node><Node name='q'><EulerExplicitSolver/>" BALL("b", "0.46", "0",
                                                                  "") "</Node></Node></Node>",
      NULL);
  scene_run_steps(&run, 1);
  assert_string_equal(node_of_contact(&run)->object.name, "pair");
  const double p = scene_run_state(&run, "/pair/p/a/s")->velocity.data[0];
  const double q = scene_run_state(&run, "/pair/q/b/s")->velocity.data[0];
  assert_true(q > 0 && fabs(p + q) < 1e-15);
  scene_run_close(&run);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(below_one_solver),
      cmocka_unit_test(not_simulated),
      cmocka_unit_test(two_solvers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
