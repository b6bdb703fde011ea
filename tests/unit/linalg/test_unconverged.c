/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Solutions that do not converge are reported with their true residual, by every iterative solver;
 * with strict they end the run. */
#include "tests/support/scene_run.h"

#include <math.h>

#include "behavior/linear_solver.h"

/* A slender beam of 27 x 2 x 2 points under gravity: the matrix is far from the identity. */
static const char beam[] =
    "<Node name='root' dt='0.1' gravity='0 -10 0'><DefaultAnimationLoop/>"
    "<DefaultVisualManagerLoop/><Node name='body'>"
    "<StaticSolver/><NewtonRaphsonSolver warnWhenDiverge='0'/><%s name='solver' %s/>"
    "<RegularGridTopology name='grid' n='27 2 2' min='0 0 0' max='26 1 1'/>"
    "<MechanicalObject name='state'/><UniformMass totalMass='1'/>"
    "<HexahedronFEMForceField youngModulus='1e4' poissonRatio='0.3'/>"
    "<FixedProjectiveConstraint indices='0 27 54 81'/></Node></Node>";

/* The field with the most iterations; NULL: the class does not iterate. */
static const char *iterations_of(const SofaClass *klass) {
  static const char *const names[] = {"iterations", "maximum_number_of_iterations"};
  if (klass->abstract || !sofa_class_ops(klass, SOFA_LINEAR_SOLVER)) return NULL;
  for (size_t i = 0; i < 2; i++)
    if (sofa_class_field(klass, names[i])) return names[i];
  return NULL;
}

static void open_beam(SceneRun *run, const char *name, const char *fields, bool strict) {
  char text[2000];
  const SofaOrigin origin = {.emitter = "test"};
  memset(run, 0, sizeof *run);
  run->quiet = true;
  scene_run_context(run, &(SofaContextOptions){.strict = strict});
  run->quiet = true;
  assert_int_equal(sofa_plugin_load(run->ctx, "SofaCaribou", NULL, &origin), SOFA_OK);
  snprintf(text, sizeof text, beam, name, fields);
  assert_int_equal(sofa_simulation_load_text(run->ctx, text, &run->simulation), SOFA_OK);
  assert_int_equal(sofa_simulation_init(run->simulation), SOFA_OK);
  assert_int_equal(run->n_problems, 0);
}

static bool has_converged(SceneRun *run) {
  SofaObject *object = scene_run_object(run, "/body/solver");
  const SofaField *field = sofa_class_field(object->klass, "converged");
  assert_non_null(field);
  assert_true(field->flags & SOFA_FIELD_OUTPUT);
  return *(const bool *)sofa_field_value(object, field);
}

/* Five iterations: a warning with the residual, then the count; many: nothing. */
static void check_solver(const char *name, const char *iterations) {
  SceneRun run;
  char few[100], many[200], words[100];
  print_message("%s\n", name);
  snprintf(few, sizeof few, "%s='5'", iterations);
  snprintf(many, sizeof many, "%s='3000'", iterations);
  open_beam(&run, name, few, false);
  assert_true(has_converged(&run));
  scene_run_steps(&run, 1);
  const SofaLinearSolver *solver = (const SofaLinearSolver *)scene_run_object(&run, "/body/solver");
  assert_int_equal(run.n_problems, 1);
  assert_false(has_converged(&run));
  assert_true(solver->result.residual > 1e-3); /* the beam does not hang yet */
  snprintf(words, sizeof words, "step 1 (t = 0 s): |b - A x|/|b| is %.3g", solver->result.residual);
  words[strlen(words) - 1] = 0; /* its last digit is rounded */
  if (!strstr(run.last, words)) fail_msg("'%s' is not in '%s'", words, run.last);
  scene_run_steps(&run, 3);
  assert_int_equal(run.n_problems, 1);
  assert_int_equal(sofa_simulation_finish(run.simulation), SOFA_OK);
  assert_int_equal(run.n_problems, 2);
  assert_non_null(strstr(run.last, "4 of 4 solves of this run did not converge"));
  scene_run_close(&run);

  open_beam(&run, name, few, true);
  assert_int_equal(sofa_simulation_step(run.simulation, 0), SOFA_ERR_NOT_CONVERGED);
  assert_non_null(strstr(run.all, "/body/solver: not converged in step 1"));
  scene_run_close(&run);

  open_beam(&run, name, many, true);
  scene_run_steps(&run, 1);
  assert_true(has_converged(&run));
  assert_int_equal(run.n_problems, 0);
  scene_run_close(&run);
}

static void every_iterative_solver(void **state) {
  (void)state;
  SceneRun run;
  int n = 0;
  open_beam(&run, "SparseLDLSolver", "", false);
  for (size_t i = 0; i < sofa_factory_n_classes(run.ctx); i++) {
    const SofaClass *klass = sofa_factory_class_at(run.ctx, i);
    const char *iterations = iterations_of(klass);
    if (!iterations) continue;
    check_solver(klass->name, iterations);
    n++;
  }
  assert_true(n >= 5); /* CG, ParallelCG, PCG, MINRES, Caribou's */
  scene_run_close(&run);
}

/* One Newton iteration per step of a soft block under gravity, by each kind of owner of Newton
 * iterations: a warning, then the count, again after a reset. Those of SofaCaribou:
 * test_caribou_newton. */
static void newton_solves(void **state) {
#define NEWTON "<NewtonRaphsonSolver name='newton' maxNbIterationsNewton='1'/>"
  static const struct {
    const char *owner, *solvers;
    int n;
  } cases[] = {
      {"/newton", "<StaticSolver/>" NEWTON, 2}, /* its loads do not change */
      {"/newton", "<BDFOdeSolver/>" NEWTON, 3},
      {"/ode", "<VariationalSymplecticSolver name='ode' steps='1' newtonError='1e-12'/>", 3},
  };
  (void)state;
  for (size_t i = 0; i < SOFA_COUNT(cases); i++) {
    SceneRun run = {.quiet = true};
    char text[2000], words[200];
    snprintf(text, sizeof text,
             "<Node name='root' dt='0.1' gravity='0 -10 0'><DefaultAnimationLoop/>"
             "<DefaultVisualManagerLoop/>%s<SparseLDLSolver/>"
             "<RegularGridTopology n='3 2 2' min='0 0 0' max='2 1 1'/><MechanicalObject/>"
             "<UniformMass totalMass='1'/><HexahedronFEMForceField youngModulus='300' "
             "poissonRatio='0.3'/><FixedProjectiveConstraint indices='0 3 6 9'/></Node>",
             cases[i].solvers);
    scene_run_context(&run, NULL);
    run.quiet = true;
    assert_int_equal(sofa_simulation_load_text(run.ctx, text, &run.simulation), SOFA_OK);
    assert_int_equal(sofa_simulation_init(run.simulation), SOFA_OK);
    for (int round = 0; round < 2; round++) {
      scene_run_steps(&run, 3);
      assert_int_equal(run.n_problems, 1 + round);
      snprintf(words, sizeof words, "%s: not converged after 1 iterations", cases[i].owner);
      if (!strstr(run.last, words)) fail_msg("'%s' is not in '%s'", words, run.last);
      if (!round) assert_int_equal(sofa_simulation_reset(run.simulation), SOFA_OK);
    }
    assert_int_equal(sofa_simulation_finish(run.simulation), SOFA_OK);
    assert_int_equal(run.n_problems, 3);
    snprintf(words, sizeof words, "%s: %d of 3 solves of this run did not converge", cases[i].owner,
             cases[i].n);
    if (!strstr(run.last, words)) fail_msg("'%s' is not in '%s'", words, run.last);
    scene_run_close(&run);
  }
#undef NEWTON
}

/* CGLinearSolver's threshold has a dimension: in a scene of small forces it holds at once. */
static void threshold_of_small_forces(void **state) {
  (void)state;
  SceneRun run;
  open_beam(&run, "CGLinearSolver", "iterations='3000' threshold='1e3'", false);
  scene_run_steps(&run, 1);
  assert_false(has_converged(&run));
  assert_non_null(strstr(run.all, "the field 'threshold' ended them"));
  scene_run_close(&run);
}

/* Where MINRES said that it had converged: the estimates hold, the residual is large. */
static void minres_residual(void **state) {
  (void)state;
  double residual[2] = {0, 0};
  for (int quirk = 0; quirk < 2; quirk++) {
    char text[2000];
    SceneRun run;
    snprintf(text, sizeof text, beam, "MinResLinearSolver", "iterations='3000' tolerance='1e-3'");
    scene_run_open(&run, text,
                   &(SofaContextOptions){.quirk_words = quirk ? "minres-estimates" : NULL});
    run.quiet = true;
    scene_run_steps(&run, 1);
    residual[quirk] =
        ((const SofaLinearSolver *)scene_run_object(&run, "/body/solver"))->result.residual;
    assert_int_equal(run.n_problems, quirk);
    scene_run_close(&run);
  }
  assert_true(residual[0] <= 1.1e-3);
  assert_true(residual[1] > 1e-2);
}

/* A preconditioner of small entries: SOFA's rule holds before the first iteration. */
static void pcg_residual(void **state) {
  (void)state;
  for (int quirk = 0; quirk < 2; quirk++) {
    SceneRun run;
    char text[2000];
    snprintf(text, sizeof text, beam, "PCGLinearSolver",
             "iterations='3000' tolerance='1e-3' preconditioner='@p'/>"
             "<JacobiPreconditioner name='p'");
    scene_run_open(
        &run, text,
        &(SofaContextOptions){.quirk_words = quirk ? "pcg-preconditioned-residual" : NULL});
    run.quiet = true;
    scene_run_steps(&run, 1);
    const SofaLinearSolver *solver =
        (const SofaLinearSolver *)scene_run_object(&run, "/body/solver");
    assert_int_equal(solver->result.converged, !quirk);
    assert_int_equal(run.n_problems, quirk);
    assert_true(quirk ? solver->result.residual > 0.1 : solver->result.residual < 0.04);
    scene_run_close(&run);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_iterative_solver),
      cmocka_unit_test(newton_solves),
      cmocka_unit_test(threshold_of_small_forces),
      cmocka_unit_test(minres_residual),
      cmocka_unit_test(pcg_residual),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
