/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The mapping of docs/writing-a-mapping.md against the conformance suite: finite differences. */
#include "tests/support/conform_mapping.c"

static void derivatives(void **state) {
  static const MappingCase pendulums = {
      "PendulumMapping", "three pendulums",
      "<Node name='root'><RequiredPlugin pluginName='Pendulum'/><DefaultAnimationLoop/>"
      "<DefaultVisualManagerLoop/><Node name='angles'>"
      "<MechanicalObject template='Vec1d' position='0.3 -1.2 2'/><Node name='bobs'>"
      "<MechanicalObject template='Vec3d'/><PendulumMapping length='1.5' pivot='0.1 0.2 0.3'/>"
      "</Node></Node></Node>"};
  (void)state;
  conform_mapping(&pendulums);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(derivatives)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
