/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The balance of energies against what is known of it in closed form. */
#include <math.h>

#include "numerics/check/check.h"
#include "tests/support/scene_run.h"

#define SCENE(gravity, solver, body)                                                               \
  "<Node name='root' dt='0.01' gravity='" gravity "'><DefaultAnimationLoop/>"                      \
  "<DefaultVisualManagerLoop/>" solver body "</Node>"
#define DIRECT "<SparseLDLSolver template='CompressedRowSparseMatrixd'/>"
#define MASS "<MechanicalObject name='state' position='0.3 0 0'/><UniformMass totalMass='2'/>"
/* a linear spring to the origin */
#define LINEAR                                                                                     \
  "<MechanicalObject name='state' position='0.3 0 0' rest_position='0 0 0'/>"                      \
  "<UniformMass totalMass='2'/><RestShapeSpringsForceField stiffness='50' points='0'/>"

typedef struct Balance {
  SceneRun run;
  SofaCheckReport report;
} Balance;

static void balance(Balance *b, const char *scene, int steps) {
  SofaEnergyCheck *check = NULL;
  scene_run_open(&b->run, scene, NULL);
  b->report = (SofaCheckReport){.ctx = b->run.ctx};
  assert_int_equal(sofa_check_energy_open(b->run.simulation, &check), SOFA_OK);
  for (int i = 0; i < steps; i++) {
    assert_int_equal(sofa_simulation_step(b->run.simulation, 0), SOFA_OK);
    assert_int_equal(sofa_check_energy_step(check, &b->report), SOFA_OK);
  }
  assert_int_equal(sofa_check_energy_close(&check, &b->report), SOFA_OK);
  assert_int_equal(b->report.energy.n, steps);
}

static void close_balance(Balance *b) {
  sofa_check_report_free(&b->report);
  scene_run_close(&b->run);
}

static const SofaFinding *last(const Balance *b) {
  return &b->report.findings.data[b->report.findings.n - 1];
}

static void near(double a, double b, double tolerance, const char *what) {
  if (!(fabs(a - b) <= tolerance)) fail_msg("%s: %.17g and %.17g", what, a, b);
}

/* A step of implicit Euler loses 1/2 m dv^2 + 1/2 k dx^2. */
static void dissipation_of_implicit_euler(void **state) {
  (void)state;
  Balance b;
  balance(&b, SCENE("0 0 0", "<EulerImplicitSolver/>" DIRECT, LINEAR), 50);
  double x = 0.3, v = 0;
  const double h = 0.01, m = 2, k = 50;
  for (size_t i = 0; i < 50; i++) {
    const SofaEnergyRow *row = &b.report.energy.data[i];
    const double dv = -h * k * (x + h * v) / (m + h * h * k), dx = h * (v + dv);
    v += dv, x += dx;
    near(row->kinetic, m * v * v / 2, 1e-12, "kinetic");
    near(row->potential, k * x * x / 2, 1e-12, "potential");
    near(row->residual, -(m * dv * dv + k * dx * dx) / 2, 1e-12, "residual");
  }
  assert_int_equal(last(&b)->verdict, SOFA_CHECK_OK);
  assert_non_null(strstr(last(&b)->text, "numerical dissipation"));
  close_balance(&b);
}

/* The trapezoidal rule keeps the energy of a linear spring, gravity included. */
static void trapezoidal_rule_keeps_energy(void **state) {
  (void)state;
  Balance b;
  balance(&b, SCENE("0 -9 0", "<EulerImplicitSolver trapezoidalScheme='1'/>" DIRECT, LINEAR), 100);
  for (size_t i = 0; i < 100; i++)
    near(b.report.energy.data[i].residual, 0, 1e-12, "residual of the trapezoidal rule");
  close_balance(&b);
}

/* Rayleigh damping is measured, not lost. */
static void rayleigh_damping(void **state) {
  (void)state;
  Balance b;
  double sum = 0;
  balance(&b,
          SCENE("0 0 0",
                "<EulerImplicitSolver trapezoidalScheme='1' rayleighStiffness='0.02' "
                "rayleighMass='0.3'/>" DIRECT,
                LINEAR),
          100);
  for (size_t i = 0; i < 100; i++) {
    near(b.report.energy.data[i].residual, 0, 1e-12, "residual with damping");
    assert_true(b.report.energy.data[i].damping > 0);
    sum += b.report.energy.data[i].damping;
  }
  near(sum, 2.25 - b.report.energy.data[99].kinetic - b.report.energy.data[99].potential, 1e-11,
       "all that is lost");
  close_balance(&b);
}

/* A cube that is thrown at its own elasticity: what flow takes is dissipated, not lost. The rest is
 * the error of steps that begin to flow, of first order. */
static void plastic_flow(void **state) {
  (void)state;
  static const char scene[] =
      "<Node name='root' dt='%s' gravity='0 0 0'><DefaultAnimationLoop/>"
      "<DefaultVisualManagerLoop/><EulerImplicitSolver trapezoidalScheme='1'/>" DIRECT
      "<MeshTopology position='0 0 0  1 0 0  1 1 0  0 1 0  0 0 1  1 0 1  1 1 1  0 1 1' "
      "tetrahedra='0 1 2 6  0 2 3 6  0 3 7 6  0 7 4 6  0 4 5 6  0 5 1 6'/>"
      "<MechanicalObject name='state' position='0 0 0  1 0 0  1 1 0  0 1 0  0 0 1  1 0 1  1 1 1  "
      "0 1 1' velocity='0 0 0 0 0 0 0 0 0 0 0 0 0 0 5 0 0 5 0 0 5 0 0 5'/>"
      "<UniformMass totalMass='8'/>"
      "<J2PlasticMaterial name='law' youngModulus='2500' yieldStress='60' hardeningModulus='100'/>"
      "<TetrahedronHyperelasticityFEMForceField material='@law'/></Node>";
  double residual[2] = {0, 0}, dissipated[2] = {0, 0};
  for (int k = 0; k < 2; k++) {
    char text[1200];
    Balance b;
    snprintf(text, sizeof text, scene, k ? "0.001" : "0.002");
    balance(&b, text, k ? 400 : 200);
    for (size_t i = 0; i < b.report.energy.n; i++) {
      assert_true(b.report.energy.data[i].dissipated >= 0);
      dissipated[k] += b.report.energy.data[i].dissipated;
      residual[k] += b.report.energy.data[i].residual;
      near(b.report.energy.data[i].loads, 0, 1e-9, "no loads");
    }
    close_balance(&b);
  }
  assert_true(dissipated[1] > 20); // of 50 J
  assert_true(fabs(residual[1]) < 0.05 * dissipated[1]);
  assert_true(fabs(residual[1]) < 0.6 * fabs(residual[0]));
}

/* Forward Euler makes energy: x grows without a load. */
static void growth_is_wrong(void **state) {
  (void)state;
  Balance b;
  balance(&b, SCENE("0 0 0", "<EulerExplicitSolver symplectic='0'/>", LINEAR), 300);
  assert_int_equal(b.report.n_wrong, 1);
  assert_non_null(strstr(last(&b)->text, "grew without a load"));
  close_balance(&b);
  balance(&b, SCENE("0 0 0", "<EulerExplicitSolver/>", LINEAR), 300);
  assert_int_equal(b.report.n_wrong, 0);
  close_balance(&b);
}

/* A load that grows with time works 1/2 (F0 + F1) (x1 - x0); the solver takes F0. */
static void loads(void **state) {
  (void)state;
  Balance b;
  balance(&b,
          SCENE("0 0 0", "<EulerImplicitSolver trapezoidalScheme='1'/>" DIRECT,
                MASS "<LinearForceField points='0' times='0 10' forces='1 0 0 201 0 0'/>"),
          20);
  double x = 0.3, v = 0;
  for (size_t i = 0; i < 20; i++) {
    const SofaEnergyRow *row = &b.report.energy.data[i];
    const double end = sqrt(row->kinetic), way = 0.01 * (v + end) / 2;
    v = end, x += way;
    near(row->potential, -(1 + 20 * row->time) * x, 1e-10, "potential of the load");
    near(row->residual, -0.1 * way, 1e-10, "residual of a load that is taken late");
    near(row->loads, -0.2 * (2 * x - way) / 2, 1e-10, "change of the load");
  }
  assert_int_equal(b.report.n_wrong, 0);
  close_balance(&b);
}

/* A point is pulled at a constant speed: the reaction does the work that the spring stores. */
static void imposed_motion(void **state) {
  (void)state;
  Balance b;
  double imposed = 0, stored;
  balance(&b,
          SCENE("0 0 0", "<EulerImplicitSolver/>" DIRECT,
                "<MechanicalObject name='state' position='0 0 0 1 0 0'/><UniformMass "
                "totalMass='0.002'/><SpringForceField spring='0 1 100 0 1'/>"
                "<FixedProjectiveConstraint indices='0'/><LinearMovementProjectiveConstraint "
                "indices='1' keyTimes='0 10' movements='0 0 0 5 0 0'/>"),
          40);
  for (size_t i = 0; i < 40; i++) imposed += b.report.energy.data[i].imposed;
  stored = 100 * pow(0.2, 2) / 2;
  near(imposed, stored, 0.01 * stored, "work of the reaction");
  assert_int_equal(b.report.n_wrong, 0);
  close_balance(&b);
}

/* Corotational elements: what their work lacks of the energy is told apart. */
static void inexact_energies(void **state) {
  (void)state;
  Balance b;
  balance(&b,
          SCENE("0 0 0", "<EulerImplicitSolver/>" DIRECT,
                "<RegularGridTopology n='2 2 4' min='0 0 0' max='1 1 3'/>"
                "<MechanicalObject name='state' velocity='1 0 0'/><UniformMass totalMass='3'/>"
                "<HexahedronFEMForceField youngModulus='1000' poissonRatio='0.3'/>"
                "<FixedProjectiveConstraint indices='0 1 2 3'/>"),
          20);
  assert_int_equal(b.report.n_wrong, 0);
  bool told = false, unstored = false;
  for (size_t i = 0; i < b.report.findings.n; i++)
    told |= strstr(b.report.findings.data[i].text, "unstored") != NULL;
  for (size_t i = 0; i < 20; i++) unstored |= b.report.energy.data[i].unstored != 0;
  assert_true(told && unstored);
  close_balance(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(dissipation_of_implicit_euler),
      cmocka_unit_test(plastic_flow),
      cmocka_unit_test(trapezoidal_rule_keeps_energy),
      cmocka_unit_test(rayleigh_damping),
      cmocka_unit_test(growth_is_wrong),
      cmocka_unit_test(loads),
      cmocka_unit_test(imposed_motion),
      cmocka_unit_test(inexact_energies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
