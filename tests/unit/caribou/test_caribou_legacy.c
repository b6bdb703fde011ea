/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* LegacyStaticODESolver on a linear problem: one iteration solves it, and the residual that is
 * reported is the one after this iteration, with SOFA's quirks, too. */
#include "tests/support/scene_run.h"

static const char scene[] =
    "<Node name='root' gravity='0 -10 0'><RequiredPlugin name='SofaCaribou'/>"
    "<DefaultAnimationLoop/><DefaultVisualManagerLoop/>"
    "<LegacyStaticODESolver name='ode' newton_iterations='1'/><LDLTSolver/>"
    "<RegularGridTopology n='2 2 3' min='0 0 0' max='1 1 2'/><MechanicalObject/>"
    "<UniformMass totalMass='2'/><FixedProjectiveConstraint indices='0 1 2 3'/>"
    "<LinearSmallStrainFEMForceField template='Vec3,Hexahedron' youngModulus='1000' "
    "poissonRatio='0.3'/></Node>";

static void residual_after_one_iteration(void **state) {
  (void)state;
  for (int quirks = 0; quirks < 2; quirks++) {
    const SofaContextOptions options = {.quirks = quirks};
    SceneRun run = {.quiet =
                        true}; /* with quirks the first iteration is what others are compared to */
    scene_run_context(&run, &options);
    assert_int_equal(sofa_simulation_load_text(run.ctx, scene, &run.simulation), SOFA_OK);
    assert_int_equal(sofa_simulation_init(run.simulation), SOFA_OK);
    (void)sofa_simulation_step(run.simulation, 0);
    const SofaObject *ode = scene_run_object(&run, "/ode");
    const SofaReals *squares =
        sofa_field_value(ode, sofa_class_field(ode->klass, "squared_residuals"));
    assert_int_equal(squares->n, 1);
    assert_true(squares->data[0] < 1e-20); /* N^2; the loads are some newtons */
    scene_run_close(&run);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(residual_after_one_iteration)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
