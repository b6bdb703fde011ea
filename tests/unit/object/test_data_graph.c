/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Data links: conversion, laziness, engines, `src`, links made before their source exists, cycles.
 */
#include "object_test.h"

static SofaErr pull(void *object) {
  return sofa_data_pull(object, NULL);
}

static void *ready(void *object) {
  assert_int_equal(sofa_object_run(object, SOFA_RUN_INIT), SOFA_OK);
  return object;
}

static void values_flow(void **state) {
  (void)state;
  Bench b;
  bench_open(&b);
  Thing *a = add_thing(b.root, "a"), *c = add_thing(b.root, "c"), *d = add_thing(b.root, "d");
  assert_int_equal(set(c, "values", "@a.values"), SOFA_OK);
  assert_int_equal(set(d, "position", "@c.values"), SOFA_OK);
  assert_true(sofa_field_is_set(&d->object, "position"));
  bool changed = false;
  assert_int_equal(set(a, "values", "5 6"), SOFA_OK);
  // a pull goes through the chain; entries keep their number, components are filled
  assert_int_equal(sofa_data_pull(&d->object, &changed), SOFA_OK);
  assert_true(changed);
  expect_field(&c->object, "values", "5 6");
  expect_field(&d->object, "position", "5 0 0 6 0 0");
  // nothing changed: nothing is copied, nothing allocated
  const long calls = b.calls;
  assert_int_equal(sofa_data_pull(&d->object, &changed), SOFA_OK);
  assert_false(changed);
  a->values.data[0] = 7;
  assert_int_equal(pull(d), SOFA_OK);
  expect_field(&d->object, "position", "5 0 0 6 0 0");
  sofa_field_touch_name(&a->object, "values");
  assert_int_equal(pull(d), SOFA_OK);
  assert_true(d->position.data[0] == 7);
  // a value written into a linked field stays until the source changes
  d->position.data[0] = 9;
  assert_int_equal(pull(d), SOFA_OK);
  assert_true(d->position.data[0] == 9);
  // only what printing took
  assert_true(b.calls - calls < 20);
  // a text ends the link
  assert_int_equal(set(d, "position", "1 2 3"), SOFA_OK);
  sofa_field_touch_name(&c->object, "values");
  assert_int_equal(pull(d), SOFA_OK);
  expect_field(&d->object, "position", "1 2 3");
  bench_silent(&b);
  bench_close(&b);
}

static void no_allocation(void **state) {
  (void)state;
  Bench b;
  bench_open(&b);
  Thing *a = add_thing(b.root, "a"), *c = add_thing(b.root, "c");
  Summer *s = ready(add_summer(b.root, "s"));
  assert_int_equal(set(s, "in", "@a.values"), SOFA_OK);
  assert_int_equal(set(c, "values", "@s.out"), SOFA_OK);
  assert_int_equal(pull(c), SOFA_OK);
  const long calls = b.calls;
  for (int i = 0; i < 5; i++) {
    a->values.data[0] = i;
    sofa_field_touch_name(&a->object, "values");
    assert_int_equal(pull(c), SOFA_OK);
    assert_true(c->values.data[0] == i + 5);
  }
  assert_int_equal(b.calls, calls);
  assert_int_equal(s->n_updates, 6);
  bench_close(&b);
}

static void engines(void **state) {
  (void)state;
  Bench b;
  bench_open(&b);
  Summer *s = add_summer(b.root, "s"), *u = add_summer(b.root, "u");
  Thing *t = add_thing(b.root, "t");
  assert_int_equal(set(u, "in", "@s.out"), SOFA_OK);
  assert_int_equal(set(t, "mass", "@u.out"), SOFA_OK);
  // engines that were not initialised give nothing yet
  assert_int_equal(pull(t), SOFA_OK);
  assert_int_equal(s->n_updates + u->n_updates, 0);
  ready(s);
  ready(u);
  assert_int_equal(pull(t), SOFA_OK);
  assert_true(t->mass == 9); // in 1 2; out 3 6; out 9 18
  assert_int_equal(pull(t), SOFA_OK);
  assert_int_equal(s->n_updates, 1);
  assert_int_equal(u->n_updates, 1);
  assert_int_equal(set(s, "in", "10"), SOFA_OK);
  assert_int_equal(pull(t), SOFA_OK);
  assert_true(t->mass == 30);
  // a link to an input does not run the engine
  assert_int_equal(set(t, "values", "@s.in"), SOFA_OK);
  assert_int_equal(set(s, "in", "11"), SOFA_OK);
  Thing *reader = add_thing(b.root, "reader");
  assert_int_equal(set(reader, "values", "@s.in"), SOFA_OK);
  assert_int_equal(pull(reader), SOFA_OK);
  assert_int_equal(s->n_updates, 2);
  assert_int_equal(sofa_data_update(&s->object), SOFA_OK);
  assert_int_equal(s->n_updates, 3);
  bench_close(&b);
}

static void later_sources(void **state) {
  (void)state;
  Bench b;
  bench_open(&b);
  Thing *t = add_thing(add_node(b.root, "n"), "t");
  assert_int_equal(set(t, "mass", "@late.weight"), SOFA_OK);
  assert_int_equal(set(t, "count", "@[-1].count"), SOFA_OK);
  assert_int_equal(set(t, "total", "@late.weigt"), SOFA_OK);
  assert_int_equal(set(t, "left", "@../lat.mass"), SOFA_OK);
  assert_int_equal(sofa_data_resolve(&t->object, false), SOFA_OK);
  bench_silent(&b);
  Thing *late = add_thing(b.root, "late");
  late->mass = 8;
  assert_int_equal(sofa_data_resolve(&t->object, true), SOFA_ERR_NOT_FOUND);
  const char *all = b.messages;
  assert_non_null(strstr(all, "error:7:/n/t: field 'count': nothing was found at '@[-1].count'"));
  assert_non_null(strstr(all, "a Thing has no field 'weigt'"));
  assert_non_null(strstr(all, "nothing was found at '@../lat.mass'; did you mean 'late'?"));
  assert_int_equal(pull(t), SOFA_OK);
  assert_true(t->mass == 8);
  bench_close(&b);
}

static void refused_links(void **state) {
  (void)state;
  Bench b;
  bench_open(&b);
  Thing *a = add_thing(b.root, "a"), *t = add_thing(b.root, "t");
  (void)a;
  assert_int_equal(set(t, "mass", "@a"), SOFA_ERR_PARSE);
  bench_said(&b, "the name of a field is required");
  assert_int_equal(set(t, "mass", "@.."), SOFA_ERR_PARSE);
  assert_int_equal(set(t, "mass", "@a."), SOFA_ERR_PARSE);
  bench_clear(&b);
  assert_int_equal(set(t, "mass", "@.mass"), SOFA_ERR_CYCLE);
  bench_said(&b, "linked to itself");
  assert_int_equal(set(t, "mass", "@a.method"), SOFA_ERR_TYPE);
  bench_said(&b, "a option does not convert to a real");
  // own fields, fields of nodes
  assert_int_equal(set(t, "mass", "@.total"), SOFA_OK);
  assert_int_equal(set(t, "total", "@../.dt"), SOFA_OK);
  assert_int_equal(set(t, "vector", "@/.gravity"), SOFA_OK);
  assert_int_equal(set(t, "left", "@./.dt"), SOFA_OK);
  assert_int_equal(sofa_data_resolve(&t->object, true), SOFA_ERR_NOT_FOUND); // @../: no parent
  bench_clear(&b);
  assert_int_equal(pull(t), SOFA_OK);
  assert_true(t->mass == 2 && t->left == b.root->dt && t->vector.v[1] == b.root->gravity.v[1]);
  // an attribute that is no Data is read as text
  assert_int_equal(set(t, "old", "@a.mass"), SOFA_ERR_PARSE);
  bench_close(&b);
}

static void unreadable_values(void **state) {
  (void)state;
  Bench b;
  bench_open(&b);
  Thing *a = add_thing(b.root, "a"), *t = add_thing(b.root, "t");
  assert_int_equal(set(t, "mass", "@a.text"), SOFA_OK);
  assert_int_equal(set(a, "text", "2.5"), SOFA_OK);
  assert_int_equal(pull(t), SOFA_OK);
  assert_true(t->mass == 2.5);
  assert_int_equal(set(a, "text", "x"), SOFA_OK);
  assert_int_equal(pull(t), SOFA_ERR_PARSE);
  bench_said(&b, "the value of '@a.text' cannot be read as a real");
  assert_int_equal(pull(t), SOFA_OK); // said once
  bench_silent(&b);
  bench_close(&b);
}

/* ---- src ---- */

static void src(void **state) {
  (void)state;
  Bench b;
  bench_open(&b);
  SofaNode *node = add_node(b.root, "n");
  Thing *a = add_thing(b.root, "a"), *t = add_thing(b.root, "t");
  assert_int_equal(set(a, "values", "5"), SOFA_OK);
  assert_int_equal(set(a, "mass", "6"), SOFA_OK);
  assert_int_equal(set(a, "filename", "f"), SOFA_OK);
  assert_int_equal(set(a, "old", "7"), SOFA_OK);
  assert_int_equal(set(a, "printLog", "1"), SOFA_OK);
  const char *const written[] = {"mass", "position"};
  assert_int_equal(sofa_data_link_source(&t->object, "@a", written, 2, 7), SOFA_OK);
  assert_int_equal(pull(t), SOFA_OK);
  expect_field(&t->object, "values", "5");
  expect_field(&t->object, "filename", "");
  expect_field(&t->object, "old", "0");
  expect_field(&t->object, "name", "t");
  expect_field(&t->object, "printLog", "0");
  assert_false(sofa_field_is_set(&t->object, "position"));
  assert_true(sofa_field_is_set(&t->object, "count"));
  // the exclusion goes by the name used: the alias still links the mass
  assert_true(t->mass == 6);
  const char *const all_names[] = {"mass", "weight", "m"};
  Thing *u = add_thing(b.root, "u");
  assert_int_equal(sofa_data_link_source(&u->object, "@a", all_names, 3, 7), SOFA_OK);
  assert_int_equal(pull(u), SOFA_OK);
  assert_true(u->mass == 1);
  bench_silent(&b);
  // names of the source's aliases find fields of the receiver: Summer.out is also "values"
  Summer *s = ready(add_summer(b.root, "s"));
  Thing *v = add_thing(b.root, "v");
  (void)s;
  assert_int_equal(sofa_data_link_source(&v->object, "@s", NULL, 0, 7), SOFA_OK);
  assert_int_equal(pull(v), SOFA_OK);
  expect_field(&v->object, "values", "3 6");
  // errors
  assert_int_equal(sofa_data_link_source(&t->object, "a", NULL, 0, 7), SOFA_ERR_PARSE);
  bench_said(&b, "error:7:/t: src=\"a\"");
  assert_int_equal(sofa_data_link_source(&t->object, "@", NULL, 0, 7), SOFA_OK);
  bench_said(&b, "warning:7:/t");
  Thing *deep = add_thing(node, "deep");
  assert_int_equal(sofa_data_link_source(&deep->object, "@a", NULL, 0, 7), SOFA_ERR_NOT_FOUND);
  bench_said(&b, "src=\"@a\" was not found"); // no search above
  assert_int_equal(sofa_data_link_source(&deep->object, "@../a", NULL, 0, 7), SOFA_OK);
  bench_close(&b);
}

/* ---- cycles ---- */

static void cycles(void **state) {
  (void)state;
  Bench b;
  bench_open(&b);
  Thing *a = add_thing(b.root, "a"), *c = add_thing(b.root, "c");
  Summer *s = ready(add_summer(b.root, "s"));
  // two objects that take different fields from each other are no cycle
  assert_int_equal(set(a, "mass", "@c.mass"), SOFA_OK);
  assert_int_equal(set(c, "total", "@a.total"), SOFA_OK);
  assert_int_equal(sofa_data_check_cycles(b.root), SOFA_OK);
  bench_silent(&b);
  assert_int_equal(set(c, "mass", "@a.mass"), SOFA_OK);
  assert_int_equal(sofa_data_check_cycles(b.root), SOFA_ERR_CYCLE);
  bench_said(&b, "/a.mass -> /c.mass -> /a.mass");
  // reported once, then the link is cut
  assert_int_equal(sofa_data_check_cycles(b.root), SOFA_OK);
  assert_int_equal(pull(a), SOFA_OK);
  assert_int_equal(pull(c), SOFA_OK);
  bench_silent(&b);
  // through an engine, found while pulling
  assert_int_equal(set(a, "values", "@s.out"), SOFA_OK);
  assert_int_equal(set(s, "in", "@a.values"), SOFA_OK);
  assert_int_equal(pull(a), SOFA_ERR_CYCLE);
  bench_said(&b, "/a.values -> /s.out -> /s.in -> /a.values");
  assert_int_equal(pull(a), SOFA_OK);
  // and by the check, from an engine that feeds itself
  Summer *u = ready(add_summer(b.root, "u"));
  assert_int_equal(set(u, "in", "@.out"), SOFA_OK);
  assert_int_equal(sofa_data_check_cycles(b.root), SOFA_ERR_CYCLE);
  bench_said(&b, "/u.in -> /u.out -> /u.in");
  assert_int_equal(sofa_data_update(&u->object), SOFA_OK);
  bench_close(&b);
}

static void reinit_on_pull(void **state) {
  (void)state;
  Bench b;
  bench_open(&b);
  Thing *a = add_thing(b.root, "a"), *t = add_thing(b.root, "t");
  assert_int_equal(set(t, "total", "@a.mass"), SOFA_OK);
  assert_int_equal(pull(t), SOFA_OK);
  ready(t);
  assert_int_equal(t->n_reinit, 0);
  assert_int_equal(pull(t), SOFA_OK);
  assert_int_equal(t->n_reinit, 0);
  assert_int_equal(set(a, "mass", "5"), SOFA_OK);
  assert_int_equal(pull(t), SOFA_OK);
  assert_int_equal(t->n_reinit, 1);
  bench_close(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values_flow),
      cmocka_unit_test(no_allocation),
      cmocka_unit_test(engines),
      cmocka_unit_test(later_sources),
      cmocka_unit_test(refused_links),
      cmocka_unit_test(unreadable_values),
      cmocka_unit_test(src),
      cmocka_unit_test(cycles),
      cmocka_unit_test(reinit_on_pull),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
