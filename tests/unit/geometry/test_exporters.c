/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The files that exporters write of two tetrahedra, three faces and an edge, by the descriptions of
 * the formats; those of VTK are read again. */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/files.h"
#include "numerics/io/output_file.h"
#include "scene/save.h"
#include "tests/support/scene_run.h"

#define MESH                                                                                       \
  "position='0 0 0 1 0 0 0 1 0 0 0 1 1 1 1' edges='0 4' triangles='0 1 2 1 2 3' "                  \
  "quads='0 1 4 2' tetrahedra='0 1 2 3 1 2 3 4'"
/* %s: the folder */
static const char scene[] =
    "<Node dt='0.01' gravity='0 0 0'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>"
    "<VisualModelOBJExporter filename='%s/models' exportAtBegin='1'/><Node name='b'>"
    "<EulerExplicitSolver/><MeshTopology " MESH "/>"
    "<MechanicalObject position='0 0 0 1 0 0 0 1 0 0 0 1 1 1 1' velocity='0 0 0 0 0 0 0 0 0 0 0 0 "
    "2 0 -1'/><UniformMass totalMass='1'/>"
    "<MeshExporter name='exporter' filename='%s/mesh' format='ALL' exportAtBegin='1'/>"
    "<STLExporter filename='%s/text' exportAtBegin='1' binaryformat='0'/>"
    "<STLExporter filename='%s/binary' exportAtBegin='1'/>"
    "<BlenderExporter path='%s' baseName='hair' step='1' simulationType='3' nbPtsByHair='5'/>"
    "<BlenderExporter path='%s' baseName='soft' step='1'/>"
    "<Node><OglModel name='first' color='red' position='0 0 0 1 0 0 0 1 0 0 0 1' triangles='0 1 2' "
    "quads='0 1 3 2'/></Node></Node></Node>";

static const struct {
  const char *name, *text;
} texts[] = {{"mesh.gmsh", "$MeshFormat\n"
                           "2.2 0 8\n"
                           "$EndMeshFormat\n"
                           "$Nodes\n"
                           "5\n"
                           "1 0 0 0\n"
                           "2 1 0 0\n"
                           "3 0 1 0\n"
                           "4 0 0 1\n"
                           "5 1 1 1\n"
                           "$EndNodes\n"
                           "$Elements\n"
                           "6\n"
                           "1 1 0 1 5\n"
                           "2 2 0 1 2 3\n"
                           "3 2 0 2 3 4\n"
                           "4 3 0 1 2 5 3\n"
                           "5 4 0 1 2 3 4\n"
                           "6 4 0 2 3 4 5\n"
                           "$EndElements\n"},
             {"mesh.obj", "o mesh\n"
                          "v 0 0 0\n"
                          "v 1 0 0\n"
                          "v 0 1 0\n"
                          "v 0 0 1\n"
                          "v 1 1 1\n"
                          "l 1 5\n"
                          "f 1 2 3\n"
                          "f 2 3 4\n"
                          "f 1 2 5 3\n"},
             {"mesh.mesh", "5\n"
                           "0 0 0\n"
                           "1 0 0\n"
                           "0 1 0\n"
                           "0 0 1\n"
                           "1 1 1\n"
                           "2\n"
                           "0 1 2 3 4\n"
                           "0 2 3 4 5\n"
                           "1\n"
                           "0 1 2 3\n"},
             {"mesh.node", "5 3 0 0\n"
                           "1 0 0 0\n"
                           "2 1 0 0\n"
                           "3 0 1 0\n"
                           "4 0 0 1\n"
                           "5 1 1 1\n"},
             {"mesh.ele", "2 4 0\n"
                          "1 1 2 4 3\n"
                          "2 2 3 5 4\n"},
             {"mesh.face", "1 0\n"
                           "1 1 2 3\n"},
             {"text.stl", "solid csofa\n"
                          "facet normal 0 0 1\n"
                          "  outer loop\n"
                          "    vertex 0 0 0\n"
                          "    vertex 1 0 0\n"
                          "    vertex 0 1 0\n"
                          "  endloop\n"
                          "endfacet\n"
                          "facet normal 0.577350269 0.577350269 0.577350269\n"
                          "  outer loop\n"
                          "    vertex 1 0 0\n"
                          "    vertex 0 1 0\n"
                          "    vertex 0 0 1\n"
                          "  endloop\n"
                          "endfacet\n"
                          "facet normal 0 -0.707106781 0.707106781\n"
                          "  outer loop\n"
                          "    vertex 0 0 0\n"
                          "    vertex 1 0 0\n"
                          "    vertex 1 1 1\n"
                          "  endloop\n"
                          "endfacet\n"
                          "facet normal -0.707106781 0 0.707106781\n"
                          "  outer loop\n"
                          "    vertex 0 0 0\n"
                          "    vertex 1 1 1\n"
                          "    vertex 0 1 0\n"
                          "  endloop\n"
                          "endfacet\n"
                          "endsolid csofa\n"},
             {"models.obj", "mtllib models.mtl\n"
                            "g first\n"
                            "usemtl material0\n"
                            "v 0 0 0\n"
                            "v 1 0 0\n"
                            "v 0 1 0\n"
                            "v 0 0 1\n"
                            "vn 0 0 1\n"
                            "vn 0 -0.7071067811865475 0.7071067811865475\n"
                            "vn -0.7071067811865475 0 0.7071067811865475\n"
                            "vn -0.5773502691896258 -0.5773502691896258 -0.5773502691896258\n"
                            "f 1//1 2//2 3//3\n"
                            "f 1//1 2//2 4//4 3//3\n"},
             {"models.mtl", "newmtl material0\n"
                            "Kd 1 0 0\n"
                            "Ka 0.2 0 0\n"
                            "d 1\n"}};

/* Corners and normals of the triangles in the binary file. */
#define S 0.70710678118654752
#define T 0.57735026918962576
static const double facets[4][12] = {{0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0},
                                     {T, T, T, 1, 0, 0, 0, 1, 0, 0, 0, 1},
                                     {0, -S, S, 0, 0, 0, 1, 0, 0, 1, 1, 1},
                                     {-S, 0, S, 0, 0, 0, 1, 1, 1, 0, 1, 0}};

/* Blender: the points from the last to the first, each with its velocity. */
static const double soft[5][6] = {{1, 1, 1, 2, 0, -1}, {0, 0, 1}, {0, 1, 0}, {1, 0, 0}, {0}};

/* A hair: with rest positions, and a point more before the first one, one unit towards the second.
 */
static const double hair[6][9] = {{1, 1, 1, 2, 0, -1, 1, 1, 1}, {0, 0, 1, 0, 0, 0, 0, 0, 1},
                                  {0, 1, 0, 0, 0, 0, 0, 1, 0},  {1, 0, 0, 0, 0, 0, 1, 0, 0},
                                  {1, 0, 0, 0, 0, 0, 1, 0, 0},  {0}};

typedef struct Files {
  SceneRun run;
  char folder[40], *bytes;
  size_t size;
} Files;

static void read_again(Files *f, const char *name) {
  char path[100];
  sofa_free(f->run.ctx, f->bytes);
  f->bytes = NULL;
  snprintf(path, sizeof path, "%s/%s", f->folder, name);
  assert_int_equal(sofa_read_file(f->run.ctx, path, 0, &f->bytes, &f->size), SOFA_OK);
}

static void open_files_with(Files *f, const SofaContextOptions *options) {
  char text[4000];
  memset(f, 0, sizeof *f);
  snprintf(f->folder, sizeof f->folder, "/tmp/csofa-export-XXXXXX");
  assert_non_null(mkdtemp(f->folder));
  const char *d = f->folder;
  snprintf(text, sizeof text, scene, d, d, d, d, d, d);
  scene_run_open(&f->run, text, options);
  scene_run_steps(&f->run, 1);
}

static void open_files(Files *f) {
  open_files_with(f, NULL);
}

static void close_files(Files *f) {
  char command[100];
  sofa_free(f->run.ctx, f->bytes);
  scene_run_close(&f->run);
  snprintf(command, sizeof command, "rm -r %s", f->folder);
  assert_int_equal(system(command), 0);
}

static void text_files(void **state) {
  Files f;
  (void)state;
  open_files(&f);
  for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
    read_again(&f, texts[k].name);
    if (f.size != strlen(texts[k].text) || memcmp(f.bytes, texts[k].text, f.size) != 0)
      fail_msg("%s:\n%.*s", texts[k].name, (int)f.size, f.bytes);
  }
  close_files(&f);
}

static uint32_t word_at(const Files *f, size_t at) {
  uint32_t word;
  assert_true(at + 4 <= f->size);
  memcpy(&word, f->bytes + at, 4);
  return word;
}

static void numbers_at(const Files *f, size_t at, const double *expected, size_t n) {
  for (size_t k = 0; k < n; k++) {
    const uint32_t word = word_at(f, at + 4 * k);
    float number;
    memcpy(&number, &word, 4);
    if (!(fabs((double)number - expected[k]) < 1e-7))
      fail_msg("number %zu from byte %zu is %g, expected %g", k, at, (double)number, expected[k]);
  }
}

static void binary_files(void **state) {
  static const double range[3] = {0, 100, 100};
  Files f;
  (void)state;
  open_files(&f);
  read_again(&f, "binary.stl");
  assert_int_equal(f.size, 84 + 4 * 50);
  assert_int_equal(word_at(&f, 80), 4);
  for (size_t k = 0; k < 4; k++) numbers_at(&f, 84 + 50 * k, facets[k], 12);

  read_again(&f, "soft_000001_00.bphys");
  assert_int_equal(f.size, 20 + sizeof soft / 2);
  assert_memory_equal(f.bytes, "BPHYSICS\0\0\0\0\5\0\0\0\6\0\0\0", 20);
  numbers_at(&f, 20, soft[0], sizeof soft / sizeof(double));

  read_again(&f, "hair_000001_00.bphys");
  assert_int_equal(f.size, 20 + sizeof hair / 2);
  assert_memory_equal(f.bytes, "BPHYSICS\2\0\0\0\6\0\0\0\26\0\0\0", 20);
  numbers_at(&f, 20, hair[0], sizeof hair / sizeof(double));

  read_again(&f, "hair_000000_00.bphys");
  assert_int_equal(f.size, 32);
  assert_memory_equal(f.bytes, "BPHYSICS\1\0\0\0\1\0\0\0\100\0\0\0", 20);
  numbers_at(&f, 20, range, 3);
  close_files(&f);
}

static void same_field(const SofaObject *a, const SofaObject *b, const char *name) {
  SofaText x = {0}, y = {0};
  assert_int_equal(sofa_field_print(a, sofa_class_field(a->klass, name), &x), SOFA_OK);
  assert_int_equal(sofa_field_print(b, sofa_class_field(b->klass, name), &y), SOFA_OK);
  if (strcmp(x.data, y.data) != 0) fail_msg("%s: %s, expected %s", name, x.data, y.data);
  sofa_list_free(a->ctx, &x);
  sofa_list_free(b->ctx, &y);
}

static void vtk_files(void **state) {
  static const char *const names[] = {"mesh.vtu", "mesh.vtk"};
  static const char *const fields[] = {"position", "edges", "triangles", "quads", "tetrahedra"};
  Files f;
  (void)state;
  open_files(&f);
  for (int k = 0; k < 2; k++) {
    char text[1000];
    SceneRun run;
    snprintf(text, sizeof text,
             "<Node><DefaultAnimationLoop/><MeshVTKLoader name='l' createSubelements='0' "
             "filename='%s/%s'/><MeshTopology name='m' " MESH "/></Node>",
             f.folder, names[k]);
    scene_run_open(&run, text, NULL);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
      same_field(scene_run_object(&run, "/l"), scene_run_object(&run, "/m"), fields[i]);
    scene_run_close(&run);
  }
  close_files(&f);
}

/* A file that was there before is no input of a scene: it is saved by the name that the scene gives
 * it. One that is read is saved by its full path. */
static void names_of_files_are_kept(void **state) {
  Files f;
  char text[1000], expected[100];
  SofaText saved = {0};
  SceneRun run;
  (void)state;
  open_files(&f); // writes text.stl
  snprintf(text, sizeof text,
           "<Node><DefaultAnimationLoop/><MeshSTLLoader name='l' filename='%s/./text.stl'/>"
           "<MeshTopology src='@l'/><MechanicalObject/>"
           "<STLExporter filename='%s/./text.stl' exportAtEnd='1'/>"
           "<WriteState filename='%s/./mesh.node'/></Node>",
           f.folder, f.folder, f.folder);
  scene_run_open(&run, text, NULL);
  assert_int_equal(sofa_scene_print(run.simulation, &saved), SOFA_OK);
  snprintf(expected, sizeof expected, "<STLExporter filename=\"%s/./text.stl\"", f.folder);
  if (!strstr(saved.data, expected)) fail_msg("%s is not in\n%s", expected, saved.data);
  snprintf(expected, sizeof expected, "<WriteState filename=\"%s/./mesh.node\"", f.folder);
  if (!strstr(saved.data, expected)) fail_msg("%s is not in\n%s", expected, saved.data);
  snprintf(expected, sizeof expected, " filename=\"%s/text.stl\"", f.folder);
  if (!strstr(saved.data, expected)) fail_msg("%s is not in\n%s", expected, saved.data);
  sofa_list_free(run.ctx, &saved);
  scene_run_close(&run);
  close_files(&f);
}

/* The points are those of the field, else of the state, else of the topology. */
static void points_come_from(void **state) {
  static const struct {
    const char *objects, *field, *text;
  } rows[] = {
      {"<MechanicalObject position='5 0 0 6 0 0 5 1 0'/>", "position='1 2 3 4 5 6 7 8 10'",
       "v 1 2 3\nv 4 5 6\nv 7 8 10\nf 1 2 3\n"},
      {"<MechanicalObject position='5 0 0 6 0 0 5 1 0'/>", "",
       "v 5 0 0\nv 6 0 0\nv 5 1 0\nf 1 2 3\n"},
      {"<MechanicalObject template='Vec2d' position='5 1 6 2 5 3'/>", "",
       "v 5 1 0\nv 6 2 0\nv 5 3 0\nf 1 2 3\n"},
      {"", "", "v 0 0 7\nv 1 0 8\nv 0 1 9\nf 1 2 3\n"},
  };
  (void)state;
  for (size_t i = 0; i < SOFA_COUNT(rows); i++) {
    Files f;
    char text[1000];
    memset(&f, 0, sizeof f);
    snprintf(f.folder, sizeof f.folder, "/tmp/csofa-export-XXXXXX");
    assert_non_null(mkdtemp(f.folder));
    snprintf(text, sizeof text,
             "<Node><DefaultAnimationLoop/><MeshTopology position='0 0 7 1 0 8 0 1 9' "
             "triangles='0 1 2'/>%s<MeshExporter filename='%s/m' format='obj' edges='0' "
             "exportAtBegin='1' %s/></Node>",
             rows[i].objects, f.folder, rows[i].field);
    scene_run_open(&f.run, text, NULL);
    scene_run_steps(&f.run, 1);
    read_again(&f, "m.obj");
    const char *points = strchr(f.bytes, '\n') + 1;
    if (strncmp(points, rows[i].text, strlen(rows[i].text)) != 0)
      fail_msg("%s %s: %s", rows[i].objects, rows[i].field, f.bytes);
    close_files(&f);
  }
}

/* What is opened is there, or NULL, and what is closed is NULL. */
static void files_are_opened_and_closed(void **state) {
  Files f;
  char path[100];
  (void)state;
  open_files(&f);
  const SofaObject *object = scene_run_object(&f.run, "/b/exporter");
  SofaOutputFile *file = (SofaOutputFile *)&f;
  f.run.quiet = true;
  snprintf(path, sizeof path, "%s/none/out", f.folder);
  assert_int_not_equal(sofa_output_file_open(object, "filename", path, &file), SOFA_OK);
  assert_null(file);
  assert_non_null(strstr(f.run.last, "field 'filename': cannot write"));
  snprintf(path, sizeof path, "%s/out", f.folder);
  assert_int_equal(sofa_output_file_open(object, "filename", path, &file), SOFA_OK);
  assert_non_null(file);
  sofa_output_file_close(&file);
  assert_null(file);
  sofa_output_file_close(&file);
  close_files(&f);
}

/* Where the files come from: in them, as a comment of their format, or beside them. */
static void files_say_where_they_come_from(void **state) {
  static const struct {
    const char *name, *begin, *remark; /* the first line ends before the remark, if it has one */
  } rows[] = {{"mesh.obj", "", "# csofa "},
              {"mesh.vtu", "<?xml version=\"1.0\"?>\n", "<!-- csofa "},
              {"models.mtl", "", "# csofa "},
              {"mesh.gmsh.provenance", "", "csofa "},
              {"text.stl.provenance", "", "csofa "}};
  const SofaContextOptions options = {.provenance = true};
  Files f;
  (void)state;
  open_files_with(&f, &options);
  for (size_t i = 0; i < SOFA_COUNT(rows); i++) {
    char expected[100];
    read_again(&f, rows[i].name);
    snprintf(expected, sizeof expected, "%s%s", rows[i].begin, rows[i].remark);
    if (strncmp(f.bytes, expected, strlen(expected)) != 0)
      fail_msg("%s begins with %.60s", rows[i].name, f.bytes);
  }
  close_files(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(text_files),
                                     cmocka_unit_test(binary_files),
                                     cmocka_unit_test(vtk_files),
                                     cmocka_unit_test(names_of_files_are_kept),
                                     cmocka_unit_test(files_say_where_they_come_from),
                                     cmocka_unit_test(points_come_from),
                                     cmocka_unit_test(files_are_opened_and_closed)};
  return cmocka_run_group_tests_name("exporters", tests, NULL, NULL);
}
