/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A failed step says what was first and what to try, and its last good state can be saved. */
#include <math.h>
#include <unistd.h>

#include "scene/checkpoint.h"
#include "tests/support/scene_run.h"

#define SCENE(settings, body)                                                                      \
  "<Node name='root' " settings "><DefaultAnimationLoop/><DefaultVisualManagerLoop/>" body "</"    \
  "Node>"
#define OSCILLATOR(solver, stiffness)                                                              \
  solver "<MechanicalObject name='state' position='0 0 0 1 0 0' rest_position='0 0 0 0 0 0'/>"     \
         "<UniformMass vertexMass='1'/><RestShapeSpringsForceField name='springs' "                \
         "stiffness='" stiffness "'/>"

/* All messages, one per line. */
typedef struct Heard {
  SofaMessageTap tap;
  char text[8000];
} Heard;

static void hear(void *user, const SofaMessage *m) {
  Heard *h = user;
  const size_t used = strlen(h->text);
  snprintf(h->text + used, sizeof h->text - used, "%s: %s: %s\n", sofa_severity_text(m->severity),
           m->origin.path ? m->origin.path : "", m->text);
}

static void open_scene(SceneRun *run, Heard *heard, const char *scene) {
  *run = (SceneRun){.quiet = true};
  *heard = (Heard){.tap = {.read = hear}};
  heard->tap.user = heard;
  scene_run_context(run, NULL);
  sofa_message_add_tap(run->ctx, &heard->tap);
  assert_int_equal(sofa_simulation_load_text(run->ctx, scene, &run->simulation), SOFA_OK);
  assert_int_equal(sofa_simulation_init(run->simulation), SOFA_OK);
}

static void fail_within(SceneRun *run, int n) {
  int i = 0;
  while (i < n && sofa_simulation_step(run->simulation, 0) == SOFA_OK) i++;
  assert_in_range(i, 0, n - 1);
}

static void close_scene(SceneRun *run, Heard *heard) {
  sofa_message_remove_tap(run->ctx, &heard->tap);
  scene_run_close(run);
}

static void expect(const Heard *heard, const char *words) {
  if (!strstr(heard->text, words)) fail_msg("'%s' is not in\n%s", words, heard->text);
}

/* Explicit steps of h w = 10: stable below 2 / w. */
static void explicit_steps(void **state) {
  (void)state;
  SceneRun run;
  Heard heard;
  open_scene(
      &run, &heard,
      SCENE("dt='0.1' gravity='0 0 0'", OSCILLATOR("<EulerExplicitSolver name='ode'/>", "10000")));
  fail_within(&run, 100);
  expect(&heard, "info: /springs: has the largest force");
  expect(&heard, "info: /state: point 1 moves most in the step");
  expect(&heard, "info: /ode: try dt below 0.02 s, where explicit steps of this stiffness and mass "
                 "are stable (dt is 0.1 s)");
  close_scene(&run, &heard);
}

static void force_that_is_not_finite(void **state) {
  (void)state;
  SceneRun run;
  Heard heard;
  open_scene(&run, &heard,
             SCENE("dt='0.1' gravity='0 0 0'",
                   "<EulerExplicitSolver name='ode'/><MechanicalObject name='state' "
                   "position='0 0 0 1e3 0 0' rest_position='0 0 0 0 0 0'/><UniformMass "
                   "vertexMass='1'/><ConstantForceField name='load' forces='1 0 0'/>"
                   "<RestShapeSpringsForceField name='springs' stiffness='1e307'/>"));
  fail_within(&run, 1);
  expect(&heard, "info: /springs: its force on point 1 is the first that is not finite, at the "
                 "beginning of the step");
  expect(&heard, "info: /ode: try other parameters of 'springs': its force fails before the step");
  close_scene(&run, &heard);
}

static void inverted_element(void **state) {
  (void)state;
  SceneRun run;
  Heard heard;
  open_scene(&run, &heard,
             SCENE("dt='0.1' gravity='0 0 0'",
                   "<EulerImplicitSolver name='ode' runawayFactor='0.01'/>"
                   "<SparseLDLSolver template='CompressedRowSparseMatrixd'/>"
                   "<MeshTopology position='0 0 0 1 0 0 0 1 0 0 0 1' tetrahedra='0 1 2 3'/>"
                   "<MechanicalObject name='state' position='0 0 0 1 0 0 0 1 0 0 0 1' "
                   "velocity='0 0 0 0 0 0 0 0 0 0 0 -1e3'/>"
                   "<UniformMass vertexMass='1'/><TetrahedronFEMForceField name='fem' "
                   "method='polar' youngModulus='10' poissonRatio='0.3'/>"));
  fail_within(&run, 1);
  expect(&heard, "info: /state: tetrahedron 0 around point 3 is inverted by the step");
  expect(&heard, "info: /ode: try a smaller dt (it is 0.1 s): an element is turned over within a "
                 "step");
  expect(&heard, "try consistent=\"1\" of 'fem'");
  close_scene(&run, &heard);
}

/* The first of two solvers moves before the second fails: both are at the step before. */
static void all_solvers_go_back(void **state) {
  (void)state;
  SceneRun run;
  Heard heard;
  double x[2][6];
  int i = 0;
  open_scene(
      &run, &heard,
      SCENE("dt='0.1' gravity='0 0 0'",
            "<Node name='a'>" OSCILLATOR("<EulerExplicitSolver/>",
                                         "1") "</Node>"
                                              "<Node name='b'>" OSCILLATOR("<EulerExplicitSolver/>",
                                                                           "10000") "</Node>"));
  SofaState *a = scene_run_state(&run, "/a/state");
  do memcpy(x[i % 2], a->position.data, sizeof x[0]);
  while (i++ < 100 && sofa_simulation_step(run.simulation, 0) == SOFA_OK);
  assert_in_range(i, 3, 20);
  assert_memory_equal(x[(i - 1) % 2], a->position.data, sizeof x[0]);
  assert_true(memcmp(x[i % 2], a->position.data, sizeof x[0]) != 0);
  close_scene(&run, &heard);
}

#define OF_PLATE(kind, elements, field)                                                            \
  SCENE("dt='0.01' gravity='0 0 0'",                                                               \
        "<EulerImplicitSolver/><CGLinearSolver iterations='9' tolerance='1e-9' threshold='1e-9'/>" \
        "<MeshTopology name='mesh' position='0 0 0 1 0 0 1 1 0 0 1 0 0 0 1 1 0 1 1 1 1 0 1 "       \
        "1' " elements "/><MechanicalObject name='state' template='" kind                          \
        "' position='@mesh.position'/"                                                             \
        "><UniformMass totalMass='1'/>" field)
#define TRIANGLES "triangles='0 1 2 0 2 3'"
#define QUADS "quads='0 1 2 3'"
#define TETRAS "tetrahedra='0 1 3 4'"
#define HEXAS "hexahedra='0 1 2 3 4 5 6 7'"
#define FIELD(klass, more)                                                                         \
  "<" klass " name='field' youngModulus='1000' poissonRatio='0.3' " more "/>"

/* The topology changes in the run, and the new elements are flat: the step ends with a message,
 * although the search for the reason asks the field for its force again. */
static void elements_that_cannot_be_made_again(void **state) {
  (void)state;
  static const char *const scenes[] = {
      OF_PLATE("Vec3d", TRIANGLES, FIELD("TriangularFEMForceField", "")),
      OF_PLATE("Rigid3d", TRIANGLES, FIELD("ShellTriangleFEMForceField", "thickness='0.1'")),
      OF_PLATE("Rigid3d", QUADS, FIELD("ShellQuadFEMForceField", "thickness='0.1'")),
      OF_PLATE("Vec3d", QUADS, FIELD("QuadBendingFEMForceField", "thickness='0.1'")),
      OF_PLATE("Vec3d", TETRAS, FIELD("TetrahedronFEMForceField", "")),
      OF_PLATE("Vec3d", HEXAS, FIELD("HexahedronFEMForceField", "")),
      OF_PLATE("Vec3d", HEXAS, FIELD("HexahedralFEMForceField", "")),
  };
  for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
    SceneRun run;
    Heard heard;
    open_scene(&run, &heard, scenes[i]);
    SofaTopology *mesh = (SofaTopology *)scene_run_object(&run, "/mesh");
    SofaState *held = scene_run_state(&run, "/state");
    scene_run_steps(&run, 1);
    const size_t width = held->position.width;
    for (size_t k = 0; k < held->rest_position.n; k++)
      for (size_t c = 0; c < 3; c++) held->rest_position.data[width * k + c] = 0;
    mesh->revision++;
    if (sofa_simulation_step(run.simulation, 0) == SOFA_OK)
      fail_msg("%s: the step succeeds", scenes[i]);
    expect(&heard, "error: /field: ");
    close_scene(&run, &heard);
  }
}

/* The saved state is that of a run that ends before the step, and goes on from there. */
static void last_good_state(void **state) {
  (void)state;
  static const char scene[] =
      SCENE("dt='0.1' gravity='0 0 0'", OSCILLATOR("<EulerExplicitSolver/>", "10000"));
  char path[] = "/tmp/csofa-last-good-XXXXXX";
  SceneRun failed, restored, straight;
  Heard heard;
  close(mkstemp(path));
  open_scene(&failed, &heard, scene);
  fail_within(&failed, 100);
  const uint64_t steps = failed.simulation->steps;
  assert_true(sofa_checkpoint_save(failed.simulation, path) != SOFA_OK);
  assert_int_equal(sofa_checkpoint_save_good(failed.simulation, path), SOFA_OK);
  assert_int_equal(failed.simulation->failure, SOFA_ERR_RANGE);
  close_scene(&failed, &heard);

  scene_run_open(&restored, scene, NULL);
  assert_int_equal(sofa_checkpoint_restore(restored.simulation, path), SOFA_OK);
  assert_int_equal(restored.simulation->steps, steps);
  scene_run_open(&straight, scene, NULL);
  scene_run_steps(&straight, (int)steps);
  const SofaState *x = scene_run_state(&restored, "/state"),
                  *y = scene_run_state(&straight, "/state");
  assert_memory_equal(x->position.data, y->position.data, 6 * sizeof(double));
  assert_memory_equal(x->velocity.data, y->velocity.data, 6 * sizeof(double));
  scene_run_close(&restored);
  scene_run_close(&straight);
  unlink(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(explicit_steps),   cmocka_unit_test(force_that_is_not_finite),
      cmocka_unit_test(inverted_element), cmocka_unit_test(all_solvers_go_back),
      cmocka_unit_test(last_good_state),  cmocka_unit_test(elements_that_cannot_be_made_again),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
