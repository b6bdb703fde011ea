/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What TetrahedronFEMForceField and HexahedronFEMForceField make of their fields: bad values,
 * quirks, plasticity, materials, split hexahedra. */
#include "tests/support/force_at.h"
#include "tests/support/scene_run.h"

#include <math.h>
#include "behavior/force_field.h"

/* One tetrahedron with edges along the axes; %s: attributes of the force field. */
#define ONE_TETRA(fem)                                                                             \
  "<Node name='root'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>"                           \
  "<MeshTopology name='mesh' position='0 0 0 1 0 0 0 1 0 0 0 1' tetrahedra='0 1 2 3'/>"            \
  "<MechanicalObject name='state'/><TetrahedronFEMForceField name='ff' " fem "/></Node>"

static const double pulled[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1.1};

static void force_at(SceneRun *run, const double *x, size_t n, double *f) {
  SofaForceField *ff = (SofaForceField *)scene_run_object(run, "/ff");
  const SofaMechParams p = sofa_mech_params(0.01, 0, 0, 0, 1);
  double *v = calloc(n, sizeof *v);
  memset(f, 0, n * sizeof *f);
  assert_int_equal(ff_force(ff, &p, x, v, f), SOFA_OK);
  free(v);
}

static void force_of(const char *scene, const SofaContextOptions *options, const double *x,
                     double *f) {
  SceneRun run;
  scene_run_open(&run, scene, options);
  force_at(&run, x, 12, f);
  scene_run_close(&run);
}

/* Loads and initialises a scene with a mistake; the message must contain the words. */
static void refuse(const char *scene, const char *words) {
  SceneRun run = {.quiet = true};
  scene_run_context(&run, NULL);
  SofaErr err = sofa_simulation_load_text(run.ctx, scene, &run.simulation);
  if (err == SOFA_OK) err = sofa_simulation_init(run.simulation);
  assert_int_not_equal(err, SOFA_OK);
  if (!strstr(run.last, words)) fail_msg("expected \"%s\" in \"%s\"", words, run.last);
  scene_run_close(&run);
}

static void bad_values_are_refused(void **state) {
  (void)state;
  refuse(ONE_TETRA("youngModulus='100' poissonRatio='0.5'"), "(-1, 0.5)");
  refuse(ONE_TETRA("youngModulus='100' poissonRatio='-1'"), "poissonRatio");
  refuse(ONE_TETRA("youngModulus='10 -1' poissonRatio='0.3'"), "entry 1: -1");
  refuse(ONE_TETRA("youngModulus='100' poissonRatio='0.3' method='Large'"), "large");
  refuse(ONE_TETRA("youngModulus='100' poissonRatio='0.3' computeVonMisesStress='3'"), "in [0, 2]");
  refuse(
      ONE_TETRA("youngModulus='100' poissonRatio='0.3' computeVonMisesStress='1' method='small'"),
      "small");
}

static void bad_meshes_are_refused(void **state) {
  (void)state;
#define MESH(topology, fem)                                                                        \
  "<Node name='root'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>" topology                  \
  "<MechanicalObject/><" fem "ForceField name='ff' youngModulus='1' poissonRatio='0'/></Node>"
  refuse(MESH("", "TetrahedronFEM"), "no topology");
  refuse(MESH("<MeshTopology position='0 0 0 1 0 0' edges='0 1'/>", "TetrahedronFEM"),
         "neither tetrahedra nor hexahedra");
  refuse(MESH("<MeshTopology position='0 0 0 1 0 0' edges='0 1'/>", "HexahedronFEM"),
         "no hexahedra");
  refuse(MESH("<MeshTopology position='0 0 0 1 0 0 0 1 0 1 1 0 0 0 1' "
              "tetrahedra='0 1 2 4 0 1 2 3'/>",
              "TetrahedronFEM"),
         "tetrahedron 1 (vertices 0 1 2 3) has no volume");
  refuse(MESH("<MeshTopology position='0 0 0 1 0 0 1 1 0 0 1 0 0 0 0 1 0 0 1 1 0 0 1 0' "
              "hexahedra='0 1 2 3 4 5 6 7'/>",
              "HexahedronFEM"),
         "hexahedron 0 is degenerate");
#undef MESH
}

/* With keep_going, SOFA's replacement of bad values, and a warning. */
static void keep_going_replaces_bad_values(void **state) {
  (void)state;
  const SofaContextOptions options = {.keep_going = true};
  double f[12], g[12];
  SceneRun run = {.quiet = true};
  scene_run_context(&run, &options);
  assert_int_equal(sofa_simulation_load_text(
                       run.ctx, ONE_TETRA("youngModulus='-3' poissonRatio='0.7'"), &run.simulation),
                   SOFA_OK);
  assert_int_equal(sofa_simulation_init(run.simulation), SOFA_OK);
  assert_int_equal(run.n_problems, 2);
  force_at(&run, pulled, 12, f);
  scene_run_close(&run);
  force_of(ONE_TETRA("youngModulus='5000' poissonRatio='0.45'"), NULL, pulled, g);
  assert_memory_equal(f, g, sizeof f);
}

static void quirks_change_what_contradicts_itself(void **state) {
  (void)state;
  const SofaContextOptions quirks = {.quirks = true};
  static const char *const odd[] = {
      ONE_TETRA("youngModulus='100' poissonRatio='0.3' method='polar' computeGlobalMatrix='1'"),
      ONE_TETRA("youngModulus='100' poissonRatio='0.3' method='svd' computeGlobalMatrix='1'"),
      ONE_TETRA("youngModulus='100' poissonRatio='0.3' method='large' assembling='1' "
                "plasticMaxThreshold='1' plasticYieldThreshold='10'")};
  for (int k = 0; k < 3; k++) {
    double f[12], size = 0;
    force_of(odd[k], &quirks, pulled, f);
    for (int i = 0; i < 12; i++) assert_true(f[i] == 0);
    force_of(odd[k], NULL, pulled, f);
    for (int i = 0; i < 12; i++) size += fabs(f[i]);
    assert_true(size > 1);
  }
  /* large with part of a strain matrix: another force, still of zero sum */
  static const char update[] =
      ONE_TETRA("youngModulus='100' poissonRatio='0.3' updateStiffnessMatrix='1'");
  const double sheared[12] = {0, 0, 0, 1, 0, 0, 0.3, 1.2, 0, 0.1, 0.2, 1.1};
  double f[12], g[12], difference = 0;
  force_of(update, &quirks, sheared, f);
  force_of(update, NULL, sheared, g);
  for (int i = 0; i < 12; i++) difference += fabs(f[i] - g[i]);
  assert_true(difference > 0.1);
}

/* The tangent of the partly updated matrix: J C J^T with the J of the force. */
static void quirk_tangent_is_its_product(void **state) {
  (void)state;
  const SofaContextOptions quirks = {.quirks = true};
  const double sheared[12] = {0, 0, 0, 1, 0, 0, 0.3, 1.2, 0, 0.1, 0.2, 1.1};
  const double dx[12] = {0.1, -0.3, 0.2, 0.5, 0.1, -0.7, 0.3, 0.2, 0.9, -0.4, 0.6, 0.8};
  SceneRun run;
  double f[12], df[13] = {0}, product[12];
  scene_run_open(&run, ONE_TETRA("youngModulus='100' poissonRatio='0.3' updateStiffnessMatrix='1'"),
                 &quirks);
  SofaForceField *ff = (SofaForceField *)scene_run_object(&run, "/ff");
  force_at(&run, sheared, 12, f);
  const SofaMechParams p = sofa_mech_params(0.01, 0, 0, 0, 1);
  assert_int_equal(ff_dforce(ff, &p, sheared, dx, df), SOFA_OK);
  const uint8_t sizes[4] = {3, 3, 3, 3};
  SofaBlockMatrix *k = NULL;
  double padded[13] = {0};
  memcpy(padded, dx, sizeof dx);
  assert_int_equal(sofa_block_matrix_create(run.ctx, 4, sizes, 4, sizes, &k), SOFA_OK);
  sofa_block_matrix_begin(k);
  assert_int_equal(ff_add_k(ff, &p, sheared, 1, k), SOFA_OK);
  assert_int_equal(sofa_block_matrix_end(k), SOFA_OK);
  sofa_block_matrix_multiply(k, padded, product, 1);
  sofa_block_matrix_destroy(&k);
  for (int i = 0; i < 12; i++) assert_true(fabs(product[i] - df[i]) < 1e-12 * 100);
  scene_run_close(&run);
}

static void plasticity_relaxes_the_force(void **state) {
  (void)state;
  double elastic[12], f[12];
  SceneRun run;
  force_of(ONE_TETRA("youngModulus='100' poissonRatio='0'"), NULL, pulled, elastic);
  /* the strain is 0.1, six volumes are 1: half of it may become plastic */
  scene_run_open(&run,
                 ONE_TETRA("youngModulus='100' poissonRatio='0' plasticMaxThreshold='0.05' "
                           "plasticYieldThreshold='0.001' plasticCreep='0.5'"),
                 NULL);
  for (int again = 0; again < 2; again++) {
    force_at(&run, pulled, 12, f);
    for (int i = 0; i < 12; i++) assert_true(fabs(f[i] - 0.5 * elastic[i]) < 1e-12);
  }
  /* what is plastic stays when the element is let go, until the simulation is reset */
  force_at(&run, scene_run_state(&run, "/state")->rest_position.data, 12, f);
  assert_true(fabs(f[11]) > 0.2);
  assert_int_equal(sofa_simulation_reset(run.simulation), SOFA_OK);
  scene_run_close(&run);
}

static void materials_are_per_element(void **state) {
  (void)state;
#define TWO(attributes)                                                                            \
  "<Node name='root'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>"                           \
  "<MeshTopology position='0 0 0 1 0 0 0 1 0 0 0 1 5 0 0 6 0 0 5 1 0 5 0 1' "                      \
  "tetrahedra='0 1 2 3 4 5 6 7'/><MechanicalObject name='state'/>"                                 \
  "<TetrahedronFEMForceField name='ff' poissonRatio='0.3' " attributes "/></Node>"
  static const char *const scenes[] = {TWO("youngModulus='100 200'"),
                                       TWO("youngModulus='100' localStiffnessFactor='1 2'")};
  double x[24], f[24];
  for (int k = 0; k < 24; k++) x[k] = pulled[k % 12] + (k >= 12 && k % 3 == 0 ? 5 : 0);
  for (int s = 0; s < 2; s++) {
    SceneRun run;
    scene_run_open(&run, scenes[s], NULL);
    force_at(&run, x, 24, f);
    assert_true(fabs(f[11]) > 1);
    for (int k = 0; k < 12; k++) assert_true(fabs(f[12 + k] - 2 * f[k]) < 1e-10);
    scene_run_close(&run);
  }
#undef TWO
}

/* 2 x 2 x 2 cells: neighbours' tetrahedra share the diagonals of their common faces, so every inner
 * pair of points is joined in both; the count of pairs says so. */
static void split_hexahedra_fit_together(void **state) {
  (void)state;
  SceneRun run;
  scene_run_open(&run,
                 "<Node name='root'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>"
                 "<RegularGridTopology n='3 3 3' min='0 0 0' max='1 1 1'/>"
                 "<MechanicalObject name='state'/>"
                 "<TetrahedronFEMForceField name='ff' youngModulus='1' poissonRatio='0.3'/></Node>",
                 NULL);
  SofaForceField *ff = (SofaForceField *)scene_run_object(&run, "/ff");
  uint8_t sizes[27];
  memset(sizes, 3, sizeof sizes);
  SofaBlockMatrix *k = NULL;
  SofaBlockRows rows;
  const SofaMechParams p = sofa_mech_params(0.01, 0, 0, 0, 1);
  assert_int_equal(sofa_block_matrix_create(run.ctx, 27, sizes, 27, sizes, &k), SOFA_OK);
  sofa_block_matrix_begin(k);
  assert_int_equal(ff_add_k(ff, &p, scene_run_state(&run, "/state")->position.data, 1, k), SOFA_OK);
  assert_int_equal(sofa_block_matrix_end(k), SOFA_OK);
  sofa_block_matrix_rows(k, &rows);
  /* 54 grid edges, one diagonal for each of 36 faces, one for each of 8 cells */
  assert_int_equal(rows.start[27], 27 + 2 * (54 + 36 + 8));
  sofa_block_matrix_destroy(&k);
  scene_run_close(&run);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bad_values_are_refused),
      cmocka_unit_test(bad_meshes_are_refused),
      cmocka_unit_test(keep_going_replaces_bad_values),
      cmocka_unit_test(quirks_change_what_contradicts_itself),
      cmocka_unit_test(quirk_tangent_is_its_product),
      cmocka_unit_test(plasticity_relaxes_the_force),
      cmocka_unit_test(materials_are_per_element),
      cmocka_unit_test(split_hexahedra_fit_together),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
