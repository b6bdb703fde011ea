/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the direct solvers of SofaCaribou count: an analysis of the pattern when the strategy asks
 * for one, and a factorization per iteration of Newton's method. */
#include "tests/support/scene_run.h"

#include "simulation/convergence.h"
#include "tests/support/gpl_parts.h"

static const char *const solvers[] = {"LLTSolver", "LDLTSolver", "LUSolver"};

static void open_body(SceneRun *run, const char *solver, const char *strategy, const char *force) {
  char text[2000];
  snprintf(text, sizeof text,
           "<Node dt='0.02' gravity='0 -9.81 0'><RequiredPlugin name='SofaCaribou'/>"
           "<DefaultAnimationLoop/><BackwardEulerODESolver name='ode' newton_iterations='3' "
           "residual_tolerance_threshold='-1' correction_tolerance_threshold='-1' "
           "absolute_residual_tolerance_threshold='-1' pattern_analysis_strategy='%s'/>"
           "<%s name='linear'/><RegularGridTopology n='3 2 2' min='0 0 0' max='2 1 1'/>"
           "<MechanicalObject/><UniformMass totalMass='3'/><FixedProjectiveConstraint "
           "indices='0 3 6 9'/>%s</Node>",
           strategy, solver, force);
  *run = (SceneRun){.quiet = true};
  scene_run_context(run, NULL);
  assert_int_equal(sofa_simulation_load_text(run->ctx, text, &run->simulation), SOFA_OK);
  if (sofa_simulation_init(run->simulation) != SOFA_OK) fail_msg("%s", run->all);
}

static uint32_t count_of(SceneRun *run, const char *name) {
  const SofaObject *linear = scene_run_object(run, "/linear");
  return *(const uint32_t *)sofa_field_value(linear, sofa_class_field(linear->klass, name));
}

static void expect(SceneRun *run, const char *what, uint32_t analyses, uint32_t factorizations) {
  const uint32_t a = count_of(run, "analyses"), f = count_of(run, "factorizations");
  if (a != analyses || f != factorizations)
    fail_msg("%s: %u analyses and %u factorizations, expected %u and %u", what, a, f, analyses,
             factorizations);
}

/* Elements that turn: another matrix in each of the three iterations of a step. */
static void counts_of_a_turning_body(void **state) {
  static const struct {
    const char *strategy;
    uint32_t first, second; /* analyses after a step, and after two */
  } cases[] = {{"NEVER", 1, 1},
               {"BEGINNING_OF_THE_SIMULATION", 1, 1},
               {"BEGINNING_OF_THE_TIME_STEP", 1, 2},
               {"ALWAYS", 3, 6}};
  (void)state;
  for (size_t i = 0; i < SOFA_COUNT(solvers); i++) {
    if (lacks_gpl_part(solvers[i])) continue;
    for (size_t k = 0; k < SOFA_COUNT(cases); k++) {
      char what[100];
      SceneRun run;
      snprintf(what, sizeof what, "%s, %s", solvers[i], cases[k].strategy);
      open_body(&run, solvers[i], cases[k].strategy,
                "<HexahedronFEMForceField method='large' youngModulus='500' poissonRatio='0.3'/>");
      expect(&run, what, 0, 0);
      scene_run_steps(&run, 1);
      expect(&run, what, cases[k].first, 3);
      scene_run_steps(&run, 1);
      expect(&run, what, cases[k].second, 6);
      scene_run_close(&run);
    }
  }
}

/* One squared residual for each iteration of the last solve, the start not among them. */
static void residuals_of_iterations(void **state) {
  SceneRun run;
  (void)state;
  open_body(&run, "ConjugateGradientSolver", "NEVER",
            "<HexahedronFEMForceField method='large' youngModulus='500' poissonRatio='0.3'/>");
  scene_run_steps(&run, 1);
  const SofaObject *linear = scene_run_object(&run, "/linear");
  const SofaReals *r =
      sofa_field_value(linear, sofa_class_field(linear->klass, "squared_residuals"));
  assert_int_equal(r->n, ((const SofaLinearSolver *)linear)->result.iterations);
  assert_true(r->n > 3 && r->data[r->n - 1] < 1e-6 * r->data[0]);
  scene_run_close(&run);
}

typedef struct Iterations {
  double tolerance, last;
  int n, solves;
} Iterations;

/* |r|/|b| of the iterations; all but the last of a solve are above the tolerance. */
static void follow(void *user, const SofaConvergenceRow *row) {
  Iterations *i = user;
  if (row->kind == SOFA_CONVERGENCE_LINEAR) {
    if (!(i->last < i->tolerance)) fail_msg("|r|/|b| = %g, not below %g", i->last, i->tolerance);
    i->solves++;
  }
  if (row->kind != SOFA_CONVERGENCE_ITERATION) return;
  if (row->iteration > 0 && !(i->last >= i->tolerance))
    fail_msg("|r|/|b| = %g is below %g, and the solve goes on", i->last, i->tolerance);
  i->last = row->relative_residual;
  i->n++;
}

/* Conjugate gradients stop with the first |r| below the tolerance times |b|. */
static void a_solve_stops_at_its_tolerance(void **state) {
  static const double tolerances[] = {0.3, 1e-2, 1e-4, 1e-8};
  int before = 0;
  (void)state;
  for (size_t k = 0; k < SOFA_COUNT(tolerances); k++) {
    char solver[200];
    Iterations seen = {.tolerance = tolerances[k]};
    const SofaConvergence observer = {.row = follow, .user = &seen};
    SceneRun run;
    snprintf(solver, sizeof solver,
             "ConjugateGradientSolver maximum_number_of_iterations='200' "
             "residual_tolerance_threshold='%g'",
             tolerances[k]);
    open_body(&run, solver, "NEVER",
              "<HexahedronFEMForceField method='large' youngModulus='500' poissonRatio='0.3'/>");
    sofa_convergence_observe(run.ctx, &observer);
    scene_run_steps(&run, 2);
    assert_int_equal(seen.solves, 6);
    assert_true(seen.n > before);
    before = seen.n;
    scene_run_close(&run);
  }
}

/* A preconditioner takes iterations away. */
static void preconditioners_save_iterations(void **state) {
  static const struct {
    const char *name;
    double most; /* share of the iterations without one */
  } methods[] = {{"None", 1},
                 {"Identity", 1},
                 {"Diagonal", 1.1},
                 {"IncompleteCholesky", 0.6},
                 {"IncompleteLU", 0.6}};
  int iterations[SOFA_COUNT(methods)];
  (void)state;
  for (size_t k = 0; k < SOFA_COUNT(methods); k++) {
    char solver[200];
    SceneRun run;
    snprintf(solver, sizeof solver,
             "ConjugateGradientSolver maximum_number_of_iterations='200' "
             "residual_tolerance_threshold='1e-8' preconditioning_method='%s'",
             methods[k].name);
    open_body(&run, solver, "NEVER",
              "<HexahedronFEMForceField method='large' youngModulus='50000' poissonRatio='0.3'/>");
    scene_run_steps(&run, 1);
    iterations[k] =
        ((const SofaLinearSolver *)scene_run_object(&run, "/linear"))->result.iterations;
    if (!(iterations[k] <= methods[k].most * iterations[0]))
      fail_msg("%s: %d iterations, %d without", methods[k].name, iterations[k], iterations[0]);
    scene_run_close(&run);
  }
}

/* The solution of 0 is 0, whatever stood there. */
static void nothing_is_solved_by_nothing(void **state) {
  SceneRun run;
  (void)state;
  open_body(&run, "ConjugateGradientSolver", "NEVER",
            "<HexahedronFEMForceField method='large' youngModulus='500' poissonRatio='0.3'/>");
  scene_run_steps(&run, 1);
  SofaLinearSolver *linear = (SofaLinearSolver *)scene_run_object(&run, "/linear");
  const size_t n = linear->system->mechanics->n_v;
  double b[100] = {0}, x[100];
  assert_true(n <= SOFA_COUNT(b));
  for (size_t i = 0; i < n; i++) x[i] = 1;
  assert_int_equal(sofa_linear_solver_solve(linear, b, x), SOFA_OK);
  for (size_t i = 0; i < n; i++) assert_true(x[i] == 0);
  scene_run_close(&run);
}

/* The first message of a linear solver. */
static void hear(void *user, const SofaMessage *m) {
  char *heard = user;
  if (m->severity == SOFA_INFO && m->origin.path && strcmp(m->origin.path, "/linear") == 0 &&
      !heard[0])
    snprintf(heard, 200, "%s", m->text);
}

/* A solver tells what does the work in place of the backend that the scene names. */
static void solvers_tell_what_serves(void **state) {
  static const char *const served[] = {"CHOLMOD", "CHOLMOD", "UMFPACK"};
  (void)state;
  for (size_t i = 0; i < SOFA_COUNT(solvers); i++) {
    char text[600], heard[200] = "", expected[200];
    const SofaContextOptions options = {.sink = hear, .sink_user = heard};
    SofaContext *ctx = NULL;
    SofaSimulation *simulation = NULL;
    if (lacks_gpl_part(solvers[i])) continue;
    snprintf(text, sizeof text,
             "<Node><RequiredPlugin name='SofaCaribou'/><DefaultAnimationLoop/>"
             "<BackwardEulerODESolver/><%s name='linear' backend='Pardiso' printLog='1'/>"
             "<MechanicalObject position='0 0 0'/><UniformMass totalMass='3'/></Node>",
             solvers[i]);
    snprintf(expected, sizeof expected, "backend Pardiso: served by %s", served[i]);
    assert_int_equal(sofa_context_create(&options, &ctx), SOFA_OK);
    assert_int_equal(sofa_register_builtins(ctx), SOFA_OK);
    assert_int_equal(sofa_simulation_load_text(ctx, text, &simulation), SOFA_OK);
    assert_int_equal(sofa_simulation_init(simulation), SOFA_OK);
    assert_string_equal(heard, expected);
    sofa_simulation_destroy(&simulation);
    sofa_context_destroy(&ctx);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(counts_of_a_turning_body),
                                     cmocka_unit_test(residuals_of_iterations),
                                     cmocka_unit_test(a_solve_stops_at_its_tolerance),
                                     cmocka_unit_test(preconditioners_save_iterations),
                                     cmocka_unit_test(nothing_is_solved_by_nothing),
                                     cmocka_unit_test(solvers_tell_what_serves)};
  return with_skipped(cmocka_run_group_tests(tests, NULL, NULL));
}
