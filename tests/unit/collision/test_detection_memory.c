/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A detection and its response do not allocate once they are warm: the steps of a run, when a run
 * of the same motion came before. */
#include "sheet_scene.h"

enum { WARM = 200, STEPS = 10 };

static const char *const phases[] = {"<BVHNarrowPhase/>", "<ParallelBVHNarrowPhase/>",
                                     "<DirectSAPNarrowPhase/>"};
static const char *const methods[] = {
    "NewProximityIntersection", "NewProximityIntersection useLineLine='1'",
    "MinProximityIntersection", "LocalMinDistance",
    "DiscreteIntersection",     "CCDTightInclusionIntersection continuousCollisionType='Inertia'"};

static void make_steps(SceneRun *run, int n) {
  for (int i = 0; i < n; i++)
    assert_int_equal(sofa_simulation_step(run->simulation, 0.001), SOFA_OK);
}

static void warm(const char *phase, const char *method, const SofaContextOptions *options) {
  static char text[20000];
  SceneRun run;
  run.quiet = true;
  sheet_scene(text, sizeof text, phase, method, "<EulerExplicitSolver/>");
  scene_run_context(&run, options);
  assert_int_equal(sofa_simulation_load_text(run.ctx, text, &run.simulation), SOFA_OK);
  assert_int_equal(sofa_simulation_init(run.simulation), SOFA_OK);
  make_steps(&run, WARM);
  const uint64_t before = run.ctx->n_allocations;
  make_steps(&run, STEPS);
  if (run.ctx->n_allocations != before)
    fail_msg("%s %s: %d allocations", phase, method, (int)(run.ctx->n_allocations - before));
  scene_run_close(&run);
}

static void without_memory(void **state) {
  (void)state;
  for (size_t m = 0; m < SOFA_COUNT(methods); m++) {
    const SofaContextOptions options = {.threads = 1 + (int)m % 2};
    warm(phases[m % SOFA_COUNT(phases)], methods[m], &options);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(without_memory)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
