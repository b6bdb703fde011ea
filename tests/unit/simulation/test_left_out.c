/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Objects that an initialised scene leaves out: what others have found of them is not used. */
#include "tests/support/scene_run.h"

#include <math.h>

static const SofaContextOptions going_on = {.keep_going = true};

/* Loads and initialises; the text of the last problem is in run->last. */
static SofaErr load(SceneRun *run, const char *text, const SofaContextOptions *options) {
  *run = (SceneRun){.quiet = true};
  scene_run_context(run, options);
  run->quiet = true;
  SofaErr err = sofa_simulation_load_text(run->ctx, text, &run->simulation);
  if (err == SOFA_OK) err = sofa_simulation_init(run->simulation);
  return err;
}

/* ---- states that shrink ---- */

/* The mapping leaves 2 of the 10 points that the object before it has seen. */
static const char mapped[] =
    "<Node name='root' dt='0.1' gravity='0 0 0'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>"
    "<Node name='b'><EulerImplicitSolver/><CGLinearSolver/><MechanicalObject position='0 0 0 1 0 "
    "0'/>"
    "<UniformMass totalMass='2'/><Node name='c'><MechanicalObject name='o' "
    "position='0 0 0 1 0 0 2 0 0 3 0 0 4 0 0 5 0 0 6 0 0 7 0 0 8 0 0 9 1 0'/>%s<IdentityMapping/>%s"
    "</Node></Node></Node>";

static const char *const acting[] = {
    "<ConstantForceField name='a' indices='9' forces='0 0 1'/>",
    "<ConstantForceField name='a' forces='0 0 1'/>",
    "<LinearForceField name='a' points='9' times='0 1' forces='0 0 0 1 1 1'/>",
    "<TriangleSetTopologyContainer triangles='0 1 9'/><TrianglePressureForceField name='a' "
    "pressure='0 0 1'/>",
    "<QuadSetTopologyContainer quads='0 1 8 9'/><SurfacePressureForceField name='a' pressure='1'/>",
    "<TriangleSetTopologyContainer triangles='0 1 9'/><TriangularFEMForceField name='a' "
    "youngModulus='10' poissonRatio='0.3'/>",
    "<FixedProjectiveConstraint name='a' indices='9'/>",
    "<PartialFixedProjectiveConstraint name='a' indices='9'/>",
    "<UniformMass name='a' vertexMass='1'/>",
};

static void objects_before_a_smaller_mapping(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof acting / sizeof *acting; i++) {
    char text[2000];
    SceneRun run;
    snprintf(text, sizeof text, mapped, acting[i], "");
    assert_int_equal(load(&run, text, NULL), SOFA_ERR_SCENE);
    if (!strstr(run.last, "/b/c/a: its state 'o' had 10 points and has 2 now"))
      fail_msg("%s: %s", acting[i], run.last);
    scene_run_close(&run);

    /* left out: the free body keeps its place */
    assert_int_equal(load(&run, text, &going_on), SOFA_OK);
    assert_false(sofa_valid(scene_run_object(&run, "/b/c/a")));
    scene_run_steps(&run, 2);
    assert_true(scene_run_state(&run, "/b/c/o")->position.data[2] == 0);
    scene_run_close(&run);
  }
}

/* The same object behind the mapping sees the points that there are. */
static void objects_behind_it(void **state) {
  SceneRun run;
  char text[2000];
  (void)state;
  snprintf(text, sizeof text, mapped, "",
           "<ConstantForceField name='a' indices='1' forces='0 0 1'/>");
  assert_int_equal(load(&run, text, NULL), SOFA_OK);
  scene_run_steps(&run, 1);
  assert_true(scene_run_state(&run, "/b/c/o")->position.data[5] > 0);
  scene_run_close(&run);
}

/* A state that grows is no problem. */
static void a_larger_mapping(void **state) {
  SceneRun run;
  (void)state;
  assert_int_equal(
      load(&run,
           "<Node name='root' dt='0.1' gravity='0 0 0'><DefaultAnimationLoop/>"
           "<DefaultVisualManagerLoop/><Node name='b'><EulerImplicitSolver/><CGLinearSolver/>"
           "<MechanicalObject position='0 0 0 1 0 0'/><UniformMass totalMass='2'/>"
           "<Node name='c'><MechanicalObject name='o' position='0 0 0'/>"
           "<ConstantForceField name='a' indices='0' forces='0 0 1'/><IdentityMapping/></Node>"
           "</Node></Node>",
           NULL),
      SOFA_OK);
  scene_run_steps(&run, 1);
  assert_true(scene_run_state(&run, "/b/c/o")->position.data[2] > 0);
  scene_run_close(&run);
}

/* A topological mapping resizes the state in the node of its output. */
static void a_smaller_topological_mapping(void **state) {
  static const char text[] =
      "<Node name='root' dt='0.1'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>"
      "<Node name='body'><EulerImplicitSolver/><CGLinearSolver/>"
      "<RegularGridTopology name='grid' n='4 3 3' min='0 0 0' max='3 2 2'/>"
      "<MechanicalObject name='state'/><UniformMass totalMass='1'/>"
      "<FixedProjectiveConstraint name='held' indices='32'/><Node name='centers'>"
      "<CenterPointTopologicalMapping input='@../grid' output='@../points'/></Node>"
      "<PointSetTopologyContainer name='points'/></Node></Node>";
  SceneRun run;
  (void)state;
  assert_int_equal(load(&run, text, NULL), SOFA_ERR_SCENE);
  assert_non_null(strstr(run.last, "/body/held: its state 'state' had 36 points and has 12 now"));
  scene_run_close(&run);
  assert_int_equal(load(&run, text, &going_on), SOFA_OK);
  scene_run_steps(&run, 2);
  scene_run_close(&run);
}

/* ---- what others have found ---- */

static void a_refused_loop_makes_no_step(void **state) {
  SceneRun run;
  (void)state;
  assert_int_equal(load(&run,
                        "<Node name='root' dt='0.1'><FreeMotionAnimationLoop name='loop' "
                        "postStabilisation='-1'/><DefaultVisualManagerLoop/>"
                        "<NonsmoothNewtonConstraintSolver/></Node>",
                        &going_on),
                   SOFA_OK);
  assert_int_equal(sofa_simulation_step(run.simulation, 0), SOFA_ERR_SCENE);
  assert_non_null(strstr(run.last, "/loop: no step is made: the animation loop could not be"));
  scene_run_close(&run);
}

/* A force field without elements knows no rotations; the matrix is then used as it is. */
static void a_refused_force_field_turns_nothing(void **state) {
  SceneRun run;
  (void)state;
  assert_int_equal(
      load(
          &run,
          "<Node name='root' dt='0.1' gravity='0 -10 0'><DefaultAnimationLoop/>"
          "<DefaultVisualManagerLoop/><Node name='beam'><EulerImplicitSolver/>"
          "<PCGLinearSolver iterations='100' tolerance='1e-12' preconditioner='@warp'/>"
          "<PrecomputedMatrixSystem/><PrecomputedWarpPreconditioner name='warp' use_file='0'/>"
          "<RegularGridTopology n='2 2 2' min='0 0 0' max='1 0 1'/><MechanicalObject name='state'/>"
          "<UniformMass totalMass='8'/>"
          "<HexahedronFEMForceField name='fem' youngModulus='10' poissonRatio='0.3'/>"
          "</Node></Node>",
          &going_on),
      SOFA_OK);
  assert_false(sofa_valid(scene_run_object(&run, "/beam/fem")));
  scene_run_steps(&run, 1);
  assert_true(fabs(scene_run_state(&run, "/beam/state")->velocity.data[1] + 1) < 1e-9);
  scene_run_close(&run);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(objects_before_a_smaller_mapping),
      cmocka_unit_test(objects_behind_it),
      cmocka_unit_test(a_larger_mapping),
      cmocka_unit_test(a_smaller_topological_mapping),
      cmocka_unit_test(a_refused_loop_makes_no_step),
      cmocka_unit_test(a_refused_force_field_turns_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
