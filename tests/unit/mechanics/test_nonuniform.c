/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* NonUniformHexahedronFEMForceFieldAndMass: where all fine cells are full, coarse functions see the
 * same material as without them. */
#include "tests/support/scene_memory.h"

#include <math.h>

#define SCENE(fill, finer, force_field)                                                            \
  "<Node name='root' dt='0.02' gravity='0 -10 0'><DefaultAnimationLoop/>"                          \
  "<DefaultVisualManagerLoop/><EulerImplicitSolver/><SparseLDLSolver/>"                            \
  "<SparseGridTopology n='4 3 3' fillWeighted='" fill "' nbVirtualFinerLevels='" finer "' "        \
  "position='0 0 0 3 0 0 3 2 0 0 2 0 0 0 2 3 0 2 3 2 2 0 2 2' "                                    \
  "quads='0 3 2 1 4 5 6 7 0 1 5 4 1 2 6 5 2 3 7 6 3 0 4 7'/><MechanicalObject "                    \
  "name='state'/>" force_field "<FixedProjectiveConstraint indices='0 1 2 3 4 5 6 7 8'/></Node>"
#define PLAIN "<HexahedronFEMForceFieldAndMass youngModulus='3000' poissonRatio='0.3' density='2'/>"
#define FINER(levels, how)                                                                         \
  "<NonUniformHexahedronFEMForceFieldAndMass nbVirtualFinerLevels='" levels                        \
  "' youngModulus='3000' poissonRatio='0.3' density='2' " how "/>"

/* Largest difference of positions after some steps. */
static double difference(const char *first, const char *second) {
  SceneRun runs[2];
  double most = 0;
  scene_run_open(&runs[0], first, NULL);
  scene_run_open(&runs[1], second, NULL);
  for (int i = 0; i < 2; i++) scene_run_steps(&runs[i], 8);
  const SofaState *a = scene_run_state(&runs[0], "/state"),
                  *b = scene_run_state(&runs[1], "/state");
  assert_int_equal(a->position.n, b->position.n);
  for (size_t i = 0; i < 3 * a->position.n; i++)
    most = fmax(most, fabs(a->position.data[i] - b->position.data[i]));
  for (int i = 0; i < 2; i++) scene_run_close(&runs[i]);
  return most;
}

static void full_cells_are_uniform(void **state) {
  (void)state;
  assert_true(difference(SCENE("0", "0", PLAIN), SCENE("0", "2", FINER("2", ""))) < 1e-10);
  assert_true(difference(SCENE("0", "0", PLAIN), SCENE("0", "2", FINER("1", ""))) < 1e-10);
  // without finer cells it is the same also where cells count half
  assert_true(difference(SCENE("1", "0", PLAIN), SCENE("1", "0", FINER("0", ""))) < 1e-10);
}

static void half_filled_cells_are_softer(void **state) {
  (void)state;
  assert_true(difference(SCENE("0", "2", FINER("2", "")), SCENE("1", "2", FINER("2", ""))) > 1e-4);
}

static void refused(const char *scene, const char *words) {
  SceneRun run = {.quiet = true};
  scene_run_context(&run, NULL);
  run.quiet = true;
  SofaErr err = sofa_simulation_load_text(run.ctx, scene, &run.simulation);
  if (err == SOFA_OK) err = sofa_simulation_init(run.simulation);
  if (err == SOFA_OK) fail_msg("nothing says '%s'", words);
  if (!strstr(run.last, words)) fail_msg("'%s' does not say '%s'", run.last, words);
  scene_run_close(&run);
}

static void wrong_levels_are_refused(void **state) {
  (void)state;
  refused(SCENE("1", "1", FINER("2", "")), "expected 0 to 1");
  refused(SCENE("1", "1", FINER("1", "updateStiffnessMatrix='1'")), "not supported");
  refused("<Node name='root'><DefaultAnimationLoop/><RegularGridTopology n='3 3 3'/>"
          "<MechanicalObject/>" FINER("0", "") "</Node>",
          "no sparse grid");
}

static void survives_lack_of_memory(void **state) {
  (void)state;
  scene_without_memory(SCENE("1", "1", FINER("1", "")));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(full_cells_are_uniform),
      cmocka_unit_test(half_filled_cells_are_softer),
      cmocka_unit_test(wrong_levels_are_refused),
      cmocka_unit_test(survives_lack_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
