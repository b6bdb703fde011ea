/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Models that are large enough for threads: the same bits with any number of them, also for the
 * phases whose names say parallel. */
#include "tests/support/scene_run.h"

enum { POINTS = 66, STEPS = 2 };

static const char *const phases[] = {"<BruteForceBroadPhase/><BVHNarrowPhase/>",
                                     "<ParallelBruteForceBroadPhase/><ParallelBVHNarrowPhase/>",
                                     "<BruteForceBroadPhase/><DirectSAPNarrowPhase/>",
                                     "<IncrSAP/>"};
typedef struct Case {
  const char *method, *models;
} Case;
#define SURFACE "<TriangleCollisionModel/><LineCollisionModel/><PointCollisionModel/>"
#define DISTANCES " alarmDistance='0.02' contactDistance='0.01'"
static const Case cases[] = {
    {"NewProximityIntersection" DISTANCES, "<TriangleCollisionModel/>"},
    {"NewProximityIntersection useLineLine='1' alarmDistance='0.01' contactDistance='0.005'",
     "<TriangleCollisionModel selfCollision='1'/>"},
    {"MinProximityIntersection" DISTANCES, SURFACE},
    {"LocalMinDistance angleCone='0.3'" DISTANCES, SURFACE},
    {"DiscreteIntersection", "<SphereCollisionModel radius='0.01'/>"},
    {"CCDTightInclusionIntersection continuousCollisionType='Inertia'" DISTANCES, SURFACE}};

/* Two sheets of 65 x 65 quads; the upper one, of springs, is bent so that it meets the lower one at
 * some places. */
static void make_scene(char *text, size_t size, const char *phase, const Case *of) {
  snprintf(text, size,
           "<Node dt='0.0001' gravity='0 -9.81 0'><DefaultAnimationLoop/><CollisionPipeline/>%s"
           "<%s/>"
           "<CollisionResponse response='PenalityContactForceField'/><Node name='low'>"
           "<RegularGridTopology n='%d 1 %d' min='0 0 0' max='1 0 1'/><MechanicalObject/>%s</Node>"
           "<Node name='high'><EulerExplicitSolver/>"
           "<RegularGridTopology n='%d 1 %d' min='0.003 0.011 0.002' max='0.96 0.011 0.97'/>"
           "<MechanicalObject name='state'/><UniformMass totalMass='3'/>%s</Node></Node>",
           phase, of->method, POINTS, POINTS, of->models, POINTS, POINTS, of->models);
}

static void run_scene(const char *text, int threads, double *out, size_t n) {
  const SofaContextOptions options = {.threads = threads};
  SceneRun run;
  run.quiet = true;
  scene_run_context(&run, &options);
  assert_int_equal(sofa_simulation_load_text(run.ctx, text, &run.simulation), SOFA_OK);
  assert_int_equal(sofa_simulation_init(run.simulation), SOFA_OK);
  const SofaState *state = scene_run_state(&run, "/high/state");
  for (size_t i = 0; i < state->position.n; i++) /* waves */
    state->position.data[3 * i + 1] += 0.0005 * (double)(i % 7) - 0.001;
  scene_run_steps(&run, STEPS);
  assert_int_equal(state->position.n, n / 3);
  memcpy(out, state->position.data, n * sizeof *out);
  scene_run_close(&run);
}

static void same_bits(void **state) {
  (void)state;
  static double one[3 * POINTS * POINTS], many[3 * POINTS * POINTS];
  char text[4000];
  for (size_t m = 0; m < SOFA_COUNT(cases); m++) {
    make_scene(text, sizeof text, phases[m % SOFA_COUNT(phases)], &cases[m]);
    run_scene(text, 1, one, SOFA_COUNT(one));
    run_scene(text, 2 + (int)m % 2, many, SOFA_COUNT(many));
    assert_memory_equal(one, many, sizeof one);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(same_bits)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
