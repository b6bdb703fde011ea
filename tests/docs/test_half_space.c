/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The force field of docs/writing-a-force-field.md, as printed, below a falling point: its tangent
 * is exact, so that Newton's method converges under every implicit solver as soon as the contact is
 * found, whichever point the solver evaluates at. */
#include <math.h>

#include "simulation/convergence.h"
#include "tests/support/scene_run.h"

enum { STEPS = 60, MOST_ITERATIONS = 4 };

typedef struct Seen {
  uint32_t iterations; /* most of a step */
  double depth;        /* deepest place */
} Seen;

static void see(void *user, const SofaConvergenceRow *row) {
  Seen *seen = user;
  if (row->kind == SOFA_CONVERGENCE_NEWTON && row->iteration > seen->iterations)
    seen->iterations = row->iteration;
}

/* Falls from 1 cm; with k = 5e5 N/m it is about 0.6 mm deep. */
#define ROOT                                                                                       \
  "<Node name='root' dt='0.001' gravity='0 -9.81 0'><RequiredPlugin name='SofaCaribou'/>"          \
  "<DefaultAnimationLoop/><DefaultVisualManagerLoop/>"
#define FALLING(solvers)                                                                           \
  ROOT solvers "<MechanicalObject name='state' position='0 0.001 0' velocity='0 -0.5 0'/>"         \
               "<UniformMass totalMass='1'/><HalfSpace stiffness='5e5'/></Node>"
#define SCENE(solver) FALLING(solver "<SparseLDLSolver/>")
/* f = 0 where the spring carries the weight; the point begins in contact. */
#define RESTING(solvers)                                                                           \
  ROOT solvers                                                                                     \
      "<MechanicalObject name='state' position='0 -0.001 0'/><UniformMass totalMass='1'/>"         \
      "<PartialFixedProjectiveConstraint indices='0' fixedDirections='1 0 1'/>"                    \
      "<HalfSpace stiffness='5e5'/></Node>"
#define NEWTON                                                                                     \
  "<NewtonRaphsonSolver maxNbIterationsNewton='20' relativeSuccessiveStoppingThreshold='0' "       \
  "relativeInitialStoppingThreshold='0' absoluteResidualStoppingThreshold='1e-9' "                 \
  "relativeEstimateDifferenceThreshold='0' absoluteEstimateDifferenceThreshold='0'/>"
#define CARIBOU(solver)                                                                            \
  "<" solver " newton_iterations='20' correction_tolerance_threshold='-1' "                        \
  "residual_tolerance_threshold='-1' absolute_residual_tolerance_threshold='1e-9'/><LDLTSolver/>"

static void falls(const char *scene) {
  const SofaOrigin origin = {.emitter = "test"};
  SceneRun run = {0};
  Seen seen = {0};
  scene_run_context(&run, NULL);
  assert_int_equal(sofa_plugin_load(run.ctx, "HalfSpace", NULL, &origin), SOFA_OK);
  assert_int_equal(sofa_simulation_load_text(run.ctx, scene, &run.simulation), SOFA_OK);
  assert_int_equal(sofa_simulation_init(run.simulation), SOFA_OK);
  const SofaConvergence observer = {.row = see, .user = &seen};
  sofa_convergence_observe(run.ctx, &observer);
  for (int i = 0; i < STEPS; i++) {
    assert_int_equal(sofa_simulation_step(run.simulation, 0), SOFA_OK);
    const SofaState *state = scene_run_state(&run, "/state");
    seen.depth = fmin(seen.depth, state->position.data[1]);
  }
  assert_int_equal(run.n_problems, 0); /* every step has converged */
  assert_true(seen.iterations <= MOST_ITERATIONS);
  assert_true(seen.depth < 0 && seen.depth > -2e-3);
  scene_run_close(&run);
}

static void euler(void **state) {
  (void)state;
  falls(SCENE("<EulerImplicitSolver/>"));
}

static void newmark(void **state) {
  (void)state;
  falls(SCENE("<NewmarkImplicitSolver/>"));
}

static void bdf(void **state) {
  (void)state;
  falls(SCENE("<BDFOdeSolver order='2'/>" NEWTON));
}

static void variational(void **state) {
  (void)state;
  falls(SCENE("<VariationalSymplecticSolver steps='20' newtonError='1e-12'/>"));
}

static void statics(void **state) {
  (void)state;
  falls(RESTING("<StaticSolver/>" NEWTON "<SparseLDLSolver/>"));
}

static void caribou_euler(void **state) {
  (void)state;
  falls(FALLING(CARIBOU("BackwardEulerODESolver")));
}

static void caribou_statics(void **state) {
  (void)state;
  falls(RESTING(CARIBOU("StaticODESolver")));
  falls(
      RESTING("<LegacyStaticODESolver newton_iterations='20' residual_tolerance_threshold='1e-10' "
              "correction_tolerance_threshold='-1'/><SparseLDLSolver/>"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(euler),           cmocka_unit_test(newmark), cmocka_unit_test(bdf),
      cmocka_unit_test(variational),     cmocka_unit_test(statics), cmocka_unit_test(caribou_euler),
      cmocka_unit_test(caribou_statics),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
