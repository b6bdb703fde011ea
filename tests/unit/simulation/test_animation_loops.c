/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* MultiStepAnimationLoop: a step of several integrations is so many steps. Contacts and constraints
 * in every animation loop. */
#include "tests/support/scene_run.h"

#include <math.h>

#include "scene/builder.h"
#include "simulation/mechanics.h"

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

/* Whatever the loop does in a step, the clock goes on by dt; a reset puts it back. */
static void clocks_go_on(void **state) {
  static const char *const loops[] = {
      "<DefaultAnimationLoop/>", "<MultiStepAnimationLoop collisionSteps='2'/>",
      "<MultiTagAnimationLoop tags='a b'/>",
      "<FreeMotionAnimationLoop/><BlockGaussSeidelConstraintSolver/>",
      "<ConstraintAnimationLoop/>"};
  (void)state;
  for (size_t i = 0; i < SOFA_COUNT(loops); i++) {
    SceneRun run = {.quiet = true};
    char text[200];
    snprintf(text, sizeof text, "<Node dt='0.125'>%s<Node name='below'/></Node>", loops[i]);
    scene_run_context(&run, NULL);
    run.quiet = true;
    assert_int_equal(sofa_simulation_load_text(run.ctx, text, &run.simulation), SOFA_OK);
    assert_int_equal(sofa_simulation_init(run.simulation), SOFA_OK);
    const SofaNode *root = run.simulation->root;
    const SofaNode *below = (const SofaNode *)scene_run_object(&run, "/below");
    scene_run_steps(&run, 3);
    if (root->time != 0.375 || below->time != 0.375)
      fail_msg("%s: %g and %g s", loops[i], root->time, below->time);
    assert_int_equal(sofa_simulation_step(run.simulation, 0.5), SOFA_OK);
    if (root->time != 0.875) fail_msg("%s: %g s", loops[i], root->time);
    assert_int_equal(sofa_simulation_reset(run.simulation), SOFA_OK);
    if (root->time != 0 || below->time != 0) fail_msg("%s: a reset", loops[i]);
    scene_run_close(&run);
  }
}

/* ---- contacts and constraints ---- */

/* A ball on a floor; a second ball hangs on a joint, which is in the node of the balls. */
#define BALLS(loop, dt, response, solver)                                                          \
  "<Node name='root' dt='" dt "' gravity='0 -9.81 0'>" loop "<DefaultVisualManagerLoop/>"          \
  "<CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/><MinProximityIntersection "         \
  "alarmDistance='0.3' contactDistance='0.1'/><CollisionResponse response='" response "'/>"        \
  "<Node name='floor'><MeshTopology position='-2 0 -2  -2 0 2  2 0 2  2 0 -2' "                    \
  "triangles='0 1 2  0 2 3'/><MechanicalObject/><TriangleCollisionModel simulated='0' moving='0' " \
  "contactStiffness='100'/></Node>"                                                                \
  "<Node name='anchor'><MechanicalObject name='state' position='0 3 0'/></Node>"                   \
  "<Node name='balls'>" solver "<SparseLDLSolver/>"                                                \
  "<MechanicalObject name='state' position='0.3 0.62 0.5  0.9 2.5 0'/>"                            \
  "<UniformMass totalMass='2'/><SphereCollisionModel radius='0.5' contactStiffness='100'/>"        \
  "<LinearSolverConstraintCorrection/><BilateralLagrangianConstraint object1='@../anchor/state' "  \
  "object2='@state' first_point='0' second_point='1' rest_vector='0.9 -0.5 0'/></Node></Node>"

#define SWEEPS "<BlockGaussSeidelConstraintSolver tolerance='1e-12'/>"
#define OWN "<EulerImplicitSolver tags='a' solveConstraint='1'/>" SWEEPS
#define FRICTION "FrictionContactConstraint?mu=0.5"
#define PENALTY "PenalityContactForceField"
#define DEFAULT "<DefaultAnimationLoop/>"
#define FREE "<FreeMotionAnimationLoop/>" SWEEPS
#define STEPS "<MultiStepAnimationLoop collisionSteps='2' integrationSteps='1'/>"
#define TAGS "<MultiTagAnimationLoop tags='a'/>"

/* One hundredth of a second in each integration: positions and velocities of both balls. */
static void run_balls(const char *scene, int steps, double *out) {
  SceneRun run = {.quiet = true};
  scene_run_open(&run, scene, NULL);
  scene_run_steps(&run, steps);
  const SofaState *s = scene_run_state(&run, "/balls/state");
  memcpy(out, s->position.data, 6 * sizeof *out);
  memcpy(out + 6, s->velocity.data, 6 * sizeof *out);
  scene_run_close(&run);
}

/* `solveConstraint`: friction holds one ball at the contact distance, the joint the other one, as
 * in a loop with constraints. */
static void solvers_constrain_in_every_loop(void **state) {
  (void)state;
  double free[12], other[12];
  run_balls(BALLS(FREE, "0.01", FRICTION, "<EulerImplicitSolver/>"), 40, free);
  assert_true(fabs(free[1] - 0.6) < 1e-12 && fabs(free[4] - 2.5) < 1e-12);
  assert_true(fabs(free[7]) < 1e-12 && fabs(free[10]) < 1e-12);
  run_balls(BALLS(DEFAULT, "0.01", FRICTION, OWN), 40, other);
  assert_memory_equal(free, other, sizeof free);
  run_balls(BALLS(STEPS, "0.02", FRICTION, OWN), 20, other);
  assert_memory_equal(free, other, sizeof free);
  run_balls(BALLS(TAGS, "0.01", FRICTION, OWN), 40, other);
  assert_memory_equal(free, other, sizeof free);
  run_balls(BALLS(FREE, "0.01", FRICTION, OWN), 40, other);
  assert_memory_equal(free, other, sizeof free);
}

/* An open joint between points closes in one step, and the velocity is that of the way: SOFA's
 * solve for velocities gives it, v = -x / h, and leaves nothing to its solve for positions. */
static void solve_constraint_closes_a_joint(void **state) {
  (void)state;
  for (int quirks = 0; quirks < 2; quirks++) {
    SceneRun run = {.quiet = true};
    scene_run_open(&run,
                   "<Node name='root' dt='0.01' gravity='0 -9.81 0'>" DEFAULT
                   "<DefaultVisualManagerLoop/>"
                   "<Node name='anchor'><MechanicalObject name='state' position='0 3 0'/></Node>"
                   "<Node name='ball'>" OWN
                   "<SparseLDLSolver/><MechanicalObject name='state' position='0.2 3.1 -0.3'/>"
                   "<UniformMass totalMass='2'/><LinearSolverConstraintCorrection/>"
                   "<BilateralLagrangianConstraint object1='@../anchor/state' object2='@state' "
                   "first_point='0' second_point='0'/></Node></Node>",
                   &(SofaContextOptions){.quirks = quirks == 1});
    scene_run_steps(&run, 1);
    const SofaState *s = scene_run_state(&run, "/ball/state");
    static const double way[3] = {-0.2, -0.1, 0.3};
    for (int k = 0; k < 3; k++) {
      assert_true(fabs(s->position.data[k] - (k == 1 ? 3 : 0)) < 1e-12);
      assert_true(fabs(s->velocity.data[k] - way[k] / 0.01) < 1e-9);
    }
    scene_run_steps(&run, 1);
    for (int k = 0; k < 3; k++) assert_true(fabs(s->velocity.data[k]) < 1e-9);
    scene_run_close(&run);
  }
}

/* Springs of contacts act in every loop; the integrations of a step are so many steps. */
static void penalties_in_every_loop(void **state) {
  (void)state;
  double one[12], other[12];
  run_balls(BALLS(DEFAULT, "0.01", PENALTY, OWN), 100, one);
  assert_true(one[1] > 0.4 && one[1] < 0.6);
  run_balls(BALLS(STEPS, "0.02", PENALTY, OWN), 50, other);
  assert_memory_equal(one, other, sizeof one);
  run_balls(BALLS(TAGS, "0.01", PENALTY, OWN), 100, other);
  assert_memory_equal(one, other, sizeof one);
}

/* Warnings that a constraint has no effect. */
static size_t n_idle(const char *scene) {
  SceneRun run = {.quiet = true};
  size_t n = 0;
  scene_run_context(&run, NULL);
  assert_int_equal(sofa_simulation_load_text(run.ctx, scene, &run.simulation), SOFA_OK);
  assert_int_equal(sofa_simulation_init(run.simulation), SOFA_OK);
  for (const char *at = run.all; (at = strstr(at, "it has no effect")); at++) n++;
  scene_run_close(&run);
  return n;
}

#define CUBE(outer, inner)                                                                         \
  "<Node name='root' dt='0.01' gravity='0 -9.81 0'><DefaultAnimationLoop/>"                        \
  "<DefaultVisualManagerLoop/><Node name='all'>" outer "<Node name='cube'>" inner                  \
  "<SparseLDLSolver/><RegularGridTopology n='2 2 2' min='0 0 0' max='1 1 1'/>"                     \
  "<MechanicalObject name='state'/><UniformMass totalMass='1'/><HexahedronFEMForceField "          \
  "youngModulus='100' poissonRatio='0.3'/><FixedProjectiveConstraint indices='0 1'/></Node>"       \
  "</Node></Node>"

/* A solver below another one is not run, whoever asks for its plan. */
static void solvers_below_others(void **state) {
  static const char *const outer[] = {
      CUBE("<EulerImplicitSolver/><CGLinearSolver iterations='50' tolerance='1e-12' "
           "threshold='1e-30'/>",
           ""),
      CUBE("<EulerImplicitSolver/><CGLinearSolver iterations='50' tolerance='1e-12' "
           "threshold='1e-30'/>",
           "<StaticSolver name='inner'/>")};
  (void)state;
  double x[2][24];
  for (int k = 0; k < 2; k++) {
    SceneRun run;
    scene_run_open(&run, outer[k], NULL);
    run.quiet = true;
    assert_int_equal(sofa_scene_check_ready(run.simulation), SOFA_OK);
    assert_int_equal(run.n_problems, k);
    for (int step = 0; step < 6; step++) {
      SofaMechanics *m;
      scene_run_steps(&run, 1);
      if (k && step % 2)
        assert_int_equal(sofa_node_mechanics(scene_run_object(&run, "/all/cube/inner")->node, &m),
                         SOFA_OK);
    }
    memcpy(x[k], scene_run_state(&run, "/all/cube/state")->position.data, sizeof x[k]);
    scene_run_close(&run);
  }
  assert_memory_equal(x[0], x[1], sizeof x[0]);
}

/* The free motion is that of the plan that has the states. */
static void free_motions_of_solvers_below_others(void **state) {
  static const char scene[] =
      "<Node name='root' dt='0.01' gravity='0 -9.81 0'><FreeMotionAnimationLoop/>"
      "<DefaultVisualManagerLoop/><BlockGaussSeidelConstraintSolver/><Node name='all'>"
      "<EulerImplicitSolver/><SparseLDLSolver/><Node name='cube'><StaticSolver name='inner'/>"
      "<SparseLDLSolver/><RegularGridTopology n='2 2 2' min='0 0 0' max='1 1 1'/><MechanicalObject "
      "name='state'/>"
      "<UniformMass totalMass='1'/><HexahedronFEMForceField youngModulus='100' "
      "poissonRatio='0.3'/><FixedProjectiveConstraint indices='0 1'/>"
      "<UncoupledConstraintCorrection defaultCompliance='1e-3'/></Node></Node></Node>";
  double x[2][24];
  (void)state;
  for (int asked = 0; asked < 2; asked++) {
    SceneRun run;
    scene_run_open(&run, scene, NULL);
    run.quiet = true;
    for (int step = 0; step < 4; step++) {
      SofaMechanics *m;
      scene_run_steps(&run, 1);
      SofaNode *inner = scene_run_object(&run, "/all/cube/inner")->node;
      if (asked) assert_int_equal(sofa_node_mechanics(inner, &m), SOFA_OK);
    }
    memcpy(x[asked], scene_run_state(&run, "/all/cube/state")->position.data, sizeof x[asked]);
    scene_run_close(&run);
  }
  assert_memory_equal(x[0], x[1], sizeof x[0]);
}

static void idle_constraints_are_reported(void **state) {
  (void)state;
  assert_int_equal(n_idle(BALLS(STEPS, "0.01", PENALTY, "<EulerImplicitSolver/>" SWEEPS)), 1);
  assert_int_equal(n_idle(BALLS(TAGS, "0.01", PENALTY, "<EulerImplicitSolver/>" SWEEPS)), 1);
  assert_int_equal(
      n_idle(BALLS(STEPS, "0.01", PENALTY, "<EulerImplicitSolver solveConstraint='1'/>")), 1);
  assert_int_equal(n_idle(BALLS(STEPS, "0.01", PENALTY, OWN)), 0);
  assert_int_equal(n_idle(BALLS(FREE, "0.01", PENALTY, "<EulerImplicitSolver/>")), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(integrations_are_steps),
      cmocka_unit_test(the_clock_of_quirks_starts_over),
      cmocka_unit_test(counts_below_one_are_refused),
      cmocka_unit_test(one_node_alone),
      cmocka_unit_test(clocks_go_on),
      cmocka_unit_test(solvers_constrain_in_every_loop),
      cmocka_unit_test(solve_constraint_closes_a_joint),
      cmocka_unit_test(penalties_in_every_loop),
      cmocka_unit_test(solvers_below_others),
      cmocka_unit_test(free_motions_of_solvers_below_others),
      cmocka_unit_test(idle_constraints_are_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
