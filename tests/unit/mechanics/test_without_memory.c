/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Masses, constraints, boxes, recording and output when memory runs out at any moment: a clean
 * error, no crash, nothing lost. */
#include "components/builtins.h"
#include "tests/support/scene_run.h"

#include <unistd.h>

#include "tests/unit/base/failing_allocator.h"

static const char scene[] =
    "<Node name='root' dt='0.1'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>"
    "<Node name='body'>"
    "<EulerImplicitSolver/><CGLinearSolver/>"
    "<RegularGridTopology n='2 2 3' min='0 0 0' max='1 1 2'/><MechanicalObject name='state'/>"
    "<%s totalMass='2'/>"
    "<BoxROI name='box' box='0 0 0 1 1 0' orientedBox='0 0 0 1 0 0 1 1 0 0.1'/>"
    "<FixedProjectiveConstraint indices='@box.indices'/>"
    "<WriteState filename='%s/out.txt.gz' writeV='1'/>"
    "<VTKExporter filename='%s/out' exportEveryNumberOfSteps='1' hexas='1' overwrite='1' "
    "pointsDataFields='state.velocity'/>"
    "</Node><OglModel filename='scenes/visual/cube.obj' color='red'/></Node>";

/* Loads, initialises, makes two steps, destroys; *used: calls before the end, which needs none. */
static SofaErr run(const char *text, FailingAllocator *allocator, uint64_t *used) {
  const SofaContextOptions options = {
      .allocate = failing_allocate, .allocate_user = allocator, .sink = quiet_sink};
  SofaContext *ctx = NULL;
  SofaSimulation *simulation = NULL;
  SofaErr err = sofa_context_create(&options, &ctx);
  if (err == SOFA_OK) err = sofa_register_builtins(ctx);
  if (err == SOFA_OK) err = sofa_simulation_load_text(ctx, text, &simulation);
  if (err == SOFA_OK) err = sofa_simulation_init(simulation);
  if (err == SOFA_OK) err = sofa_simulation_step(simulation, 0);
  if (err == SOFA_OK) err = sofa_simulation_step(simulation, 0);
  *used = allocator->calls;
  sofa_simulation_destroy(&simulation);
  sofa_context_destroy(&ctx);
  return err;
}

static void every_failure_is_clean(void **state) {
  (void)state;
  static const char *const masses[] = {"UniformMass", "DiagonalMass", "MeshMatrixMass"};
  char folder[] = "/tmp/csofa-memory-XXXXXX", text[3000], path[100];
  assert_non_null(mkdtemp(folder));
  for (int m = 0; m < 3; m++) {
    snprintf(text, sizeof text, scene, masses[m], folder, folder);
    FailingAllocator all = {0};
    uint64_t used = 0, ignored = 0;
    assert_int_equal(run(text, &all, &used), SOFA_OK);
    assert_int_equal(all.live, 0);
    for (uint64_t n = 1; n <= used; n++) {
      FailingAllocator allocator = {.fail_at = n};
      const SofaErr err = run(text, &allocator, &ignored);
      if (err == SOFA_OK)
        fail_msg("%s: failure of call %lu went unnoticed", masses[m], (unsigned long)n);
      if (allocator.live)
        fail_msg("%s: %ld blocks lost at call %lu", masses[m], (long)allocator.live,
                 (unsigned long)n);
    }
  }
  static const char *const names[] = {"out.txt.gz", "out.vtu", "out.pvd", "out.vtu.part",
                                      "out.pvd.part"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    snprintf(path, sizeof path, "%s/%s", folder, names[i]);
    unlink(path);
  }
  rmdir(folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_failure_is_clean)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
