/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Masses with separateGravity have their weight under every ODE solver. */
#include "tests/support/scene_run.h"

#include <math.h>

#include "object/factory.h"

#define CG "<CGLinearSolver iterations='30' tolerance='1e-14' threshold='1e-30'/>"
#define SCENE(separate)                                                                            \
  "<Node name='root' dt='0.01' gravity='0 -10 0'><DefaultAnimationLoop/>"                          \
  "<DefaultVisualManagerLoop/><Node name='body'><%s/>%s"                                           \
  "<MechanicalObject name='state' position='0 0 0  1 0 0'/>"                                       \
  "<UniformMass vertexMass='2' separateGravity='" separate "'/>"                                   \
  "<RestShapeSpringsForceField stiffness='400'/></Node></Node>"

/* The place of the first point after 5 steps; NaN when the solver takes no such scene. */
static double depth(const char *form, const char *solver, bool quirks) {
  char text[1000];
  SceneRun run = {.quiet = true};
  const SofaContextOptions options = {.quirks = quirks};
  double y = NAN;
  static const char *const helpers[] = {CG, CG "<NewtonRaphsonSolver/>", ""};
  for (int k = 0; k < 3 && isnan(y); k++) {
    snprintf(text, sizeof text, form, solver, helpers[k]);
    scene_run_context(&run, &options);
    run.quiet = true;
    if (sofa_simulation_load_text(run.ctx, text, &run.simulation) == SOFA_OK &&
        sofa_simulation_init(run.simulation) == SOFA_OK) {
      scene_run_steps(&run, 5);
      y = scene_run_state(&run, "/body/state")->position.data[1];
    }
    scene_run_close(&run);
  }
  return y;
}

/* Where gravity acts on velocities it comes half a step early or late. */
static void every_solver_has_weight(void **state) {
  (void)state;
  static const char *const lost[] = {"BDFOdeSolver",
                                     "BDFIntegrationScheme",
                                     "VariationalSymplecticSolver",
                                     "StaticSolver",
                                     "StaticEquilibriumIntegrationScheme",
                                     "NewtonRaphsonSolver",
                                     "PathFollowingSolver"};
  SceneRun run = {0};
  int seen = 0, weightless = 0;
  scene_run_context(&run, NULL);
  for (size_t i = 0; i < sofa_factory_n_classes(run.ctx); i++) {
    const SofaClass *klass = sofa_factory_class_at(run.ctx, i);
    const SofaOdeSolverOps *ops = sofa_class_ops(klass, SOFA_ODE_SOLVER);
    if (!ops || klass->abstract || strcmp(klass->name, "DampVelocitySolver") == 0) continue;
    const double y = depth(SCENE("1"), klass->name, false);
    const double force = depth(SCENE("0"), klass->name, false);
    if (isnan(y) || isnan(force)) fail_msg("%s takes no scene", klass->name);
    if (!(y < 0.25 * force)) fail_msg("%s: y = %g, by forces %g", klass->name, y, force);
    if (!ops->separates_gravity && y != force) fail_msg("%s: %g, %g", klass->name, y, force);
    seen++;
    if (depth(SCENE("1"), klass->name, true) != 0) continue;
    weightless++;
    bool expected = false;
    for (size_t k = 0; k < sizeof lost / sizeof *lost; k++)
      expected |= strcmp(klass->name, lost[k]) == 0;
    if (!expected) fail_msg("%s is weightless", klass->name);
  }
  assert_true(seen >= 9 && weightless >= 3);
  sofa_context_destroy(&run.ctx);
}

/* Every mass falls in the same way, whether its weight is a force or a velocity: v = g h after the
 * first step. */
static void every_mass_has_weight(void **state) {
  static const char *const masses[] = {
      "<UniformMass totalMass='3' separateGravity='%d'/>",
      "<DiagonalMass massDensity='3' separateGravity='%d'/>",
      "<MeshMatrixMass massDensity='3' separateGravity='%d'/>",
      "<MeshMatrixMass massDensity='3' lumping='1' separateGravity='%d'/>",
      "<NodalMassDensity property='3'/><FEMMass template='Vec3,Hexahedron' separateGravity='%d'/>",
      "<HexahedronFEMForceFieldAndMass youngModulus='0' poissonRatio='0.3' density='2' "
      "separateGravity='%d'/>",
      "<HexahedralFEMForceFieldAndMass youngModulus='0' poissonRatio='0.3' density='2' "
      "separateGravity='%d'/>",
  };
  (void)state;
  for (size_t i = 0; i < sizeof masses / sizeof *masses; i++) {
    for (int separate = 0; separate < 2; separate++) {
      char mass[300], text[1200];
      SceneRun run;
      snprintf(mass, sizeof mass, masses[i], separate);
      snprintf(text, sizeof text,
               "<Node name='root' dt='0.01' gravity='0 -10 0'><DefaultAnimationLoop/>"
               "<DefaultVisualManagerLoop/><Node name='body'><EulerImplicitSolver/>" CG
               "<RegularGridTopology n='2 2 2' min='0 0 0' max='1 1 1'/>"
               "<MechanicalObject name='state'/>%s</Node></Node>",
               mass);
      scene_run_open(&run, text, NULL);
      scene_run_steps(&run, 1);
      const SofaState *s = scene_run_state(&run, "/body/state");
      for (size_t k = 0; k < 24; k++) {
        const double v = k % 3 == 1 ? -0.1 : 0;
        if (!(fabs(s->velocity.data[k] - v) < 1e-9))
          fail_msg("%s: real %zu is %.12g, expected %.12g", mass, k, s->velocity.data[k], v);
      }
      scene_run_close(&run);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_solver_has_weight),
                                     cmocka_unit_test(every_mass_has_weight)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
