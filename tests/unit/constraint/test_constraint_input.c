/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Scenes with constraints that cannot work: messages with the object and what to do. Redundant
 * constraints, which can. Corrections below a second parent. */
#include "tests/support/scene_memory.h"

#include <math.h>

#include "behavior/lagrangian.h"

#define assert_near(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

#define BEGIN                                                                                      \
  "<Node dt='0.01' gravity='0 -10 0'><RequiredPlugin pluginName='Sofa.Component'/>"                \
  "<DefaultVisualManagerLoop/><FreeMotionAnimationLoop/>"
#define GAUSS "<BlockGaussSeidelConstraintSolver tolerance='1e-12'/>"
#define SOLVER                                                                                     \
  "<EulerImplicitSolver/><CGLinearSolver iterations='20' tolerance='1e-15' threshold='1e-30'/>"
#define BODY(name, x, correction)                                                                  \
  "<Node name='" name "'>" SOLVER "<MechanicalObject name='s' position='" x "'/>"                  \
  "<UniformMass totalMass='1'/>" correction "<PointCollisionModel/></Node>"
#define UNCOUPLED "<UncoupledConstraintCorrection defaultCompliance='1'/>"
#define ANCHOR "<Node name='anchor'><MechanicalObject name='s' position='0 0 0'/></Node>"
#define JOINT(name, a, b)                                                                          \
  "<BilateralLagrangianConstraint name='" name "' object1='@" a "/s' object2='@" b "/s' "          \
  "first_point='0' second_point='0'/>"
#define CONTACTS                                                                                   \
  "<CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/>"                                   \
  "<MinProximityIntersection alarmDistance='0.1' contactDistance='0.01'/>"                         \
  "<CollisionResponse response='FrictionContactConstraint'/>"                                      \
  "<Node name='floor'><MeshTopology position='-5 0 -5  5 0 -5  0 0 8' triangles='0 2 1'/>"         \
  "<MechanicalObject/><TriangleCollisionModel simulated='0' moving='0'/></Node>"

typedef struct InputCase {
  const char *scene, *object, *message;
} InputCase;

/* Loads, initialises, makes two steps as far as it goes; the messages are in run->all. */
static void try_scene(SceneRun *run, const char *scene) {
  *run = (SceneRun){.quiet = true};
  scene_run_context(run, NULL);
  SofaErr err = sofa_simulation_load_text(run->ctx, scene, &run->simulation);
  if (err == SOFA_OK) err = sofa_simulation_init(run->simulation);
  for (int n = 0; n < 2 && err == SOFA_OK; n++) err = sofa_simulation_step(run->simulation, 0);
}

static void messages(void **state) {
  (void)state;
  static const InputCase cases[] = {
      /* no compliance: a state without a correction */
      {BEGIN GAUSS BODY("body", "0 0 0", "") ANCHOR JOINT("joint", "anchor", "body") "</Node>",
       "/body/s", "the forces of 'joint' do not move it; add one to its node"},
      {BEGIN "<LCPConstraintSolver/>" CONTACTS BODY("body", "0 0.01 0", "") "</Node>", "/body/s",
       "it has no constraint correction: the forces of"},
      {BEGIN "<LCPConstraintSolver build_lcp='0'/>" CONTACTS BODY("body", "0 0.01 0", "") "</Node>",
       "/body/s", "it has no constraint correction: the forces of"},
      /* an empty W */
      {BEGIN GAUSS ANCHOR
       "<Node name='other'><MechanicalObject name='s' position='1 0 0'/></Node>" JOINT(
           "joint", "anchor", "other") "</Node>",
       "/joint", "no ODE solver moves the bodies between which it acts; give one of them"},
      /* zero compliance */
      {BEGIN GAUSS BODY("body", "0 0 0", "<UncoupledConstraintCorrection compliance='0'/>")
           ANCHOR JOINT("joint", "anchor", "body") "</Node>",
       "/body/UncoupledConstraintCorrection1", "a compliance must be greater than 0"},
      /* friction below 0 */
      {BEGIN "<LCPConstraintSolver mu='-0.5'/></Node>", "/LCPConstraintSolver1", "'mu'"},
      {BEGIN GAUSS CONTACTS
       "<Node name='body'>" SOLVER "<MechanicalObject position='0 0.01 0'/>"
       "<UniformMass totalMass='1'/>" UNCOUPLED "<PointCollisionModel name='p' "
       "contactResponse='AugmentedLagrangianResponseConstraint?mu=-1'/></Node></Node>",
       "/body/", "'mu'"},
      /* links to nothing */
      {BEGIN GAUSS BODY("body", "0 0 0", UNCOUPLED) JOINT("joint", "nothing", "body") "</Node>",
       "<BilateralLagrangianConstraint>", "no mechanical state at @nothing/s"},
      {BEGIN GAUSS BODY("body", "0 0 0", UNCOUPLED) "<Node name='c'><FixedLagrangianConstraint "
                                                    "name='f' indices='0'/></Node></Node>",
       "FixedLagrangianConstraint", "state"},
      {BEGIN GAUSS BODY("body", "0 0 0", UNCOUPLED) ANCHOR
       "<BilateralLagrangianConstraint name='joint' object1='@anchor/s' object2='@body/s' "
       "first_point='0' second_point='7'/></Node>",
       "/joint", "7"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    SceneRun run;
    try_scene(&run, cases[i].scene);
    if (run.n_problems < 1 || !strstr(run.all, cases[i].object) ||
        !strstr(run.all, cases[i].message))
      fail_msg("case %zu: %s", i, run.all);
    scene_run_close(&run);
  }
}

/* Each is said once in a run. */
static void messages_once(void **state) {
  (void)state;
  SceneRun run;
  try_scene(&run, BEGIN GAUSS BODY("body", "0 0 0", "")
                      ANCHOR JOINT("joint", "anchor", "body") "</Node>");
  assert_int_equal(run.n_problems, 1);
  scene_run_steps(&run, 5);
  assert_int_equal(run.n_problems, 1);
  scene_run_close(&run);
}

/* A body whose points are all held touches the floor: that is intended. */
static void held_points(void **state) {
  (void)state;
  SceneRun run;
  scene_run_open(&run,
                 BEGIN GAUSS CONTACTS
                 "<Node name='body'>" SOLVER "<MechanicalObject position='0 0.01 0'/>"
                 "<UniformMass totalMass='1'/><FixedProjectiveConstraint indices='0'/>" UNCOUPLED
                 "<PointCollisionModel/></Node></Node>",
                 NULL);
  scene_run_steps(&run, 3);
  assert_int_equal(run.n_problems, 0);
  scene_run_close(&run);
}

/* A floor in the node of the solver that is not simulated needs no correction. */
static void floor_below_solver(void **state) {
  (void)state;
  for (int simulated = 0; simulated < 2; simulated++) {
    char text[2000];
    SceneRun run = {.quiet = true};
    snprintf(text, sizeof text,
             BEGIN GAUSS CONTACTS
             "<Node name='both'>" SOLVER "<Node name='body'><MechanicalObject position='0 1.01 0'/>"
             "<UniformMass totalMass='1'/>" UNCOUPLED "<PointCollisionModel/></Node>"
             "<Node name='box'><MeshTopology position='-5 1 -5  5 1 -5  0 1 8' "
             "triangles='0 2 1'/><MechanicalObject name='s'/>"
             "<TriangleCollisionModel simulated='%d' moving='0'/></Node></Node></Node>",
             simulated);
    try_scene(&run, text);
    if (run.n_problems != simulated) fail_msg("%s", run.all);
    scene_run_close(&run);
  }
}

/* The same joint three times has the motion of one; nothing is to be said. */
static void redundant_joints(void **state) {
  (void)state;
  static const char *const solvers[] = {GAUSS, "<NNCGConstraintSolver tolerance='1e-12'/>",
                                        "<UnbuiltGaussSeidelConstraintSolver tolerance='1e-12'/>",
                                        "<NonsmoothNewtonConstraintSolver/>",
                                        "<PreconditionedConjugateResidual tolerance='1e-12'/>"};
  for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++) {
    char text[4000];
    SceneRun run;
    snprintf(text, sizeof text,
             BEGIN "%s" ANCHOR BODY("a", "0 0 0", UNCOUPLED) BODY("b", "0 0 0", UNCOUPLED)
                 JOINT("j1", "anchor", "a") JOINT("j2", "anchor", "a") JOINT("j3", "a", "b")
                     JOINT("j4", "b", "a") JOINT("j5", "anchor", "b") "</Node>",
             solvers[i]);
    scene_run_open(&run, text, NULL);
    scene_run_steps(&run, 10);
    for (int k = 0; k < 3; k++) {
      assert_near(scene_run_state(&run, "/a/s")->position.data[k], 0, 1e-9);
      assert_near(scene_run_state(&run, "/b/s")->position.data[k], 0, 1e-9);
    }
    assert_int_equal(run.n_problems, 0);
    scene_run_close(&run);
  }
}

/* A solver finds the corrections of nodes that have its node as their second parent. */
static void second_parents(void **state) {
  (void)state;
  SceneRun run;
  scene_run_open(
      &run,
      "<Node name='root' dt='0.01' gravity='0 -10 0'>"
      "<RequiredPlugin pluginName='Sofa.Component'/><DefaultVisualManagerLoop/>"
      "<FreeMotionAnimationLoop constraintSolver='@second/solver'/>" ANCHOR
      "<Node name='first'>" BODY("body", "0 0 0",
                                 UNCOUPLED) "</Node>"
                                            "<Node name='second'><BlockGaussSeidelConstraintSolver "
                                            "name='solver'/></Node>" JOINT("joint", "anchor",
                                                                           "first/body") "</Node>",
      NULL);
  SofaNode *body = scene_run_state(&run, "/first/body/s")->object.node;
  SofaNode *second = scene_run_object(&run, "/second/solver")->node;
  assert_int_equal(sofa_node_add_parent(body, second), SOFA_OK);
  scene_run_steps(&run, 5);
  assert_near(scene_run_state(&run, "/first/body/s")->position.data[1], 0, 1e-12);
  assert_int_equal(run.n_problems, 0);
  scene_run_close(&run);
}

/* ---- memory ---- */

/* Impacts by Poisson's law, rolling, positions that are corrected, and projective constraints whose
 * projections are blocks. */
static const char everything[] =
    "<Node dt='0.01' gravity='0 -10 0'><RequiredPlugin pluginName='Sofa.Component'/>"
    "<DefaultVisualManagerLoop/><FreeMotionAnimationLoop postStabilisation='1'/>"
    "<NonsmoothNewtonConstraintSolver/><CollisionPipeline/><BruteForceBroadPhase/>"
    "<BVHNarrowPhase/><MinProximityIntersection alarmDistance='0.1' contactDistance='0.01'/>"
    "<CollisionResponse response='FrictionContactConstraint' "
    "responseParams='restitution=1&amp;restitutionLaw=poisson&amp;muRolling=0.01'/>"
    "<Node name='floor'><MeshTopology position='-5 0 -5  5 0 -5  0 0 8' triangles='0 2 1'/>"
    "<MechanicalObject/><TriangleCollisionModel simulated='0' moving='0'/></Node>"
    "<Node name='ball'>" SOLVER "<MechanicalObject name='s' template='Rigid3d' "
    "position='0 0.52 0 0 0 0 1' velocity='1 -1 0 0 0 0'/>"
    "<UniformMass vertexMass='2 1 [0.1 0 0,0 0.1 0,0 0 0.1]'/><UncoupledConstraintCorrection/>"
    "<SphereCollisionModel radius='0.5'/></Node>"
    "<Node name='rail'>" SOLVER "<MechanicalObject name='s' position='3 0 0'/>"
    "<UniformMass totalMass='1'/><LineProjectiveConstraint indices='0' origin='3 0 0' "
    "direction='1 1 0'/>" UNCOUPLED "<FixedLagrangianConstraint indices='0'/></Node></Node>";

static void lack_of_memory(void **state) {
  (void)state;
  scene_runs_without_memory("options of contacts", everything, 3, 20);
}

static void warm_steps(void **state) {
  (void)state;
  FailingAllocator allocator = {0};
  SceneRun run = {0};
  scene_run_open(&run, everything,
                 &(SofaContextOptions){.allocate = failing_allocate, .allocate_user = &allocator});
  scene_run_steps(&run, 60);
  const uint64_t before = allocator.calls;
  scene_run_steps(&run, 60);
  assert_true(allocator.calls == before);
  scene_run_close(&run);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(messages),         cmocka_unit_test(messages_once),
      cmocka_unit_test(held_points),      cmocka_unit_test(floor_below_solver),
      cmocka_unit_test(redundant_joints), cmocka_unit_test(second_parents),
      cmocka_unit_test(lack_of_memory),   cmocka_unit_test(warm_steps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
