/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What scenes say about themselves, controllers, and the names for several threads. */
#include "tests/support/scene_memory.h"

#include <math.h>
#include <unistd.h>

#define ROOT(content)                                                                              \
  "<Node name='root' dt='0.1' gravity='0 -10 0'><DefaultAnimationLoop/>"                           \
  "<DefaultVisualManagerLoop/>" content "</Node>"

/* Loads a scene; says what was wrong when `words` is given. */
static void tells(const char *scene, const char *words, int n_problems) {
  SceneRun run = {.quiet = true};
  scene_run_context(&run, NULL);
  run.ctx->trust_scene = true;
  SofaErr err = sofa_simulation_load_text(run.ctx, scene, &run.simulation);
  if (err == SOFA_OK) err = sofa_simulation_init(run.simulation);
  if (words && !strstr(run.all, words)) fail_msg("'%s' does not say '%s'", run.all, words);
  if (n_problems >= 0) assert_int_equal(run.n_problems, n_problems);
  scene_run_close(&run);
}

static void versions(void **state) {
  (void)state;
  tells(ROOT("<APIVersion level='18.06'/>"), NULL, 0);
  tells(ROOT("<APIVersion name='17.12'/>"), NULL, 0);
  tells(ROOT("<APIVersion level='18.07'/>"), "not a level", 1);
  tells(ROOT("<APIVersion/>"), "neither level nor name", 1);
}

static void folders(void **state) {
  (void)state;
  SceneRun run = {.ctx = NULL};
  tells(ROOT("<AddDataRepository/>"), "names no folder", -1);
  tells(ROOT("<AddDataRepository path='/nowhere/at/all'/>"), "there is no folder", -1);
  tells(ROOT("<AddPluginRepository path='/proc/version'/>"), "is not a folder", -1);
  // they go with the scene
  scene_run_context(&run, &(SofaContextOptions){.trust_scene = true});
  assert_int_equal(sofa_simulation_load_text(
                       run.ctx,
                       ROOT("<AddDataRepository path='/tmp'/><AddPluginRepository path='/'/>"),
                       &run.simulation),
                   SOFA_OK);
  assert_string_equal(run.ctx->data_paths[run.ctx->n_data_paths - 1], "/tmp");
  assert_string_equal(run.ctx->plugin_paths[0], "/");
  const size_t n = run.ctx->n_data_paths;
  sofa_simulation_destroy(&run.simulation);
  assert_int_equal(run.ctx->n_data_paths, n - 1);
  assert_int_equal(run.ctx->n_plugin_paths, 0);
  scene_run_close(&run);
}

static void messages(void **state) {
  (void)state;
  char line[200] = "";
  // warnings are silent, but counted; errors are told
  tells(ROOT("<MessageHandlerComponent handler='silent'/><APIVersion level='18.07'/>"), NULL, 0);
  tells(ROOT("<MessageHandlerComponent handler='silent'/><AddDataRepository/>"), "names no", -1);
  tells(ROOT("<MessageHandlerComponent handler='loud'/>"), "handler", -1);
  tells(ROOT("<FileMessageHandlerComponent/>"), "without a 'filename'", 1);
  tells(ROOT("<FileMessageHandlerComponent filename='/nowhere/at/all'/>"), "cannot write", -1);
  tells(ROOT("<FileMessageHandlerComponent filename='csofa_messages.log'/>"
             "<APIVersion level='18.07'/>"),
        "not a level", 1);
  FILE *file = fopen("csofa_messages.log", "r");
  assert_non_null(file);
  assert_non_null(fgets(line, sizeof line, file));
  assert_non_null(strstr(line, "[warning] [/APIVersion1] '18.07'"));
  fclose(file);
  remove("csofa_messages.log");
}

static void pauses(void **state) {
  (void)state;
  SceneRun run;
  const SofaEvent event = {.type = SOFA_EVENT_PAUSE};
  scene_run_open(&run, ROOT("<PauseAnimationOnEvent/>"), NULL);
  run.simulation->root->animate = true;
  assert_int_equal(sofa_send_event(run.simulation->root, &event), SOFA_OK);
  assert_false(run.simulation->root->animate);
  scene_run_close(&run);
}

/* ---- controller ---- */

#define FRAME(how)                                                                                 \
  ROOT("<MechanicalObject name='state' template='Rigid3' position='1 2 3 0 0 0 1'/>"               \
       "<MechanicalStateController template='Rigid3' " how "/><Node name='point'>"                 \
       "<MechanicalObject name='state' position='1 0 0'/><RigidMapping/></Node>")

/* Position of the mapped point after the mouse moved with a button held. */
static void drag(const char *scene, SofaMouseButton button, int dx, int dy, double x[3]) {
  SceneRun run;
  const SofaEvent event = {.type = SOFA_EVENT_MOUSE_MOVED, .dx = dx, .dy = dy, .button = button};
  scene_run_open(&run, scene, NULL);
  scene_run_steps(&run, 1);
  assert_int_equal(sofa_send_event(run.simulation->root, &event), SOFA_OK);
  scene_run_steps(&run, 2);
  memcpy(x, scene_run_state(&run, "/point/state")->position.data, 3 * sizeof *x);
  scene_run_close(&run);
}

static void is_at(const double x[3], double a, double b, double c) {
  if (!(fabs(x[0] - a) + fabs(x[1] - b) + fabs(x[2] - c) < 1e-9))
    fail_msg("(%g, %g, %g), not (%g, %g, %g)", x[0], x[1], x[2], a, b, c);
}

static void frames_follow_the_mouse(void **state) {
  (void)state;
  double x[3];
  drag(FRAME("onlyTranslation='1'"), SOFA_MOUSE_LEFT, 2, 5, x);
  is_at(x, 4, 2, 3);
  drag(FRAME("onlyTranslation='1'"), SOFA_MOUSE_RIGHT, 2, 5, x);
  is_at(x, 2, 7, 3);
  drag(FRAME("onlyTranslation='1'"), SOFA_MOUSE_MIDDLE, 2, 5, x);
  is_at(x, 2, 2, 8);
  drag(FRAME("onlyTranslation='1'"), SOFA_MOUSE_NONE, 2, 5, x);
  is_at(x, 2, 2, 3);
  drag(FRAME(""), SOFA_MOUSE_LEFT, 100, 0, x);
  is_at(x, 1 + cos(0.1), 2, 3 - sin(0.1));
  drag(FRAME(""), SOFA_MOUSE_RIGHT, 0, 2, x);
  is_at(x, 2, 2, 2.9);
  tells(ROOT("<MechanicalStateController template='Rigid3'/>"), "no state", -1);
  tells(FRAME("index='1'"), "has 1 entries", -1);
}

static void jaws_close(void **state) {
  (void)state;
  SceneRun run;
  scene_run_open(&run,
                 ROOT("<MechanicalObject name='state' template='Vec1' position='0 0' "
                      "rest_position='1 1'/><MechanicalStateController template='Vec1' "
                      "buttonDeviceState='1'/>"),
                 NULL);
  scene_run_steps(&run, 1);
  assert_true(scene_run_state(&run, "/state")->rest_position.data[1] == -0.4);
  scene_run_close(&run);
}

/* ---- several threads ---- */

#define BODY(solver, force_field)                                                                  \
  ROOT("<EulerImplicitSolver/><" solver " iterations='100' tolerance='1e-12' threshold='1e-30'/>"  \
       "<RegularGridTopology n='3 3 4' min='0 0 0' max='1 1 2'/><MechanicalObject name='state'/>"  \
       "<UniformMass totalMass='2'/>" force_field                                                  \
       "<FixedProjectiveConstraint indices='0 1 2 3 4 5 6 7 8'/>")
#define YOUNG " youngModulus='2000' poissonRatio='0.3'/>"

static void same_motion(const char *first, const char *second, double tolerance) {
  SceneRun a, b;
  scene_run_open(&a, first, NULL);
  scene_run_open(&b, second, NULL);
  scene_run_steps(&a, 5);
  scene_run_steps(&b, 5);
  const SofaState *x = scene_run_state(&a, "/state"), *y = scene_run_state(&b, "/state");
  for (size_t i = 0; i < 3 * x->position.n; i++)
    assert_true(fabs(x->position.data[i] - y->position.data[i]) <= tolerance);
  scene_run_close(&a);
  scene_run_close(&b);
}

static void parallel_names_compute_the_same(void **state) {
  (void)state;
  same_motion(BODY("CGLinearSolver", "<TetrahedronFEMForceField" YOUNG),
              BODY("CGLinearSolver", "<ParallelTetrahedronFEMForceField nbThreads='3'" YOUNG), 0);
  same_motion(
      BODY("CGLinearSolver", "<HexahedronFEMForceField" YOUNG),
      BODY("ParallelCGLinearSolver nbThreads='2'", "<ParallelHexahedronFEMForceField" YOUNG), 1e-9);
  same_motion(BODY("CGLinearSolver", "<MeshSpringForceField stiffness='90'/>"),
              BODY("CGLinearSolver", "<ParallelMeshSpringForceField stiffness='90'/>"), 0);
}

#define PARTS(exchange)                                                                            \
  "<Node name='root' dt='0.1' gravity='0 0 0'><AnimationLoopParallelScheduler/>"                   \
  "<DefaultVisualManagerLoop/><Node name='a'><DefaultAnimationLoop/><EulerExplicitSolver/>"        \
  "<MechanicalObject name='state' position='0 0 0' velocity='1 0 0'/><UniformMass "                \
  "totalMass='1'/></Node>"                                                                         \
  "<Node name='b'><MechanicalObject name='state' position='0 0 0 0 0 0'/></Node>"                  \
  "<Node name='c'><MechanicalObject name='state' position='7 0 0'/></Node>" exchange "</Node>"
#define EXCHANGE(from, to)                                                                         \
  "<DataExchange template='vector&lt;Vec3d&gt;' from='" from "' to='" to "'/>"

static void parts_exchange_data(void **state) {
  (void)state;
  SceneRun run;
  scene_run_open(&run, PARTS(EXCHANGE("@a/state.position", "@c/state.position")), NULL);
  scene_run_steps(&run, 3);
  assert_true(fabs(scene_run_state(&run, "/c/state")->position.data[0] - 0.3) < 1e-12);
  assert_int_equal(sofa_simulation_reset(run.simulation), SOFA_OK);
  assert_true(run.simulation->root->children.data[0]->time == 0);
  scene_run_close(&run);
  scene_run_open(&run,
                 PARTS("<Node name='open'><MechanicalObject name='state'/></Node>" EXCHANGE(
                     "@b/state.position", "@open/state.position")),
                 NULL);
  assert_int_equal(scene_run_state(&run, "/open/state")->position.n, 2);
  scene_run_steps(&run, 1);
  assert_int_equal(scene_run_state(&run, "/open/state")->position.n, 2);
  scene_run_close(&run);
  tells(PARTS(EXCHANGE("@a/state.position", "@b/state.position")), "'to' has 2", -1);
  tells(PARTS(EXCHANGE("@a/state.position", "1 2 3")), "must name a field", -1);
  tells("<Node name='root'><AnimationLoopParallelScheduler/></Node>", "nothing will move", -1);
}

static void means(void **state) {
  (void)state;
  const SofaContextOptions quirks = {.quirks = true};
  for (int quirk = 0; quirk < 2; quirk++) {
    SceneRun run;
    scene_run_open(&run,
                   ROOT("<MechanicalObject name='a' position='1 0 0'/>"
                        "<MechanicalObject name='b' position='3 0 0 9 9 9'/>"
                        "<MechanicalObject name='out' tags='MeanOutput'/><MeanComputation/>"),
                   quirk ? &quirks : NULL);
    scene_run_steps(&run, 1);
    const SofaState *out = scene_run_state(&run, "/out");
    assert_int_equal(out->position.n, 1);
    // SOFA: (2 + 1 + 3) / 2
    assert_true(out->position.data[0] == (quirk ? 3 : 2));
    scene_run_close(&run);
  }
  tells(ROOT("<MeanComputation/>"), "no state without", -1);
}

static void tags(void **state) {
  (void)state;
  tells("<Node name='root'><MultiTagAnimationLoop/></Node>", "nothing will be integrated", -1);
}

static void survive_lack_of_memory(void **state) {
  (void)state;
  scene_without_memory(ROOT("<AddDataRepository path='/tmp'/><AddPluginRepository path='/tmp'/>"
                            "<MessageHandlerComponent handler='sofa'/><InfoComponent/>"));
  scene_without_memory(PARTS(EXCHANGE("@a/state.position", "@c/state.position")));
  scene_without_memory(FRAME(""));
}

/* At init, and then when the scheduler says so, not with other events. */
static void exchanges_wait_for_their_event(void **state) {
  (void)state;
  SceneRun run;
  scene_run_open(
      &run,
      ROOT("<Node name='a'><MechanicalObject name='state' position='1 0 0'/></Node>"
           "<Node name='c'><MechanicalObject name='state' position='7 0 0'/></Node>" EXCHANGE(
               "@a/state.position", "@c/state.position")),
      NULL);
  SofaState *from = scene_run_state(&run, "/a/state"), *to = scene_run_state(&run, "/c/state");
  assert_true(to->position.data[0] == 1);
  from->position.data[0] = 5;
  sofa_state_touch(from);
  scene_run_steps(&run, 2);
  assert_true(to->position.data[0] == 1);
  scene_run_close(&run);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(versions),
      cmocka_unit_test(folders),
      cmocka_unit_test(messages),
      cmocka_unit_test(pauses),
      cmocka_unit_test(frames_follow_the_mouse),
      cmocka_unit_test(jaws_close),
      cmocka_unit_test(parallel_names_compute_the_same),
      cmocka_unit_test(parts_exchange_data),
      cmocka_unit_test(exchanges_wait_for_their_event),
      cmocka_unit_test(means),
      cmocka_unit_test(tags),
      cmocka_unit_test(survive_lack_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
