/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* StringMeshCreator, GridMeshCreator and SphereLoader in scenes. */
#include "tests/support/scene_run.h"

#include <math.h>
#include <unistd.h>
#include "behavior/loader.h"
#include "tests/support/scene_memory.h"

#define SCENE(objects) "<Node name='root'><DefaultAnimationLoop/>" objects "</Node>"

static SofaMeshLoader *loader_at(SceneRun *run, const char *path) {
  return (SofaMeshLoader *)scene_run_object(run, path);
}

static void elements_are(const SofaMeshLoader *loader, SofaElementKind kind, const uint32_t *v,
                         size_t n) {
  const SofaElements e = sofa_mesh_elements(&loader->data.mesh, kind);
  assert_int_equal(e.n, n);
  for (size_t i = 0; i < n * e.width; i++) assert_int_equal(e.v[i], v[i]);
}

static void scene_is_refused(const char *text, const char *words) {
  SceneRun run = {.quiet = true};
  scene_run_context(&run, NULL);
  run.quiet = true;
  SofaErr err = sofa_simulation_load_text(run.ctx, text, &run.simulation);
  if (err == SOFA_OK) err = sofa_simulation_init(run.simulation);
  assert_int_not_equal(err, SOFA_OK);
  if (!strstr(run.last, words)) fail_msg("'%s' does not say '%s'", run.last, words);
  scene_run_close(&run);
}

static void string_of_points(void **state) {
  static const uint32_t edges[] = {0, 1, 1, 2, 2, 3};
  SceneRun run;
  (void)state;
  scene_run_open(&run,
                 SCENE("<StringMeshCreator name='l' resolution='4' scale3d='3 1 1' "
                       "translation='1 2 3'/><MechanicalObject name='s' src='@l'/>"
                       "<StringMeshCreator name='m' translation='@l.translation'/>"),
                 NULL);
  elements_are(loader_at(&run, "/l"), SOFA_ELEMENT_EDGE, edges, 3);
  elements_are(loader_at(&run, "/m"), SOFA_ELEMENT_EDGE, edges, 1);
  const SofaState *s = scene_run_state(&run, "/s");
  assert_int_equal(s->position.n, 4);
  for (int i = 0; i < 4; i++) {
    assert_true(fabs(s->position.data[3 * i] - (1 + i)) < 1e-15);
    assert_true(s->position.data[3 * i + 1] == 2 && s->position.data[3 * i + 2] == 3);
  }
  assert_true(loader_at(&run, "/m")->data.mesh.position.data[1].v[0] == 2);
  scene_run_close(&run);
}

static void grids_of_all_patterns(void **state) {
  static const uint32_t quads[] = {0, 1, 4, 3, 1, 2, 5, 4};
  static const uint32_t triangles[3][12] = {{0, 1, 4, 0, 4, 3, 1, 2, 4, 2, 5, 4},
                                            {0, 1, 4, 0, 4, 3, 1, 2, 5, 1, 5, 4},
                                            {0, 1, 3, 1, 4, 3, 1, 2, 4, 2, 5, 4}};
  // each side once, as met first, then sorted
  static const uint32_t quad_edges[] = {0, 1, 1, 2, 1, 4, 2, 5, 3, 0, 4, 3, 5, 4};
  static const uint32_t edges[] = {0, 1, 1, 2, 1, 4, 2, 5, 3, 0, 4, 0, 4, 3, 5, 1, 5, 4};
  SceneRun run;
  (void)state;
  for (int pattern = 0; pattern < 4; pattern++) {
    char scene[300];
    snprintf(scene, sizeof scene,
             SCENE("<GridMeshCreator name='g' filename='nofile' resolution='3 2' "
                   "trianglePattern='%d'/>"),
             pattern);
    scene_run_open(&run, scene, NULL);
    const SofaMeshLoader *g = loader_at(&run, "/g");
    assert_int_equal(g->data.mesh.position.n, 6);
    assert_true(g->data.mesh.position.data[4].v[0] == 0.5);
    assert_true(g->data.mesh.position.data[4].v[1] == 1);
    if (pattern == 0) elements_are(g, SOFA_ELEMENT_QUAD, quads, 2);
    else elements_are(g, SOFA_ELEMENT_TRIANGLE, triangles[pattern - 1], 4);
    if (pattern == 0) elements_are(g, SOFA_ELEMENT_EDGE, quad_edges, 7);
    if (pattern == 2) elements_are(g, SOFA_ELEMENT_EDGE, edges, 9);
    scene_run_close(&run);
  }
}

static void impossible_meshes_are_refused(void **state) {
  (void)state;
  scene_is_refused(SCENE("<StringMeshCreator resolution='1'/>"),
                   "'resolution': 1, expected in [2, 2147483647]");
  scene_is_refused(SCENE("<GridMeshCreator resolution='1 5'/>"), "component 0: 1, expected >= 2");
  scene_is_refused(SCENE("<GridMeshCreator trianglePattern='4'/>"), "expected in [0, 3]");
  scene_is_refused(SCENE("<MeshOBJLoader/>"), "not found");
  scene_is_refused(SCENE("<SphereLoader filename='no/such.sph'/>"), "not found");
}

/* ---- spheres ---- */

/* Writes the text to a file of its own; the name is in `path`. */
static void write_spheres(const char *text, char path[64]) {
  snprintf(path, 64, "/tmp/csofa_spheres_%ld.sph", (long)getpid());
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
  fclose(file);
}

static void spheres_are_read_and_moved(void **state) {
  char path[64], scene[600];
  SceneRun run;
  (void)state;
  write_spheres("sph 1.0\n# a comment\nnums 2\nsphe 1 1 2 3 0.5\nsphe 2 -1 0 1e1 .25\n", path);
  snprintf(scene, sizeof scene,
           SCENE("<SphereLoader name='l' filename='%s' scale='2 1 1' rotation='0 0 90' "
                 "translation='0 0 1'/><StringMeshCreator name='m' translation='0 0 1'/>"
                 "<SphereLoader name='linked' filename='%s' translation='@m.translation'/>"
                 "<MechanicalObject name='s' position='@l.sphere_centers'/>"
                 "<MechanicalObject name='t' position='@linked.position'/>"),
           path, path);
  scene_run_open(&run, scene, NULL);
  const double wanted[6] = {-2, 2, 4, 0, -2, 11}, linked[6] = {1, 2, 4, -1, 0, 11};
  for (int i = 0; i < 6; i++) {
    assert_true(fabs(scene_run_state(&run, "/s")->position.data[i] - wanted[i]) < 1e-14);
    assert_true(fabs(scene_run_state(&run, "/t")->position.data[i] - linked[i]) < 1e-14);
  }
  SofaObject *loader = scene_run_object(&run, "/l");
  const SofaField *field = sofa_class_field(loader->klass, "listRadius");
  const SofaReals *radii = sofa_field_value(loader, field);
  assert_int_equal(radii->n, 2);
  assert_true(radii->data[0] == 0.5 && radii->data[1] == 0.25);
  scene_run_close(&run);
  remove(path);
}

static void bad_spheres_are_refused(void **state) {
  static const char *const files[][2] = {
      {"off\n", "'sph'"},
      {"sph 1.0\nball 1 2 3 4 5\n", "'sphe', 'nums' or a comment"},
      {"sph 1.0\nsphe x 2 3 4 5\n", "number of the sphere"},
      {"sph 1.0\nsphe 1 2 3 4\n", "a center and a radius"},
      {"sph 1.0\nsphe 1 2 3 4 -1\n", "negative"},
      {"", "'sph'"},
  };
  (void)state;
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    char path[64], scene[200];
    write_spheres(files[i][0], path);
    snprintf(scene, sizeof scene, SCENE("<SphereLoader filename='%s'/>"), path);
    scene_is_refused(scene, files[i][1]);
    remove(path);
  }
}

static void survives_lack_of_memory(void **state) {
  static const char scene[] = SCENE("<GridMeshCreator resolution='4 4'/>"
                                    "<StringMeshCreator resolution='9'/>");
  (void)state;
  scene_survives_lack_of_memory(scene, false);
}

/* 49 (1/49) is 1 - 2^-53: with the quirk, points that go back and forth again stop short of 49. */
static void transformed_again(void **state) {
  (void)state;
  for (int quirk = 0; quirk < 2; quirk++) {
    SceneRun run;
    const SofaContextOptions options = {.quirk_words = quirk ? "loader-rounding" : NULL};
    scene_run_open(&run,
                   SCENE("<GridMeshCreator name='g' filename='-' resolution='2 2' scale3d='49 49 "
                         "49'/><GridMeshCreator name='flat' filename='-' resolution='2 2' "
                         "scale3d='49 49 0'/>"),
                   &options);
    const SofaVec3s *p = &loader_at(&run, "/g")->data.mesh.position;
    assert_true(p->data[1].v[0] == (quirk ? 49 - ldexp(1, -47) : 49));
    assert_true(p->data[0].v[0] == 0);
    // a matrix without inverse is applied once
    assert_true(loader_at(&run, "/flat")->data.mesh.position.data[1].v[0] == 49);
    scene_run_close(&run);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(string_of_points),           cmocka_unit_test(transformed_again),
      cmocka_unit_test(grids_of_all_patterns),      cmocka_unit_test(impossible_meshes_are_refused),
      cmocka_unit_test(spheres_are_read_and_moved), cmocka_unit_test(bad_spheres_are_refused),
      cmocka_unit_test(survives_lack_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
