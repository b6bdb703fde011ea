/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Objects and nodes: creation, fields set from text, names, paths, links, destruction. */
#include "object_test.h"

/* ---- fields ---- */

static void defaults(void **state) {
  (void)state;
  Bench b;
  bench_open(&b);
  Thing *t = add_thing(b.root, "t");
  assert_true(t->mass == 1 && t->total == 2 && t->count == 3 && t->flag);
  assert_int_equal(t->values.n, 3);
  assert_int_equal(t->method.index, 1);
  assert_string_equal(t->mode, "small");
  assert_string_equal(t->text, ""); // a string is never NULL
  assert_null(t->friend.path);
  assert_int_equal(t->position.width, 3);
  assert_int_equal(t->object.kind, SOFA_VEC3);
  assert_string_equal(t->object.template_name, "Vec3d");
  assert_false(sofa_field_is_set(&t->object, "mass"));
  assert_true(sofa_field_is_default(&t->object, sofa_class_field(&thing_class, "values")));
  // widths follow the kind and the flag
  SofaObject *rigid = NULL;
  assert_int_equal(sofa_object_create(b.root, &thing_class, "r", "Rigid", &rigid), SOFA_OK);
  assert_int_equal(((Thing *)rigid)->position.width, 7);
  assert_int_equal(((Thing *)rigid)->velocity.width, 6);
  assert_string_equal(rigid->template_name, "Rigid3d");
  assert_true(add_summer(b.root, "s")->object.listening);
  assert_false(t->object.listening);
  assert_true(t->object.bbox.min[0] > t->object.bbox.max[0]);
  assert_true(b.root->gravity.v[1] < -9.8 && b.root->dt > 0 && b.root->activated);
  bench_silent(&b);
  bench_close(&b);
}

static void set_fields(void **state) {
  (void)state;
  Bench b;
  bench_open(&b);
  Thing *t = add_thing(b.root, "t");
  const SofaField *mass = sofa_class_field(&thing_class, "mass");
  const uint32_t version = sofa_field_state(&t->object, mass)->version;
  assert_int_equal(set(t, "weight", "4"), SOFA_OK);
  assert_true(t->mass == 4);
  assert_true(sofa_field_is_set(&t->object, "m"));
  assert_true(sofa_field_state(&t->object, mass)->version > version);
  assert_false(sofa_field_is_default(&t->object, mass));
  // an alias of several fields sets them all; their own names do not
  assert_int_equal(set(t, "both", "5"), SOFA_OK);
  assert_int_equal(set(t, "left", "6"), SOFA_OK);
  assert_true(t->left == 6 && t->right == 5);
  assert_int_equal(set(t, "tags", "a b"), SOFA_OK);
  assert_int_equal(set(t, "name", "u"), SOFA_OK);
  assert_string_equal(t->object.name, "u");
  bench_silent(&b);
  assert_int_equal(set(t, "nothing", "1"), SOFA_ERR_NOT_FOUND);
  bench_silent(&b);
  // empty text: set, silent, lists emptied
  assert_int_equal(set(t, "mass", ""), SOFA_OK);
  assert_int_equal(set(t, "values", ""), SOFA_OK);
  assert_true(t->mass == 4 && t->values.n == 0);
  bench_silent(&b);
  bench_close(&b);
}

static void bad_text(void **state) {
  (void)state;
  Bench b;
  bench_open(&b);
  Thing *t = add_thing(add_node(b.root, "body"), "t");
  assert_int_equal(set(t, "mass", "2,5"), SOFA_ERR_PARSE);
  assert_true(t->mass == 2);
  assert_true(sofa_field_is_set(&t->object, "mass"));
  bench_said(&b, "error:7:/body/t: field 'mass': cannot read \"2,5\": expected a number, found "
                 "'2,5'");
  assert_int_equal(set(t, "vector", "5"), SOFA_ERR_PARSE);
  assert_true(t->vector.v[0] == 5 && t->vector.v[1] == 1);
  bench_said(&b, "expected 3 numbers, found only 1");
  assert_int_equal(set(t, "vector", "1 2 3 4"), SOFA_OK);
  bench_said(&b, "warning:0:/body/t: field 'vector'");
  assert_int_equal(set(t, "method", "larg"), SOFA_ERR_PARSE);
  bench_said(&b, "did you mean 'large'?");
  assert_int_equal(set(t, "mode", "larg"), SOFA_ERR_PARSE);
  assert_string_equal(t->mode, "small"); // falls back to the first
  bench_said(&b, "expected 'small', 'large' or 'polar'");
  assert_int_equal(set(t, "position", "0 0 0 1"), SOFA_ERR_PARSE);
  assert_int_equal(t->position.n, 1);
  bench_said(&b, "3 numbers per entry, the last one has only 1");
  // long texts are cut, line ends are blanks
  assert_int_equal(
      set(t, "values", "1\n2 aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"),
      SOFA_ERR_PARSE);
  bench_said(&b, "cannot read \"1 2 aaa");
  // only the default is built
  assert_int_equal(set(t, "fixed", "1.0"), SOFA_OK);
  assert_int_equal(set(t, "fixed", "2"), SOFA_ERR_UNSUPPORTED);
  bench_said(&b, "\"2\" is not supported yet");
  bench_close(&b);
}

static void reinit(void **state) {
  (void)state;
  Bench b;
  bench_open(&b);
  Thing *t = add_thing(b.root, "t");
  assert_int_equal(set(t, "total", "3"), SOFA_OK);
  assert_int_equal(t->n_reinit, 0);
  assert_int_equal(sofa_object_run(&t->object, SOFA_RUN_INIT), SOFA_OK);
  assert_int_equal(set(t, "total", "4"), SOFA_OK);
  assert_int_equal(set(t, "mass", "4"), SOFA_OK);
  assert_int_equal(t->n_reinit, 1);
  bench_close(&b);
}

static void views(void **state) {
  (void)state;
  Bench b;
  bench_open(&b);
  Thing *t = add_thing(b.root, "t");
  assert_int_equal(set(t, "position", "0 0 0 1 1 1"), SOFA_OK);
  // a solver moves the list into its flat vector
  double flat[6] = {0};
  sofa_coords_free(b.ctx, &t->position);
  t->position = (SofaCoords){flat, 2, 2, 3, true};
  const uint64_t version = b.graph_version;
  assert_int_equal(set(t, "position", "1 2 3 4 5 6"), SOFA_OK);
  assert_ptr_equal(t->position.data, flat);
  assert_true(flat[5] == 6);
  assert_int_equal(b.graph_version, version);
  assert_int_equal(set(t, "position", "1 2 3"), SOFA_OK);
  assert_false(t->position.view);
  assert_true(b.graph_version > version);
  bench_close(&b);
}

/* ---- names and paths ---- */

static void expect_path(const SofaObject *object, const char *path) {
  char *text = sofa_object_path(object);
  assert_string_equal(text, path);
  sofa_free(object->ctx, text);
}

static void names(void **state) {
  (void)state;
  Bench b;
  bench_open(&b);
  SofaObject *first = add(b.root, &thing_class, NULL), *second = add(b.root, &thing_class, NULL);
  SofaObject *other = add(b.root, &summer_class, NULL);
  assert_string_equal(first->name, "");
  assert_int_equal(sofa_object_name(first), SOFA_OK);
  assert_int_equal(sofa_object_name(other), SOFA_OK);
  assert_int_equal(sofa_object_name(second), SOFA_OK);
  assert_string_equal(first->name, "Thing1");
  assert_string_equal(second->name, "Thing2");
  assert_string_equal(other->name, "Summer1");
  // unnamed nodes give empty parts
  SofaNode *a = add_node(b.root, "a"), *none = add_node(b.root, NULL), *below = add_node(a, "");
  SofaNode *deep = add_node(none, NULL);
  expect_path(&b.root->object, "/");
  expect_path(&a->object, "/a");
  expect_path(&none->object, "/");
  expect_path(&add_thing(b.root, "s")->object, "/s");
  expect_path(&add_thing(a, "s")->object, "/a/s");
  expect_path(&add_thing(none, "s")->object, "/s");
  expect_path(&add_thing(below, "s")->object, "/a//s");
  expect_path(&add_thing(deep, "s")->object, "///s");
  bench_close(&b);
}

/* ---- resolution ---- */

static bool is_thing(const SofaObject *object, const void *user) {
  (void)user;
  return object->klass == &thing_class;
}

/* root: t1, a { t2, s2, b { t3, x, x } }, x */
typedef struct Tree {
  Bench bench;
  SofaNode *a, *b;
  Thing *t1, *t2, *t3, *x1, *x2;
  Summer *s2;
} Tree;

static void tree_open(Tree *t) {
  bench_open(&t->bench);
  t->a = add_node(t->bench.root, "a");
  t->b = add_node(t->a, "b");
  t->t1 = add_thing(t->bench.root, "t1");
  t->t2 = add_thing(t->a, "t2");
  t->s2 = add_summer(t->a, "s2");
  t->t3 = add_thing(t->b, "t3");
  t->x1 = add_thing(t->b, "x");
  t->x2 = add_thing(t->b, "x");
}

static void paths(void **state) {
  (void)state;
  Tree t;
  tree_open(&t);
  SofaObject *root = &t.bench.root->object, *a = &t.a->object, *b = &t.b->object;
  SofaObject *t1 = &t.t1->object, *t2 = &t.t2->object, *t3 = &t.t3->object, *s2 = &t.s2->object;
  SofaObject *x1 = &t.x1->object, *x2 = &t.x2->object;
  const struct {
    const char *path;
    SofaObject *owner; /* the start is its node */
    bool strict;
    SofaObject *any, *thing, *node; /* accepting anything, things only, nodes only */
  } rows[] = {
      {"", t3, false, t3, t3, NULL},
      {"[]", t3, false, t3, t3, NULL},
      {".", t2, false, a, NULL, a}, // the owner does not count, and s2 is no thing
      {".", s2, false, a, t2, a},
      {"..", t3, false, a, t2, a},
      {"../", t3, false, a, t2, a},
      {"../..", t3, false, root, t1, root},
      {"../../..", t3, false, NULL, NULL, NULL},
      {"../t2", t3, false, t2, t2, NULL},
      {"..//t2", t3, false, t2, t2, NULL},
      {"../../t1", t3, false, t1, t1, NULL},
      {"./x", t3, false, x1, x1, NULL}, // the first of its name
      {"x", x1, false, x2, x2, NULL},   // not the one that asks
      {"t1", t3, false, t1, t1, NULL},  // found above
      {"t1", t3, true, NULL, NULL, NULL},
      {"./t1", t3, false, NULL, NULL, NULL},
      {"../t1", t3, false, NULL, NULL, NULL},
      {"a", t3, false, a, t2, a},
      {"a/b", t3, false, b, NULL, b}, // x1 and x2: ambiguous
      {"b/x", t2, false, x1, x1, NULL},
      {"b/t2", t2, false, NULL, NULL, NULL},
      {"/", t3, false, root, t1, root},
      {"/t1", t3, false, t1, t1, NULL},
      {"/a/b/t3", t1, false, t3, t3, NULL},
      {"/a/b/t3/", t1, false, t3, t3, NULL},
      {"/t3", t3, false, NULL, NULL, NULL},
      {"/a/s2", t3, false, s2, NULL, NULL},
      {"t2/t3", t2, false, NULL, NULL, NULL}, // nothing is below an object
      {"[-1]", x2, false, x1, x1, NULL},
      {"[-2]", x2, false, t3, t3, NULL},
      {"[-3]", x2, false, NULL, NULL, NULL},
      {"[-1]", s2, false, t2, t2, NULL},
      {"[1]", t3, false, NULL, NULL, NULL},
      {"[-1", x2, false, NULL, NULL, NULL},
      {"[-x]", x2, false, NULL, NULL, NULL},
  };
  for (size_t i = 0; i < COUNT(rows); i++) {
    SofaNode *start = rows[i].owner->node;
    const char *p = rows[i].path;
    SofaObject *owner = rows[i].owner;
    SofaPathRule rule = {.owner = owner, .strict = rows[i].strict};
    SofaObject *any = sofa_resolve_path(start, p, &rule);
    rule.accept = is_thing;
    SofaObject *thing = sofa_resolve_path(start, p, &rule);
    rule.accept = NULL, rule.node = true;
    SofaObject *node = sofa_resolve_path(start, p, &rule);
    // the empty path is the owner itself, whatever is wanted
    if (!*p || *p == '[') node = NULL;
    if (any != rows[i].any || thing != rows[i].thing || node != rows[i].node) {
      fail_msg("row %zu: path '%s' of '%s'", i, p, owner->name);
    }
  }
  // without owner [-k] counts from the end
  assert_ptr_equal(sofa_resolve_path(t.b, "[-1]", NULL), x2);
  bench_close(&t.bench);
}

static void searches(void **state) {
  (void)state;
  Tree t;
  tree_open(&t);
  const SofaNode *b = t.b, *root = t.bench.root;
  assert_ptr_equal(sofa_node_find(b, SOFA_ENGINE, SOFA_SEARCH_UP), &t.s2->object);
  assert_null(sofa_node_find(b, SOFA_ENGINE, SOFA_SEARCH_LOCAL));
  assert_ptr_equal(sofa_node_find(root, SOFA_ENGINE, SOFA_SEARCH_DOWN), &t.s2->object);
  assert_ptr_equal(sofa_node_find(b, SOFA_STATE, SOFA_SEARCH_UP), &t.t3->object);
  assert_ptr_equal(sofa_node_find(b, SOFA_STATE, SOFA_SEARCH_UP_PARENTS), &t.t2->object);
  assert_ptr_equal(sofa_node_slot(b, SOFA_STATE), &t.x2->object);
  assert_ptr_equal(sofa_node_slot_up(b, SOFA_ENGINE), &t.s2->object);
  assert_ptr_equal(sofa_node_find_class(root, &summer_class, SOFA_SEARCH_DOWN), &t.s2->object);
  assert_null(sofa_node_find(b, SOFA_ENGINE, SOFA_SEARCH_NONE));
  assert_ptr_equal(sofa_node_child(root, "a"), t.a);
  assert_ptr_equal(sofa_node_object(b, "x"), &t.x1->object);
  bench_close(&t.bench);
}

/* ---- links ---- */

static void links(void **state) {
  (void)state;
  Tree t;
  tree_open(&t);
  Bench *b = &t.bench;
  // at once, and later
  assert_int_equal(set(t.t3, "friend", "@../s2"), SOFA_OK);
  assert_ptr_equal(t.t3->friend.target, &t.s2->object);
  assert_int_equal(set(t.t1, "friend", "@late"), SOFA_OK);
  assert_null(t.t1->friend.target);
  Summer *late = add_summer(b->root, "late");
  assert_int_equal(sofa_data_resolve(&t.t1->object, true), SOFA_OK);
  assert_ptr_equal(t.t1->friend.target, &late->object);
  // a path that ends on a node, several links, the search without a path
  assert_int_equal(set(t.t3, "friend", "@.."), SOFA_OK);
  assert_ptr_equal(t.t3->friend.target, &t.s2->object);
  assert_int_equal(set(t.t1, "friends", "@t1 @a/t2"), SOFA_OK);
  assert_ptr_equal(t.t1->friends.data[1].target, &t.t2->object);
  assert_int_equal(sofa_data_resolve(&t.x1->object, true), SOFA_OK);
  assert_ptr_equal(t.x1->friend.target, &t.s2->object);
  expect_field(&t.x1->object, "friend", "");
  bench_silent(b);
  // wrong class, nothing there, no path
  assert_int_equal(set(t.t3, "friend", "@t1"), SOFA_OK);
  assert_int_equal(sofa_data_resolve(&t.t3->object, true), SOFA_ERR_TYPE);
  bench_said(b, "error:7:/a/b/t3: field 'friend': expected a engine, '@t1' is a Thing");
  assert_int_equal(set(t.t3, "friend", "@../s3"), SOFA_OK);
  assert_int_equal(sofa_data_resolve(&t.t3->object, true), SOFA_ERR_NOT_FOUND);
  bench_said(b, "nothing was found at '@../s3'; did you mean 's2'?");
  assert_int_equal(set(t.t3, "friend", "@b"), SOFA_OK);
  assert_int_equal(sofa_data_resolve(&t.t3->object, true), SOFA_ERR_NOT_FOUND);
  bench_said(b, "has no engine");
  assert_int_equal(set(t.t3, "friend", "s2"), SOFA_ERR_PARSE);
  bench_said(b, "a path begins with '@'");
  bench_close(b);
}

/* ---- destruction ---- */

static void forgetting(void **state) {
  (void)state;
  Tree t;
  tree_open(&t);
  assert_int_equal(set(t.t3, "friend", "@../s2"), SOFA_OK);
  assert_int_equal(set(t.t3, "values", "@../s2.out"), SOFA_OK);
  assert_int_equal(set(t.t1, "friends", "@a/b/x"), SOFA_OK);
  const uint64_t version = t.bench.graph_version;
  SofaObject *s2 = &t.s2->object;
  sofa_object_destroy(&s2);
  assert_null(s2);
  assert_null(t.t3->friend.target);
  assert_int_equal(sofa_data_pull(&t.t3->object, NULL), SOFA_OK);
  assert_null(sofa_node_object(t.a, "s2"));
  assert_true(t.bench.graph_version > version);
  sofa_node_destroy(&t.b);
  assert_null(t.t1->friends.data[0].target);
  assert_int_equal(t.a->children.n, 0);
  bench_close(&t.bench);
}

static void several_parents(void **state) {
  (void)state;
  Bench b;
  bench_open(&b);
  SofaNode *left = add_node(b.root, "left"), *right = add_node(b.root, "right");
  SofaNode *both = add_node(left, "both");
  assert_int_equal(sofa_node_add_parent(both, right), SOFA_OK);
  assert_int_equal(sofa_node_add_parent(both, right), SOFA_OK); // harmless
  assert_int_equal(both->parents.n, 2);
  assert_int_equal(sofa_node_add_parent(left, both), SOFA_ERR_CYCLE);
  bench_said(&b, "cannot be its parent");
  assert_int_equal(sofa_node_add_parent(left, left), SOFA_ERR_CYCLE);
  expect_path(&both->object, "/left/both");
  // the child outlives its first parent
  sofa_node_destroy(&left);
  assert_int_equal(both->parents.n, 1);
  expect_path(&both->object, "/right/both");
  bench_close(&b);
}

/* ---- without memory ---- */

static SofaErr build(long fail_at, long *calls) {
  Bench b;
  SofaErr err = bench_try_open(&b, fail_at);
  SofaNode *node = NULL;
  SofaObject *s = NULL, *t = NULL;
  SofaText out = {0};
  if (!err) err = sofa_node_create(b.ctx, b.root, "a", &node);
  if (!err) err = sofa_object_create(node, &summer_class, "s", NULL, &s);
  const SofaObjectInfo info = {"scene.scn", 3, "Object1", NULL};
  if (!err) err = sofa_object_create_from(node, &thing_class, NULL, "Rigid3", &info, &t);
  if (!err) err = sofa_object_name(t);
  if (!err) err = set(t, "friends", "@s @../a/s");
  if (!err) err = set(t, "values", "@s.out");
  if (!err) err = set(t, "position", "@s.in");
  if (!err) err = set(t, "indices", "0-20 5");
  if (!err) err = set(t, "filename", "no.obj");
  if (!err) err = set(t, "tags", "a b c");
  if (!err) err = set(t, "text", "@s.out");
  if (!err) err = sofa_data_resolve(t, true);
  if (!err) err = sofa_object_run(s, SOFA_RUN_INIT);
  if (!err) err = sofa_data_pull(t, NULL);
  if (!err) err = sofa_field_print(t, sofa_class_field(t->klass, "text"), &out);
  if (!err) assert_string_equal(out.data, "3 6");
  if (!err) err = sofa_data_check_cycles(b.root);
  *calls = b.calls;
  if (b.ctx) sofa_list_free(b.ctx, &out);
  sofa_node_destroy(&b.root);
  sofa_context_destroy(&b.ctx);
  assert_int_equal(b.live, 0);
  return err;
}

static void without_memory(void **state) {
  (void)state;
  long calls = 0, ignored = 0;
  assert_int_equal(build(0, &calls), SOFA_OK);
  assert_true(calls > 30);
  for (long i = 1; i <= calls; i++) assert_int_equal(build(i, &ignored), SOFA_ERR_MEMORY);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(defaults),        cmocka_unit_test(set_fields),
      cmocka_unit_test(bad_text),        cmocka_unit_test(reinit),
      cmocka_unit_test(views),           cmocka_unit_test(names),
      cmocka_unit_test(paths),           cmocka_unit_test(searches),
      cmocka_unit_test(links),           cmocka_unit_test(forgetting),
      cmocka_unit_test(several_parents), cmocka_unit_test(without_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
