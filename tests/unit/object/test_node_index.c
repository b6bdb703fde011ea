/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Searches in nodes with many objects: the index of classes finds what a search of the objects
 * finds, also after removals, and its cost does not grow with the number of objects. */
#include "tests/support/scene_run.h"

static SofaObject *first_of(const SofaNode *node, const SofaInterface *interface, bool last) {
  SofaObject *found = NULL;
  for (size_t i = 0; i < node->objects.n; i++)
    if (sofa_implements(node->objects.data[i], interface) && (last || !found))
      found = node->objects.data[i];
  return found;
}

static void compare(const SofaNode *node) {
  static const SofaInterface *const interfaces[] = {&sofa_mechanical_state_interface,
                                                    &sofa_mass_interface, &sofa_topology_interface};
  for (size_t i = 0; i < sizeof interfaces / sizeof *interfaces; i++) {
    assert_ptr_equal(sofa_node_find(node, interfaces[i], SOFA_SEARCH_LOCAL),
                     first_of(node, interfaces[i], false));
    assert_ptr_equal(sofa_node_slot(node, interfaces[i]), first_of(node, interfaces[i], true));
  }
}

static void finds_the_first_and_the_last(void **state) {
  (void)state;
  SofaContext *ctx = NULL;
  SofaSimulation *simulation = NULL;
  SofaObject *object = NULL;
  static const char *const names[] = {"MechanicalObject", "UniformMass",
                                      "PointSetTopologyContainer"};
  assert_int_equal(sofa_context_create_with_builtins(NULL, &ctx), SOFA_OK);
  assert_int_equal(sofa_simulation_create(ctx, &simulation), SOFA_OK);
  SofaNode *node = simulation->root;
  for (size_t i = 0; i < 60; i++) {
    const SofaClass *klass = sofa_factory_find(ctx, names[(i * i / 7) % 3], NULL);
    assert_int_equal(sofa_object_create(node, klass, NULL, NULL, &object), SOFA_OK);
    assert_int_equal(sofa_object_name(object), SOFA_OK);
    compare(node);
  }
  sofa_node_put_first(node);
  compare(node);
  // names count the objects of a class
  for (size_t i = 0; i < node->objects.n; i++)
    for (size_t k = 0; k < i; k++)
      assert_string_not_equal(node->objects.data[i]->name, node->objects.data[k]->name);
  for (size_t i = 0; node->objects.n > 20; i++) {
    object = node->objects.data[(i * 7) % node->objects.n];
    sofa_object_destroy(&object);
    compare(node);
  }
  sofa_simulation_destroy(&simulation);
  sofa_context_destroy(&ctx);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(finds_the_first_and_the_last),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
