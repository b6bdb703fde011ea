/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Values that are refused: what initialisation says of them, and that nothing computes with them.
 */
#include "scene_test.h"

#include "behavior/loader.h"
#include "components/builtins.h"
#include "scene/builder.h"

#define LOOPS "<DefaultAnimationLoop/><DefaultVisualManagerLoop/>"

/* Loads and initialises; each message is a line. */
static void initialised(const char *body, bool keep_going, const char *messages) {
  static Bench b;
  SofaSimulation *s = NULL;
  char scene[2048];
  snprintf(scene, sizeof scene, "<Node name='root'>" LOOPS "\n%s</Node>", body);
  bench_open(&b, keep_going);
  assert_int_equal(sofa_register_builtins(b.ctx), SOFA_OK);
  SofaErr err = sofa_simulation_load(b.ctx, bench_file(&b, "s", scene), &s);
  if (err == SOFA_OK) {
    err = sofa_simulation_init(s);
    sofa_simulation_destroy(&s);
  }
  assert_string_equal(b.messages, messages);
  assert_int_equal(err == SOFA_OK, keep_going || !*messages);
  bench_close(&b);
}

/* An engine that was refused is not asked for its values, nor are those who wait for them. */
static void engines(void **state) {
  (void)state;
  initialised("<Vertex2Frame name='f' position='0 0 0' normals='0 0 1' rotation='7'/>\n"
              "<MechanicalObject template='Rigid3d' position='@f.frames'/>\n",
              false, "s:2: error: field 'rotation': 7, expected in [0, 2]\n");
  initialised("<Vertex2Frame name='f' position='0 0 0' normals='0 0 1' rotation='7'/>\n"
              "<MechanicalObject template='Rigid3d' position='@f.frames'/>\n",
              true, "s:2: error: field 'rotation': 7, expected in [0, 2]\n");
  initialised("<ExtrudeQuadsAndGenerateHexas name='e' surfaceVertices='0 0 0 1 0 0 1 1 0 0 1 0' "
              "surfaceQuads='0 1 2 3' numberOfSlices='2000000000'/>\n"
              "<MeshTopology position='@e.extrudedVertices'/>\n",
              false, "s:2: error: field 'numberOfSlices': 2000000000, expected in [1, 100000]\n");
}

/* Elements name points that have a position, where there are positions. */
static void points_of_elements(void **state) {
  (void)state;
  static const char few[] = "s:2: error: field 'edges': entry 1 names point 9, and 'position' has "
                            "2 points\n";
  initialised("<MeshTopology position='0 0 0 1 0 0' edges='0 1'/>\n", false, "");
  initialised("<MeshTopology edges='0 1 1 9'/>\n", false, "");
  initialised("<MeshTopology position='0 0 0 1 0 0' edges='0 1 1 9'/>\n", false, few);
  initialised("<MeshTopology position='0 0 0 1 0 0' edges='0 1 1 9'/>\n", true, few);
  initialised("<EdgeSetTopologyContainer position='0 0 0 1 0 0' edges='0 1 1 9'/>\n", false, few);
  // none of them is left for those who look at the mesh next
  initialised("<MeshTopology name='m' position='0 0 0 1 0 0' edges='0 1 1 -1'/>\n"
              "<MechanicalObject/>\n<PointCollisionModel/>\n",
              false, "s:2: error: an element names point 4294967295: a mesh cannot have so many\n");
}

/* -1 is no large number. */
static void counts(void **state) {
  (void)state;
  initialised("<PointSetTopologyContainer nbPoints='-1'/>\n", false,
              "s:2: error: field 'nbPoints': -1, expected >= 0\n");
  initialised("<VTKExporter filename='x' exportEveryNumberOfSteps='-1'/>\n", false,
              "s:2: error: field 'exportEveryNumberOfSteps': -1, expected >= 0\n");
  initialised("<VTKExporter filename='x' exportAtEnd='1' exportEveryNumberOfSteps='-1'/>\n"
              "<MechanicalObject position='0 0 0'/>\n",
              true,
              "s:2: warning: field 'exportEveryNumberOfSteps': -1, expected >= 0: the default is "
              "used\n");
}

/* What an object makes for itself has its place in the scene. */
static void made_objects(void **state) {
  (void)state;
  static Bench b;
  SofaSimulation *s = NULL;
  bench_open(&b, false);
  assert_int_equal(sofa_register_builtins(b.ctx), SOFA_OK);
  const char *scene =
      "<Node>\n<DefaultVisualManagerLoop/>\n<ConstraintAnimationLoop sor='-1'/></Node>";
  assert_int_equal(sofa_simulation_load(b.ctx, bench_file(&b, "s", scene), &s), SOFA_OK);
  bench_clear(&b);
  assert_int_equal(sofa_simulation_init(s), SOFA_ERR_SCENE);
  assert_string_equal(b.messages, "s:3: error: field 'sor': -1, expected in (0, 2)\n");
  sofa_simulation_destroy(&s);
  bench_close(&b);
}

/* Lists of a mesh that is made or read are not mixed with those of the scene. */
static void given_meshes(void **state) {
  (void)state;
  static Bench b;
  SofaSimulation *s = NULL;
  bench_open(&b, false);
  assert_int_equal(sofa_register_builtins(b.ctx), SOFA_OK);
  const char *scene = "<Node>" LOOPS "\n<GridMeshCreator name='l' resolution='2 2' "
                      "position='9 9 9' triangles='0 1 2'/></Node>";
  assert_int_equal(sofa_simulation_load(b.ctx, bench_file(&b, "s", scene), &s), SOFA_OK);
  assert_string_equal(b.messages,
                      "s:2: warning: field 'position': it comes from the mesh; the value of the "
                      "scene is not used\ns:2: warning: field 'triangles': it comes from the mesh; "
                      "the value of the scene is not used\n");
  assert_int_equal(sofa_simulation_init(s), SOFA_OK);
  const SofaObject *object = s->root->objects.data[2];
  assert_string_equal(object->name, "l");
  const SofaMesh *mesh = &((const SofaMeshLoader *)object)->data.mesh;
  assert_int_equal(mesh->position.n, 4);
  assert_int_equal(mesh->triangles.n, 2);
  sofa_simulation_destroy(&s);
  bench_close(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(engines),      cmocka_unit_test(points_of_elements),
      cmocka_unit_test(counts),       cmocka_unit_test(made_objects),
      cmocka_unit_test(given_meshes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
