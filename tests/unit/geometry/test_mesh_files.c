/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Components that read mesh files themselves: masses of DiagonalMass, points of RigidMapping,
 * MeshTopology and OglModel of any format; and what the readers make of special cells. */
#include "tests/support/scene_run.h"

#include <math.h>
#include "behavior/mass.h"
#include "behavior/topology.h"
#include "components/io/vtk_reader.h"

#define CORPUS "tests/fuzz/corpus/"
#define SCENE(objects) "<Node name='root'><DefaultAnimationLoop/>" objects "</Node>"

static void masses_of_a_file(void **state) {
  SceneRun run;
  (void)state;
  scene_run_open(&run,
                 SCENE("<MeshTopology name='t' filename='" CORPUS "xsp/good.xsp'/>"
                       "<MechanicalObject name='s'/>"
                       "<DiagonalMass name='m' filename='" CORPUS "xsp/good.xsp'/>"),
                 NULL);
  SofaMass *mass = (SofaMass *)scene_run_object(&run, "/m");
  const double v[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  double p[9] = {0};
  assert_int_equal(sofa_mass_ops(mass)->add_mdx(mass, v, p, 1), SOFA_OK);
  // a negative mass is a fixed point in other programs: its size counts
  assert_true(p[0] == 1 && p[4] == 2 && p[8] == 3);
  assert_true(sofa_mass_ops(mass)->total_mass(mass) == 6);
  scene_run_close(&run);
}

static void scene_is_refused(const char *text, const char *word) {
  SceneRun run = {.quiet = true};
  scene_run_context(&run, NULL);
  run.quiet = true;
  SofaErr err = sofa_simulation_load_text(run.ctx, text, &run.simulation);
  if (err == SOFA_OK) err = sofa_simulation_init(run.simulation);
  assert_int_not_equal(err, SOFA_OK);
  if (!strstr(run.last, word)) fail_msg("'%s' does not say '%s'", run.last, word);
  scene_run_close(&run);
}

static void wrong_files_are_refused(void **state) {
  (void)state;
  scene_is_refused(SCENE("<MechanicalObject position='0 0 0'/><DiagonalMass filename='" CORPUS
                         "xsp/good.xsp'/>"),
                   "has 3 masses, the state has 1 points");
  scene_is_refused(SCENE("<MechanicalObject position='0 0 0'/><DiagonalMass filename='no.xsp'/>"),
                   "'no.xsp' not found");
  scene_is_refused(SCENE("<MeshTopology filename='" CORPUS "vtk/broken_index.vtk'/>"),
                   "cell 0 names point 8");
  scene_is_refused(SCENE("<MeshTopology filename='" CORPUS "loaders.tsv'/>"),
                   "is not supported yet");
}

static void points_of_a_rigid_body(void **state) {
  SceneRun run;
  (void)state;
  scene_run_open(&run,
                 SCENE("<MechanicalObject name='f' template='Rigid3' position='1 0 0 0 0 1 0'/>"
                       "<Node name='c'><MechanicalObject name='p'/>"
                       "<RigidMapping filename='" CORPUS "spheres/good.sph'/></Node>"),
                 NULL);
  // turned about z by half a turn
  const SofaState *points = scene_run_state(&run, "/c/p");
  assert_int_equal(points->position.n, 2);
  const double wanted[6] = {1, 0, 0, 0, 0, 0};
  for (int i = 0; i < 6; i++) assert_true(fabs(points->position.data[i] - wanted[i]) < 1e-15);
  scene_run_close(&run);
}

static void topologies_and_models_of_any_format(void **state) {
  static const char *const files[] = {"vtk/good_cells.vtk", "vtk/good_zlib.vtu", "off/good.off",
                                      "trian/good.trian",   "stl/good_text.stl", "gid/good.msh"};
  static const size_t n_points[] = {8, 8, 5, 4, 4, 4};
  (void)state;
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    char scene[400];
    SceneRun run;
    snprintf(scene, sizeof scene,
             SCENE("<MeshTopology name='t' filename='" CORPUS "%s'/>"
                   "<Node name='v'><OglModel name='o' filename='" CORPUS "%s'/></Node>"),
             files[i], files[i]);
    scene_run_open(&run, scene, NULL);
    assert_int_equal(((SofaTopology *)scene_run_object(&run, "/t"))->n_points, n_points[i]);
    assert_int_equal(scene_run_state(&run, "/v/o")->position.n, n_points[i]);
    scene_run_close(&run);
  }
}

/* ---- cells ---- */

static void quiet(void *user, const SofaMessage *message) {
  (void)user;
  (void)message;
}

static void strips_face_the_same_way(void **state) {
  static const char text[] =
      "# vtk DataFile Version 3.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 8 double\n"
      "0 0 0 1 0 0 0 1 0 1 1 0 0 2 0 1 2 0 0 3 0 1 3 0\nCELLS 3 20\n5 0 1 2 3 4\n4 0 1 2 3\n"
      "8 0 1 2 3 4 5 6 7\nCELL_TYPES 3\n6\n8\n11\n";
  const uint32_t right[9] = {0, 1, 2, 1, 3, 2, 2, 3, 4}, turned[9] = {0, 2, 1, 1, 2, 3, 2, 4, 3};
  const uint32_t quad[4] = {0, 1, 3, 2}, hexa[8] = {0, 1, 3, 2, 4, 5, 7, 6};
  const SofaFaceOptions faces = {false, false};
  (void)state;
  for (int quirks = 0; quirks < 2; quirks++) {
    SofaContext *ctx = NULL;
    SofaMeshData data = {0};
    const SofaContextOptions options = {.quirks = quirks != 0, .sink = quiet};
    assert_int_equal(sofa_context_create(&options, &ctx), SOFA_OK);
    assert_int_equal(sofa_vtk_read(ctx, NULL, text, strlen(text), &faces, &data, NULL), SOFA_OK);
    assert_int_equal(data.mesh.triangles.n, 3);
    assert_memory_equal(data.mesh.triangles.data, quirks ? turned : right, sizeof right);
    assert_memory_equal(data.mesh.quads.data, quad, sizeof quad);
    assert_memory_equal(data.mesh.hexahedra.data, hexa, sizeof hexa);
    sofa_mesh_data_free(ctx, &data);
    sofa_context_destroy(&ctx);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(masses_of_a_file),
      cmocka_unit_test(wrong_files_are_refused),
      cmocka_unit_test(points_of_a_rigid_body),
      cmocka_unit_test(topologies_and_models_of_any_format),
      cmocka_unit_test(strips_face_the_same_way),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
