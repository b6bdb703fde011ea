/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* MultiStepAnimationLoop: a step of several integrations is so many steps. */
#include "tests/support/scene_run.h"

#define SCENE(loop, dt)                                                                            \
  "<Node name='root' dt='" dt "' gravity='0 -9.81 0'>" loop "<DefaultVisualManagerLoop/>"          \
  "<Node name='body'><EulerImplicitSolver/><CGLinearSolver iterations='50' tolerance='1e-12' "     \
  "threshold='1e-30'/><RegularGridTopology n='2 2 2' min='0 0 0' max='1 1 1'/>"                    \
  "<MechanicalObject name='state'/><UniformMass totalMass='1'/>"                                   \
  "<MeshSpringForceField stiffness='100'/><LinearVelocityProjectiveConstraint indices='0 3' "      \
  "keyTimes='0 0.1 1' velocities='0 0 0 1 0 0 0 1 0'/></Node></Node>"

static void integrations_are_steps(void **state) {
  (void)state;
  SceneRun many, one;
  scene_run_open(&many, SCENE("<DefaultAnimationLoop/>", "0.0078125"), NULL);
  scene_run_open(
      &one, SCENE("<MultiStepAnimationLoop collisionSteps='2' integrationSteps='4'/>", "0.0625"),
      NULL);
  scene_run_steps(&many, 80);
  scene_run_steps(&one, 10);
  const SofaState *a = scene_run_state(&many, "/body/state");
  const SofaState *b = scene_run_state(&one, "/body/state");
  assert_true(many.simulation->root->time == 0.625 && one.simulation->root->time == 0.625);
  assert_memory_equal(a->position.data, b->position.data, 24 * sizeof(double));
  assert_memory_equal(a->velocity.data, b->velocity.data, 24 * sizeof(double));
  scene_run_close(&many);
  scene_run_close(&one);
}

static void the_clock_of_quirks_starts_over(void **state) {
  (void)state;
  SceneRun run = {.quiet = true};
  const SofaContextOptions options = {.quirks = true};
  scene_run_open(
      &run, SCENE("<MultiStepAnimationLoop collisionSteps='2' integrationSteps='4'/>", "0.0625"),
      &options);
  scene_run_steps(&run, 2);
  assert_true(run.simulation->root->time == 0.0625);
  scene_run_close(&run);
}

static void counts_below_one_are_refused(void **state) {
  (void)state;
  for (int keep_going = 0; keep_going < 2; keep_going++) {
    SceneRun run = {.quiet = true};
    const SofaContextOptions options = {.keep_going = keep_going};
    scene_run_context(&run, &options);
    SofaErr err = sofa_simulation_load_text(
        run.ctx, SCENE("<MultiStepAnimationLoop integrationSteps='0'/>", "0.01"), &run.simulation);
    if (err == SOFA_OK) err = sofa_simulation_init(run.simulation);
    assert_non_null(strstr(run.last, "expected >= 1"));
    assert_int_equal(err == SOFA_OK, keep_going);
    if (keep_going) scene_run_steps(&run, 1);
    scene_run_close(&run);
  }
}

/* targetNode: what is outside stays; the clock of the run goes on. */
static void one_node_alone(void **state) {
  (void)state;
#define FALLING(name)                                                                              \
  "<Node name='" name "'><EulerImplicitSolver/><CGLinearSolver iterations='9' tolerance='1e-12' "  \
  "threshold='1e-30'/><MechanicalObject name='state' position='0 0 0'/>"                           \
  "<UniformMass totalMass='1'/></Node>"
#define TWO(loop)                                                                                  \
  "<Node name='root' dt='0.125' gravity='0 -8 0'>" loop "<DefaultVisualManagerLoop/>" FALLING("a") \
      FALLING("b") "</Node>"
  static const char *const scenes[] = {
      TWO("<DefaultAnimationLoop targetNode='@b'/>"),
      TWO("<MultiStepAnimationLoop integrationSteps='2' targetNode='@b'/>"),
      TWO("<DefaultAnimationLoop/>"), TWO("<MultiStepAnimationLoop integrationSteps='2'/>")};
  double y[4];
  for (int k = 0; k < 4; k++) {
    SceneRun run;
    scene_run_open(&run, scenes[k], NULL);
    scene_run_steps(&run, 3);
    const SofaState *a = scene_run_state(&run, "/a/state"), *b = scene_run_state(&run, "/b/state");
    assert_true((a->position.data[1] == 0) == (k < 2) && b->position.data[1] < 0);
    assert_true(run.simulation->root->time == 0.375 && b->object.node->time == 0.375);
    assert_true((a->object.node->time == 0) == (k < 2));
    y[k] = b->position.data[1];

    /* and back */
    assert_int_equal(sofa_simulation_reset(run.simulation), SOFA_OK);
    assert_true(b->position.data[1] == 0 && b->object.node->time == 0);
    scene_run_steps(&run, 3);
    assert_true(b->position.data[1] == y[k]);
    scene_run_close(&run);
  }
  assert_true(y[0] == y[2] && y[1] == y[3]);

  /* a target that is no node */
  SceneRun bad = {.quiet = true};
  scene_run_context(&bad, NULL);
  SofaErr err = sofa_simulation_load_text(
      bad.ctx, TWO("<DefaultAnimationLoop targetNode='@nowhere'/>"), &bad.simulation);
  if (err == SOFA_OK) err = sofa_simulation_init(bad.simulation);
  assert_int_not_equal(err, SOFA_OK);
  assert_non_null(strstr(bad.all, "targetNode"));
  scene_run_close(&bad);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(integrations_are_steps),
      cmocka_unit_test(the_clock_of_quirks_starts_over),
      cmocka_unit_test(counts_below_one_are_refused),
      cmocka_unit_test(one_node_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
