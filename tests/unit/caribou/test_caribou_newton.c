/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Solvers of SofaCaribou: known bending beams, orders of convergence, criteria, linear solvers,
 * analyses of the pattern, failures. */
#include "components/builtins.h"
#include "tests/support/scene_memory.h"

#include <math.h>

#include "simulation/convergence.h"
#include "tests/support/gpl_parts.h"

#define ROOT(attributes, content)                                                                  \
  "<Node name='root' " attributes "><RequiredPlugin name='SofaCaribou'/>"                          \
  "<DefaultAnimationLoop/><DefaultVisualManagerLoop/><Node name='body'>" content "</Node></Node>"

/* 3 x 3 x 9 points, clamped at z = 0; point 76 is the middle of the end at z = 80 */
#define BEAM                                                                                       \
  "<RegularGridTopology name='grid' n='3 3 9' min='-7.5 -7.5 0' max='7.5 7.5 80'/>"                \
  "<MechanicalObject name='state'/>"                                                               \
  "<CaribouTopology name='volume' template='Hexahedron' indices='@grid.hexahedra'/>"               \
  "<HyperelasticForcefield topology='@volume'/>"                                                   \
  "<FixedProjectiveConstraint indices='0 1 2 3 4 5 6 7 8'/>"
#define BENT                                                                                       \
  BEAM "<CaribouTopology name='end' template='Quad' indices='72 73 76 75 73 74 77 76 75 76 79 78 " \
       "76 77 80 79'/>"
#define STATIC(solver, load)                                                                       \
  ROOT("gravity='0 0 0'",                                                                          \
       "<StaticODESolver name='ode' newton_iterations='10' " solver "/>"                           \
       "<LDLTSolver name='linear'/>"                                                               \
       "<SaintVenantKirchhoffMaterial young_modulus='3000' "                                       \
       "poisson_ratio='0.499'/>" BENT "<TractionForcefield topology='@end' " load "/>")
#define FALLING(dt, solver)                                                                        \
  ROOT("dt='" dt "' gravity='0 -9.81 0'",                                                          \
       "<BackwardEulerODESolver name='ode' " solver "/><LLTSolver name='linear'/>"                 \
       "<SaintVenantKirchhoffMaterial young_modulus='15000' poisson_ratio='0.3'/>" BEAM            \
       "<DiagonalMass massDensity='0.2'/>")

static void is_near(double value, double expected, double tolerance) {
  if (!(fabs(value - expected) <= tolerance))
    fail_msg("%.15g, expected %.15g (difference %.2g)", value, expected, value - expected);
}

static void is_at(SceneRun *run, size_t point, double y, double z, double tolerance) {
  const double *x = scene_run_state(run, "/body/state")->position.data + 3 * point;
  is_near(x[1], y, tolerance);
  is_near(x[2], z, tolerance);
}

static const void *value(SceneRun *run, const char *path, const char *field) {
  const SofaObject *object = scene_run_object(run, path);
  return sofa_field_value(object, sofa_class_field(object->klass, field));
}
static const SofaReals *reals(SceneRun *run, const char *field) {
  return value(run, "/body/ode", field);
}
static bool converged(SceneRun *run) {
  return *(const bool *)value(run, "/body/ode", "converged");
}
static uint32_t analyses(SceneRun *run) {
  return *(const uint32_t *)value(run, "/body/linear", "analyses");
}

/* ---- known results ---- */

/* The plugin's own record of a beam under a load in five increments. */
static void static_beam_as_recorded(void **state) {
  (void)state;
  static const struct {
    size_t n;
    double ratio[5], y, z;
  } steps[5] = {{4,
                 {1, 4.802014099846802e-03, 3.457785823647809e-04, 6.417769508095073e-08},
                 -4.602768810700,
                 79.821245454453},
                {5,
                 {1, 4.700052322118300e-03, 3.771851553383748e-04, 1.289757638852382e-05,
                  2.125041655083045e-08},
                 -9.088860314613,
                 79.300743437846},
                {5,
                 {1, 4.416064536488316e-03, 4.703733156787435e-04, 3.659722934024732e-05,
                  7.791507698853802e-08},
                 -13.360031279542,
                 78.481476005245},
                {5,
                 {1, 4.003458215116851e-03, 6.263051713537671e-04, 4.996976075176631e-05,
                  1.422069948624354e-07},
                 -17.347928027598,
                 77.423054881095},
                {5,
                 {1, 3.526942203674829e-03, 8.307813177405512e-04, 4.667215114394798e-05,
                  1.646730071539153e-07},
                 -21.016400468257,
                 76.189746461878}};
  SceneRun run;
  scene_run_open(&run, STATIC("", "traction='0 -30 0' slope='0.2'"),
                 &(SofaContextOptions){.quirks = true});
  for (int i = 0; i < 5; i++) {
    scene_run_steps(&run, 1);
    const SofaReals *r = reals(&run, "squared_residuals");
    assert_int_equal(r->n, steps[i].n);
    for (size_t k = 0; k < r->n; k++)
      is_near(sqrt(r->data[k] / r->data[0]), steps[i].ratio[k], 1e-10);
    is_at(&run, 76, steps[i].y, steps[i].z, 1e-8);
    assert_int_equal(reals(&run, "iteration_times")->n, steps[i].n);
    assert_true(converged(&run));
  }
  scene_run_close(&run);
}

static void static_neo_hookean_beam_as_recorded(void **state) {
  (void)state;
  static const double ratios[7] = {1,
                                   1.374441940e-02,
                                   8.767877615e-03,
                                   3.696659225e-03,
                                   1.455553436e-03,
                                   1.705876811e-04,
                                   3.992778997e-06};
  static const struct {
    size_t n;
    double y, z;
  } steps[5] = {{7, -4.606999774755, 79.839600903758},
                {7, -9.119979774894, 79.369261306712},
                {7, -13.457029292777, 78.619231932878},
                {8, -17.554778673573, 77.633737810488},
                {8, -21.372821032615, 76.463775078156}};
  SceneRun run;
  scene_run_open(&run,
                 ROOT("gravity='0 0 0'",
                      "<StaticODESolver name='ode' newton_iterations='10'/><LDLTSolver/>"
                      "<NeoHookeanMaterial young_modulus='3000' poisson_ratio='0.499'/>" BENT
                      "<TractionForcefield topology='@end' traction='0 -30 0' slope='0.2'/>"),
                 &(SofaContextOptions){.quirks = true});
  for (int i = 0; i < 5; i++) {
    scene_run_steps(&run, 1);
    const SofaReals *r = reals(&run, "squared_residuals");
    assert_int_equal(r->n, steps[i].n);
    is_at(&run, 76, steps[i].y, steps[i].z, 1e-7);
    for (size_t k = 0; i == 0 && k < 7; k++)
      is_near(sqrt(r->data[k] / r->data[0]), ratios[k], 1e-9);
  }
  scene_run_close(&run);
}

/* Implicit Euler of the lumped beam, solved to rounding. */
static void falling_beam(void **state) {
  (void)state;
  static const double y_z[8][2] = {{-9.441319002, 79.407181125},  {-21.826704195, 76.651319632},
                                   {-31.095527088, 72.871586122}, {-35.305593870, 70.550926140},
                                   {-35.130659920, 70.617614598}, {-32.223205192, 72.223059622},
                                   {-28.499473908, 74.037760417}, {-25.556452535, 75.278598760}};
  for (int quirks = 0; quirks < 2; quirks++) {
    SceneRun run;
    scene_run_open(&run,
                   FALLING("1", "newton_iterations='12' correction_tolerance_threshold='-1' "
                                "residual_tolerance_threshold='-1'"),
                   &(SofaContextOptions){.quirks = quirks == 1});
    for (int i = 0; i < 8; i++) {
      scene_run_steps(&run, 1);
      is_at(&run, 76, y_z[i][0], y_z[i][1], 1e-8);
    }
    scene_run_close(&run);
  }
}

static void falling_beam_with_damping(void **state) {
  (void)state;
  static const double y_z[4][2] = {{-0.099615149, 79.999949409},
                                   {-0.305209758, 79.999582967},
                                   {-0.627082417, 79.998248768},
                                   {-1.076400447, 79.994740228}};
  SceneRun run;
  scene_run_open(&run,
                 FALLING("0.1", "rayleigh_mass='0.1' rayleigh_stiffness='0.1' newton_iterations="
                                "'10' correction_tolerance_threshold='1e-10' "
                                "residual_tolerance_threshold='1e-10'"),
                 NULL);
  for (int i = 0; i < 4; i++) {
    scene_run_steps(&run, 1);
    is_at(&run, 76, y_z[i][0], y_z[i][1], 1e-8);
  }
  scene_run_close(&run);
}

/* One iteration as the plugin does it, with the tangent at the old positions. */
static void single_iterations_as_recorded(void **state) {
  (void)state;
  static const double y_z[3][2] = {
      {-0.098528373, 80.000000000}, {-0.297048198, 79.999947325}, {-0.599499820, 79.999631973}};
  SceneRun run;
  scene_run_open(&run, FALLING("0.1", ""), &(SofaContextOptions){.quirks = true});
  for (int i = 0; i < 3; i++) {
    scene_run_steps(&run, 1);
    is_at(&run, 76, y_z[i][0], y_z[i][1], 1e-8);
    assert_false(converged(&run));
    const SofaReals *r = reals(&run, "squared_residuals");
    assert_int_equal(r->n, 1);
    is_near(r->data[0], *(const double *)value(&run, "/body/ode", "squared_initial_residual"), 0);
  }
  scene_run_close(&run);
}

/* ---- orders ---- */

/* |R_k+1| < C |R_k|^2 near the solution, up to rounding. */
static void newton_is_quadratic(void **state) {
  (void)state;
  SceneRun run;
  int measured = 0;
  scene_run_open(&run,
                 FALLING("1", "newton_iterations='12' residual_tolerance_threshold='1e-12' "
                              "correction_tolerance_threshold='-1'"),
                 NULL);
  for (int i = 0; i < 4; i++) {
    scene_run_steps(&run, 1);
    const SofaReals *r = reals(&run, "squared_residuals");
    for (size_t k = 1; k < r->n; k++) {
      const double before = sqrt(r->data[k - 1]), after = sqrt(r->data[k]);
      if (before > 500 || after < 1e-7) continue; /* too far off, or rounding */
      measured++;
      if (after > 1e-3 * before * before) fail_msg("%g, %g: not quadratic", before, after);
    }
  }
  assert_true(measured >= 5);
  scene_run_close(&run);
}

/* A linear material needs one iteration, with any step. */
static void linear_material_takes_one_iteration(void **state) {
  (void)state;
  static const char scene[] =
      ROOT("dt='0.05' gravity='0 -9.81 0'",
           "<BackwardEulerODESolver name='ode' newton_iterations='5' rayleigh_stiffness='0.1' "
           "residual_tolerance_threshold='1e-9'/><LDLTSolver/>"
           "<RegularGridTopology n='3 3 6' min='0 0 0' max='1 1 4'/>"
           "<MechanicalObject name='state'/><UniformMass totalMass='3'/>"
           "<HexahedronFEMForceField method='small' youngModulus='500' poissonRatio='0.3'/>"
           "<FixedProjectiveConstraint indices='0 1 2 3 4 5 6 7 8'/>");
  SceneRun run;
  scene_run_open(&run, scene, NULL);
  for (int i = 0; i < 10; i++) {
    scene_run_steps(&run, 1);
    assert_true(converged(&run));
    assert_int_equal(reals(&run, "squared_residuals")->n, 1);
  }
  scene_run_close(&run);
}

/* x(t) = 1 + 0.1 cos(omega t), omega^2 = k / m = 50. */
static double oscillator_error(int n) {
  char text[2000];
  SceneRun run;
  const double t = 0.4;
  snprintf(text, sizeof text,
           ROOT("dt='%.17g' gravity='0 0 0'",
                "<BackwardEulerODESolver newton_iterations='10' residual_tolerance_threshold="
                "'1e-12' correction_tolerance_threshold='-1'/><LDLTSolver/>"
                "<MeshTopology position='0 0 0 1 0 0' edges='0 1'/>"
                "<MechanicalObject name='state' position='0 0 0 1.1 0 0' "
                "rest_position='0 0 0 1 0 0'/><UniformMass vertexMass='2'/>"
                "<MeshSpringForceField stiffness='100' damping='0'/>"
                "<FixedProjectiveConstraint indices='0'/>"),
           t / n);
  scene_run_open(&run, text, NULL);
  scene_run_steps(&run, n);
  const double x = scene_run_state(&run, "/body/state")->position.data[3];
  scene_run_close(&run);
  return fabs(x - (1 + 0.1 * cos(sqrt(50) * t)));
}

static void backward_euler_is_of_first_order(void **state) {
  (void)state;
  is_near(log2(oscillator_error(400) / oscillator_error(800)), 1, 0.05);
}

/* A damper's force counts once: v_n+1 = v_n / (1 + h c / m). */
static void damping_of_components(void **state) {
  (void)state;
  SceneRun run;
  scene_run_open(&run,
                 ROOT("dt='0.1' gravity='0 0 0'",
                      "<BackwardEulerODESolver newton_iterations='3'/><LDLTSolver/>"
                      "<MechanicalObject name='state' position='0 0 0' velocity='1 0 0'/>"
                      "<UniformMass totalMass='2'/>"
                      "<UniformVelocityDampingForceField dampingCoefficient='6' implicit='1'/>"),
                 NULL);
  scene_run_steps(&run, 2);
  is_near(scene_run_state(&run, "/body/state")->velocity.data[0], 1 / (1.3 * 1.3), 1e-14);
  scene_run_close(&run);
}

/* Mapped masses and forces count once: a mass that hangs on a spring of a mapped point. */
static void mapped_forces_count_once(void **state) {
  (void)state;
  static const char plain[] =
      ROOT("dt='0.1' gravity='0 -10 0'",
           "<BackwardEulerODESolver name='ode' newton_iterations='3'/><LDLTSolver/>"
           "<MechanicalObject name='state' position='0 0 0'/>"
           "<UniformMass totalMass='2'/><RestShapeSpringsForceField stiffness='50'/>");
  static const char mapped[] =
      ROOT("dt='0.1' gravity='0 -10 0'",
           "<BackwardEulerODESolver name='ode' newton_iterations='3'/><LDLTSolver/>"
           "<MechanicalObject name='state' position='0 0 0'/>"
           "<Node name='m'><MechanicalObject/><IdentityMapping/>"
           "<UniformMass totalMass='2'/><RestShapeSpringsForceField stiffness='50'/></Node>");
  double y[2];
  for (int i = 0; i < 2; i++) {
    SceneRun run;
    scene_run_open(&run, i ? mapped : plain, NULL);
    scene_run_steps(&run, 5);
    y[i] = scene_run_state(&run, "/body/state")->position.data[1];
    scene_run_close(&run);
  }
  is_near(y[0], y[1], 1e-14);
}

/* ---- criteria ---- */

static size_t iterations(const char *scene, bool *done) {
  SceneRun run;
  scene_run_open(&run, scene, NULL);
  scene_run_steps(&run, 1);
  const size_t n = reals(&run, "squared_residuals")->n;
  *done = converged(&run);
  scene_run_close(&run);
  return n;
}

static void criteria(void **state) {
  (void)state;
#define OFF "correction_tolerance_threshold='-1' residual_tolerance_threshold='-1' "
  bool done;
  /* nothing to do without a load, whatever the thresholds */
  assert_int_equal(
      iterations(STATIC("absolute_residual_tolerance_threshold='1e-6'", "traction='0 0 0'"), &done),
      0);
  assert_true(done);
  assert_int_equal(
      iterations(STATIC(OFF "absolute_residual_tolerance_threshold='-1'", "traction='0 0 0'"),
                 &done),
      0);
  assert_true(done);
  /* not converging at the maximum is no error */
  assert_int_equal(iterations(STATIC(OFF, "traction='0 -6 0'"), &done), 10);
  assert_false(done);
  /* |R|: 506, 1.5e6, 7.2e3, 5.2e2, 9.7e-2, 1e-5 */
  assert_int_equal(
      iterations(STATIC("correction_tolerance_threshold='-1'", "traction='0 -6 0'"), &done), 5);
  assert_true(done);
  assert_int_equal(
      iterations(STATIC(OFF "absolute_residual_tolerance_threshold='1'", "traction='0 -6 0'"),
                 &done),
      4);
  assert_true(done);
  assert_int_equal(iterations(STATIC("residual_tolerance_threshold='-1' "
                                     "correction_tolerance_threshold='0.5'",
                                     "traction='0 -6 0'"),
                              &done),
                   2);
  assert_true(done);
}

static void defaults(void **state) {
  (void)state;
  SceneRun run;
  scene_run_open(&run, FALLING("0.1", ""), NULL);
  assert_int_equal(*(const uint32_t *)value(&run, "/body/ode", "newton_iterations"), 1);
  is_near(*(const double *)value(&run, "/body/ode", "correction_tolerance_threshold"), 1e-5, 0);
  is_near(*(const double *)value(&run, "/body/ode", "residual_tolerance_threshold"), 1e-5, 0);
  is_near(*(const double *)value(&run, "/body/ode", "absolute_residual_tolerance_threshold"), 1e-15,
          0);
  is_near(*(const double *)value(&run, "/body/ode", "rayleigh_mass"), 0, 0);
  is_near(*(const double *)value(&run, "/body/ode", "rayleigh_stiffness"), 0, 0);
  assert_int_equal(
      ((const SofaOption *)value(&run, "/body/ode", "pattern_analysis_strategy"))->index, 2);
  scene_run_close(&run);
}

/* ---- linear solvers ---- */

static void all_linear_solvers_agree(void **state) {
  (void)state;
#define CG(method)                                                                                 \
  "<ConjugateGradientSolver maximum_number_of_iterations='2000' residual_tolerance_threshold="     \
  "'1e-13' preconditioning_method='" method "'/>"
  static const char *const solvers[] = {"<LLTSolver/>",    "<LDLTSolver backend='Pardiso'/>",
                                        "<LUSolver/>",     "<LUSolver symmetric='1'/>",
                                        CG("None"),        CG("identity"),
                                        CG("Diagonal"),    CG("INCOMPLETECHOLESKY"),
                                        CG("IncompleteLU")};
  double y = 0;
  for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++) {
    char text[3000];
    SceneRun run;
    if (lacks_gpl_part(solvers[i])) continue;
    snprintf(text, sizeof text,
             ROOT("dt='0.5' gravity='0 -9.81 0'",
                  "<BackwardEulerODESolver newton_iterations='20' correction_tolerance_threshold="
                  "'1e-9'/>%s<SaintVenantKirchhoffMaterial young_modulus='15000' "
                  "poisson_ratio='0.3'/>" BEAM "<DiagonalMass massDensity='0.2'/>"),
             solvers[i]);
    scene_run_open(&run, text, NULL);
    scene_run_steps(&run, 3);
    const double at = scene_run_state(&run, "/body/state")->position.data[3 * 76 + 1];
    if (i == 0) y = at;
    is_near(at, y, 1e-7);
    scene_run_close(&run);
  }
}

/* About 10 000 tetrahedra. */
static void analyse(const char *strategy, int steps, uint32_t *n, size_t *newtons) {
  char text[3000];
  SceneRun run;
  snprintf(text, sizeof text,
           ROOT("dt='0.02' gravity='0 -9.81 0'",
                "<BackwardEulerODESolver name='ode' newton_iterations='3' "
                "residual_tolerance_threshold='-1' correction_tolerance_threshold='-1' "
                "pattern_analysis_strategy='%s'/><LDLTSolver name='linear'/>"
                "<RegularGridTopology name='grid' n='10 10 26' min='0 0 0' max='1 1 3'/>"
                "<MechanicalObject name='state'/><UniformMass totalMass='100'/>"
                "<BoxROI name='roi' box='-1 -1 -0.01 2 2 0.01'/>"
                "<FixedProjectiveConstraint indices='@roi.indices'/>"
                "<Node name='t'><TetrahedronSetTopologyContainer name='tetrahedra'/>"
                "<TetrahedronSetTopologyModifier/>"
                "<Hexa2TetraTopologicalMapping input='@../grid' output='@tetrahedra'/>"
                "<TetrahedronHyperelasticityFEMForceField materialName='StVenantKirchhoff' "
                "ParameterSet='40000 60000'/></Node>"),
           strategy);
  scene_run_open(&run, text, NULL);
  *newtons = 0;
  for (int i = 0; i < steps; i++) {
    scene_run_steps(&run, 1);
    *newtons += reals(&run, "squared_residuals")->n;
  }
  *n = analyses(&run);
  assert_int_equal(*(const uint32_t *)value(&run, "/body/linear", "factorizations"), *newtons);
  scene_run_close(&run);
}

static void patterns_are_analysed_when_asked(void **state) {
  (void)state;
  uint32_t n;
  size_t newtons;
  analyse("NEVER", 2, &n, &newtons);
  assert_int_equal(n, 1);
  analyse("BEGINNING_OF_THE_SIMULATION", 2, &n, &newtons);
  assert_int_equal(n, 1);
  analyse("BEGINNING_OF_THE_TIME_STEP", 2, &n, &newtons);
  assert_int_equal(n, 2);
  analyse("ALWAYS", 1, &n, &newtons);
  assert_int_equal(n, newtons);
}

static void a_reset_begins_the_simulation_anew(void **state) {
  (void)state;
  for (uint32_t i = 0; i < 2; i++) {
    SceneRun run;
    scene_run_open(&run,
                   i ? FALLING("0.1", "pattern_analysis_strategy='BEGINNING_OF_THE_SIMULATION'")
                     : FALLING("0.1", "pattern_analysis_strategy='NEVER'"),
                   NULL);
    scene_run_steps(&run, 2);
    assert_int_equal(sofa_simulation_reset(run.simulation), SOFA_OK);
    scene_run_steps(&run, 2);
    assert_int_equal(analyses(&run), 1 + i);
    scene_run_close(&run);
  }
}

/* ---- failures ---- */

/* The step fails, the message has the words, the state is the one before. */
static void fails(const char *scene, bool quirks, SofaErr err, const char *words) {
  SceneRun run;
  memset(&run, 0, sizeof run);
  run.quiet = true;
  scene_run_context(&run, &(SofaContextOptions){.quirks = quirks});
  run.quiet = true;
  assert_int_equal(sofa_simulation_load_text(run.ctx, scene, &run.simulation), SOFA_OK);
  assert_int_equal(sofa_simulation_init(run.simulation), SOFA_OK);
  const SofaState *s = scene_run_state(&run, "/body/state");
  double *before = malloc(3 * s->position.n * sizeof *before);
  memcpy(before, s->position.data, 3 * s->position.n * sizeof *before);
  assert_int_equal(sofa_simulation_step(run.simulation, 0), err);
  if (!strstr(run.all, words)) fail_msg("'%s' is not in '%s'", words, run.all);
  if (err) assert_non_null(strstr(run.last, "step 1"));
  assert_memory_equal(before, s->position.data, 3 * s->position.n * sizeof *before);
  free(before);
  scene_run_close(&run);
}

#define POINT(ode, more)                                                                           \
  ROOT("dt='0.1' gravity='0 -10 0'", ode "<MechanicalObject name='state' position='0 0 0'/>"       \
                                         "<UniformMass totalMass='2'/>" more)

/* The scene does not start: the message has the words. */
static void refused(const char *scene, const char *words) {
  SceneRun run;
  memset(&run, 0, sizeof run);
  run.quiet = true;
  scene_run_context(&run, &(SofaContextOptions){.quirks = false});
  run.quiet = true;
  assert_int_equal(sofa_simulation_load_text(run.ctx, scene, &run.simulation), SOFA_OK);
  assert_int_not_equal(sofa_simulation_init(run.simulation), SOFA_OK);
  if (!strstr(run.all, words)) fail_msg("'%s' is not in '%s'", words, run.all);
  scene_run_close(&run);
}

static void failing_steps(void **state) {
  (void)state;
  refused(POINT("<BackwardEulerODESolver name='ode' newton_iterations='0'/><LDLTSolver/>", ""),
          "newton_iterations");
  fails(POINT("<BackwardEulerODESolver name='ode'/>", ""), false, SOFA_ERR_NOT_FOUND,
        "no linear solver");
  fails(POINT("<StaticODESolver name='ode'/><CGLinearSolver/>", ""), false, SOFA_ERR_NOT_FOUND,
        "1 of SOFA");
  fails(POINT("<LegacyStaticODESolver name='ode'/>", ""), false, SOFA_ERR_NOT_FOUND,
        "no linear solver");
  /* a free point has no static equilibrium */
  fails(POINT("<StaticODESolver name='ode'/><LDLTSolver/>", ""), false, SOFA_ERR_SINGULAR,
        "zero pivot");
  /* a material that a compressed element leaves: J <= 0 */
  fails(ROOT("dt='1' gravity='0 0 -1e6'",
             "<BackwardEulerODESolver name='ode' newton_iterations='20'/><LDLTSolver/>"
             "<NeoHookeanMaterial young_modulus='10'/>" BEAM "<DiagonalMass massDensity='0.2'/>"),
        false, SOFA_ERR_GEOMETRY, "");
  fails(ROOT("dt='1' gravity='0 0 1e200'",
             "<BackwardEulerODESolver name='ode' newton_iterations='20'/><LDLTSolver/>"
             "<SaintVenantKirchhoffMaterial/>" BEAM "<DiagonalMass massDensity='0.2'/>"),
        false, SOFA_ERR_NOT_FINITE, "Newton diverged in step 1");
}

static void conjugate_gradients_that_give_up(void **state) {
  (void)state;
  static const char scene[] =
      ROOT("gravity='0 0 0'",
           "<StaticODESolver name='ode' newton_iterations='10'/>"
           "<ConjugateGradientSolver name='cg'/>"
           "<SaintVenantKirchhoffMaterial young_modulus='3000' poisson_ratio='0.3'/>" BENT
           "<TractionForcefield topology='@end' traction='0 -6 0'/>");
  fails(scene, false, SOFA_ERR_NOT_CONVERGED, "'cg' did not converge in 25 iterations");
  fails(scene, true, SOFA_OK, "after 25 iterations");
}

/* A step that ends without a criterion: a warning for the first, information for the others. */
static void steps_that_do_not_converge(void **state) {
  (void)state;
#define HASTY(solver)                                                                              \
  ROOT(                                                                                            \
      "gravity='0 0 0'",                                                                           \
      "<" solver " name='ode' newton_iterations='2' residual_tolerance_threshold='1e-9'/>"         \
      "<LDLTSolver/><SaintVenantKirchhoffMaterial young_modulus='3000' poisson_ratio='0.3'/>" BENT \
      "<TractionForcefield topology='@end' traction='0 -6 0'/><DiagonalMass massDensity='1e-3'/>")
  static const char *const scenes[] = {HASTY("StaticODESolver"), HASTY("BackwardEulerODESolver"),
                                       HASTY("LegacyStaticODESolver")};
  for (int i = 0; i < 3; i++) {
    SceneRun run;
    memset(&run, 0, sizeof run);
    scene_run_open(&run, scenes[i], NULL);
    run.quiet = true;
    scene_run_steps(&run, 3);
    assert_false(converged(&run));
    assert_int_equal(run.n_problems, 1);
    assert_non_null(strstr(run.last, "/body/ode: not converged after 2 iterations at t = 0 s: |R| "
                                     "from "));
    assert_non_null(strstr(run.last, "(later failures: printLog=\"1\")"));
    assert_int_equal(sofa_simulation_finish(run.simulation), SOFA_OK);
    assert_int_equal(run.n_problems, 2);
    assert_non_null(strstr(run.last, "/body/ode: 3 of 3 solves of this run did not converge, "
                                     "|R|/|R_0| of the worst is "));
    scene_run_close(&run);
  }
#undef HASTY
}

static void solvers_in_the_node(void **state) {
  (void)state;
  SceneRun run;
  memset(&run, 0, sizeof run);
  scene_run_context(&run, NULL);
  run.quiet = true;
  assert_int_equal(
      sofa_simulation_load_text(
          run.ctx,
          POINT("<StaticODESolver name='ode'/><CGLinearSolver/><LLTSolver/><LDLTSolver/>",
                "<RestShapeSpringsForceField stiffness='10'/>"),
          &run.simulation),
      SOFA_OK);
  assert_int_equal(sofa_simulation_init(run.simulation), SOFA_OK);
  assert_int_equal(run.n_problems, 1);
  assert_non_null(strstr(run.last, "2 linear solvers"));
  scene_run_steps(&run, 1);
  is_near(scene_run_state(&run, "/body/state")->position.data[1], -2, 1e-12);
  scene_run_close(&run);
}

static void legacy_solver(void **state) {
  (void)state;
#define LEGACY(attributes)                                                                         \
  ROOT("gravity='0 0 0'",                                                                          \
       "<LegacyStaticODESolver name='ode' newton_iterations='10' " attributes                      \
       "/><SparseLDLSolver/><SaintVenantKirchhoffMaterial young_modulus='3000' "                   \
       "poisson_ratio='0.499'/>" BENT "<TractionForcefield topology='@end' traction='0 %s 0'/>")
  char text[3000];
  SceneRun run;
  snprintf(text, sizeof text, LEGACY("warm_start='1'"), "-6");
  scene_run_open(&run, text, NULL);
  scene_run_steps(&run, 1);
  is_at(&run, 76, -4.602758, 79.821246, 1e-5);
  scene_run_close(&run);
  snprintf(text, sizeof text, LEGACY("shoud_diverge_when_residual_is_growing='1'"), "-30");
  fails(text, false, SOFA_ERR_NOT_CONVERGED, "|R| grew from");
}

/* A load of 1 mN on a spring of 10 N/m: 0.1 mm, or none below 3.16e-3 N. */
static void small_loads(void **state) {
  (void)state;
  for (int quirk = 0; quirk < 2; quirk++) {
    const SofaContextOptions options = {.quirk_words = quirk ? "caribou-legacy-rest" : NULL};
    SceneRun run;
    scene_run_open(&run,
                   ROOT("gravity='0 0 0'",
                        "<LegacyStaticODESolver newton_iterations='10'/><SparseLDLSolver/>"
                        "<MechanicalObject name='state' position='0 0 0'/>"
                        "<UniformMass totalMass='1'/><RestShapeSpringsForceField stiffness='10'/>"
                        "<ConstantForceField indices='0' forces='0.001 0 0'/>"),
                   &options);
    scene_run_steps(&run, 1);
    is_near(scene_run_state(&run, "/body/state")->position.data[0], quirk ? 0 : 1e-4, 1e-12);
    scene_run_close(&run);
  }
}

/* ---- records ---- */

typedef struct Seen {
  int newton, linear, iterations, ends;
  uint64_t step;
} Seen;

static void see(void *user, const SofaConvergenceRow *row) {
  Seen *seen = user;
  seen->newton += row->kind == SOFA_CONVERGENCE_NEWTON;
  seen->linear += row->kind == SOFA_CONVERGENCE_LINEAR;
  seen->iterations += row->kind == SOFA_CONVERGENCE_ITERATION;
  seen->ends += row->kind == SOFA_CONVERGENCE_NEWTON && row->reason[0];
  assert_true(row->step >= seen->step);
  seen->step = row->step;
}

static void all_solvers_are_recorded(void **state) {
  (void)state;
  static const struct {
    const char *solver;
    int newton, linear; /* rows of two steps */
  } cases[] = {
      {"<StaticODESolver/><LDLTSolver/>", 3, 1},
      {"<BackwardEulerODESolver newton_iterations='3'/><LDLTSolver/>", 4, 2},
      {"<StaticSolver/><NewtonRaphsonSolver warnWhenDiverge='0'/><SparseLDLSolver/>", 3, 1},
      {"<BDFOdeSolver/><NewtonRaphsonSolver/><SparseLDLSolver/>", 4, 2},
      {"<VariationalSymplecticSolver computeHamiltonian='0' steps='1'/><SparseLDLSolver/>", 4, 2},
      {"<NewmarkImplicitSolver/><SparseLDLSolver/>", 0, 2},
      {"<EulerImplicitSolver/><SparseLDLSolver/>", 0, 2}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[2000];
    SceneRun run;
    Seen seen = {0};
    const SofaConvergence observer = {see, &seen};
    snprintf(text, sizeof text, POINT("%s", "<RestShapeSpringsForceField stiffness='10'/>"),
             cases[i].solver);
    scene_run_open(&run, text, NULL);
    sofa_convergence_observe(run.ctx, &observer);
    scene_run_steps(&run, 2);
    sofa_convergence_observe(run.ctx, NULL);
    if (seen.newton != cases[i].newton || seen.linear != cases[i].linear)
      fail_msg("%s: %d Newton rows, %d linear ones", cases[i].solver, seen.newton, seen.linear);
    assert_int_equal(seen.ends, seen.newton ? 2 : 0);
    assert_int_equal(seen.step, 2);
    scene_run_close(&run);
  }
}

/* ---- memory ---- */

static const char *const economical[] = {
    FALLING("0.1", "newton_iterations='3' pattern_analysis_strategy='NEVER'"),
    ROOT("dt='0.1' gravity='0 -9.81 0'",
         "<BackwardEulerODESolver newton_iterations='3'/>"
         "<ConjugateGradientSolver maximum_number_of_iterations='500' "
         "preconditioning_method='IncompleteCholesky'/>"
         "<SaintVenantKirchhoffMaterial young_modulus='15000'/>" BEAM
         "<DiagonalMass massDensity='0.2'/>"),
    ROOT("dt='0.1' gravity='0 -9.81 0'",
         "<BackwardEulerODESolver newton_iterations='3'/>"
         "<ConjugateGradientSolver maximum_number_of_iterations='500'/>"
         "<SaintVenantKirchhoffMaterial young_modulus='15000'/>" BEAM
         "<DiagonalMass massDensity='0.2'/>")};

static void steps_do_not_allocate(void **state) {
  (void)state;
  for (int i = 0; i < 3; i++) {
    SceneRun run;
    scene_run_open(&run, economical[i], NULL);
    scene_run_steps(&run, 3);
    const uint64_t before = run.ctx->n_allocations;
    scene_run_steps(&run, 5);
    assert_int_equal(run.ctx->n_allocations, before);
    scene_run_close(&run);
  }
}

static void every_failure_of_memory_is_clean(void **state) {
  (void)state;
#define SMALL(ode, linear)                                                                         \
  ROOT("dt='0.1' gravity='0 -9.81 0'",                                                             \
       ode linear "<MechanicalObject name='state' position='0 0 0 1 0 0'/>"                        \
                  "<UniformMass totalMass='2'/><RestShapeSpringsForceField stiffness='50'/>")
  static const char *const texts[] = {
      SMALL("<BackwardEulerODESolver newton_iterations='2'/>", "<LDLTSolver/>"),
      SMALL("<StaticODESolver newton_iterations='2'/>", "<LUSolver/>"),
      SMALL("<LegacyStaticODESolver newton_iterations='2'/>",
            "<ConjugateGradientSolver preconditioning_method='IncompleteLU'/>"),
      SMALL("<VariationalSymplecticSolver/>",
            "<ConjugateGradientSolver preconditioning_method='Diagonal'/>")};
  for (int i = 0; i < 4; i++)
    if (!lacks_gpl_part(texts[i])) scene_runs_without_memory("scene", texts[i], 1, 0);
}

/* Springs without neighbours: the diagonal is the matrix, and one iteration solves each step, with
 * the stiffnesses of that step. */
static void the_diagonal_is_that_of_the_step(void **state) {
  static const char *const stiffness[] = {"1 10 100", "700 3 20"};
  (void)state;
  SceneRun run;
  scene_run_open(&run,
                 "<Node name='root' dt='0.1' gravity='1 2 3'>"
                 "<RequiredPlugin pluginName='SofaCaribou'/><DefaultAnimationLoop/>"
                 "<DefaultVisualManagerLoop/><EulerImplicitSolver/>"
                 "<ConjugateGradientSolver name='cg' preconditioning_method='Diagonal' "
                 "residual_tolerance_threshold='1e-12'/>"
                 "<MechanicalObject position='0 0 0 1 0 0 2 0 0'/><UniformMass vertexMass='1'/>"
                 "<RestShapeSpringsForceField name='springs' points='0 1 2' "
                 "stiffness='1 10 100'/></Node>",
                 NULL);
  const SofaLinearSolver *cg = (const SofaLinearSolver *)scene_run_object(&run, "/cg");
  SofaObject *springs = scene_run_object(&run, "/springs");
  for (int step = 0; step < 4; step++) {
    assert_int_equal(sofa_field_set_text(springs, "stiffness", stiffness[step % 2], 0), SOFA_OK);
    assert_int_equal(sofa_object_run(springs, SOFA_RUN_REINIT), SOFA_OK);
    scene_run_steps(&run, 1);
    assert_int_equal(cg->result.iterations, 1);
    assert_true(cg->result.converged);
  }
  scene_run_close(&run);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(static_beam_as_recorded),
      cmocka_unit_test(static_neo_hookean_beam_as_recorded),
      cmocka_unit_test(falling_beam),
      cmocka_unit_test(the_diagonal_is_that_of_the_step),
      cmocka_unit_test(falling_beam_with_damping),
      cmocka_unit_test(single_iterations_as_recorded),
      cmocka_unit_test(newton_is_quadratic),
      cmocka_unit_test(linear_material_takes_one_iteration),
      cmocka_unit_test(backward_euler_is_of_first_order),
      cmocka_unit_test(damping_of_components),
      cmocka_unit_test(mapped_forces_count_once),
      cmocka_unit_test(criteria),
      cmocka_unit_test(defaults),
      cmocka_unit_test(all_linear_solvers_agree),
      cmocka_unit_test(patterns_are_analysed_when_asked),
      cmocka_unit_test(a_reset_begins_the_simulation_anew),
      cmocka_unit_test(failing_steps),
      cmocka_unit_test(conjugate_gradients_that_give_up),
      cmocka_unit_test(steps_that_do_not_converge),
      cmocka_unit_test(solvers_in_the_node),
      cmocka_unit_test(legacy_solver),
      cmocka_unit_test(small_loads),
      cmocka_unit_test(all_solvers_are_recorded),
      cmocka_unit_test(steps_do_not_allocate),
      cmocka_unit_test(every_failure_of_memory_is_clean),
  };
  return with_skipped(cmocka_run_group_tests(tests, NULL, NULL));
}
