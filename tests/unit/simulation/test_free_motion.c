/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* FreeMotionAnimationLoop without constraints: a step is that of DefaultAnimationLoop. */
#include "tests/support/scene_run.h"

#include <math.h>

#define FREE "<FreeMotionAnimationLoop/><BlockGaussSeidelConstraintSolver/>"
#define DEFAULT "<DefaultAnimationLoop/>"
#define SCENE(loop, solver)                                                                        \
  "<Node name='root' dt='0.0625' gravity='0 -9.81 0'>" loop "<DefaultVisualManagerLoop/>"          \
  "<Node name='body'>" solver "<CGLinearSolver iterations='50' tolerance='1e-12' "                 \
  "threshold='1e-30'/><RegularGridTopology n='2 2 2' min='0 0 0' max='1 1 1'/>"                    \
  "<MechanicalObject name='state'/><UniformMass totalMass='1'/>"                                   \
  "<MeshSpringForceField stiffness='100'/><LinearMovementProjectiveConstraint indices='0 3' "      \
  "keyTimes='0 0.2 2' movements='0 0 0 0.1 0.1 0 0 1 0'/>"                                         \
  "<Node name='below'><MechanicalObject name='state' position='0.5 0.5 0.5  2 2 2'/>"              \
  "<UniformMass totalMass='0.1'/><BarycentricMapping/></Node></Node></Node>"

#define EULER "<EulerImplicitSolver/>"
#define TRAPEZOID "<EulerImplicitSolver trapezoidalScheme='1'/>"

static bool alike(const char *one, const char *other, const SofaContextOptions *options) {
  static const char *const paths[] = {"/body/state", "/body/below/state"};
  SceneRun a, b;
  bool same = true;
  scene_run_open(&a, one, options);
  scene_run_open(&b, other, options);
  scene_run_steps(&a, 20);
  scene_run_steps(&b, 20);
  for (int k = 0; k < 2; k++) {
    const SofaState *s = scene_run_state(&a, paths[k]), *t = scene_run_state(&b, paths[k]);
    const size_t size = s->position.n * s->position.width * sizeof(double);
    same &= memcmp(s->position.data, t->position.data, size) == 0;
    same &= memcmp(s->velocity.data, t->velocity.data, size) == 0;
  }
  scene_run_close(&a);
  scene_run_close(&b);
  return same;
}

static void moves_without_correction(void **state) {
  (void)state;
  assert_true(alike(SCENE(FREE, EULER), SCENE(DEFAULT, EULER), NULL));
  SceneRun run;
  const SofaContextOptions quirks = {.quirks = true};
  scene_run_open(&run, SCENE(FREE, EULER), &quirks);
  const double before = scene_run_state(&run, "/body/state")->position.data[3 * 7 + 1];
  scene_run_steps(&run, 3);
  assert_true(scene_run_state(&run, "/body/state")->position.data[3 * 7 + 1] == before);
  scene_run_close(&run);
}

static void solvers_keep_their_rule(void **state) {
  (void)state;
  assert_true(alike(SCENE(FREE, TRAPEZOID), SCENE(DEFAULT, TRAPEZOID), NULL));
  assert_false(alike(SCENE(FREE, TRAPEZOID), SCENE(FREE, EULER), NULL));

  /* free positions by the velocities at the end of the step */
  for (int k = 0; k < 2; k++) {
    SceneRun run;
    const SofaContextOptions options = {.quirks = k};
    scene_run_open(&run, SCENE(FREE, TRAPEZOID), &options);
    const SofaState *s = scene_run_state(&run, "/body/state");
    const double x = s->position.data[3 * 7 + 1];
    scene_run_steps(&run, 1);
    const double by_end = x + 0.0625 * s->free_velocity.data[3 * 7 + 1];
    assert_true((fabs(s->free_position.data[3 * 7 + 1] - by_end) < 1e-15) == k);
    scene_run_close(&run);
  }
}

static void projections_see_the_end(void **state) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    SceneRun run;
    const SofaContextOptions options = {.quirks = k};
    scene_run_open(&run, SCENE(FREE, EULER), &options);
    const SofaState *s = scene_run_state(&run, "/body/state");
    scene_run_steps(&run, 2);
    /* 0.1 m in 0.2 s, two steps of 0.0625 s */
    assert_true(fabs(s->position.data[0] - (k ? 1 : 2) * 0.0625 * 0.5) < 1e-12);
    scene_run_close(&run);
  }
}

static void again_after_reset(void **state) {
  (void)state;
  SceneRun run;
  double first[24];
  scene_run_open(&run, SCENE(FREE, EULER), NULL);
  const SofaState *s = scene_run_state(&run, "/body/state");
  scene_run_steps(&run, 7);
  memcpy(first, s->position.data, sizeof first);
  assert_int_equal(sofa_simulation_reset(run.simulation), SOFA_OK);
  scene_run_steps(&run, 7);
  assert_memory_equal(first, s->position.data, sizeof first);
  scene_run_close(&run);
}

static void a_solver_is_added(void **state) {
  (void)state;
  SceneRun run = {.quiet = true};
  scene_run_context(&run, NULL);
  run.quiet = true;
  assert_int_equal(sofa_simulation_load_text(run.ctx, SCENE("<FreeMotionAnimationLoop/>", EULER),
                                             &run.simulation),
                   SOFA_OK);
  assert_int_equal(sofa_simulation_init(run.simulation), SOFA_OK);
  assert_non_null(strstr(run.all, "a BlockGaussSeidelConstraintSolver is added"));
  scene_run_steps(&run, 2);
  scene_run_close(&run);
}

#define HELD                                                                                       \
  "<Node name='root' dt='0.1' gravity='0 -10 0'>" FREE "<DefaultVisualManagerLoop/>"               \
  "<Node name='body'><NewmarkImplicitSolver beta='0.25'/>"                                         \
  "<SparseLDLSolver template='CompressedRowSparseMatrixMat3x3d'/>"                                 \
  "<MechanicalObject name='state' position='1 2 3'/><UniformMass totalMass='2'/>"                  \
  "<LinearSolverConstraintCorrection/><FixedLagrangianConstraint indices='0'/></Node></Node>"

/* A point that is held. The first free motion falls by g h^2 / 2; the correction c = 2 g takes it
 * back by h^2 beta c, so that the acceleration at the end of the step is -g + c = g. The next free
 * motion falls by h^2 ((1/2 - beta) (-g) + beta g) = 0; with the acceleration of the free motion by
 * g h^2 / 2. */
static void solvers_remember_the_motion(void **state) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    SceneRun run;
    SofaContextOptions options = {.quirk_words = k ? "free-memory" : NULL};
    scene_run_open(&run, HELD, &options);
    const SofaState *s = scene_run_state(&run, "/body/state");
    scene_run_steps(&run, 1);
    assert_true(fabs(s->position.data[1] - 2) < 1e-12);
    const double v = s->velocity.data[1];
    scene_run_steps(&run, 1);
    const double fall = s->free_position.data[1] - 2 - 0.1 * v;
    assert_true(fabs(fall + 10 * 0.01 * (k ? 0.5 : 0)) < 1e-12);
    scene_run_close(&run);
  }
}

#define LENGTHS                                                                                    \
  "<Node name='root' dt='0.01' gravity='0 -10 0'>" FREE "<DefaultVisualManagerLoop/>"              \
  "<Node name='body'><EulerImplicitSolver/>"                                                       \
  "<SparseLDLSolver template='CompressedRowSparseMatrixMat3x3d'/>"                                 \
  "<MeshTopology name='mesh' position='0 0 0  0 -1 0  1 0 0' lines='0 1  0 2'/>"                   \
  "<MechanicalObject name='state'/><UniformMass totalMass='3'/>"                                   \
  "<FixedProjectiveConstraint indices='0'/><LinearSolverConstraintCorrection/>"                    \
  "<Node name='lengths'><MechanicalObject name='state' template='Vec1d'/>"                         \
  "<DistanceMapping topology='@../mesh' computeDistance='1'/>"                                     \
  "<StopperLagrangianConstraint template='Vec1d' index='0' min='0.5' max='0.9'/>"                  \
  "<StopperLagrangianConstraint template='Vec1d' index='1' min='0.5' max='0.9'/></Node></Node>"    \
  "</Node>"

static void forces_count_once(void **state) {
  (void)state;
  double force[2] = {0, 0};
  for (int k = 0; k < 2; k++) {
    SceneRun run;
    SofaContextOptions options = {.quirk_words = k ? "constraint-force-count" : NULL};
    scene_run_open(&run, LENGTHS, &options);
    scene_run_steps(&run, 1);
    force[k] = scene_run_state(&run, "/body/lengths/state")->constraint_force.data[0];
    scene_run_close(&run);
  }
  assert_true(force[0] < -1 && fabs(force[1] - 2 * force[0]) < 1e-9 * fabs(force[0]));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(solvers_remember_the_motion), cmocka_unit_test(forces_count_once),
      cmocka_unit_test(moves_without_correction),    cmocka_unit_test(solvers_keep_their_rule),
      cmocka_unit_test(projections_see_the_end),     cmocka_unit_test(again_after_reset),
      cmocka_unit_test(a_solver_is_added),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
