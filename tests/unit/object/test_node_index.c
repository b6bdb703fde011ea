/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Searches in nodes with many objects and children: the index of classes and the tables of names
 * find what a search of the lists finds, also after removals and other names. That their cost does
 * not grow with the lists is tested by instructions (tests/instructions/load_linear.py). */
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

/* ---- names ---- */

static const SofaObject *first_called(const SofaNode *node, const char *name) {
  for (size_t i = 0; i < node->objects.n; i++)
    if (strcmp(node->objects.data[i]->name, name) == 0) return node->objects.data[i];
  return NULL;
}

static const SofaNode *first_child(const SofaNode *node, const char *name) {
  for (size_t i = 0; i < node->children.n; i++)
    if (strcmp(node->children.data[i]->object.name, name) == 0) return node->children.data[i];
  return NULL;
}

/* All names that occur, and some that do not. */
static void compare_names(SofaNode *node) {
  for (int i = 0; i < 50; i++) {
    char name[20];
    snprintf(name, sizeof name, i % 2 ? "name%d" : "other%d", i / 2);
    assert_ptr_equal(sofa_node_object(node, name), first_called(node, name));
    assert_ptr_equal(sofa_node_child(node, name), first_child(node, name));
    const SofaObject *child = (const SofaObject *)first_child(node, name);
    const SofaObject *expected = child ? child : first_called(node, name);
    assert_ptr_equal(sofa_resolve_path(node, name, NULL), expected);
  }
  assert_null(sofa_node_object(node, "nam"));
  assert_null(sofa_node_child(node, "name"));
}

static void names_are_those_of_the_lists(void **state) {
  (void)state;
  SofaContext *ctx = NULL;
  SofaSimulation *simulation = NULL;
  assert_int_equal(sofa_context_create_with_builtins(NULL, &ctx), SOFA_OK);
  assert_int_equal(sofa_simulation_create(ctx, &simulation), SOFA_OK);
  SofaNode *root = simulation->root, *node = NULL;
  const SofaClass *klass = sofa_factory_find(ctx, "UniformMass", NULL);
  for (int i = 0; i < 40; i++) { // of some names there are several
    char name[20];
    SofaObject *object = NULL;
    snprintf(name, sizeof name, "name%d", i * i % 23);
    assert_int_equal(sofa_object_create(root, klass, name, NULL, &object), SOFA_OK);
    snprintf(name, sizeof name, "name%d", i * 5 % 31);
    assert_int_equal(sofa_node_create(ctx, root, name, &node), SOFA_OK);
    compare_names(root);
  }
  for (size_t i = 0; i < 40; i += 3) { // other names, by each way
    char name[20];
    snprintf(name, sizeof name, "other%zu", i / 2);
    SofaObject *object = root->objects.data[i], *child = &root->children.data[i]->object;
    if (i % 2) assert_int_equal(sofa_object_set_name(object, name), SOFA_OK);
    else assert_int_equal(sofa_field_set_text(object, "name", name, 0), SOFA_OK);
    compare_names(root);
    if (i % 2) assert_int_equal(sofa_field_set_text(child, "name", name, 0), SOFA_OK);
    else assert_int_equal(sofa_object_set_name(child, name), SOFA_OK);
    compare_names(root);
  }
  assert_int_equal(sofa_object_name(root->objects.data[5]), SOFA_OK);
  compare_names(root);
  sofa_node_put_first(root);
  compare_names(root);
  for (size_t i = 0; root->children.n > 18; i++) {
    SofaObject *object = root->objects.data[(i * 7) % root->objects.n];
    sofa_object_destroy(&object);
    compare_names(root);
    node = root->children.data[(i * 11) % root->children.n];
    sofa_node_destroy(&node);
    compare_names(root);
  }
  sofa_simulation_destroy(&simulation);
  sofa_context_destroy(&ctx);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(finds_the_first_and_the_last),
      cmocka_unit_test(names_are_those_of_the_lists),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
