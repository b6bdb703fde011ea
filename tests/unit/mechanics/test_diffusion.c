/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TetrahedronDiffusionFEMForceField: along and across a direction, and what is refused. */
#include "tests/support/scene_memory.h"

#include <math.h>

#define SCENE(kind, x, how)                                                                        \
  "<Node name='root' dt='0.1' gravity='0 0 0'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>"  \
  "<MeshTopology position='0 0 0 1 0 0 0 1 0 0 0 1' tetrahedra='0 1 2 3'/>"                        \
  "<MechanicalObject name='places' tags='meca' position='0 0 0 1 0 0 0 1 0 0 0 1'/><Node>"         \
  "<EulerImplicitSolver firstOrder='1'/><SparseLDLSolver/>"                                        \
  "<MechanicalObject name='state' template='" kind "' position='" x "'/>"                          \
  "<UniformMass vertexMass='1'/><TetrahedronDiffusionFEMForceField template='" kind "' " how       \
  "/></Node></Node>"

/* Numbers of the state after a step, as scalars. */
static void after_a_step(const char *scene, bool quirks, double *x, size_t n) {
  SceneRun run;
  const SofaContextOptions options = {.quirks = quirks};
  scene_run_open(&run, scene, &options);
  scene_run_steps(&run, 1);
  SofaNode *child = run.simulation->root->children.data[0];
  memcpy(x, ((SofaState *)sofa_node_object(child, "state"))->position.data, n * sizeof *x);
  scene_run_close(&run);
}

static void fades(void **state) {
  (void)state;
  double x[8];
  // K x = 4 V D x
  after_a_step(SCENE("Vec1d", "3 -1 -1 -1", "constantDiffusionCoefficient='2'"), false, x, 4);
  assert_true(fabs(x[0] - 3 / (1 + 0.1 * 4 * 2 / 6.)) < 1e-12);
  // two numbers: SOFA's matrix has the first one only
  after_a_step(SCENE("Vec2d", "3 3 -1 -1 -1 -1 -1 -1", ""), false, x, 8);
  assert_true(fabs(x[1] - 3 / (1 + 0.1 * 4 / 6.)) < 1e-12);
  after_a_step(SCENE("Vec2d", "3 3 -1 -1 -1 -1 -1 -1", ""), true, x, 8);
  assert_true(fabs(x[1] - 3 * (1 - 0.1 * 4 / 6.)) < 1e-12);
}

static void has_directions(void **state) {
  (void)state;
  double x[4];
  // between points 0 and 1 alone: x fades by 2 V D r
  const char *along =
      SCENE("Vec1d", "1 -1 0 0", "anisotropyRatio='0' transverseAnisotropyArray='2 0 0'");
  after_a_step(along, false, x, 4);
  // nothing diffuses along x, across it all is as it was: K_01 = 0
  const double h = 0.1 / 6;
  // points 0, 2, 3 exchange: 0 has 2 neighbours
  assert_true(fabs(x[1] + 1) < 1e-12);
  assert_true(fabs(x[0] + x[2] + x[3] - 1) < 1e-12);
  assert_true(fabs(x[2] - h / (1 + 3 * h)) < 1e-12);
  // SOFA: 1 + (0 - 1) 4 = -3 along x
  after_a_step(along, true, x, 4);
  assert_true(x[1] < -1.05);
}

static void refused(const char *scene, const char *words) {
  SceneRun run = {.quiet = true};
  scene_run_context(&run, NULL);
  SofaErr err = sofa_simulation_load_text(run.ctx, scene, &run.simulation);
  if (err == SOFA_OK) err = sofa_simulation_init(run.simulation);
  if (err == SOFA_OK) fail_msg("nothing says '%s'", words);
  if (!strstr(run.all, words)) fail_msg("'%s' does not say '%s'", run.all, words);
  scene_run_close(&run);
}

static void wrong_fields_are_refused(void **state) {
  (void)state;
  refused(SCENE("Vec1d", "1 2 3 4", "tagMechanics='places'"), "has the tag 'places'");
  refused(SCENE("Vec1d", "1 2 3 4", "constantDiffusionCoefficient='-1'"), "expected >= 0");
  refused(SCENE("Vec1d", "1 2 3 4", "tetraDiffusionCoefficient='1 1'"),
          "2 entries, expected none or 1, 1 for each tetrahedron");
  refused(SCENE("Vec1d", "1 2 3 4", "transverseAnisotropyArray='1 1 1 1 1 1'"),
          "2 entries, expected none or 1");
  refused(SCENE("Vec1d", "1 2 3 4", "transverseAnisotropyArray='0 0 0'"), "no direction");
  refused(SCENE("Vec1d", "1 2 3", ""), "has vertex 3, but the state has 3 points");
}

static void survives_lack_of_memory(void **state) {
  (void)state;
  scene_without_memory(SCENE("Vec1d", "1 2 3 4", ""));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fades),
      cmocka_unit_test(has_directions),
      cmocka_unit_test(wrong_fields_are_refused),
      cmocka_unit_test(survives_lack_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
