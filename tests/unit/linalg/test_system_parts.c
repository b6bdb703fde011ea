/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which parts of A = M + h B + h^2 K a linear system takes, by the velocity A^-1 h f after a step,
 * and PCGLinearSolver with a preconditioner that it does not use. */
#include <math.h>

#include "behavior/linear_solver.h"
#include "tests/support/scene_run.h"

/* One point: M = 2, h B = 0.5, h^2 K = 1 and 0.5 through a mapping; h f = 2. */
static double speed_with(const char *fields) {
  char text[1500];
  SceneRun run;
  snprintf(text, sizeof text,
           "<Node dt='0.1' gravity='0 10 0'><DefaultAnimationLoop/><EulerImplicitSolver "
           "rayleighMass='0' rayleighStiffness='0'/><MatrixLinearSystem name='a' %s/>"
           "<SparseLDLSolver linearSystem='@a'/><MechanicalObject name='s' position='0 0 0'/>"
           "<UniformMass totalMass='2'/><RestShapeSpringsForceField stiffness='100'/>"
           "<UniformVelocityDampingForceField dampingCoefficient='5' implicit='1'/>"
           "<Node><MechanicalObject position='0 0 0'/><RestShapeSpringsForceField stiffness='50'/>"
           "<IdentityMapping/></Node></Node>",
           fields);
  scene_run_open(&run, text, NULL);
  scene_run_steps(&run, 1);
  const double speed = scene_run_state(&run, "/s")->velocity.data[1];
  scene_run_close(&run);
  return speed;
}

static void parts_of_a(void **state) {
  static const struct {
    const char *fields;
    double a;
  } rows[] = {{"", 4},
              {"assembleMass='0'", 2},
              {"assembleDamping='0'", 3.5},
              {"assembleStiffness='0'", 2.5},
              {"applyMappedComponents='0'", 3.5},
              {"assembleDamping='0' assembleStiffness='0'", 2},
              {"assembleMass='0' assembleDamping='0' applyMappedComponents='0'", 1}};
  (void)state;
  for (size_t i = 0; i < SOFA_COUNT(rows); i++) {
    const double speed = speed_with(rows[i].fields);
    if (!(fabs(speed - 2 / rows[i].a) < 1e-14))
      fail_msg("%s: %.17g, not %.17g", rows[i].fields, speed, 2 / rows[i].a);
  }
}

enum { MOST = 100 };

/* Iterations and positions after a step of a beam. */
static int beam(const char *solver, double *x) {
  char text[1500];
  SceneRun run;
  snprintf(text, sizeof text,
           "<Node dt='0.05' gravity='0 -9.81 0'><DefaultAnimationLoop/><EulerImplicitSolver/>"
           "<PCGLinearSolver name='cg' iterations='200' tolerance='1e-20' %s/>"
           "<RegularGridTopology n='2 2 5' min='0 0 0' max='1 1 4'/><MechanicalObject name='s'/>"
           "<UniformMass totalMass='1'/><FixedProjectiveConstraint indices='0 1 2 3'/>"
           "<HexahedronFEMForceField youngModulus='1e4' poissonRatio='0.3'/></Node>",
           solver);
  scene_run_open(&run, text, NULL);
  scene_run_steps(&run, 1);
  const SofaState *s = scene_run_state(&run, "/s");
  assert_true(s->position.n * 3 <= MOST);
  memcpy(x, s->position.data, s->position.n * 3 * sizeof *x);
  const int n = ((SofaLinearSolver *)scene_run_object(&run, "/cg"))->result.iterations;
  scene_run_close(&run);
  return n;
}

static void unused_preconditioner(void **state) {
  double plain[MOST] = {0}, unused[MOST] = {0}, used[MOST] = {0};
  (void)state;
  const int n = beam("", plain);
  assert_int_equal(beam("use_precond='0' preconditioner='@p'/><SparseLDLSolver name='p'", unused),
                   n);
  assert_memory_equal(plain, unused, sizeof plain);
  assert_true(beam("preconditioner='@p'/><SparseLDLSolver name='p'", used) < n);
  for (int i = 0; i < MOST; i++) assert_true(fabs(used[i] - plain[i]) < 1e-9);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(parts_of_a),
                                     cmocka_unit_test(unused_preconditioner)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
