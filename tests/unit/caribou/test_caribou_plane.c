/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Elements in two dimensions, with states of kind Vec2d: loads, masses, the linear force fields of
 * csofa, errors. */
#include "tests/support/force_at.h"
#include "tests/support/scene_run.h"

#include <math.h>
#include "behavior/mass.h"

static void is_near(double value, double expected, double tolerance) {
  if (!(fabs(value - expected) <= tolerance))
    fail_msg("%.15g, expected %.15g (difference %.2g)", value, expected, value - expected);
}

static SofaErr force_at(SofaForceField *ff, const double *x, double *f) {
  const SofaMechParams params = sofa_mech_params(0.01, 0, 0, 0, 1);
  memset(f, 0, 2 * sofa_state_size(ff->state[0]) * sizeof *f);
  return ff_force(ff, &params, x, NULL, f);
}

#define ROOT(content)                                                                              \
  "<Node name='root' gravity='0 -2 0'><RequiredPlugin name='SofaCaribou'/>"                        \
  "<DefaultAnimationLoop/><DefaultVisualManagerLoop/>" content "</Node>"
/* a square of 2 m: corners, middles of the edges, middle */
#define SQUARE                                                                                     \
  "<MechanicalObject name='state' template='Vec2d' position='-1 -1  1 -1  1 1  -1 1  0 -1  1 0  "  \
  "0 1  -1 0  0 0'/>"
#define ELEMENTS(name_of, list)                                                                    \
  SQUARE "<CaribouTopology name='plane' template='" name_of "' indices='" list "'/>"
#define LOADED(name_of, list, more)                                                                \
  ROOT(ELEMENTS(name_of, list) "<TractionForcefield name='load' topology='@plane' " more "/>")
#define MECHANICS(name_of, shape, list)                                                            \
  ROOT(ELEMENTS(name_of,                                                                           \
                list) "<LinearSmallStrainFEMForceField name='ff' template='Vec2d," shape           \
                      "' elements='@plane' "                                                       \
                      "youngModulus='100' poissonRatio='0.3'/><NodalMassDensity property='3'/>"    \
                      "<FEMMass name='mass' template='Vec2d," shape "' elements='@plane'/>")

typedef struct Kind {
  const char *loaded, *mechanics;
  double share[9]; /* of the area of 4 m^2 */
} Kind;

#define KIND(name_of, shape, list, ...)                                                            \
  {                                                                                                \
    LOADED(name_of, list, "traction='1 5'"), MECHANICS(name_of, shape, list), {                    \
      __VA_ARGS__                                                                                  \
    }                                                                                              \
  }

/* Integrals of the shape functions: of a triangle of second order 0 at corners, 1/3 at edges; of a
 * quad with 8 nodes -1/12 and 1/3. */
static const Kind kinds[] = {
    KIND("Triangle_2D", "Triangle", "0 1 2 0 2 3", 1. / 3, 1. / 6, 1. / 3, 1. / 6),
    KIND("Triangle6_2D", "Triangle6", "0 1 2 4 5 8 0 2 3 8 6 7", 0, 0, 0, 0, 1. / 6, 1. / 6, 1. / 6,
         1. / 6, 1. / 3),
    KIND("Quad_2D", "Quad", "0 1 2 3", 0.25, 0.25, 0.25, 0.25),
    KIND("Quad8_2D", "Quad8", "0 1 2 3 4 5 6 7", -1. / 12, -1. / 12, -1. / 12, -1. / 12, 1. / 3,
         1. / 3, 1. / 3, 1. / 3)};

static void loads(void **test_state) {
  (void)test_state;
  for (size_t i = 0; i < SOFA_COUNT(kinds); i++) {
    SceneRun run = {.quiet = false};
    scene_run_open(&run, kinds[i].loaded, NULL);
    SofaForceField *load = (SofaForceField *)scene_run_object(&run, "/load");
    const double *x = load->state[0]->position.data;
    const SofaMechParams params = sofa_mech_params(0.01, 0, 0, 0, 1);
    double f[18], energy, expected = 0;
    assert_int_equal(force_at(load, x, f), SOFA_OK);
    for (size_t n = 0; n < 9; n++) {
      is_near(f[2 * n], 4 * kinds[i].share[n], 1e-14);
      is_near(f[2 * n + 1], 20 * kinds[i].share[n], 1e-13);
      expected -= f[2 * n] * x[2 * n] + f[2 * n + 1] * x[2 * n + 1];
    }
    assert_int_equal(ff_energy(load, &params, x, &energy), SOFA_OK);
    is_near(energy, expected, 1e-13);
    scene_run_close(&run);
  }
}

/* Plane stress under a uniform strain: the energy of the area. */
static void elasticity(void **test_state) {
  const double strain[3] = {0.02, -0.01, 0.03}, e = 100, nu = 0.3; // xx yy, doubled xy
  const double density = 0.5 * e / (1 - nu * nu) *
                         (strain[0] * strain[0] + strain[1] * strain[1] +
                          2 * nu * strain[0] * strain[1] + (1 - nu) / 2 * strain[2] * strain[2]);
  (void)test_state;
  for (size_t i = 0; i < SOFA_COUNT(kinds); i++) {
    SceneRun run = {.quiet = false};
    scene_run_open(&run, kinds[i].mechanics, NULL);
    SofaForceField *ff = (SofaForceField *)scene_run_object(&run, "/ff");
    const double *rest = ff->state[0]->position.data;
    const SofaMechParams params = sofa_mech_params(0.01, 0, 0, 0, 1);
    double x[18], energy;
    for (size_t n = 0; n < 9; n++) {
      x[2 * n] = rest[2 * n] * (1 + strain[0]) + rest[2 * n + 1] * strain[2];
      x[2 * n + 1] = rest[2 * n + 1] * (1 + strain[1]);
    }
    assert_int_equal(ff_energy(ff, &params, x, &energy), SOFA_OK);
    is_near(energy, 4 * density, 1e-12);
    SofaMass *mass = (SofaMass *)scene_run_object(&run, "/mass");
    const SofaMassOps *ops = sofa_ops(&mass->force_field.object, SOFA_MASS);
    is_near(ops->total_mass(mass), 12, 1e-13);
    scene_run_close(&run);
  }
}

/* Half of the load in each step. */
static void increments(void **test_state) {
  SceneRun run = {.quiet = false};
  (void)test_state;
  scene_run_open(&run, LOADED("Quad_2D", "0 1 2 3", "traction='3 4' slope='0.5'"), NULL);
  SofaForceField *load = (SofaForceField *)scene_run_object(&run, "/load");
  for (int k = 1; k <= 3; k++) {
    double f[18];
    scene_run_steps(&run, 1);
    assert_int_equal(force_at(load, load->state[0]->position.data, f), SOFA_OK);
    is_near(f[1], k == 1 ? 2 : 4, 1e-13);
  }
  scene_run_close(&run);
}

static void refused(const char *scene, const char *why) {
  SceneRun run = {.quiet = true};
  scene_run_context(&run, NULL);
  SofaErr err = sofa_simulation_load_text(run.ctx, scene, &run.simulation);
  if (err == SOFA_OK) err = sofa_simulation_init(run.simulation);
  assert_int_not_equal(err, SOFA_OK);
  if (!strstr(run.all, why)) fail_msg("'%s', expected '%s'", run.all, why);
  scene_run_close(&run);
}

static void errors(void **test_state) {
  (void)test_state;
  refused(LOADED("Quad_2D", "0 1 2 3", "traction='1 2 3'"), "'traction': 3 numbers, expected 2");
  refused(LOADED("Quad_2D", "0 1 2 3", "pressure='1'"), "'pressure': is for faces in space");
  refused(LOADED("Quad", "0 1 2 3", "traction='1 2'"), "the state is of kind Vec2d, not Vec3d");
  refused(ROOT(SQUARE "<CaribouTopology template='Quad_2D' position='0 0 0' indices='0 0 0 0'/>"),
          "is not supported yet: 'position' of elements in two dimensions");
  refused(
      ROOT(ELEMENTS("Quad_2D",
                    "0 1 2 3") "<NeoHookeanMaterial/><HyperelasticForcefield template='Quad_2D'/>"),
      "template 'Quad_2D' names other elements");
  refused(ROOT("<MechanicalObject/><CaribouBarycentricMapping template='Quad_2D'/>"),
          "template 'Quad_2D' is not supported yet");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(loads), cmocka_unit_test(elasticity),
                                     cmocka_unit_test(increments), cmocka_unit_test(errors)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
