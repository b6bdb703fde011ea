/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The ArticulatedSystemPlugin: what is wrong in a tree is told; where its frames are. */
#include "tests/support/scene_memory.h"

#include <math.h>

#include "object/data_graph.h"

#define TREE(mapping, centers)                                                                     \
  "<Node name='root'><RequiredPlugin pluginName='ArticulatedSystemPlugin'/>"                       \
  "<DefaultAnimationLoop/><DefaultVisualManagerLoop/><Node name='body'>"                           \
  "<MechanicalObject name='values' template='Vec1' position='1.5707963267948966 2'/>"              \
  "<Node name='frames'><MechanicalObject name='state' template='Rigid3' position='0 0 0 0 0 0 1 "  \
  "0 0 0 0 0 0 1 0 0 0 0 0 0 1'/><ArticulatedSystemMapping input1='@../' output='@./' " mapping    \
  "/></Node>" centers "</Node></Node>"
#define CONTAINER "<ArticulatedHierarchyContainer name='tree'/>"
#define CENTER(parent, child, how, joints)                                                         \
  "<Node><ArticulationCenter parentIndex='" parent "' childIndex='" child                          \
  "' posOnParent='1 0 0' posOnChild='-1 0 0' " how "/><Node>" joints "</Node></Node>"
#define TURN "<Articulation articulationIndex='0' rotation='1' rotationAxis='0 0 3'/>"
#define SLIDE "<Articulation articulationIndex='1' translation='1' axis='1 0 0'/>"

static void frames_are_where_they_should_be(void **state) {
  (void)state;
  static const double expected[9] = {0, 0, 0, 1, 1, 0, 1, 5, 0};
  SceneRun run;
  scene_run_open(&run, TREE("", CONTAINER CENTER("0", "1", "", TURN) CENTER("1", "2", "", SLIDE)),
                 NULL);
  const SofaState *s = scene_run_state(&run, "/body/frames/state");
  for (size_t i = 0; i < 9; i++)
    assert_true(fabs(s->position.data[7 * (i / 3) + i % 3] - expected[i]) < 1e-12);
  scene_run_close(&run);
}

/* Of several trees that which is named; the other one has its frames in other places. */
static void the_named_tree_is_taken(void **state) {
  (void)state;
  static const double expected[9] = {0, 0, 0, 4, 0, 0, 0, 0, 0};
  SceneRun run;
  scene_run_open(&run,
                 TREE("container='@../other/tree'",
                      CONTAINER CENTER("0", "1", "", TURN) "<Node name='other'>" CONTAINER CENTER(
                          "0", "1", "",
                          "<Articulation articulationIndex='1' translation='1' "
                          "axis='0.5 0 0'/>") "</Node>"),
                 NULL);
  const SofaState *s = scene_run_state(&run, "/body/frames/state");
  for (size_t i = 0; i < 9; i++)
    assert_true(fabs(s->position.data[7 * (i / 3) + i % 3] - expected[i]) < 1e-12);
  scene_run_close(&run);
}

/* Where the frames of a center meet, in the world. */
static void places_of_centers(void **state) {
  (void)state;
  static const char *const how[] = {"name='c'", "name='c' articulationProcess='1'",
                                    "name='c' articulationProcess='2'"};
  for (int k = 0; k < 3; k++) {
    char scene[4000];
    SceneRun run;
    snprintf(scene, sizeof scene,
             TREE("", CONTAINER CENTER("0", "1", "", TURN) "<Node name='second'>"
                                                           "<ArticulationCenter parentIndex='1' "
                                                           "childIndex='2' posOnParent='3 0 0' "
                                                           "%s/><Node>" SLIDE "</Node></Node>"),
             how[k]);
    scene_run_open(&run, scene, NULL);
    const SofaObject *center = scene_run_object(&run, "/body/second/c");
    const SofaVec3 *place =
        sofa_field_value(center, sofa_class_field(center->klass, "globalPosition"));
    const double expected[3] = {1, 4, 0};
    for (int d = 0; d < 3; d++) assert_true(fabs(place->v[d] - expected[d]) < 1e-12);
    scene_run_close(&run);
  }
}

/* A link to the place of a center has that of the end of each step. */
static void places_are_followed(void **state) {
  (void)state;
  for (int process = 0; process < 3; process++) {
    char scene[4000];
    SceneRun run;
    snprintf(scene, sizeof scene,
             TREE("", CONTAINER CENTER(
                          "0", "1", "",
                          SLIDE) "<Node name='second'>"
                                 "<ArticulationCenter name='c' "
                                 "parentIndex='1' childIndex='2' "
                                 "articulationProcess='%d'/>"
                                 "<Node>" TURN "</Node></Node>"
                                 "<SphereROI name='follows' template='Vec3d' position='0 0 0' "
                                 "centers='@second/c.globalPosition' "
                                 "radii='1'/>"),
             process);
    scene_run_open(&run, scene, NULL);
    SofaState *values = scene_run_state(&run, "/body/values");
    SofaObject *roi = scene_run_object(&run, "/body/follows");
    const SofaField *field = sofa_class_field(roi->klass, "centers");
    for (int step = 1; step <= 3; step++) {
      values->position.data[1] = 2 + step;
      sofa_state_touch(values);
      scene_run_steps(&run, 1);
      assert_int_equal(sofa_field_refresh(roi, field), SOFA_OK);
      const SofaVec3s *place = sofa_field_value(roi, field);
      assert_int_equal(place->n, 1);
      if (!(fabs(place->data[0].v[0] - (4 + step)) < 1e-12))
        fail_msg("process %d, step %d: %g", process, step, place->data[0].v[0]);
    }
    scene_run_close(&run);
  }
}

#define GROUND                                                                                     \
  "<Node name='ground'><MechanicalObject template='Rigid3' position='9 0 0 0 0 0 1  0 5 0 0 0 0 "  \
  "1'/></Node>"
/* a ground must come before the mapping, its node after the values */
#define GROUNDED(mapping)                                                                          \
  "<Node name='root'><RequiredPlugin pluginName='ArticulatedSystemPlugin'/>"                       \
  "<DefaultAnimationLoop/><DefaultVisualManagerLoop/><Node name='body'>"                           \
  "<MechanicalObject name='values' template='Vec1' position='0'/>" GROUND                          \
  "<Node name='frames'><MechanicalObject name='state' template='Rigid3' position='1 0 0 0 0 0 1'"  \
  "/><ArticulatedSystemMapping output='@./' input2='@../ground' " mapping "/></Node>" CONTAINER    \
  "</Node></Node>"

/* The frame that carries the tree: the last one, or the chosen one. */
static void the_ground_carries(void **state) {
  (void)state;
  static const char *const scenes[] = {GROUNDED("input1='@../'"),
                                       GROUNDED("input1='@../' indexInput2='0'")};
  for (int k = 0; k < 2; k++) {
    SceneRun run;
    scene_run_open(&run, scenes[k], NULL);
    const double *x = scene_run_state(&run, "/body/frames/state")->position.data;
    assert_true(x[0] == (k ? 9 : 0) && x[1] == (k ? 0 : 5));
    scene_run_close(&run);
  }
}

static void refused(const char *scene, const char *words) {
  SceneRun run = {.quiet = true};
  scene_run_context(&run, NULL);
  SofaErr err = sofa_simulation_load_text(run.ctx, scene, &run.simulation);
  if (err == SOFA_OK) err = sofa_simulation_init(run.simulation);
  if (err == SOFA_OK) fail_msg("nothing says '%s'", words);
  if (!strstr(run.all, words)) fail_msg("'%s' does not say '%s'", run.all, words);
  scene_run_close(&run);
}

static void wrong_trees_are_refused(void **state) {
  (void)state;
  refused(TREE("", ""), "there is no ArticulatedHierarchyContainer");
  refused(TREE("", CONTAINER CENTER("0", "3", "", "")), "expected another frame");
  refused(TREE("", CONTAINER CENTER("0", "0", "", "")), "expected another frame");
  refused(TREE("", CONTAINER CENTER("1", "0", "", "")), "expected another frame");
  refused(TREE("", CONTAINER CENTER("-1", "1", "", "")), "the output has the frames 0 to 2");
  refused(GROUNDED("input1='@../' indexInput2='2'"), "is 2, the input has 2 frames");
  refused(GROUNDED("input1='@../ @../ground'"), "names a state of another kind");
  refused(TREE("", CONTAINER CENTER("7", "1", "", "")), "the output has the frames 0 to 2");
  refused(TREE("", CONTAINER CENTER("0", "1", "", "") CENTER("2", "1", "", "")), "of two centers");
  refused(TREE("", CONTAINER CENTER("1", "2", "", "") CENTER("0", "1", "", "")),
          "must come before");
  refused(TREE("", CONTAINER CENTER("0", "1", "articulationProcess='3'", "")),
          "expected in [0, 2]");
  refused(TREE("", CONTAINER CENTER("0", "1", "",
                                    "<Articulation articulationIndex='-1' "
                                    "rotation='1'/>")),
          "is -1, the input has the values 0 to 1");
  refused(TREE("", CONTAINER CENTER("0", "1", "",
                                    "<Articulation articulationIndex='2' "
                                    "rotation='1'/>")),
          "the input has the values 0 to 1");
  refused(TREE("", CONTAINER CENTER("0", "1", "", "<Articulation axis='0 0 0' rotation='1'/>")),
          "has no direction");
  refused(TREE("", "<ArticulatedHierarchyContainer filename='walk.bvh'/>"), "not supported");
}

static void trees_survive_lack_of_memory(void **state) {
  (void)state;
  scene_without_memory(TREE("container='@../tree'", CONTAINER CENTER("0", "1", "", TURN)));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(frames_are_where_they_should_be),
      cmocka_unit_test(the_named_tree_is_taken),
      cmocka_unit_test(places_of_centers),
      cmocka_unit_test(places_are_followed),
      cmocka_unit_test(the_ground_carries),
      cmocka_unit_test(wrong_trees_are_refused),
      cmocka_unit_test(trees_survive_lack_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
