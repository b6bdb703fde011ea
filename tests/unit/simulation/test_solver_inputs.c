/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What older scenes say, or leave out. The thresholds that they give to StaticSolver are those of
 * NewtonRaphsonSolver: the same iterations, to the bit. Solvers without a linear solver warn, or
 * are left out of a run that goes on. */
#include <math.h>

#include "simulation/convergence.h"
#include "tests/support/scene_run.h"

#define ROOM 60

typedef struct Residuals {
  double value[ROOM];
  size_t n;
} Residuals;

static void note(void *user, const SofaConvergenceRow *row) {
  Residuals *r = user;
  if (row->kind == SOFA_CONVERGENCE_NEWTON && r->n < ROOM) r->value[r->n++] = row->residual;
}

/* Residuals of a cantilever that bends far in one step. */
static void bend(const char *on_static, const char *newton, Residuals *out) {
  const SofaConvergence observer = {.row = note, .user = out};
  char text[2000];
  SceneRun run = {.quiet = true};
  *out = (Residuals){.n = 0};
  snprintf(text, sizeof text,
           "<Node gravity='0 0 0'><DefaultAnimationLoop/><StaticSolver %s/>%s<SparseLDLSolver/>"
           "<RegularGridTopology n='9 2 2' min='0 0 0' max='8 1 1'/><MechanicalObject/>"
           "<HexahedronFEMForceField method='polar' youngModulus='1000' poissonRatio='0.3'/>"
           "<FixedProjectiveConstraint indices='0 9 18 27'/>"
           "<ConstantForceField indices='8 17 26 35' totalForce='0 0 8'/></Node>",
           on_static, newton);
  scene_run_context(&run, NULL);
  sofa_convergence_observe(run.ctx, &observer);
  assert_int_equal(sofa_simulation_load_text(run.ctx, text, &run.simulation), SOFA_OK);
  assert_int_equal(sofa_simulation_init(run.simulation), SOFA_OK);
  scene_run_steps(&run, 1);
  scene_run_close(&run);
}

static void older_thresholds(void **state) {
  static const struct {
    const char *older, *now, *value;
  } names[] = {
      {"newton_iterations", "maxNbIterationsNewton", "3"},
      {"absolute_correction_tolerance_threshold", "absoluteEstimateDifferenceThreshold", "2"},
      {"relative_correction_tolerance_threshold", "relativeEstimateDifferenceThreshold", "0.1"},
      {"absolute_residual_tolerance_threshold", "absoluteResidualStoppingThreshold", "1"},
      {"relative_residual_tolerance_threshold", "relativeInitialStoppingThreshold", "0.5"},
  };
  Residuals plain, older, now;
  (void)state;
  bend("newton_iterations='25'", "", &plain);
  for (size_t i = 0; i < SOFA_COUNT(names); i++) {
    char attribute[200], newton[300];
    snprintf(attribute, sizeof attribute, "%s %s='%s'", i ? "newton_iterations='25'" : "",
             names[i].older, names[i].value);
    snprintf(newton, sizeof newton, "<NewtonRaphsonSolver %s %s='%s'/>",
             i ? "maxNbIterationsNewton='25'" : "", names[i].now, names[i].value);
    bend(attribute, "", &older);
    bend("", newton, &now);
    if (older.n != now.n || older.n == plain.n)
      fail_msg("%s: %zu iterations, %s: %zu, without: %zu", names[i].older, older.n, names[i].now,
               now.n, plain.n);
    assert_memory_equal(older.value, now.value, now.n * sizeof *now.value);
  }
}

/* With keep_going the solver is an error and steps do nothing; without, init warns and the step
 * fails. */
static void without_a_linear_solver(void **state) {
  static const char *const solvers[] = {"EulerImplicitSolver", "NewmarkImplicitSolver",
                                        "BDFOdeSolver", "StaticSolver",
                                        "VariationalSymplecticSolver"};
  (void)state;
  for (size_t i = 0; i < SOFA_COUNT(solvers); i++)
    for (int keep_going = 0; keep_going < 2; keep_going++) {
      const SofaContextOptions options = {.keep_going = keep_going};
      char text[1000];
      SceneRun run = {.quiet = true};
      snprintf(
          text, sizeof text,
          "<Node gravity='0 -1 0'><DefaultAnimationLoop/><%s name='ode'/><NewtonRaphsonSolver/>"
          "<MechanicalObject name='state'/><UniformMass totalMass='1'/></Node>",
          solvers[i]);
      scene_run_context(&run, &options);
      assert_int_equal(sofa_simulation_load_text(run.ctx, text, &run.simulation), SOFA_OK);
      assert_int_equal(sofa_simulation_init(run.simulation), SOFA_OK);
      assert_non_null(strstr(run.all, "no linear solver in the node or below it"));
      assert_int_equal(run.ctx->n_messages[SOFA_ERROR], keep_going);
      assert_int_equal(sofa_valid(scene_run_object(&run, "/ode")), !keep_going);
      const SofaErr err = sofa_simulation_step(run.simulation, 0);
      if (keep_going != (err == SOFA_OK)) fail_msg("%s: %s", solvers[i], sofa_err_text(err));
      assert_true(scene_run_state(&run, "/state")->position.data[1] == 0);
      scene_run_close(&run);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(older_thresholds),
                                     cmocka_unit_test(without_a_linear_solver)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
