/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The beam of SofaCaribou's own tests: bent statically, and falling under gravity. With quirks the
 * plugin's histories of residuals come out, without them the solution of the equations. */
#include "tests/support/force_at.h"
#include "tests/support/scene_run.h"

#include <math.h>
#include "behavior/mass.h"

#define BEAM(root, content)                                                                        \
  "<Node name='root' " root ">"                                                                    \
  "<RequiredPlugin name='SofaCaribou'/><DefaultAnimationLoop/><DefaultVisualManagerLoop/>"         \
  "<Node name='beam'>"                                                                             \
  "<RegularGridTopology name='grid' n='3 3 9' min='-7.5 -7.5 0' max='7.5 7.5 80'/>"                \
  "<MechanicalObject name='state'/>"                                                               \
  "<CaribouTopology name='hexas' template='Hexahedron' indices='@grid.hexahedra'/>"                \
  "<HyperelasticForcefield name='elastic' topology='@hexas'/>"                                     \
  "<FixedProjectiveConstraint indices='0 1 2 3 4 5 6 7 8'/>" content "</Node></Node>"

static void is_near(double value, double expected, double tolerance) {
  if (!(fabs(value - expected) <= tolerance))
    fail_msg("%.15g, expected %.15g (difference %.2g)", value, expected, value - expected);
}

/* Node 76, the middle of the free end: x = 0, (y, z) as expected. */
static void end_is_at(SceneRun *run, const double *expected, double tolerance) {
  const double *x = scene_run_state(run, "/beam/state")->position.data + 3 * 76;
  is_near(x[0], 0, tolerance);
  is_near(x[1], expected[0], tolerance);
  is_near(x[2], expected[1], tolerance);
}

static const SofaReals *residuals(SceneRun *run) {
  const SofaObject *solver = scene_run_object(run, "/beam/solver");
  return sofa_field_value(solver, sofa_class_field(solver->klass, "squared_residuals"));
}

/* |R_k| / |R_1| of the last step, 0 after the last one. */
static void ratios_are(SceneRun *run, const double *expected, size_t n, double tolerance) {
  const SofaReals *list = residuals(run);
  assert_int_equal(list->n, n);
  for (size_t k = 0; k < n; k++)
    is_near(sqrt(list->data[k] / list->data[0]), expected[k], tolerance);
}

/* ---- static bending ---- */

#define BENT(material, tolerances)                                                                 \
  BEAM("gravity='0 0 0'",                                                                          \
       "<StaticODESolver name='solver' " tolerances "/><LDLTSolver/>"                              \
       "<" material "Material young_modulus='3000' poisson_ratio='0.499'/>"                        \
       "<CaribouTopology name='end' template='Quad' indices='72 73 76 75 73 74 77 76 75 76 79 "    \
       "78 76 77 80 79'/><TractionForcefield topology='@end' traction='0 -30 0' slope='0.2'/>")

static void history_of_bending(void **test_state) {
  static const double ratios[5][5] = {
      {1, 4.802014099846802e-03, 3.457785823647809e-04, 6.417769508095073e-08},
      {1, 4.700052322118300e-03, 3.771851553383748e-04, 1.289757638852382e-05,
       2.125041655083045e-08},
      {1, 4.416064536488316e-03, 4.703733156787435e-04, 3.659722934024732e-05,
       7.791507698853802e-08},
      {1, 4.003458215116851e-03, 6.263051713537671e-04, 4.996976075176631e-05,
       1.422069948624354e-07},
      {1, 3.526942203674829e-03, 8.307813177405512e-04, 4.667215114394798e-05,
       1.646730071539153e-07}};
  static const double end[5][2] = {{-4.602768810700, 79.821245454453},
                                   {-9.088860314613, 79.300743437846},
                                   {-13.360031279542, 78.481476005245},
                                   {-17.347928027598, 77.423054881095},
                                   {-21.016400468257, 76.189746461878}};
  (void)test_state;
  SceneRun run;
  scene_run_open(&run, BENT("SaintVenantKirchhoff", "newton_iterations='10'"),
                 &(SofaContextOptions){.quirks = true});
  for (int k = 0; k < 5; k++) {
    scene_run_steps(&run, 1);
    ratios_are(&run, ratios[k], k ? 5 : 4, 1e-10);
    end_is_at(&run, end[k], 1e-8);
  }
  scene_run_close(&run);
}

static void history_of_neo_hookean(void **test_state) {
  static const double ratios[7] = {1,
                                   1.374441940e-02,
                                   8.767877615e-03,
                                   3.696659225e-03,
                                   1.455553436e-03,
                                   1.705876811e-04,
                                   3.992778997e-06};
  static const double end[5][2] = {{-4.606999774755, 79.839600903758},
                                   {-9.119979774894, 79.369261306712},
                                   {-13.457029292777, 78.619231932878},
                                   {-17.554778673573, 77.633737810488},
                                   {-21.372821032615, 76.463775078156}};
  static const size_t iterations[5] = {7, 7, 7, 8, 8};
  (void)test_state;
  SceneRun run;
  scene_run_open(&run, BENT("NeoHookean", "newton_iterations='10'"),
                 &(SofaContextOptions){.quirks = true});
  for (int k = 0; k < 5; k++) {
    scene_run_steps(&run, 1);
    // the first iterates are far off, which magnifies rounding
    if (!k) ratios_are(&run, ratios, 7, 1e-9);
    assert_int_equal(residuals(&run)->n, iterations[k]);
    end_is_at(&run, end[k], 1e-8);
  }
  scene_run_close(&run);
}

/* The equilibrium does not depend on quirks, and the last iterations converge quadratically. */
static void equilibrium(void **test_state) {
  double end[2][2];
  (void)test_state;
  for (int quirks = 0; quirks < 2; quirks++) {
    SceneRun run;
    scene_run_open(&run,
                   BENT("NeoHookean", "newton_iterations='30' residual_tolerance_threshold='1e-15' "
                                      "correction_tolerance_threshold='1e-11'"),
                   &(SofaContextOptions){.quirks = quirks});
    scene_run_steps(&run, 5);
    const double *x = scene_run_state(&run, "/beam/state")->position.data + 3 * 76;
    memcpy(end[quirks], x + 1, sizeof end[quirks]);
    const SofaReals *list = residuals(&run);
    // among residuals well above rounding, each is below the square of the one before
    int n_quadratic = 0;
    for (size_t k = 1; k < list->n; k++) {
      const double before = sqrt(list->data[k - 1]), after = sqrt(list->data[k]);
      if (before < 100 && after > 1e-6) {
        assert_true(after < 0.1 * before * before);
        n_quadratic++;
      }
    }
    assert_true(n_quadratic > 0);
    scene_run_close(&run);
  }
  is_near(end[0][0], end[1][0], 1e-9);
  is_near(end[0][1], end[1][1], 1e-9);
}

/* ---- falling under gravity ---- */

#define FALLING(dt, attributes)                                                                    \
  BEAM("gravity='0 -9.81 0' dt='" dt "'",                                                          \
       "<BackwardEulerODESolver name='solver' " attributes "/><LLTSolver/>"                        \
       "<SaintVenantKirchhoffMaterial young_modulus='15000' poisson_ratio='0.3'/>"                 \
       "<DiagonalMass name='mass' massDensity='0.2'/>")

enum { N_STEPS = 30 };

/* the solution of the equations */
static const double falling[N_STEPS][2] = {
    {-9.441319002, 79.407181125},  {-21.826704195, 76.651319632}, {-31.095527088, 72.871586122},
    {-35.305593870, 70.550926140}, {-35.130659920, 70.617614598}, {-32.223205192, 72.223059622},
    {-28.499473908, 74.037760417}, {-25.556452535, 75.278598760}, {-24.197077108, 75.793581087},
    {-24.368215849, 75.727014882}, {-25.466557644, 75.307116680}, {-26.763508999, 74.784442671},
    {-27.725161521, 74.376434330}, {-28.133059985, 74.197586381}, {-28.042342278, 74.237185242},
    {-27.662480464, 74.402787319}, {-27.230320086, 74.588005681}, {-26.917972639, 74.719644816},
    {-26.794388574, 74.771169800}, {-26.836724187, 74.753496705}, {-26.970912478, 74.697378452},
    {-27.116477458, 74.636134883}, {-27.217614123, 74.593344451}, {-27.254220034, 74.577803020},
    {-27.236258258, 74.585425128}, {-27.189510172, 74.605245102}, {-27.140818518, 74.625846684},
    {-27.108186088, 74.639627989}, {-27.097512098, 74.644130782}, {-27.104788109, 74.641060757}};

/* with a consistent mass and more quadrature points (FEniCS) */
static const double reference[N_STEPS][2] = {
    {-9.562279888345634, 79.39044911706209}, {-22.00410424789615, 76.59222365577006},
    {-31.20604722752000, 72.81692906739460}, {-35.28683993235831, 70.56333712082601},
    {-34.98586694947343, 70.70392039083237}, {-32.00995159620113, 72.33551447938810},
    {-28.30526401195670, 74.12486168727997}, {-25.45401323396197, 75.31823803168405},
    {-24.20965860623026, 75.78805469064319}, {-24.46657107484880, 75.68966106228775},
    {-25.59250504010098, 75.25728747850749}, {-26.86151369944466, 74.74349714257900},
    {-27.76414171227908, 74.35949352208119}, {-28.11175451126505, 74.20702108886103},
    {-27.98182877719765, 74.26380132603475}, {-27.59265512981549, 74.43292654245047},
    {-27.17662150984503, 74.61066307604858}, {-26.89306970402827, 74.72989238647719},
    {-26.79684503737767, 74.76996083044881}, {-26.85543354897088, 74.74552358242528},
    {-26.99200024082513, 74.68838986279032}, {-27.12925614969991, 74.63062511409947},
    {-27.21757729427946, 74.59326236938304}, {-27.24284873309757, 74.58253917003719},
    {-27.21868848076719, 74.59278259215507}, {-27.17156673434412, 74.61273635065081},
    {-27.12668991281993, 74.63170140258259}, {-27.09939933059889, 74.64321530875475},
    {-27.09319289376401, 74.64583124869419}, {-27.10271984455126, 74.64181417401340}};

static void backward_euler(void **test_state) {
  (void)test_state;
  for (int quirks = 0; quirks < 2; quirks++) {
    SceneRun run;
    scene_run_open(&run,
                   FALLING("1", "newton_iterations='30' correction_tolerance_threshold='1e-12' "
                                "residual_tolerance_threshold='1e-13'"),
                   &(SofaContextOptions){.quirks = quirks});
    for (int k = 0; k < N_STEPS; k++) {
      scene_run_steps(&run, 1);
      end_is_at(&run, falling[k], 2e-9);
      const double *x = scene_run_state(&run, "/beam/state")->position.data + 3 * 76;
      is_near(x[1], reference[k][0], 0.015 * fabs(reference[k][0]));
      is_near(x[2], reference[k][1], 0.005 * fabs(reference[k][1]));
    }
    scene_run_close(&run);
  }
}

/* The plugin's iterations at the tolerances of its test. */
static void history_of_falling(void **test_state) {
  static const size_t iterations[N_STEPS] = {3, 5, 6, 5, 5, 3, 4, 4, 4, 4, 3, 4, 4, 4, 3,
                                             3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3};
  static const double first[3] = {1, 1.223005e-02, 3.661709e-06};
  static const double second[5] = {1, 4.473190e-02, 7.158426e-03, 6.841865e-04, 1.355069e-06};
  static const double initial[5] = {4457.402, 2273.770, 749.3775, 745.2418, 1201.860};
  (void)test_state;
  SceneRun run;
  scene_run_open(&run, FALLING("1", "newton_iterations='10'"),
                 &(SofaContextOptions){.quirks = true});
  const SofaObject *solver = scene_run_object(&run, "/beam/solver");
  for (int k = 0; k < N_STEPS; k++) {
    scene_run_steps(&run, 1);
    assert_int_equal(residuals(&run)->n, iterations[k]);
    if (k == 0) ratios_are(&run, first, 3, 1e-8);
    if (k == 1) ratios_are(&run, second, 5, 1e-8);
    const double *square =
        sofa_field_value(solver, sofa_class_field(solver->klass, "squared_initial_residual"));
    if (k < 5) is_near(sqrt(*square), initial[k], 1e-6 * initial[k]);
  }
  scene_run_close(&run);
}

static void one_iteration(void **test_state) {
  static const double end[10][2] = {{-0.098528373, 80.000000000}, {-0.297048198, 79.999947325},
                                    {-0.599499820, 79.999631973}, {-1.013943390, 79.998471047},
                                    {-1.554035146, 79.995207972}, {-2.239223662, 79.987576524},
                                    {-3.092581466, 79.971930170}, {-4.135803054, 79.942732949},
                                    {-5.382094182, 79.891819347}, {-6.829106764, 79.807706531}};
  (void)test_state;
  SceneRun run;
  scene_run_open(&run, FALLING("0.1", "newton_iterations='1'"),
                 &(SofaContextOptions){.quirks = true});
  for (int k = 0; k < 10; k++) {
    scene_run_steps(&run, 1);
    end_is_at(&run, end[k], 2e-9);
  }
  scene_run_close(&run);
}

static void rayleigh_damping(void **test_state) {
  static const double end[10][2] = {{-0.099615149, 79.999949409}, {-0.305209758, 79.999582967},
                                    {-0.627082417, 79.998248768}, {-1.076400447, 79.994740228},
                                    {-1.662049346, 79.987095623}, {-2.388557467, 79.972397614},
                                    {-3.255300356, 79.946674672}, {-4.256699105, 79.904995187},
                                    {-5.383016563, 79.841773033}, {-6.621426273, 79.751226721}};
  static const size_t iterations[10] = {5, 6, 6, 7, 7, 7, 8, 8, 8, 9};
  (void)test_state;
  for (int quirks = 0; quirks < 2; quirks++) {
    SceneRun run;
    scene_run_open(&run,
                   FALLING("0.1", "newton_iterations='10' rayleigh_mass='0.1' "
                                  "rayleigh_stiffness='0.1' correction_tolerance_threshold='1e-10' "
                                  "residual_tolerance_threshold='1e-10'"),
                   &(SofaContextOptions){.quirks = quirks});
    for (int k = 0; k < 10; k++) {
      scene_run_steps(&run, 1);
      end_is_at(&run, end[k], 2e-9);
      if (quirks) assert_int_equal(residuals(&run)->n, iterations[k]);
    }
    scene_run_close(&run);
  }
}

/* ---- order in time ---- */

#define TIGHT                                                                                      \
  "newton_iterations='20' correction_tolerance_threshold='1e-12' "                                 \
  "residual_tolerance_threshold='1e-12'"

/* Halving the step halves the differences between solutions at t = 0.8 s. */
static void first_order(void **test_state) {
  static const char *const scenes[4] = {FALLING("0.05", TIGHT), FALLING("0.025", TIGHT),
                                        FALLING("0.0125", TIGHT), FALLING("0.00625", TIGHT)};
  double end[4][2], difference[3];
  (void)test_state;
  for (int k = 0; k < 4; k++) {
    SceneRun run;
    scene_run_open(&run, scenes[k], NULL);
    scene_run_steps(&run, 16 << k);
    memcpy(end[k], scene_run_state(&run, "/beam/state")->position.data + 3 * 76 + 1, sizeof *end);
    scene_run_close(&run);
    if (k) difference[k - 1] = hypot(end[k][0] - end[k - 1][0], end[k][1] - end[k - 1][1]);
  }
  is_near(difference[0] / difference[1], 2, 0.15);
  is_near(difference[1] / difference[2], 2, 0.08);
}

/* ---- energy ---- */

/* Kinetic, elastic and gravitational energy, J. */
static double total_energy(SceneRun *run) {
  static const double gravity[3] = {0, -9.81, 0};
  const SofaState *state = scene_run_state(run, "/beam/state");
  SofaMass *mass = (SofaMass *)scene_run_object(run, "/beam/mass");
  SofaForceField *elastic = (SofaForceField *)scene_run_object(run, "/beam/elastic");
  const SofaMechParams params = sofa_mech_params(0.1, 0, 0, 0, 1);
  double energy = NAN;
  assert_int_equal(ff_energy(elastic, &params, state->position.data, &energy), SOFA_OK);
  return energy +
         sofa_mass_ops(mass)->kinetic_energy(mass, sofa_mass_x(mass), state->velocity.data) +
         sofa_mass_ops(mass)->potential_energy(mass, state->position.data, gravity);
}

/* Backward Euler loses energy in every step, in all half as much with half the step. */
static void energy_is_lost(void **test_state) {
  static const char *const scenes[2] = {FALLING("0.025", TIGHT), FALLING("0.0125", TIGHT)};
  double loss[2];
  (void)test_state;
  for (int k = 0; k < 2; k++) {
    SceneRun run;
    scene_run_open(&run, scenes[k], NULL);
    const double start = total_energy(&run);
    double before = start;
    for (int i = 0; i < 80 << k; i++) {
      scene_run_steps(&run, 1);
      const double now = total_energy(&run);
      assert_true(now < before);
      before = now;
    }
    loss[k] = start - before;
    scene_run_close(&run);
  }
  is_near(loss[0] / loss[1], 2, 0.2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(history_of_bending), cmocka_unit_test(history_of_neo_hookean),
      cmocka_unit_test(equilibrium),        cmocka_unit_test(backward_euler),
      cmocka_unit_test(history_of_falling), cmocka_unit_test(one_iteration),
      cmocka_unit_test(rayleigh_damping),   cmocka_unit_test(first_order),
      cmocka_unit_test(energy_is_lost),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
