/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* LegacyStaticODESolver on a linear problem: one iteration solves it, and the residual that is
 * reported is the one after this iteration, with SOFA's quirks, too. Where each increment is a
 * single iteration of conjugate gradients, warm_start says where that begins. */
#include "tests/support/scene_run.h"

#include <math.h>

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

/* One iteration for K d = r from the guess d, where K is diagonal. */
static void one_iteration(const double k[2], const double r[2], double d[2]) {
  double g[2], above = 0, below = 0;
  for (int i = 0; i < 2; i++) {
    g[i] = r[i] - k[i] * d[i];
    above += g[i] * g[i];
    below += g[i] * k[i] * g[i];
  }
  for (int i = 0; i < 2; i++) d[i] += above / below * g[i];
}

/* Two springs of 10 and 30 N/m, loaded with 1 and 2 N. */
static void increments_begin_where_warm_start_says(void **state) {
  static const double k[2] = {10, 30}, load[2] = {1, 2};
  (void)state;
  for (int warm = 0; warm < 2; warm++) {
    char text[1000];
    SceneRun run = {.quiet = true};
    double x[2] = {0}, d[2] = {0};
    snprintf(text, sizeof text,
             "<Node name='root' gravity='0 0 0'><RequiredPlugin name='SofaCaribou'/>"
             "<DefaultAnimationLoop/><DefaultVisualManagerLoop/>"
             "<LegacyStaticODESolver newton_iterations='3' warm_start='%d'/>"
             "<CGLinearSolver iterations='1' tolerance='1e-30' threshold='1e-30' "
             "warmStart='1'/>"
             "<MechanicalObject name='state' position='0 0 0 0 0 0'/><UniformMass totalMass='1'/>"
             "<RestShapeSpringsForceField points='0 1' stiffness='10 30'/>"
             "<ConstantForceField indices='0 1' forces='1 0 0 2 0 0'/></Node>",
             warm);
    scene_run_context(&run, NULL);
    assert_int_equal(sofa_simulation_load_text(run.ctx, text, &run.simulation), SOFA_OK);
    assert_int_equal(sofa_simulation_init(run.simulation), SOFA_OK);
    (void)sofa_simulation_step(run.simulation, 0);
    for (int n = 0; n < 3; n++) {
      const double r[2] = {load[0] - k[0] * x[0], load[1] - k[1] * x[1]};
      if (!warm) d[0] = d[1] = 0;
      one_iteration(k, r, d);
      for (int i = 0; i < 2; i++) x[i] += d[i];
    }
    const double *found = scene_run_state(&run, "/state")->position.data;
    if (!(fabs(found[0] - x[0]) < 1e-12 && fabs(found[3] - x[1]) < 1e-12))
      fail_msg("warm_start %d: %.12g %.12g, expected %.12g %.12g", warm, found[0], found[3], x[0],
               x[1]);
    scene_run_close(&run);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(residual_after_one_iteration),
      cmocka_unit_test(increments_begin_where_warm_start_says),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
