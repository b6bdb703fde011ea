/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Masses, constraints, boxes, recording and output when memory runs out at any moment: a clean
 * error, no crash, nothing lost. */
#include "components/builtins.h"
#include "tests/support/scene_memory.h"

#include <unistd.h>

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
    "</Node><OglModel filename='scenes/visual/cube.obj' color='red'/>"
    "<Node name='tube'><MeshTopology filename='scenes/visual/tube.obj'/></Node></Node>";

static void every_failure_is_clean(void **state) {
  (void)state;
  static const char *const masses[] = {"UniformMass", "DiagonalMass", "MeshMatrixMass"};
  char folder[] = "/tmp/csofa-memory-XXXXXX", text[3000], path[100];
  assert_non_null(mkdtemp(folder));
  for (int m = 0; m < 3; m++) {
    snprintf(text, sizeof text, scene, masses[m], folder, folder);
    scene_runs_without_memory(masses[m], text, 2, 0);
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
