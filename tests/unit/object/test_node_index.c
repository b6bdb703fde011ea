/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Searches in nodes with many objects: the index of classes finds what a search of the objects
 * finds, also after removals, and its cost does not grow with the number of objects. */
#include "tests/support/scene_run.h"

#include <time.h>

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

/* Seconds of this process for n states and masses in one node. */
static double seconds_of(int n) {
  SofaContext *ctx = NULL;
  SofaSimulation *simulation = NULL;
  SofaObject *object = NULL;
  assert_int_equal(sofa_context_create_with_builtins(NULL, &ctx), SOFA_OK);
  assert_int_equal(sofa_simulation_create(ctx, &simulation), SOFA_OK);
  const SofaClass *state = sofa_factory_find(ctx, "MechanicalObject", NULL);
  const SofaClass *topology = sofa_factory_find(ctx, "PointSetTopologyContainer", NULL);
  const clock_t start = clock();
  for (int i = 0; i < n; i++) {
    assert_int_equal(sofa_object_create(simulation->root, state, NULL, NULL, &object), SOFA_OK);
    assert_int_equal(sofa_object_name(object), SOFA_OK);
    assert_null(sofa_node_find(simulation->root, &sofa_mass_interface, SOFA_SEARCH_LOCAL));
    assert_null(sofa_node_find_class(simulation->root, topology, SOFA_SEARCH_LOCAL));
  }
  const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
  sofa_simulation_destroy(&simulation);
  sofa_context_destroy(&ctx);
  return seconds;
}

/* A search of every object would need 16 times as long for 4 times as many: about 14 against 1. */
static void the_cost_is_linear(void **state) {
  (void)state;
  seconds_of(1000);
  const double few = seconds_of(8000), many = seconds_of(32000);
  if (many > 9 * few) fail_msg("8000 objects: %g s, 32000: %g s", few, many);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(finds_the_first_and_the_last),
      cmocka_unit_test(the_cost_is_linear),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
