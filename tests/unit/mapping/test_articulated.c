/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The ArticulatedSystemPlugin: what is wrong in a tree is told; where its frames are. */
#include "tests/support/scene_memory.h"

#include <math.h>

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
  refused(TREE("", CONTAINER CENTER("7", "1", "", "")), "the output has the frames 0 to 2");
  refused(TREE("", CONTAINER CENTER("0", "1", "", "") CENTER("2", "1", "", "")), "of two centers");
  refused(TREE("", CONTAINER CENTER("1", "2", "", "") CENTER("0", "1", "", "")),
          "must come before");
  refused(TREE("", CONTAINER CENTER("0", "1", "articulationProcess='3'", "")),
          "expected in [0, 2]");
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
      cmocka_unit_test(wrong_trees_are_refused),
      cmocka_unit_test(trees_survive_lack_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
