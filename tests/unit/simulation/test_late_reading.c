/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a state shows at the end of a step, and what it takes at the start. */
#include "tests/support/scene_run.h"

#include <math.h>

#define LOOPS "<DefaultAnimationLoop/><DefaultVisualManagerLoop/>"

/* A state linked to an engine of a moving state: at the end of a step it has the positions of the
 * end. */
static void linked_states_show_the_end(void **state) {
  (void)state;
  static const char scene[] =
      "<Node name='root' dt='0.1' gravity='0 -10 0'>" LOOPS
      "<Node name='body'><EulerExplicitSolver symplectic='1'/>"
      "<MechanicalObject name='state' position='0 0 0 1 0 0'/><UniformMass vertexMass='1'/></Node>"
      "<TransformEngine name='moved' template='Vec3d' input_position='@body/state.position' "
      "translation='0 5 0'/>"
      "<Node name='shown'><MechanicalObject name='state' position='@../moved.output_position'/>"
      "</Node></Node>";
  SceneRun run;
  scene_run_open(&run, scene, NULL);
  for (int k = 0; k < 5; k++) {
    scene_run_steps(&run, 1);
    const SofaState *from = scene_run_state(&run, "/body/state");
    const SofaState *to = scene_run_state(&run, "/shown/state");
    assert_int_equal(to->position.n, 2);
    for (size_t i = 0; i < 6; i++)
      assert_true(fabs(to->position.data[i] - from->position.data[i] - (i % 3 == 1 ? 5 : 0)) <
                  1e-12);
  }
  scene_run_close(&run);
}

/* A link gives a state its start; it is read again only when its source changes, and a state that
 * nothing moves does not. */
static void links_to_states_at_rest(void **state) {
  (void)state;
  static const char body[] =
      "<EulerExplicitSolver symplectic='1'/><MechanicalObject name='state' position='@%s'/>"
      "<UniformMass vertexMass='1'/>";
  static const char *const loops[] = {
      LOOPS, "<FreeMotionAnimationLoop/><BlockGaussSeidelConstraintSolver/>"};
  for (size_t k = 0; k < 2; k++) {
    char direct[300], engine[300], text[1500];
    snprintf(direct, sizeof direct, body, "../rest.position");
    snprintf(engine, sizeof engine, body, "../moved.output_position");
    snprintf(text, sizeof text,
             "<Node name='root' dt='0.1' gravity='0 -10 0'>%s"
             "<MechanicalObject name='rest' position='0 0 0 1 0 0'/>"
             "<TransformEngine name='moved' template='Vec3d' input_position='@rest.position' "
             "translation='0 5 0'/><Node name='a'>%s</Node><Node name='b'>%s</Node></Node>",
             loops[k], direct, engine);
    SceneRun run;
    scene_run_open(&run, text, NULL);
    scene_run_steps(&run, 4);
    const SofaState *a = scene_run_state(&run, "/a/state"), *b = scene_run_state(&run, "/b/state");
    assert_true(fabs(a->position.data[4] + 1) < 1e-12);
    assert_true(fabs(b->position.data[4] - 4) < 1e-12);
    // a source that changes is read again
    SofaState *rest = scene_run_state(&run, "/rest");
    rest->position.data[4] = 3;
    sofa_state_touch(rest);
    scene_run_steps(&run, 1);
    assert_true(a->position.data[4] > 2);
    scene_run_close(&run);
  }
}

/* Targets of points that fall as one body fall with them. */
static void targets_follow_the_step(void **state) {
  (void)state;
  static const char scene[] =
      "<Node name='root' dt='0.1' gravity='0 -10 0'>" LOOPS
      "<Node name='body'><EulerImplicitSolver/><CGLinearSolver iterations='50' tolerance='1e-15' "
      "threshold='1e-15'/>"
      "<MechanicalObject name='state' position='0 0 0 1 0 0 0 1 0 0 0 1'/>"
      "<UniformMass vertexMass='1'/>"
      "<ShapeMatching name='shape' template='Vec3' position='@state.position' "
      "cluster='[0,1,2,3]'/>"
      "<PositionBasedDynamicsProjectiveConstraint position='@shape.targetPosition'/></Node></Node>";
  SceneRun run;
  scene_run_open(&run, scene, NULL);
  scene_run_steps(&run, 3);
  const SofaState *s = scene_run_state(&run, "/body/state");
  for (size_t i = 0; i < 4; i++)
    if (!(fabs(s->position.data[3 * i + 1] - (i == 2) + 0.6) < 1e-9))
      fail_msg("point %zu: %g", i, s->position.data[3 * i + 1]);
  scene_run_close(&run);
}

/* As in SOFA: a grid knows its points before its init, a sparse grid makes them when it is asked;
 * other topologies count none yet. */
static void topologies_after_the_state(void **state) {
  (void)state;
  static const struct {
    const char *topology;
    size_t n;
    int warnings;
  } rows[] = {
      {"<RegularGridTopology n='2 2 2' min='0 0 0' max='1 1 1'/>", 8, 0},
      {"<MeshTopology position='0 0 0 1 0 0 0 1 0' triangles='0 1 2'/>", 0, 1},
      {"<TriangleSetTopologyContainer position='0 0 0 1 0 0 0 1 0' triangles='0 1 2'/>", 0, 1},
      {"<SparseGridTopology n='3 3 3' position='0 0 0 1 0 0 0 1 0 0 0 1' "
       "triangles='0 2 1 0 1 3 1 2 3 0 3 2'/>",
       26, 0},
      {"<SparseGridTopology n='3 3 3' position='0 0 0 1 0 0 1 1 1'/>", 18, 0},
  };
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    char text[1000];
    SceneRun run;
    memset(&run, 0, sizeof run);
    run.quiet = true;
    scene_run_context(&run, NULL);
    run.quiet = true;
    snprintf(text, sizeof text,
             "<Node name='root'>" LOOPS "<MechanicalObject name='state'/>%s</Node>",
             rows[k].topology);
    assert_int_equal(sofa_simulation_load_text(run.ctx, text, &run.simulation), SOFA_OK);
    assert_int_equal(sofa_simulation_init(run.simulation), SOFA_OK);
    const SofaState *s = scene_run_state(&run, "/state");
    if (s->position.n != rows[k].n) fail_msg("%s: %zu", rows[k].topology, s->position.n);
    assert_int_equal(run.n_problems, rows[k].warnings);
    if (rows[k].warnings) assert_non_null(strstr(run.last, "move the topology before the state"));
    scene_run_close(&run);
  }
}

/* Elements that a topology further down links are there for what counts them. */
static void elements_after_the_mass(void **state) {
  (void)state;
  static const char *const rows[] = {
      "<DiagonalMass totalMass='3'/><HexahedronSetTopologyContainer src='@../grid'/>",
      "<DiagonalMass totalMass='3'/><HexahedronSetTopologyContainer src='@../grid'/>"
      "<HexahedronSetTopologyModifier/><TopologicalChangeProcessor useDataInputs='1' "
      "timeToRemove='9' hexahedraToRemove='0'/>",
      "<MeshMatrixMass totalMass='3'/><MeshTopology src='@../grid'/>",
      ("<UniformMass totalMass='3'/><HexahedronFEMForceField youngModulus='100' "
       "poissonRatio='0.3'/><MeshTopology src='@../grid'/>"),
  };
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    char text[1500];
    SceneRun run;
    snprintf(text, sizeof text,
             "<Node name='root' dt='0.1' gravity='0 -10 0'>" LOOPS
             "<RegularGridTopology name='grid' n='2 2 2' min='0 0 0' max='1 1 1'/>"
             "<Node name='body'><EulerImplicitSolver/><CGLinearSolver iterations='50' "
             "tolerance='1e-15' threshold='1e-15'/>"
             "<MechanicalObject name='state' position='@../grid.position'/>%s</Node></Node>",
             rows[k]);
    scene_run_open(&run, text, NULL);
    scene_run_steps(&run, 1);
    const SofaState *s = scene_run_state(&run, "/body/state");
    assert_int_equal(s->velocity.n, 8);
    for (size_t i = 0; i < 24; i++)
      if (!(fabs(s->velocity.data[i] + (i % 3 == 1)) < 1e-9))
        fail_msg("%s: velocity %g", rows[k], s->velocity.data[i]);
    scene_run_close(&run);
  }
}

/* SOFA's parser reads attributes that follow each other at once. */
static void attributes_without_space(void **state) {
  (void)state;
  SceneRun run;
  memset(&run, 0, sizeof run);
  run.quiet = true;
  scene_run_context(&run, NULL);
  run.quiet = true;
  assert_int_equal(sofa_simulation_load_text(run.ctx,
                                             "<Node name=\"root\"dt='0.25'gravity=\"0 1 2\">" LOOPS
                                             "\n<MechanicalObject name='state'position='1 2 3'\n/>"
                                             "</Node>",
                                             &run.simulation),
                   SOFA_OK);
  assert_int_equal(run.n_problems, 3);
  assert_non_null(strstr(run.all, "1: white space is missing between two attributes"));
  assert_non_null(strstr(run.last, "2: white space is missing between two attributes"));
  assert_int_equal(sofa_simulation_init(run.simulation), SOFA_OK);
  assert_true(run.simulation->root->dt == 0.25 && run.simulation->root->gravity.v[2] == 2);
  assert_true(scene_run_state(&run, "/state")->position.data[2] == 3);
  scene_run_close(&run);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(linked_states_show_the_end), cmocka_unit_test(links_to_states_at_rest),
      cmocka_unit_test(targets_follow_the_step),    cmocka_unit_test(topologies_after_the_state),
      cmocka_unit_test(elements_after_the_mass),    cmocka_unit_test(attributes_without_space),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
