/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The order in h of every ODE solver, measured on a smooth nonlinear problem. */
#include "tests/unit/simulation/integrators.h"

/* A mass between two springs that moves in a plane: 80 N per relative elongation, rest lengths
 * sqrt(2) and sqrt(1.49) m, m = 2 kg, with gravity. */
static const char scene[] =
    "<Node name='root' dt='%.17g' gravity='0 -3 0'><DefaultAnimationLoop/>"
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

/* |x - x(span)| after n steps; velocities too when `both`. */
static double error_after(const char *solver, int n, const double *exact, bool both) {
  char text[2000];
  SceneRun run;
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
    {VARIATIONAL, 2, 100, false}, /* its velocity is that of the middle of the step */
    {"<VariationalSymplecticSolver explicitIntegration='1'/>" LDL, 1, 400, true},
    {BDF(1), 1, 800, true},
    {BDF(2), 2, 400, true},
    {BDF(3), 3, 200, true},
    {BDF(4), 4, 160, true},
    {BDF(5), 5, 80, true},
    {BDF(6), 6, 80, true},
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

static void orders(void **state) {
  (void)state;
  double exact[4];
  int failures = 0;
  solution(exact);
  for (int i = 0; i < N_CASES; i++) {
    if (!cases[i].n) continue;
    const double e = error_after(cases[i].xml, cases[i].n, exact, cases[i].velocity);
    const double half = error_after(cases[i].xml, 2 * cases[i].n, exact, cases[i].velocity);
    const double order = log2(e / half);
    if (fabs(order - cases[i].order) < 0.15) continue;
    failures++;
    fprintf(stderr, "%.40s: errors %g and %g, order %g, expected %d\n", cases[i].xml, e, half,
            order, cases[i].order);
  }
  assert_int_equal(failures, 0);
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_solver_has_a_case),
      cmocka_unit_test(orders),
      cmocka_unit_test(quirk_has_no_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
