/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Loaders whose file and options are fields of other objects, and objects that are linked to what a
 * loader reads. */
#include "tests/support/scene_run.h"

#include <math.h>
#include <unistd.h>

#include "behavior/loader.h"
#include "topology/topology.h"

#define CORPUS "tests/fuzz/corpus/"
#define SCENE(objects) "<Node name='root'><DefaultAnimationLoop/>" objects "</Node>"

static const SofaVec3s *points_of(SceneRun *run, const char *path) {
  const SofaObject *object = scene_run_object(run, path);
  return sofa_field_value(object, sofa_class_field(object->klass, "position"));
}

/* The name of a file is known when the loader is read, so that objects behind it find the mesh. */
static void a_file_of_another_loader(void **state) {
  SceneRun run = {.quiet = false};
  (void)state;
  scene_run_context(&run, NULL);
  assert_int_equal(
      sofa_simulation_load_text(run.ctx,
                                SCENE("<MeshOffLoader name='a' filename='" CORPUS "off/good.off'/>"
                                      "<MeshOffLoader name='b' filename='@a.filename'/>"),
                                &run.simulation),
      SOFA_OK);
  assert_int_equal(points_of(&run, "/b")->n, 5);
  scene_run_close(&run);
}

static void moved_by(const char *scene, const double moved[3], size_t n) {
  SceneRun run;
  scene_run_open(&run, scene, NULL);
  const SofaVec3s *plain = points_of(&run, "/plain"), *x = points_of(&run, "/x");
  const SofaState *state = scene_run_state(&run, "/state");
  assert_int_equal(x->n, n);
  assert_int_equal(plain->n, n);
  assert_int_equal(state->position.n, n);
  for (size_t i = 0; i < n; i++)
    for (int k = 0; k < 3; k++) {
      assert_true(fabs(x->data[i].v[k] - plain->data[i].v[k] - moved[k]) < 1e-12);
      assert_true(state->position.data[3 * i + (size_t)k] == x->data[i].v[k]);
    }
  scene_run_close(&run);
}

/* The object whose field is linked may stand behind the loader, and the linked state before it. */
static void options_of_another_loader(void **state) {
  const double moved[3] = {1, 2, 3};
  (void)state;
#define LINKED(klass, file)                                                                        \
  SCENE("<MechanicalObject name='state' position='@x.position'/><" klass                           \
        " name='plain' filename='" CORPUS file "'/><" klass " name='x' filename='" CORPUS file     \
        "' translation='@y.translation'/><" klass " name='y' filename='" CORPUS file               \
        "' translation='1 2 3'/>")
  moved_by(LINKED("MeshOffLoader", "off/good.off"), moved, 5);
  moved_by(LINKED("SphereLoader", "spheres/good.sph"), moved, 2);
  moved_by(LINKED("MeshTrianLoader", "trian/good.trian"), moved, 4);
  moved_by(LINKED("MeshOBJLoader", "obj/materials.obj"), moved, 4);
}

/* Voxels of an image: their size and the values that count come from another object. */
static void voxels_of_another_loader(void **state) {
  SceneRun run;
  (void)state;
  scene_run_open(
      &run,
      SCENE("<HexahedronSetTopologyContainer name='t' position='@x.position' "
            "hexahedra='@x.hexahedra'/>"
            "<VoxelGridLoader name='x' filename='" CORPUS "voxels/good.raw' resolution='2 2 2' "
            "voxelSize='@y.voxelSize' dataValue='@y.dataValue'/>"
            "<VoxelGridLoader name='y' filename='" CORPUS "voxels/good.raw' resolution='2 2 2' "
            "voxelSize='2 3 5' dataValue='2'/>"),
      NULL);
  const SofaTopology *t = (const SofaTopology *)scene_run_object(&run, "/t");
  assert_int_equal(t->mesh.hexahedra.n, 1);
  assert_int_equal(t->mesh.position.n, 8);
  const double *p = t->mesh.position.data[0].v, *q = t->mesh.position.data[7].v;
  assert_true(q[0] - p[0] == 2 && q[1] - p[1] == 3 && q[2] - p[2] == 5);
  scene_run_close(&run);
}

/* What only one format has: linked before the loader is read. */
static void lists_of_their_own(void **state) {
  SceneRun run;
  (void)state;
  scene_run_open(&run,
                 SCENE("<MechanicalObject position='@x.position'/>"
                       "<FixedProjectiveConstraint name='f' indices='@x.trianglesOnBorderList'/>"
                       "<MeshTrianLoader name='x' filename='" CORPUS "trian/good.trian'/>"),
                 NULL);
  const SofaObject *f = scene_run_object(&run, "/f");
  const SofaIndices *list = sofa_field_value(f, sofa_class_field(f->klass, "indices"));
  assert_int_equal(list->n, 2);
  assert_true(list->data[0] == 0 && list->data[1] == 1);
  scene_run_close(&run);
}

/* ---- names of arrays ---- */

/* Names of arrays become names of fields: letters that a path knows otherwise are replaced. */
static void arrays_with_odd_names(void **state) {
  static const char text[] =
      "# vtk DataFile Version 3.0\nt\nASCII\nDATASET POLYDATA\nPOINTS 1 double\n1 2 3\n"
      "VERTICES 1 2\n1 0\nPOINT_DATA 1\nSCALARS a.b/c@d%01e%20f int\n4\nSCALARS position int\n"
      "5\nSCALARS twice int\n6\nCELL_DATA 1\nSCALARS twice int\n7\n";
  static const struct {
    const char *name;
    int value;
  } fields[] = {{"a_b_c_d_e f", 4}, {"point_position", 5}, {"twice", 6}, {"cell_twice", 7}};
  char path[] = "/tmp/csofa-arrays-XXXXXX.vtk", scene[400];
  const int file = mkstemps(path, 4);
  SceneRun run;
  (void)state;
  assert_true(file >= 0);
  assert_int_equal(write(file, text, strlen(text)), (ssize_t)strlen(text));
  close(file);
  snprintf(scene, sizeof scene, SCENE("<MeshVTKLoader name='l' filename='%s'/>"), path);
  scene_run_open(&run, scene, NULL);
  const SofaObject *l = scene_run_object(&run, "/l");
  for (size_t i = 0; i < SOFA_COUNT(fields); i++) {
    const SofaField *field = sofa_class_field(l->klass, fields[i].name);
    if (!field) fail_msg("there is no field '%s'", fields[i].name);
    const SofaInts *list = sofa_field_value(l, field);
    assert_int_equal(list->n, 1);
    assert_int_equal(list->data[0], fields[i].value);
  }
  const SofaVec3s *x = points_of(&run, "/l");
  assert_true(x->n == 1 && x->data[0].v[2] == 3);
  scene_run_close(&run);
  unlink(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_file_of_another_loader), cmocka_unit_test(options_of_another_loader),
      cmocka_unit_test(voxels_of_another_loader), cmocka_unit_test(lists_of_their_own),
      cmocka_unit_test(arrays_with_odd_names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
