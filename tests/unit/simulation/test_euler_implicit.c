/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* EulerImplicitSolver against mathematics: order of convergence, damping, free fall, momentum. */
#include "tests/support/scene_run.h"
#include "tests/support/skipped.h"

#include <locale.h>
#include <math.h>

/* Two points joined by a spring of stiffness 100 N/m, rest length 1 m, the second one pulled out by
 * 0.1 m; the first is fixed, the second has 2 kg: x(t) = 1 + 0.1 cos(omega t), omega^2 = 50. */
static const char oscillator[] =
    "<Node name='root' dt='%.17g' gravity='0 0 0'><DefaultAnimationLoop/>"
    "<DefaultVisualManagerLoop/>"
    "<Node name='body'>"
    "<EulerImplicitSolver %s/><SparseLDLSolver/>"
    "<MeshTopology position='0 0 0 1 0 0' edges='0 1'/>"
    "<MechanicalObject name='state' position='0 0 0 1.1 0 0' rest_position='0 0 0 1 0 0'/>"
    "<UniformMass vertexMass='2'/>"
    "<MeshSpringForceField stiffness='100' damping='0'/>"
    "<FixedProjectiveConstraint indices='0'/>"
    "</Node></Node>";

/* Error of x at t = 0.4 s with n steps. */
static double oscillator_error(int n, const char *attributes) {
  char text[2000];
  const double t = 0.4, omega = sqrt(50);
  SceneRun run;
  snprintf(text, sizeof text, oscillator, t / n, attributes);
  scene_run_open(&run, text, NULL);
  scene_run_steps(&run, n);
  const double x = scene_run_state(&run, "/body/state")->position.data[3];
  scene_run_close(&run);
  return fabs(x - (1 + 0.1 * cos(omega * t)));
}

static void order_one_in_dt(void **state) {
  (void)state;
  const double coarse = oscillator_error(400, ""), fine = oscillator_error(800, "");
  assert_true(fabs(log2(coarse / fine) - 1) < 0.05);
}

static void trapezoidal_rule_is_of_order_two(void **state) {
  (void)state;
  const char *attributes = "trapezoidalScheme='1'";
  const double coarse = oscillator_error(100, attributes), fine = oscillator_error(200, attributes);
  assert_true(fabs(log2(coarse / fine) - 2) < 0.05);
}

/* M v = f: x - 1 decays by exp(-k t / m) with k / m = 50. */
static double relaxation_error(int n, const char *attributes) {
  char text[2000];
  const double t = 0.02;
  SceneRun run;
  snprintf(text, sizeof text, oscillator, t / n, attributes);
  scene_run_open(&run, text, NULL);
  scene_run_steps(&run, n);
  const double x = scene_run_state(&run, "/body/state")->position.data[3];
  scene_run_close(&run);
  return fabs(x - (1 + 0.1 * exp(-50 * t)));
}

static void first_order_systems_relax(void **state) {
  (void)state;
  const char *euler = "firstOrder='1'", *mid = "firstOrder='1' trapezoidalScheme='1'";
  assert_true(fabs(log2(relaxation_error(40, euler) / relaxation_error(80, euler)) - 1) < 0.1);
  assert_true(fabs(log2(relaxation_error(20, mid) / relaxation_error(40, mid)) - 2) < 0.1);
}

/* m x'' + c x' + k x = 0 with c = rM m: the exact decay for the underdamped case. */
static double damped_error(int n) {
  char text[2000];
  const double t = 0.4, a = 1.0, w = sqrt(50 - a * a); /* rM = 2 a */
  SceneRun run;
  snprintf(text, sizeof text, oscillator, t / n, "rayleighMass='2' trapezoidalScheme='1'");
  scene_run_open(&run, text, NULL);
  scene_run_steps(&run, n);
  const double x = scene_run_state(&run, "/body/state")->position.data[3];
  scene_run_close(&run);
  return fabs(x - (1 + 0.1 * exp(-a * t) * (cos(w * t) + a / w * sin(w * t))));
}

static void rayleigh_mass_damps_as_the_equation_says(void **state) {
  (void)state;
  const double coarse = damped_error(100), fine = damped_error(200);
  assert_true(fabs(log2(coarse / fine) - 2) < 0.1);
}

static const char falling[] =
    "<Node name='root' dt='0.01' gravity='1 -9.81 2'><DefaultAnimationLoop/>"
    "<DefaultVisualManagerLoop/><Node name='body'>"
    "<EulerImplicitSolver %s/><SparseLDLSolver/>"
    "<MechanicalObject name='state' position='0 0 0 1 2 3' velocity='3 0 0 3 0 0'/>"
    "<UniformMass totalMass='3' %s/></Node></Node>";

/* Backward Euler in free fall: v_n = v_0 + n h g, x_n = x_0 + n h v_0 + h^2 g n (n + 1) / 2. */
static void free_fall(void **state) {
  (void)state;
  char text[2000];
  SceneRun run;
  snprintf(text, sizeof text, falling, "", "");
  scene_run_open(&run, text, NULL);
  scene_run_steps(&run, 50);
  const SofaState *s = scene_run_state(&run, "/body/state");
  const double g[3] = {1, -9.81, 2}, v0[3] = {3, 0, 0}, x0[3] = {1, 2, 3}, h = 0.01;
  for (int k = 0; k < 3; k++) {
    assert_true(fabs(s->velocity.data[3 + k] - (v0[k] + 50 * h * g[k])) < 1e-12);
    const double x = x0[k] + 50 * h * v0[k] + h * h * g[k] * 50 * 51 / 2;
    assert_true(fabs(s->position.data[3 + k] - x) < 1e-12);
  }
  scene_run_close(&run);
}

/* separateGravity adds g h to v behind the position update: one step later in x. */
static void separate_gravity(void **state) {
  (void)state;
  char text[2000];
  SceneRun run;
  snprintf(text, sizeof text, falling, "", "separateGravity='1'");
  scene_run_open(&run, text, NULL);
  scene_run_steps(&run, 10);
  const SofaState *s = scene_run_state(&run, "/body/state");
  const double h = 0.01;
  assert_true(fabs(s->velocity.data[1] + 10 * h * 9.81) < 1e-12);
  assert_true(fabs(s->position.data[1] + h * h * 9.81 * 10 * 9 / 2) < 1e-12);
  scene_run_close(&run);
}

static void vdamping_decays_velocities(void **state) {
  (void)state;
  char text[2000];
  SceneRun run;
  snprintf(text, sizeof text, falling, "vdamping='4'", "");
  scene_run_open(&run, text, NULL);
  scene_run_steps(&run, 1);
  const SofaState *s = scene_run_state(&run, "/body/state");
  assert_true(fabs(s->velocity.data[0] - (3 + 0.01) * exp(-0.04)) < 1e-13);
  assert_true(fabs(s->position.data[0] - 0.01 * (3 + 0.01)) < 1e-15);
  scene_run_close(&run);
}

static void a_missing_linear_solver_fails_the_step(void **state) {
  (void)state;
  SceneRun run = {.quiet = true};
  scene_run_context(&run, NULL);
  assert_int_equal(sofa_simulation_load_text(
                       run.ctx,
                       "<Node><DefaultAnimationLoop/><EulerImplicitSolver/><MechanicalObject/>"
                       "<UniformMass totalMass='1'/></Node>",
                       &run.simulation),
                   SOFA_OK);
  assert_int_equal(sofa_simulation_init(run.simulation), SOFA_OK);
  assert_non_null(strstr(run.last, "no linear solver"));
  assert_int_not_equal(sofa_simulation_step(run.simulation, 0.01), SOFA_OK);
  scene_run_close(&run);
}

/* Without a constraint solver there is nothing to solve: said, and nothing else changes. */
static void constraints_without_their_solver(void **state) {
  (void)state;
  const double plain = oscillator_error(50, "");
  assert_true(oscillator_error(50, "solveConstraint='1' threadSafeVisitor='1'") == plain);
}

/* One in a node below corrects the steps of the solver above: the point stays. */
static void constraints_in_the_step(void **state) {
  (void)state;
  SceneRun run;
  scene_run_open(&run,
                 "<Node name='root' gravity='0 -9 0'><DefaultAnimationLoop/>"
                 "<DefaultVisualManagerLoop/><EulerImplicitSolver solveConstraint='1'/>"
                 "<SparseLDLSolver/><MechanicalObject name='state' position='0 0 0'/><UniformMass "
                 "totalMass='1'/>"
                 "<Node name='below'>"
                 "<BlockGaussSeidelConstraintSolver/><LinearSolverConstraintCorrection "
                 "mstate='@../state' linearSolver='@../SparseLDLSolver1'/></Node>"
                 "<FixedLagrangianConstraint indices='0'/></Node>",
                 NULL);
  scene_run_steps(&run, 5);
  assert_true(fabs(scene_run_state(&run, "/state")->position.data[1]) < 1e-14);
  scene_run_close(&run);
}

/* A program that has set a locale with a decimal comma gets the same bits. */
static void the_locale_does_not_matter(void **state) {
  (void)state;
  const double reference = oscillator_error(50, "rayleighMass='0.5'");
  if (!setlocale(LC_ALL, "de_DE.UTF-8") || localeconv()->decimal_point[0] != ',') {
    setlocale(LC_ALL, "C");
    NOTE_SKIPPED("no locale with a decimal comma\n");
    skip();
  }
  char text[2000];
  SceneRun run;
  setlocale(LC_ALL, "C"); /* the scene's text is made here with a dot */
  snprintf(text, sizeof text, oscillator, 0.4 / 50, "rayleighMass='0.5'");
  setlocale(LC_ALL, "de_DE.UTF-8");
  scene_run_open(&run, text, NULL);
  scene_run_steps(&run, 50);
  const double x = scene_run_state(&run, "/body/state")->position.data[3];
  scene_run_close(&run);
  setlocale(LC_ALL, "C");
  assert_true(fabs(x - (1 + 0.1 * cos(sqrt(50) * 0.4))) == reference);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(order_one_in_dt),
      cmocka_unit_test(trapezoidal_rule_is_of_order_two),
      cmocka_unit_test(first_order_systems_relax),
      cmocka_unit_test(rayleigh_mass_damps_as_the_equation_says),
      cmocka_unit_test(free_fall),
      cmocka_unit_test(constraints_without_their_solver),
      cmocka_unit_test(constraints_in_the_step),
      cmocka_unit_test(separate_gravity),
      cmocka_unit_test(vdamping_decays_velocities),
      cmocka_unit_test(a_missing_linear_solver_fails_the_step),
      cmocka_unit_test(the_locale_does_not_matter),
  };
  return with_skipped(cmocka_run_group_tests(tests, NULL, NULL));
}
