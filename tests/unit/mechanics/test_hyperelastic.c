/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Hyperelastic tetrahedra as components: errors in parameters and shapes, threads, the quirk. */
#include "tests/support/force_at.h"
#include "tests/support/scene_run.h"

#include <math.h>
#include "behavior/force_field.h"
#include "math/block_matrix.h"

#define SCENE(force_field)                                                                         \
  "<Node name='root' gravity='0 0 0'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>"           \
  "<MeshTopology position='0 0 0 1.1 0.1 0 0.2 0.9 0.1 0.1 0.2 1.2 0.9 1.1 1.3' "                  \
  "tetrahedra='0 1 2 3 1 2 3 4'/><MechanicalObject name='state'/>" force_field "</Node>"

#define HYPER(attributes) "<TetrahedronHyperelasticityFEMForceField name='ff' " attributes "/>"
#define STANDARD(attributes) "<StandardTetrahedralFEMForceField name='ff' " attributes "/>"

/* ---- parameters ---- */

/* The scene must fail (or warn, with keep_going) with a message that contains all of `words`. */
static void expect(const char *text, bool keep_going, SofaErr wanted, const char *const *words) {
  const SofaContextOptions options = {.keep_going = keep_going};
  SceneRun run = {.quiet = true};
  scene_run_context(&run, &options);
  run.quiet = true;
  SofaErr err = sofa_simulation_load_text(run.ctx, text, &run.simulation);
  if (err == SOFA_OK) err = sofa_simulation_init(run.simulation);
  assert_int_equal(err != SOFA_OK, wanted != SOFA_OK);
  assert_true(run.n_problems > 0);
  for (; *words; words++) {
    if (!strstr(run.last, *words)) fail_msg("'%s' is not in: %s", *words, run.last);
  }
  scene_run_close(&run);
}

static void wrong_parameters(void **state) {
  (void)state;
  expect(SCENE(HYPER("materialName='MooneyRivlin' ParameterSet='5 7'")), false, SOFA_ERR_RANGE,
         (const char *[]){"ParameterSet", "2 values", "MooneyRivlin", "takes 3",
                          "c1 (Pa), c2 (Pa), k0 (Pa, at least 0)", NULL});
  expect(SCENE(STANDARD("materialName='NeoHookean' ParameterSet='5 7 9'")), false, SOFA_ERR_RANGE,
         (const char *[]){"3 values", "takes 2", "mu (Pa, at least 0), lambda (Pa)", NULL});
  expect(SCENE(HYPER("materialName='Ogden' ParameterSet='5 0 9'")), false, SOFA_ERR_RANGE,
         (const char *[]){"alpha1", "is 0", "not 0", NULL});
  expect(SCENE(HYPER("materialName='Costa' ParameterSet='5 1 1 1 -2 1 1 1'")), false,
         SOFA_ERR_RANGE, (const char *[]){"bss", "is -2", "at least 0", NULL});
  expect(SCENE(HYPER("materialName='Jelly' ParameterSet='5 1'")), false, SOFA_ERR_SCENE,
         (const char *[]){"Jelly", NULL});
}

static void going_on(void **state) {
  (void)state;
  // what is superfluous is ignored; what is missing has no value to fall back to
  expect(SCENE(HYPER("materialName='NeoHookean' ParameterSet='5 7 9'")), true, SOFA_OK,
         (const char *[]){"3 values", "ignored", NULL});
}

/* ---- shapes ---- */

/* Force at positions x of 5 points. */
static SofaErr force_at(SceneRun *run, const double *x, double *f) {
  SofaForceField *ff = (SofaForceField *)scene_run_object(run, "/ff");
  const SofaMechParams p = sofa_mech_params(0.01, 0, 0, 0, 1);
  const double v[15] = {0};
  memset(f, 0, 15 * sizeof *f);
  return ff_force(ff, &p, x, v, f);
}

static void inverted_elements(void **state) {
  (void)state;
  static const struct {
    const char *scene;
    SofaErr err;
  } cases[] = {{SCENE(HYPER("materialName='NeoHookean' ParameterSet='5 7'")), SOFA_ERR_GEOMETRY},
               {SCENE(STANDARD("materialName='Ogden' ParameterSet='5 4 7'")), SOFA_ERR_GEOMETRY},
               {SCENE(HYPER("materialName='StVenantKirchhoff' ParameterSet='5 7'")), SOFA_OK},
               {SCENE(HYPER("materialName='StableNeoHookean' ParameterSet='5 7'")), SOFA_OK}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    SceneRun run;
    scene_run_open(&run, cases[i].scene, NULL);
    run.quiet = true;
    double x[15], f[15];
    memcpy(x, scene_run_state(&run, "/state")->position.data, sizeof x);
    x[12] = x[13] = x[14] = -1; // through the face 1 2 3
    assert_int_equal(force_at(&run, x, f), cases[i].err);
    if (cases[i].err != SOFA_OK) {
      assert_non_null(strstr(run.last, "tetrahedron 1 (vertices 1 2 3 4)"));
      assert_non_null(strstr(run.last, "inverted"));
    }
    scene_run_close(&run);
  }
}

static void flat_at_rest(void **state) {
  (void)state;
#define FLAT(z)                                                                                    \
  "<Node name='root' gravity='0 0 0'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>"           \
  "<MeshTopology position='0 0 0 1 0 0 0 1 0 1 1 " z "' tetrahedra='0 1 2 3'/>"                    \
  "<MechanicalObject/>" HYPER("materialName='NeoHookean' ParameterSet='5 7'") "</Node>"
  static const char *const words[] = {"tetrahedron 0", "no volume", NULL};
  expect(FLAT("0"), false, SOFA_ERR_GEOMETRY, words);
  expect(FLAT("1e-16"), false, SOFA_ERR_GEOMETRY, words); /* of the size of rounding */
}

/* ---- threads ---- */

#define BEAM(force_field)                                                                          \
  "<Node name='root' dt='0.02' gravity='0 -9.81 0'><DefaultAnimationLoop/>"                        \
  "<DefaultVisualManagerLoop/><EulerImplicitSolver rayleighStiffness='0.02'/><SparseLDLSolver/>"   \
  "<RegularGridTopology name='grid' n='4 4 9' min='0 0 0' max='1 1 3'/>"                           \
  "<MechanicalObject name='state'/><UniformMass totalMass='3'/>"                                   \
  "<Node name='tetras'><TetrahedronSetTopologyContainer name='tetras'/>"                           \
  "<TetrahedronSetTopologyModifier/>"                                                              \
  "<Hexa2TetraTopologicalMapping input='@../grid' output='@tetras' swapping='1'/>" force_field     \
  "</Node></Node>"

static void threads_do_not_matter(void **state) {
  (void)state;
  static const char *const scenes[] = {
      BEAM(HYPER("materialName='NeoHookean' ParameterSet='400 900'")),
      BEAM(STANDARD("materialName='Costa' ParameterSet='20 900 3 2 1 1.5 0.5 2.5'"))};
  for (size_t s = 0; s < 2; s++) {
    for (int quirks = 0; quirks < 2; quirks++) {
      double one[3 * 144];
      for (int threads = 1; threads < 5; threads++) {
        SceneRun run;
        const SofaContextOptions options = {.threads = threads, .quirks = quirks};
        scene_run_open(&run, scenes[s], &options);
        scene_run_steps(&run, 5);
        const double *x = scene_run_state(&run, "/state")->position.data;
        if (threads == 1) memcpy(one, x, sizeof one);
        else assert_memory_equal(one, x, sizeof one);
        scene_run_close(&run);
      }
    }
  }
}

/* Two points change places, which turns elements inside out: the first of them is named, with one
 * thread and with several. */
static void threads_name_the_first_inverted_element(void **state) {
  static const char *const scenes[] = {
      BEAM(HYPER("materialName='NeoHookean' ParameterSet='400 900'")),
      BEAM(HYPER("materialName='Ogden' ParameterSet='500 400 3'")),
      BEAM(STANDARD("materialName='Costa' ParameterSet='20 900 3 2 1 1.5 0.5 2.5'"))};
  (void)state;
  for (size_t s = 0; s < sizeof scenes / sizeof *scenes; s++)
    for (int quirks = 0; quirks < 2; quirks++) {
      char first[1000] = "";
      for (int threads = 1; threads < 4; threads++) {
        const SofaContextOptions options = {.threads = threads, .quirks = quirks};
        const SofaMechParams p = sofa_mech_params(0.01, 0, 0, 0, 1);
        double x[3 * 144], f[3 * 144] = {0};
        SceneRun run;
        scene_run_open(&run, scenes[s], &options);
        run.quiet = true;
        SofaForceField *ff = (SofaForceField *)scene_run_object(&run, "/tetras/ff");
        memcpy(x, scene_run_state(&run, "/state")->position.data, sizeof x);
        for (int c = 0; c < 3; c++) {
          const double kept = x[3 * 37 + c];
          x[3 * 37 + c] = x[3 * 121 + c];
          x[3 * 121 + c] = kept;
        }
        assert_int_equal(ff_force(ff, &p, x, NULL, f), SOFA_ERR_GEOMETRY);
        assert_non_null(strstr(run.last, "inverted"));
        if (threads == 1) memcpy(first, run.last, sizeof first);
        assert_string_equal(run.last, first);
        scene_run_close(&run);
      }
    }
}

/* ---- the quirk of the Costa material ---- */

/* Product of the tangent at some deformed state with some direction, or with a translation. */
static void tangent_product(const char *scene, bool quirks, bool translation, double *df) {
  SceneRun run;
  const SofaContextOptions options = {.quirks = quirks};
  scene_run_open(&run, scene, &options);
  SofaForceField *ff = (SofaForceField *)scene_run_object(&run, "/ff");
  double x[15], f[15], dx[15];
  memcpy(x, scene_run_state(&run, "/state")->position.data, sizeof x);
  for (int i = 0; i < 15; i++) {
    x[i] += 0.05 * sin(3.0 * i);
    dx[i] = translation ? 1 + i % 3 : cos(2.0 * i);
  }
  assert_int_equal(force_at(&run, x, f), SOFA_OK);
  SofaMechParams p = sofa_mech_params(0.01, 0, 0, 0, 1);
  p.k = 1;
  memset(df, 0, 15 * sizeof *df);
  assert_int_equal(ff_dforce(ff, &p, x, dx, df), SOFA_OK);
  scene_run_close(&run);
}

static void tangent(const char *scene, bool quirks, double *df) {
  tangent_product(scene, quirks, false, df);
}

static double largest_difference(const double *a, const double *b) {
  double m = 0;
  for (int i = 0; i < 15; i++) m = fmax(m, fabs(a[i] - b[i]));
  return m;
}

#define COSTA "materialName='Costa' ParameterSet='200 900 3 2 1 1.5 0.5 2.5'"
#define COSTA_UNIT "materialName='Costa' ParameterSet='200 1 3 2 1 1.5 0.5 2.5'"

static void quirk(void **state) {
  (void)state;
  double hyper[15], standard[15], hyper_quirk[15], standard_quirk[15];
  tangent(SCENE(HYPER(COSTA)), false, hyper);
  tangent(SCENE(STANDARD(COSTA)), false, standard);
  tangent(SCENE(HYPER(COSTA)), true, hyper_quirk);
  tangent(SCENE(STANDARD(COSTA)), true, standard_quirk);
  assert_memory_equal(hyper, standard, sizeof hyper);
  assert_true(largest_difference(hyper, hyper_quirk) > 1);
  assert_true(largest_difference(hyper_quirk, standard_quirk) > 1e-3);

  // with k0 = 1 the first class is right
  tangent(SCENE(HYPER(COSTA_UNIT)), false, hyper);
  tangent(SCENE(HYPER(COSTA_UNIT)), true, hyper_quirk);
  assert_memory_equal(hyper, hyper_quirk, sizeof hyper);

  // a translation makes no force
  tangent_product(SCENE(STANDARD(COSTA)), true, true, hyper);
  for (int i = 0; i < 15; i++) assert_true(fabs(hyper[i]) < 1e-11 * fabs(standard_quirk[0]));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(wrong_parameters),
                                     cmocka_unit_test(going_on),
                                     cmocka_unit_test(inverted_elements),
                                     cmocka_unit_test(flat_at_rest),
                                     cmocka_unit_test(threads_do_not_matter),
                                     cmocka_unit_test(quirk),
                                     cmocka_unit_test(threads_name_the_first_inverted_element)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
