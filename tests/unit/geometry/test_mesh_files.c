/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Components that read mesh files themselves: masses of DiagonalMass, points of RigidMapping,
 * MeshTopology and OglModel of any format; and what the readers make of special cells. */
#include <unistd.h>

#include "tests/support/scene_run.h"

#include <math.h>
#include "behavior/mass.h"
#include "topology/topology.h"
#include "numerics/io/vtk_reader.h"

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
  assert_int_equal(sofa_mass_ops(mass)->add_mdx(mass, sofa_mass_x(mass), v, p, 1), SOFA_OK);
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
  scene_is_refused(SCENE("<MeshTopology name='mesh' filename='" CORPUS "vtk/broken_index.vtk'/>"),
                   "/mesh: cell 0 names point 8");
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

/* ---- arrays of VTK files ---- */

#define LOADER(file, attributes)                                                                   \
  "<MeshVTKLoader name='l' filename='" CORPUS "vtk/" file "' " attributes "/>"

static const double *forces_of(SceneRun *run, const char *path, size_t n) {
  const SofaObject *object = scene_run_object(run, path);
  const SofaVec3s *list = sofa_field_value(object, sofa_class_field(object->klass, "forces"));
  assert_int_equal(list->n, n);
  return list->data[0].v;
}

static void arrays_are_fields_to_link_to(void **state) {
  static const char *const files[] = {"good_data.vtk", "good_data_binary.vtk", "good_data.vtu",
                                      "good_data_appended.vtu"};
  (void)state;
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    char scene[1000];
    SceneRun run;
    // the loader may stand behind what is linked to it; its mesh has values of its own
    snprintf(scene, sizeof scene,
             SCENE("<MechanicalObject name='s' position='@l.position'/>"
                   "<MeshTopology name='t' tetrahedra='@l.tetrahedra' position='@l.position'/>"
                   "<ConstantForceField name='f' indices='0 1 2 3 4 5 6 7' forces='@l.force'/>"
                   "<TetrahedronFEMForceField name='fem' poissonRatio='0.3' "
                   "youngModulus='@l.cell_pressure'/>"
                   "<MeshVTKLoader name='l' filename='" CORPUS "vtk/%s'/>"),
             files[i]);
    scene_run_open(&run, scene, NULL);
    const double *f = forces_of(&run, "/f", 8);
    for (int k = 0; k < 8; k++)
      assert_true(f[3 * k] == 0 && f[3 * k + 1] == -k && f[3 * k + 2] == 0.25);
    const SofaObject *fem = scene_run_object(&run, "/fem");
    const SofaReals *young = sofa_field_value(fem, sofa_class_field(fem->klass, "youngModulus"));
    assert_int_equal(young->n, 2);
    assert_true(young->data[0] == 100 && young->data[1] == 101);
    const SofaObject *loader = scene_run_object(&run, "/l");
    const SofaInts *zone = sofa_field_value(loader, sofa_class_field(loader->klass, "zone"));
    assert_true(zone->data[0] == 7 && zone->data[1] == 8);
    const SofaReals *stress = sofa_field_value(loader, sofa_class_field(loader->klass, "stress"));
    for (int k = 0; k < 18; k++) assert_true(stress->data[k] == k % 9);
    const SofaVec3s *normals = &((const SofaMeshLoader *)loader)->data.normals;
    assert_true(normals->n == 8 && normals->data[7].v[2] == 1);
    scene_run_close(&run);
  }
}

static void values_go_with_their_points(void **state) {
  SceneRun run;
  (void)state;
  // point 5 is in no tetrahedron, and point 6
  scene_run_open(
      &run,
      SCENE(LOADER("good_data.vtk",
                   "onlyAttachedPoints='1'") "<MechanicalObject position='@l.position'/>"
                                             "<ConstantForceField name='f' forces='@l.force'/>"),
      NULL);
  const double wanted[6] = {0, -1, -2, -3, -4, -7};
  const double *f = forces_of(&run, "/f", 6);
  for (int k = 0; k < 6; k++) assert_true(f[3 * k + 1] == wanted[k]);
  scene_run_close(&run);
}

static void unknown_arrays_are_named(void **state) {
  (void)state;
  scene_is_refused(
      SCENE(LOADER("good_data.vtk",
                   "") "<MechanicalObject position='@l.position' velocity='@l.forse'/>"),
      "has no field 'forse'; did you mean 'force'?; its own fields are: pressure, "
      "force, Normals, von Mises, zone, stress, cell_pressure");
}

static void structured_points_stand_in_rows(void **state) {
  SceneRun run;
  (void)state;
  scene_run_open(&run,
                 SCENE("<MeshVTKLoader name='l0' filename='" CORPUS "vtk/good_image.vtk'/>"
                       "<MeshVTKLoader name='l1' filename='" CORPUS "vtk/good_rectilinear.vtr'/>"),
                 NULL);
  for (int k = 0; k < 2; k++) {
    const SofaMeshLoader *loader =
        (const SofaMeshLoader *)scene_run_object(&run, k ? "/l1" : "/l0");
    const double image[3] = {2, 1, 2}, rectilinear[3] = {3, 1, 2};
    const uint32_t second[8] = {1, 2, 5, 4, 7, 8, 11, 10};
    assert_memory_equal(loader->data.mesh.position.data[11].v, k ? rectilinear : image,
                        sizeof image);
    assert_memory_equal(loader->data.mesh.hexahedra.data[1].v, second, sizeof second);
  }
  scene_run_close(&run);
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
  (void)state;
  for (int quirks = 0; quirks < 2; quirks++) {
    const SofaFaceOptions faces = {.turn_strips = quirks};
    SofaContext *ctx = NULL;
    SofaMeshData data = {0};
    const SofaContextOptions options = {.sink = quiet};
    assert_int_equal(sofa_context_create(&options, &ctx), SOFA_OK);
    assert_int_equal(
        sofa_vtk_read(ctx, &(SofaFileBytes){NULL, text, strlen(text)}, &faces, &data, NULL),
        SOFA_OK);
    assert_int_equal(data.mesh.triangles.n, 3);
    assert_memory_equal(data.mesh.triangles.data, quirks ? turned : right, sizeof right);
    assert_memory_equal(data.mesh.quads.data, quad, sizeof quad);
    assert_memory_equal(data.mesh.hexahedra.data, hexa, sizeof hexa);
    sofa_mesh_data_free(ctx, &data);
    sofa_context_destroy(&ctx);
  }
}

/* Three files, each for two steps, the last one on and on; a reset begins again. */
static void a_sequence_of_files(void **state) {
  char folder[] = "/tmp/csofa-off-XXXXXX", path[60], text[1000], seen[100] = "";
  SceneRun run;
  (void)state;
  assert_non_null(mkdtemp(folder));
  for (int k = 0; k < 3; k++) {
    snprintf(path, sizeof path, "%s/mesh%02d.off", folder, 8 + k);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "OFF\n3 1 0\n%d 0 0\n1 0 0\n0 1 0\n3 0 1 2\n", k);
    fclose(file);
  }
  snprintf(text, sizeof text,
           "<Node dt='0.1'><DefaultAnimationLoop/><DefaultVisualManagerLoop/><OffSequenceLoader "
           "name='l' filename='%s/mesh08.off' nbOfFiles='3' stepDuration='0.2'/></Node>",
           folder);
  scene_run_open(&run, text, NULL);
  SofaObject *loader = scene_run_object(&run, "/l");
  const SofaVec3s *x = sofa_field_value(loader, sofa_class_field(loader->klass, "position"));
  for (int k = 0; k < 10; k++) {
    // an object may be initialised again
    if (k % 3 == 0) assert_int_equal(loader->klass->init(loader), SOFA_OK);
    if (k == 8) assert_int_equal(sofa_simulation_reset(run.simulation), SOFA_OK);
    scene_run_steps(&run, 1);
    assert_int_equal(x->n, 3);
    snprintf(seen + strlen(seen), sizeof seen - strlen(seen), "%g ", x->data[0].v[0]);
  }
  assert_string_equal(seen, "0 0 1 1 2 2 2 2 0 0 ");
  scene_run_close(&run);
  for (int k = 0; k < 3; k++) {
    snprintf(path, sizeof path, "%s/mesh%02d.off", folder, 8 + k);
    unlink(path);
  }
  rmdir(folder);
  scene_is_refused(SCENE("<OffSequenceLoader filename='" CORPUS "off/good.off' nbOfFiles='2'/>"),
                   "has no number in front of '.off'");
  // without its file it is left out
  const char *missing = SCENE("<OffSequenceLoader name='l' filename='none01.off' nbOfFiles='2'/>");
  memset(&run, 0, sizeof run);
  run.quiet = true;
  scene_run_context(&run, &(SofaContextOptions){.keep_going = true});
  assert_int_equal(sofa_simulation_load_text(run.ctx, missing, &run.simulation), SOFA_OK);
  assert_int_equal(sofa_simulation_init(run.simulation), SOFA_OK);
  scene_run_steps(&run, 2);
  scene_run_close(&run);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(masses_of_a_file),
      cmocka_unit_test(a_sequence_of_files),
      cmocka_unit_test(wrong_files_are_refused),
      cmocka_unit_test(points_of_a_rigid_body),
      cmocka_unit_test(topologies_and_models_of_any_format),
      cmocka_unit_test(arrays_are_fields_to_link_to),
      cmocka_unit_test(values_go_with_their_points),
      cmocka_unit_test(unknown_arrays_are_named),
      cmocka_unit_test(structured_points_stand_in_rows),
      cmocka_unit_test(strips_face_the_same_way),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
