/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What loaders do beside reading: their states when a file is missing or broken, options that are
 * known late, the sequence of files, and files whose format their first character decides. */
#include "tests/support/scene_memory.h"

#include <unistd.h>

#include "topology/topology.h"

#define SCENE(objects)                                                                             \
  "<Node name='root' dt='0.1'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>" objects "</"     \
  "Node>"

static void field_is(SceneRun *run, const char *path, const char *field, const char *expected) {
  SofaText text = {0};
  const SofaObject *object = scene_run_object(run, path);
  assert_int_equal(sofa_field_print(object, sofa_class_field(object->klass, field), &text),
                   SOFA_OK);
  assert_string_equal(text.data ? text.data : "", expected);
  sofa_list_free(run->ctx, &text);
}

static void temporary(char *path, const char *suffix, const char *text) {
  snprintf(path, 64, "/tmp/csofa_option_XXXXXX%s", suffix);
  const int file = mkstemps(path, (int)strlen(suffix));
  assert_true(file >= 0);
  assert_int_equal(write(file, text, strlen(text)), (ssize_t)strlen(text));
  close(file);
}

/* ---- states ---- */

/* Known as soon as the scene is loaded, and not forgotten at the initialisation. */
static void state_is(const char *object, bool good) {
  SceneRun run = {.quiet = true};
  char text[600];
  scene_run_context(&run, &(SofaContextOptions){.keep_going = true});
  snprintf(text, sizeof text, SCENE("%s"), object);
  assert_int_equal(sofa_simulation_load_text(run.ctx, text, &run.simulation), SOFA_OK);
  field_is(&run, "/l", "componentState", good ? "Valid" : "Invalid");
  assert_int_equal(sofa_valid(scene_run_object(&run, "/l")), good);
  assert_int_equal(run.n_problems > 0, !good);
  const SofaErr err = sofa_simulation_init(run.simulation);
  if (good) assert_int_equal(err, SOFA_OK);
  assert_int_equal(sofa_valid(scene_run_object(&run, "/l")), good);
  scene_run_close(&run);
}

static void states(void **state) {
  char path[64];
  (void)state;
  temporary(path, ".any", "x");
  static const char *const kinds[][3] = {
      {"SphereLoader", "scenes/io/spheres.sph", ""},
      {"VoxelGridLoader", "scenes/io/voxels.raw", "resolution='2 2 2'"},
      {"MeshOffLoader", "scenes/io/plate.off", ""},
      {"GIDMeshLoader", "scenes/io/body.msh", ""},
      {"MeshTrianLoader", "scenes/io/plate.trian", ""},
      {"MeshSTLLoader", "scenes/io/plate.stl", ""},
      {"MeshXspLoader", "scenes/io/net.xsp", ""},
      {"MeshVTKLoader", "scenes/io/bar.vtk", ""},
  };
  for (size_t k = 0; k < SOFA_COUNT(kinds); k++) {
    const char *files[3] = {kinds[k][1], path, "no such file"};
    for (int i = 0; i < 3; i++) {
      char object[300];
      snprintf(object, sizeof object, "<%s name='l' filename='%s' %s/>", kinds[k][0], files[i],
               kinds[k][2]);
      state_is(object, i == 0);
    }
  }
  unlink(path);
}

/* ---- options that are known late ---- */

static const char arrays[] =
    "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 double\n"
    "0 0 0 9 9 9 1 0 0 8 8 8 0 1 0\nCELLS 1 4\n3 0 2 4\nCELL_TYPES 1\n5\nPOINT_DATA 5\n"
    "SCALARS heat double 1\nLOOKUP_TABLE default\n10 11 12 13 14\nVECTORS flow double\n"
    "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14\nCELL_DATA 1\nSCALARS color int 1\n"
    "LOOKUP_TABLE default\n7\n";

/* Values of points go with points that no element has, whether the option is written or comes from
 * an object behind; values of cells stay. */
static void values_of_dropped_points(void **state) {
  static const char *const options[] = {"onlyAttachedPoints='0'", "onlyAttachedPoints='1'",
                                        "onlyAttachedPoints='@late.onlyAttachedPoints'", ""};
  char path[64], text[800];
  (void)state;
  temporary(path, ".vtk", arrays);
  for (size_t k = 0; k < SOFA_COUNT(options); k++) {
    SceneRun run;
    snprintf(text, sizeof text,
             SCENE("<MeshVTKLoader name='l' filename='%s' %s/><MeshVTKLoader name='late' "
                   "filename='%s' onlyAttachedPoints='1'/>"),
             path, options[k], path);
    scene_run_open(&run, text, NULL);
    const bool all = k == 0 || k == 3;
    field_is(&run, "/l", "position", all ? "0 0 0 9 9 9 1 0 0 8 8 8 0 1 0" : "0 0 0 1 0 0 0 1 0");
    field_is(&run, "/l", "heat", all ? "10 11 12 13 14" : "10 12 14");
    field_is(&run, "/l", "flow",
             all ? "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14" : "0 1 2 6 7 8 12 13 14");
    field_is(&run, "/l", "color", "7");
    field_is(&run, "/l", "triangles", all ? "0 2 4" : "0 1 2");
    scene_run_close(&run);
  }
  unlink(path);
}

/* ---- a sequence ---- */

/* Each of three files for two steps; the quirk is one step ahead; a reset goes back. */
static void sequence(void **state) {
  static const char *const expected[2] = {"1122333", "2233333"};
  (void)state;
  for (int quirk = 0; quirk < 2; quirk++) {
    SceneRun run;
    char seen[10] = "";
    scene_run_open(&run,
                   SCENE("<OffSequenceLoader name='l' filename='scenes/io/sheet01.off' "
                         "nbOfFiles='3' stepDuration='0.2'/>"
                         "<MeshOffLoader name='f1' filename='scenes/io/sheet01.off'/>"
                         "<MeshOffLoader name='f2' filename='scenes/io/sheet02.off'/>"
                         "<MeshOffLoader name='f3' filename='scenes/io/sheet03.off'/>"),
                   &(SofaContextOptions){.quirks = quirk != 0});
    for (int step = 0; step < 7; step++) {
      scene_run_steps(&run, 1);
      for (int f = 1; f <= 3; f++) {
        char name[8];
        snprintf(name, sizeof name, "/f%d", f);
        const SofaObject *l = scene_run_object(&run, "/l"), *o = scene_run_object(&run, name);
        const SofaVec3s *x = sofa_field_value(l, sofa_class_field(l->klass, "position"));
        const SofaVec3s *y = sofa_field_value(o, sofa_class_field(o->klass, "position"));
        assert_int_equal(x->n, y->n);
        if (memcmp(x->data, y->data, x->n * sizeof *x->data) == 0) seen[step] = (char)('0' + f);
      }
    }
    assert_string_equal(seen, expected[quirk]);
    assert_int_equal(sofa_simulation_reset(run.simulation), SOFA_OK);
    const SofaObject *l = scene_run_object(&run, "/l"), *o = scene_run_object(&run, "/f1");
    const SofaVec3s *x = sofa_field_value(l, sofa_class_field(l->klass, "position"));
    const SofaVec3s *y = sofa_field_value(o, sofa_class_field(o->klass, "position"));
    assert_memory_equal(x->data, y->data, x->n * sizeof *x->data);
    scene_run_close(&run);
  }
}

/* A reset before the second file reads nothing: the first one need not be there any more. */
static void reset_in_the_first_file(void **state) {
  char folder[] = "/tmp/csofa_sequence_XXXXXX", path[2][60], text[400];
  SceneRun run;
  (void)state;
  assert_non_null(mkdtemp(folder));
  for (int k = 0; k < 2; k++) {
    snprintf(path[k], sizeof path[k], "%s/a%d.off", folder, k);
    FILE *file = fopen(path[k], "w");
    assert_non_null(file);
    fprintf(file, "OFF 1 0 0 %d 0 0", k + 1);
    fclose(file);
  }
  snprintf(text, sizeof text,
           SCENE("<OffSequenceLoader name='l' filename='%s' nbOfFiles='2' stepDuration='1'/>"),
           path[0]);
  scene_run_open(&run, text, NULL);
  scene_run_steps(&run, 2);
  unlink(path[0]);
  assert_int_equal(sofa_simulation_reset(run.simulation), SOFA_OK);
  field_is(&run, "/l", "position", "1 0 0");
  scene_run_steps(&run, 12);
  field_is(&run, "/l", "position", "2 0 0");
  run.quiet = true;
  assert_int_equal(sofa_simulation_reset(run.simulation), SOFA_ERR_SCENE);
  assert_int_equal(run.n_problems, 1);
  assert_int_equal(sofa_simulation_step(run.simulation, 0), SOFA_ERR_SCENE);
  assert_int_equal(run.n_problems, 1);
  run.ctx->keep_going = true; /* goes on without the object */
  assert_int_equal(sofa_simulation_reset(run.simulation), SOFA_OK);
  scene_run_steps(&run, 1);
  scene_run_close(&run);
  unlink(path[1]);
  rmdir(folder);
}

/* ---- transformations ---- */

/* The scale first, then the turns about x, y and z, then the translation; a matrix in their place.
 */
static void transformed_points(void **state) {
  static const struct {
    const char *fields, *expected;
  } rows[] = {
      {"", "1 2 3"},
      {"scale3d='2 3 4'", "2 6 12"},
      {"scale='2' scale3d='1 2 1'", "2 8 6"},
      {"translation='5 6 7'", "6 8 10"},
      {"scale3d='2 1 1' translation='5 6 7'", "7 8 10"},
      {"transformation='0 -1 0 10 1 0 0 20 0 0 1 30 0 0 0 1'", "8 21 33"},
      {"transformation='2 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1' translation='5 6 7' scale3d='9 9 9'",
       "2 2 3"},
  };
  char path[64], text[400];
  (void)state;
  temporary(path, ".obj", "v 1 2 3\n");
  for (size_t i = 0; i < SOFA_COUNT(rows); i++) {
    SceneRun run;
    snprintf(text, sizeof text, SCENE("<MeshOBJLoader name='l' filename='%s' %s/>"), path,
             rows[i].fields);
    scene_run_open(&run, text, NULL);
    field_is(&run, "/l", "position", rows[i].expected);
    scene_run_close(&run);
  }
  unlink(path);
}

/* ---- binary files ---- */

/* A triangle behind a head of any length, which may be the word of a text. */
static void heads_of_binary_files(void **state) {
  static const struct {
    const char *head, *fields;
  } rows[] = {{"anything ", "headerSize='9'"},
              {"", "headerSize='0' forceBinary='1'"},
              {"solid ab", "headerSize='8' forceBinary='1'"}};
  static const float facet[12] = {0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0};
  (void)state;
  for (size_t i = 0; i < SOFA_COUNT(rows); i++) {
    char path[64] = "/tmp/csofa_option_XXXXXX.stl", text[400];
    const uint32_t n = 1;
    SceneRun run;
    const int file = mkstemps(path, 4);
    assert_true(file >= 0);
    FILE *out = fdopen(file, "wb");
    fwrite(rows[i].head, 1, strlen(rows[i].head), out);
    fwrite(&n, sizeof n, 1, out);
    fwrite(facet, sizeof facet, 1, out);
    fwrite("\0", 1, 2, out);
    fclose(out);
    snprintf(text, sizeof text, SCENE("<MeshSTLLoader name='l' filename='%s' %s/>"), path,
             rows[i].fields);
    scene_run_open(&run, text, NULL);
    field_is(&run, "/l", "position", "0 0 0 2 0 0 0 3 0");
    field_is(&run, "/l", "triangles", "0 1 2");
    scene_run_close(&run);
    unlink(path);
  }
}

/* ---- the first character ---- */

#define GMSH                                                                                       \
  "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n1\n1 5 6 "                                        \
  "7\n$EndNodes\n$Elements\n0\n$EndElements\n"
#define GID                                                                                        \
  "MESH dimension 3 ElemType Linear Nnode 2\nCoordinates\n1 1 2 3\n2 4 5 6\nEnd "                  \
  "Coordinates\nElements\n1 1 2\nEnd Elements\n"

static void two_formats_of_one_extension(void **state) {
  static const struct {
    const char *text;
    size_t n;          /* points */
    const char *words; /* of the error */
  } files[] = {{GMSH, 1, NULL},
               {" \t\r\n" GMSH, 1, NULL},
               {"\n" GMSH, 1, NULL},
               {GID, 2, NULL},
               {"\r\n\t " GID, 2, NULL},
               {" \t\r\n", 0, "$MeshFormat"},
               {"x", 0, "expected MESH at the start of a GiD file"},
               {" x", 0, "expected MESH at the start of a GiD file"},
               {"$", 0, "$MeshFormat"}};
  (void)state;
  for (size_t k = 0; k < SOFA_COUNT(files); k++) {
    char path[64], text[400];
    SceneRun run = {.quiet = true};
    temporary(path, ".msh", files[k].text);
    scene_run_context(&run, NULL);
    snprintf(text, sizeof text, SCENE("<MeshTopology name='t' filename='%s'/>"), path);
    SofaErr err = sofa_simulation_load_text(run.ctx, text, &run.simulation);
    if (err == SOFA_OK) err = sofa_simulation_init(run.simulation);
    assert_int_equal(err == SOFA_OK, files[k].words == NULL);
    if (files[k].words && !strstr(run.all, files[k].words))
      fail_msg("%zu: '%s' does not say '%s'", k, run.all, files[k].words);
    if (!files[k].words)
      assert_int_equal(((SofaTopology *)scene_run_object(&run, "/t"))->mesh.position.n, files[k].n);
    scene_run_close(&run);
    unlink(path);
  }
}

/* ---- without memory ---- */

static void survive_lack_of_memory(void **state) {
  (void)state;
  scene_without_memory(SCENE("<MeshOBJLoader filename='tests/fuzz/corpus/obj/materials.obj' "
                             "computeMaterialFaces='1' onlyAttachedPoints='1'/>"));
  scene_without_memory(SCENE("<OffSequenceLoader filename='scenes/io/sheet01.off' nbOfFiles='3'/>"
                             "<SphereLoader filename='scenes/io/spheres.sph' scale='1 2 3'/>"));
  scene_runs_without_memory("a sequence of files",
                            SCENE("<OffSequenceLoader filename='scenes/io/sheet01.off' "
                                  "nbOfFiles='3' stepDuration='0.05'/>"),
                            3, 0);
  scene_without_memory(SCENE("<VoxelGridLoader filename='scenes/io/voxels.raw' resolution='2 2 2' "
                             "bgValue='0'/><MeshVTKLoader filename='scenes/io/bar.vtk'/>"));
}

static void hear(void *user, const SofaMessage *m) {
  if (strstr(m->text, "no material library /tmp/nowhere.mtl")) ++*(int *)user;
}

/* A library of materials that is not there is told where messages are asked for. */
static void missing_materials(void **state) {
  char path[] = "/tmp/csofa-options-XXXXXX.obj", scene[400];
  int heard = 0;
  const SofaContextOptions options = {.sink = hear, .sink_user = &heard};
  SofaContext *ctx;
  SofaSimulation *simulation = NULL;
  (void)state;
  temporary(path, ".obj", "mtllib nowhere.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  snprintf(scene, sizeof scene,
           "<Node><DefaultAnimationLoop/><OglModel filename='%s' printLog='1'/></Node>", path);
  assert_int_equal(sofa_context_create(&options, &ctx), SOFA_OK);
  assert_int_equal(sofa_register_builtins(ctx), SOFA_OK);
  assert_int_equal(sofa_simulation_load_text(ctx, scene, &simulation), SOFA_OK);
  assert_int_equal(sofa_simulation_init(simulation), SOFA_OK);
  assert_int_equal(heard, 1);
  sofa_simulation_destroy(&simulation);
  sofa_context_destroy(&ctx);
  unlink(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(missing_materials),        cmocka_unit_test(states),
      cmocka_unit_test(values_of_dropped_points), cmocka_unit_test(sequence),
      cmocka_unit_test(reset_in_the_first_file),  cmocka_unit_test(two_formats_of_one_extension),
      cmocka_unit_test(survive_lack_of_memory),   cmocka_unit_test(transformed_points),
      cmocka_unit_test(heads_of_binary_files),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
