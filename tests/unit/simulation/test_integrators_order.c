/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The order in h of every ODE solver, measured on two smooth nonlinear problems. */
#include "tests/unit/simulation/integrators.h"

/* A mass between two springs that moves in a plane: 80 N per relative elongation, rest lengths
 * sqrt(2) and sqrt(1.49) m, m = 2 kg, with gravity. */
static const char scene[] =
    "<Node name='root' dt='%.17g' gravity='0 -3 0'>" PLUGIN "<DefaultAnimationLoop/>"
    "<DefaultVisualManagerLoop/><Node name='body'>%s"
    "<MeshTopology position='0 0 0 1 1 0 2 0.3 0' edges='0 1 1 2'/>"
    "<MechanicalObject name='state' position='0 0 0 1.2 0.9 0 2 0.3 0' "
    "velocity='0 0 0 0.5 1 0 0 0 0' rest_position='0 0 0 1 1 0 2 0.3 0'/>"
    "<UniformMass vertexMass='2'/><MeshSpringForceField stiffness='80' damping='0'/>"
    "<FixedProjectiveConstraint indices='0 2'/></Node></Node>";
static const double span = 0.5;

/* z = (x, y, vx, vy); dz = its derivative. */
static void rate(const double *z, double *dz) {
  static const double end[2][2] = {{0, 0}, {2, 0.3}};
  const double rest[2] = {sqrt(2), sqrt(1.49)};
  dz[0] = z[2], dz[1] = z[3];
  dz[2] = 0, dz[3] = -3;
  for (int i = 0; i < 2; i++) {
    const double dx = z[0] - end[i][0], dy = z[1] - end[i][1], l = sqrt(dx * dx + dy * dy);
    dz[2] -= 80. / rest[i] / 2 * (l - rest[i]) * dx / l;
    dz[3] -= 80. / rest[i] / 2 * (l - rest[i]) * dy / l;
  }
}

/* The solution at t = span, by the classical method of Runge and Kutta with small steps. */
static void solution(double *z) {
  const int n = 20000;
  const double h = span / n;
  const double start[4] = {1.2, 0.9, 0.5, 1};
  memcpy(z, start, sizeof start);
  for (int i = 0; i < n; i++) {
    double k[4][4], y[4];
    rate(z, k[0]);
    for (int s = 1; s < 4; s++) {
      for (int j = 0; j < 4; j++) y[j] = z[j] + h * (s == 3 ? 1 : 0.5) * k[s - 1][j];
      rate(y, k[s]);
    }
    for (int j = 0; j < 4; j++) z[j] += h / 6 * (k[0][j] + 2 * k[1][j] + 2 * k[2][j] + k[3][j]);
  }
}

typedef double Problem(const char *solver, int n, bool both);

/* |x - x(span)| after n steps; velocities too when `both`. */
static double springs(const char *solver, int n, bool both) {
  char text[2000];
  SceneRun run;
  double exact[4];
  solution(exact);
  snprintf(text, sizeof text, scene, span / n, solver);
  scene_run_open(&run, text, NULL);
  scene_run_steps(&run, n);
  const SofaState *s = scene_run_state(&run, "/body/state");
  const double *x = s->position.data + 3, *v = s->velocity.data + 3;
  double e = hypot(x[0] - exact[0], x[1] - exact[1]);
  if (both) e = hypot(e, hypot(v[0] - exact[2], v[1] - exact[3]));
  scene_run_close(&run);
  return e;
}

/* A frame that turns about z, I = 0.5 kg m^2, with a weight of 10 N 0.4 m from the axis: theta'' =
 * -w2 sin theta, w2 = 8, from rest at theta = 2. */
static const char pendulum_scene[] =
    "<Node name='root' dt='%.17g' gravity='0 0 0'>" PLUGIN "<DefaultAnimationLoop/>"
    "<DefaultVisualManagerLoop/><Node name='body'>%s"
    "<MechanicalObject name='state' template='Rigid3' position='0 0 0 0 0 %.17g %.17g'/>"
    "<UniformMass vertexMass='1 1 [0.5 0 0,0 0.5 0,0 0 0.5]'/>"
    "<PartialFixedProjectiveConstraint indices='0' fixedDirections='1 1 1 1 1 0'/>"
    "<Node name='weight'><MechanicalObject name='points' position='0 -0.4 0'/>"
    "<ConstantForceField forces='0 -10 0' indices='0'/>"
    "<RigidMapping geometricStiffness='Exact'/></Node></Node></Node>";

/* T = 2 pi / (w agm(1, cos(theta0 / 2))), Gauss */
static double quarter_period(double w, double theta0) {
  double a = 1, g = cos(theta0 / 2);
  for (int i = 0; i < 8; i++) {
    const double mean = (a + g) / 2;
    g = sqrt(a * g);
    a = mean;
  }
  return 3.14159265358979323846 / 2 / (w * a);
}

/* A quarter of a period after the start: theta = 0, theta' = -2 w sin(theta0 / 2). */
static double pendulum(const char *solver, int n, bool both) {
  char text[3000];
  SceneRun run;
  const double w = sqrt(8);
  snprintf(text, sizeof text, pendulum_scene, quarter_period(w, 2) / n, solver, sin(1), cos(1));
  scene_run_open(&run, text, NULL);
  scene_run_steps(&run, n);
  const SofaState *s = scene_run_state(&run, "/body/state");
  const double theta = 2 * atan2(s->position.data[5], s->position.data[6]);
  const double speed = s->velocity.data[5];
  scene_run_close(&run);
  return both ? hypot(theta, speed + 2 * w * sin(1)) : fabs(theta);
}

static const struct {
  const char *xml;
  int order, n;  /* the order to measure between n and 2 n steps */
  bool velocity; /* of this order too? */
} cases[] = {
    {"<EulerImplicitSolver/>" LDL, 1, 800, true},
    {"<EulerImplicitSolver trapezoidalScheme='1'/>" LDL, 2, 100, true},
    {"<EulerExplicitSolver/>", 1, 400, true},
    {"<EulerExplicitSolver symplectic='0'/>", 1, 400, true},
    {"<CentralDifferenceSolver/>", 1, 400, true},
    {"<RungeKutta2Solver/>", 2, 100, true},
    {"<RungeKutta4Solver/>", 4, 50, true},
    {"<NewmarkImplicitSolver/>" LDL, 2, 100, true},
    {"<NewmarkImplicitSolver gamma='0.7'/>" LDL, 1, 800, true},
    {"<BackwardEulerODESolver " CARIBOU "/>" LDLT, 1, 800, true},
    {VARIATIONAL, 2, 100, false}, /* its velocity is that of the middle of the step */
    {"<VariationalSymplecticSolver explicitIntegration='1'/>" LDL, 1, 400, true},
    {BDF(1), 1, 800, true},
    {BDF(2), 2, 400, true},
    {BDF(3), 3, 200, true},
    {BDF(4), 4, 160, true},
    {BDF(5), 5, 80, true},
    {BDF(6), 6, 80, true},
    {"<BDFIntegrationScheme/>" LDL, 2, 400, true},
    {"<BDFIntegrationScheme order='3'/>" LDL, 3, 200, true},
    {"<DampVelocitySolver/>", 0, 0, false}, /* no integrator: in test_integrators_linear */
};
enum { N_CASES = sizeof cases / sizeof *cases };

static bool has_case(const char *name) {
  for (int i = 0; i < N_CASES; i++)
    if (starts_with_tag(cases[i].xml, name)) return true;
  return false;
}

static void every_solver_has_a_case(void **state) {
  (void)state;
  assert_all_solvers_have_cases(has_case);
}

static void assert_orders(const char *name, Problem *problem) {
  int failures = 0;
  for (int i = 0; i < N_CASES; i++) {
    if (!cases[i].n) continue;
    const double e = problem(cases[i].xml, cases[i].n, cases[i].velocity);
    const double half = problem(cases[i].xml, 2 * cases[i].n, cases[i].velocity);
    const double order = log2(e / half);
    if (fabs(order - cases[i].order) < 0.2) continue;
    failures++;
    fprintf(stderr, "%s, %.40s: errors %g and %g, order %g, expected %d\n", name, cases[i].xml, e,
            half, order, cases[i].order);
  }
  assert_int_equal(failures, 0);
}

static void orders_of_springs(void **state) {
  (void)state;
  assert_orders("springs", springs);
}

static void orders_of_a_pendulum(void **state) {
  (void)state;
  assert_orders("pendulum", pendulum);
}

/* With SOFA's history and start the formulas of higher order are of order 1. */
static double quirk_error(int n, const double *exact) {
  char text[2000];
  SceneRun run = {0};
  const SofaContextOptions options = {.quirks = true};
  snprintf(text, sizeof text, scene, span / n, BDF(4));
  scene_run_open(&run, text, &options);
  scene_run_steps(&run, n);
  const double e = fabs(scene_run_state(&run, "/body/state")->position.data[3] - exact[0]);
  scene_run_close(&run);
  return e;
}

static void quirk_has_no_order(void **state) {
  (void)state;
  double exact[4];
  solution(exact);
  assert_true(quirk_error(400, exact) > 1e-2);
}

/* From order 3 on free fall has no error, whatever the lengths of the steps: v is linear in time, x
 * quadratic. */
static void steps_of_any_length(void **state) {
  static const double lengths[] = {0.01, 0.023, 0.017, 0.04, 0.005};
  (void)state;
  for (int order = 3; order <= 6; order++) {
    char text[1000];
    SceneRun run;
    snprintf(text, sizeof text,
             "<Node name='root' gravity='3 -5 2'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>"
             "<BDFOdeSolver order='%d'/>" EXACT_NEWTON LDL
             "<MechanicalObject name='state' position='1 2 3' velocity='-1 4 0'/>"
             "<UniformMass totalMass='2'/></Node>",
             order);
    scene_run_open(&run, text, NULL);
    const SofaState *s = scene_run_state(&run, "/state");
    const double g[3] = {3, -5, 2}, x0[3] = {1, 2, 3}, v0[3] = {-1, 4, 0};
    double t = 0;
    for (int k = 0; k < 15; k++) {
      const double h = lengths[k % 5];
      assert_int_equal(sofa_simulation_step(run.simulation, h), SOFA_OK);
      t += h;
      for (int c = 0; c < 3; c++) {
        assert_true(fabs(s->velocity.data[c] - (v0[c] + g[c] * t)) < 1e-10);
        assert_true(fabs(s->position.data[c] - (x0[c] + v0[c] * t + g[c] * t * t / 2)) < 1e-10);
      }
    }
    scene_run_close(&run);
  }
}

/* Springs below a mapping are as linear as others: one iteration solves a step, also where the
 * first guess does not satisfy the formula of the positions. */
static void mapped_springs_take_one_iteration(void **state) {
  static const char *const springs[] = {
      "%s", "<Node><MechanicalObject position='1 2 3  0 1 0'/><IdentityMapping/>%s</Node>"};
  (void)state;
  for (int order = 1; order <= 4; order++) {
    double x[2][6];
    for (int i = 0; i < 2; i++) {
      char text[2000], below[300];
      SceneRun run;
      snprintf(below, sizeof below, springs[i], "<RestShapeSpringsForceField stiffness='50'/>");
      snprintf(text, sizeof text,
               "<Node name='root' dt='0.05' gravity='3 -5 2'><DefaultAnimationLoop/>"
               "<DefaultVisualManagerLoop/><BDFOdeSolver order='%d'/><NewtonRaphsonSolver "
               "maxNbIterationsNewton='1' warnWhenDiverge='0'/>" LDL
               "<MechanicalObject name='state' position='1 2 3  0 1 0' velocity='-1 4 0  2 0 1'/>"
               "<UniformMass totalMass='2'/>%s</Node>",
               order, below);
      scene_run_open(&run, text, NULL);
      scene_run_steps(&run, 12);
      memcpy(x[i], scene_run_state(&run, "/state")->position.data, sizeof x[i]);
      scene_run_close(&run);
    }
    for (int c = 0; c < 6; c++)
      if (!(fabs(x[0][c] - x[1][c]) < 1e-12))
        fail_msg("order %d: %.17g, mapped %.17g", order, x[0][c], x[1][c]);
  }
}

/* The residual is compared with the rounding of an impulse, however short the step is: forces of
 * far-off points are rounded to 1e-10 N. */
static void rounding_of_short_steps(void **state) {
  (void)state;
  for (int order = 1; order <= 2; order++) {
    char text[1000];
    SceneRun run;
    snprintf(text, sizeof text,
             "<Node name='root' dt='1e-8' gravity='2e-8 0 0'><DefaultAnimationLoop/>"
             "<DefaultVisualManagerLoop/><BDFOdeSolver order='%d'/><NewtonRaphsonSolver "
             "maxNbIterationsNewton='30' relativeSuccessiveStoppingThreshold='0' "
             "relativeInitialStoppingThreshold='0' absoluteResidualStoppingThreshold='0'/>" LDL
             "<MechanicalObject name='state' position='100 0 0'/><UniformMass totalMass='1'/>"
             "<RestShapeSpringsForceField stiffness='1e4'/></Node>",
             order);
    scene_run_open(&run, text, NULL);
    scene_run_steps(&run, 1);
    const double v = scene_run_state(&run, "/state")->velocity.data[0];
    if (!(fabs(v - 2e-16) < 0.05e-16)) fail_msg("order %d: %g", order, v);
    scene_run_close(&run);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_solver_has_a_case),
      cmocka_unit_test(orders_of_springs),
      cmocka_unit_test(orders_of_a_pendulum),
      cmocka_unit_test(quirk_has_no_order),
      cmocka_unit_test(steps_of_any_length),
      cmocka_unit_test(mapped_springs_take_one_iteration),
      cmocka_unit_test(rounding_of_short_steps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
