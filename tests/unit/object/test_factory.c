/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The factory: registration and its checks, old names, templates, plugins. */
#include "object_test.h"

#include "components/builtins.h"
#include "object/checkpoint.h"
#include "object/element.h"
#include "object/plugin.h"

static void registration(void **state) {
  (void)state;
  Bench b;
  bench_open(&b);
  assert_int_equal(sofa_factory_register(b.ctx, &test_module), SOFA_OK);
  assert_int_equal(sofa_factory_register(b.ctx, &test_module), SOFA_OK); // harmless
  assert_int_equal(sofa_factory_n_classes(b.ctx), 2);
  assert_ptr_equal(sofa_factory_class_at(b.ctx, 1), &summer_class);
  assert_null(sofa_factory_class_at(b.ctx, 2));
  assert_ptr_equal(sofa_factory_find(b.ctx, "Object1", NULL), &thing_class);
  assert_null(sofa_factory_find(b.ctx, "thing", NULL));
  assert_true(sofa_factory_knows_module(b.ctx, "Test"));
  assert_false(sofa_factory_knows_module(b.ctx, "Sofa.Component.Mapping"));
  assert_int_equal(sofa_factory_register(b.ctx, &sofa_names_module), SOFA_OK);
  assert_true(sofa_factory_knows_module(b.ctx, "Sofa.Component"));
  assert_true(sofa_factory_knows_module(b.ctx, "Sofa.Component.Mapping"));
  assert_true(sofa_factory_knows_module(b.ctx, "Sofa.Component.Mapping.Linear"));
  assert_false(sofa_factory_knows_module(b.ctx, "Sofa.Component.Map"));
  assert_false(sofa_factory_knows_module(b.ctx, "SofaMiscFem"));
  assert_false(sofa_factory_knows_module(b.ctx, ""));
  bench_silent(&b);
  bench_close(&b);
}

/* All built-in classes pass the checks, and can be created and destroyed. */
static void builtins(void **state) {
  (void)state;
  Bench b;
  bench_open(&b);
  const SofaErr err = sofa_register_builtins(b.ctx);
  bench_silent(&b);
  assert_int_equal(err, SOFA_OK);
  for (size_t i = 0; i < sofa_factory_n_classes(b.ctx); i++) {
    const SofaClass *klass = sofa_factory_class_at(b.ctx, i);
    SofaObject *object = NULL;
    if (klass->abstract) continue;
    const SofaErr created = sofa_object_create(b.root, klass, "o", NULL, &object);
    if (created != SOFA_OK) fail_msg("%s: %s", klass->name, b.messages);
    // every field prints, and what is printed reads back as the default
    for (size_t k = 0; k < sofa_class_n_fields(klass); k++) {
      const SofaField *field = sofa_class_field_at(klass, k);
      SofaText out = {0};
      assert_int_equal(sofa_field_print(object, field, &out), SOFA_OK);
      const bool same = sofa_field_is_default(object, field) || strcmp(field->name, "name") == 0 ||
                        strcmp(field->name, "listening") == 0;
      if (!same) print_message("%s.%s starts as \"%s\"\n", klass->name, field->name, out.data);
      sofa_list_free(b.ctx, &out);
    }
  }
  bench_close(&b);
}

typedef struct Small {
  SofaObject object;
  double a, c;
} Small;

static void refuse(Bench *b, SofaClass klass, const SofaField *fields, size_t n, const char *why) {
  klass.fields = fields;
  klass.n_fields = n;
  const SofaClass *const classes[] = {&summer_class, &klass, NULL};
  const SofaModule module = {.abi = SOFA_ABI, .name = "Bad", .version = "1", .classes = classes};
  assert_int_equal(sofa_factory_register(b->ctx, &module), SOFA_ERR_ARGUMENT);
  bench_said(b, why);
  // all classes of a module or none
  assert_int_equal(sofa_factory_n_classes(b->ctx), 0);
  assert_null(sofa_factory_find(b->ctx, summer_class.name, NULL));
}

static void table_checks(void **state) {
  (void)state;
  Bench b;
  bench_open(&b);
  const SofaClass good = {
      .name = "Small", .help = "Help.", .base = &sofa_object_class, .size = sizeof(Small)};
  SofaClass bad = good;
  bad.name = "";
  refuse(&b, bad, NULL, 0, "has no name");
  bad = good;
  bad.help = NULL;
  refuse(&b, bad, NULL, 0, "has no help text");
  bad = good;
  bad.size = 8;
  refuse(&b, bad, NULL, 0, "smaller than its base");
  const SofaSparedMember of_base = SOFA_REMADE(SofaObject, changes),
                         past_end = {.name = "b", .offset = sizeof(Small), .size = 1};
  bad = good;
  bad.n_spared = 1;
  bad.spared = &of_base;
  refuse(&b, bad, NULL, 0, "field changes: is spared in a checkpoint, but no member");
  bad.spared = &past_end;
  refuse(&b, bad, NULL, 0, "field b: is spared in a checkpoint, but no member");
  const SofaField fine = SOFA_FIELD(Small, a, "a", "1", "", "a"), other = fine;
  const SofaField twice[] = {fine, other};
  refuse(&b, good, twice, 2, "field a: the name is taken");
  const SofaField base_name[] = {SOFA_FIELD(Small, a, "printLog", "1", "", "a")};
  refuse(&b, good, base_name, 1, "the name is taken");
  SofaField outside[] = {fine};
  outside[0].offset = sizeof(Small);
  refuse(&b, good, outside, 1, "does not lie in the struct");
  outside[0].offset = 0;
  refuse(&b, good, outside, 1, "does not lie in the struct");
  const SofaField shared[] = {fine, SOFA_FIELD(Small, a, "b", "1", "", "a")};
  refuse(&b, good, shared, 2, "field b: shares its place");
  const SofaField bad_default[] = {SOFA_FIELD(Small, a, "a", "one", "", "a")};
  refuse(&b, good, bad_default, 1, "found 'one'");
  SofaField no_help[] = {fine};
  no_help[0].help = NULL;
  refuse(&b, good, no_help, 1, "has no help text");
  SofaField option[] = {fine};
  option[0].type = &sofa_type_option;
  option[0].def = NULL;
  refuse(&b, good, option, 1, "has no options");
  static const char *const none[] = {NULL};
  bad = good;
  bad.templates = none;
  refuse(&b, bad, NULL, 0, "has no template");
  static const int functions;
  static const SofaInterface beyond = {.name = "beyond", .ops_member = sizeof(Small)};
  bad = good;
  bad.implements = (const SofaImplementation[]){{&beyond, &functions}, {NULL, NULL}};
  refuse(&b, bad, NULL, 0, "field beyond: the struct does not begin with that of the interface");
  const SofaModule old = {
      .abi = SOFA_ABI + 1, .name = "Old", .version = "1", .classes = test_classes};
  assert_int_equal(sofa_factory_register(b.ctx, &old), SOFA_ERR_ABI);
  bench_said(&b, "built for interface");
  bench_close(&b);
}

typedef struct Keeper {
  SofaObject object;
  const int *ops;
} Keeper;

static const int base_ops, own_ops;
static const SofaInterface kept = {.name = "kept", .ops_member = offsetof(Keeper, ops)};
static const SofaClass keeper = {.name = "Keeper",
                                 .help = "Help.",
                                 .base = &sofa_object_class,
                                 .size = sizeof(Keeper),
                                 SOFA_IMPLEMENTS({&kept, &base_ops})};
static const SofaClass heir = {
    .name = "Heir", .help = "Help.", .base = &keeper, .size = sizeof(Keeper)};
static const SofaClass heavy = {.name = "Heavy",
                                .help = "Help.",
                                .base = &keeper,
                                .size = sizeof(Keeper),
                                SOFA_IMPLEMENTS({&kept, &own_ops})};

/* An object has the functions of its class, those of a base where it has none. */
static void kept_functions(void **state) {
  (void)state;
  const SofaClass *const classes[] = {&keeper, &heir, &heavy};
  const int *const expected[] = {&base_ops, &base_ops, &own_ops};
  Bench b;
  bench_open(&b);
  for (int i = 0; i < 3; i++) {
    SofaObject *object = NULL;
    assert_int_equal(sofa_object_create(b.root, classes[i], "o", NULL, &object), SOFA_OK);
    assert_ptr_equal(((Keeper *)object)->ops, expected[i]);
    assert_ptr_equal(sofa_ops(object, &kept), expected[i]);
  }
  bench_close(&b);
}

/* A copy of a class without one of the functions that its interface needs is refused. */
static void refuse_without(Bench *b, const SofaClass *klass, const SofaImplementation *with,
                           size_t k) {
  enum { MOST = 512 };
  char table[MOST] = {0};
  const SofaInterface *interface = with->interface;
  for (size_t i = 0; i < interface->n_required; i++) {
    assert_true(interface->required[i] + sizeof(void *) <= MOST);
    if (i != k)
      memcpy(table + interface->required[i], (const char *)with->ops + interface->required[i],
             sizeof(void *));
  }
  const SofaImplementation implements[] = {{interface, table}, {NULL, NULL}};
  const SofaClass copy = {.name = "Broken",
                          .help = "Help.",
                          .base = klass->base,
                          .size = klass->size,
                          .implements = implements};
  const SofaClass *const classes[] = {&copy, NULL};
  const SofaModule module = {.abi = SOFA_ABI, .name = "Bad", .version = "1", .classes = classes};
  assert_int_equal(sofa_factory_register(b->ctx, &module), SOFA_ERR_ARGUMENT);
  if (!strstr(b->messages, interface->name) || !strstr(b->messages, "the required function '"))
    fail_msg("%s, %s: '%s'", klass->name, interface->name, b->messages);
  bench_clear(b);
}

/* Every interface of every class that is built in. */
static void required_functions(void **state) {
  (void)state;
  Bench b;
  SofaContext *ctx = NULL;
  size_t n = 0;
  bench_open(&b);
  assert_int_equal(sofa_context_create_with_builtins(NULL, &ctx), SOFA_OK);
  for (size_t i = 0; i < sofa_factory_n_classes(ctx); i++) {
    const SofaClass *klass = sofa_factory_class_at(ctx, i);
    for (const SofaImplementation *with = klass->implements; with && with->interface; with++)
      for (size_t k = 0; with->ops != SOFA_NO_OPS && k < with->interface->n_required; k++, n++)
        refuse_without(&b, klass, with, k);
  }
  if (n < 100) fail_msg("%zu required functions", n);
  sofa_context_destroy(&ctx);
  bench_close(&b);
}

static void clashes(void **state) {
  (void)state;
  Bench b;
  bench_open(&b);
  assert_int_equal(sofa_factory_register(b.ctx, &test_module), SOFA_OK);
  SofaClass other = summer_class;
  const SofaClass *const classes[] = {&other, NULL};
  const SofaModule module = {.abi = SOFA_ABI, .name = "Second", .version = "1", .classes = classes};
  assert_int_equal(sofa_factory_register(b.ctx, &module), SOFA_ERR_ARGUMENT);
  bench_said(&b, "the name 'Summer' is taken: module 'Test'");
  bench_close(&b);
}

/* ---- names ---- */

static void explain(Bench *b, const char *name, const char *words) {
  SofaText out = {0};
  assert_int_equal(sofa_factory_explain(b->ctx, name, &out), SOFA_OK);
  if (!strstr(out.data, words)) fail_msg("%s: %s", name, out.data);
  sofa_list_free(b->ctx, &out);
}

static void old_names(void **state) {
  (void)state;
  Bench b;
  bench_open(&b);
  SofaClass fixed = summer_class;
  fixed.name = "FixedProjectiveConstraint";
  const SofaClass *const classes[] = {&fixed, NULL};
  const SofaModule module = {.abi = SOFA_ABI, .name = "Fixed", .version = "1", .classes = classes};
  assert_int_equal(sofa_factory_register(b.ctx, &module), SOFA_OK);
  assert_int_equal(sofa_factory_register(b.ctx, &test_module), SOFA_OK);
  const char *renamed = NULL;
  // a name means nothing before a module brings it
  assert_null(sofa_factory_find(b.ctx, "FixedConstraint", NULL));
  explain(&b, "Mesh", "there is no component 'Mesh'");
  assert_null(sofa_factory_prefab(b.ctx, "BoxConstraint"));
  assert_int_equal(sofa_factory_register(b.ctx, &sofa_names_module), SOFA_OK);
  assert_non_null(strstr(sofa_factory_prefab(b.ctx, "BoxConstraint"), "<BoxROI"));
  assert_ptr_equal(sofa_factory_find(b.ctx, "FixedConstraint", &renamed), &fixed);
  assert_string_equal(renamed, "FixedProjectiveConstraint");
  assert_ptr_equal(sofa_factory_find(b.ctx, "FixedProjectiveConstraint", &renamed), &fixed);
  assert_null(renamed);
  assert_null(sofa_factory_find(b.ctx, "AttachConstraint", &renamed));
  explain(&b, "AttachConstraint", "is now called 'AttachProjectiveConstraint'");
  explain(&b, "ProjectedGaussSeidelConstraintSolver",
          "is now called 'BlockGaussSeidelConstraintSolver'");
  explain(&b, "GenericConstraintSolver", "BlockGaussSeidelConstraintSolver");
  explain(&b, "Mesh", "MeshTopology");
  explain(&b, "Summers", "did you mean 'Summer'?");
  explain(&b, "Qwertz", "there is no component 'Qwertz'");
  assert_non_null(sofa_factory_deprecation(b.ctx, "DirectSAP"));
  assert_null(sofa_factory_deprecation(b.ctx, "Summer"));
  bench_close(&b);
}

/* The default class of an interface: the row of the template, else the general one. */
static void default_classes(void **state) {
  (void)state;
  Bench b;
  bench_open(&b);
  static const SofaInterface wheel = {.name = "wheel"};
  static const SofaDefaultClass rows[] = {
      {&wheel, NULL, "Summer"}, {&wheel, "Vec1d", "Thing"}, {&wheel, "Vec2d", "Lost"}, {0}};
  static const SofaModule module = {
      .abi = SOFA_ABI, .name = "Wheels", .version = "1", .defaults = rows};
  const SofaClass *klass = &summer_class;
  assert_int_equal(sofa_factory_register(b.ctx, &test_module), SOFA_OK);
  assert_int_equal(sofa_factory_default(b.ctx, &wheel, NULL, &klass), SOFA_OK);
  assert_null(klass);
  assert_int_equal(sofa_factory_register(b.ctx, &module), SOFA_OK);
  assert_int_equal(sofa_factory_default(b.ctx, &wheel, NULL, &klass), SOFA_OK);
  assert_ptr_equal(klass, &summer_class);
  assert_int_equal(sofa_factory_default(b.ctx, &wheel, "Rigid3d", &klass), SOFA_OK);
  assert_ptr_equal(klass, &summer_class);
  assert_int_equal(sofa_factory_default(b.ctx, &wheel, "Vec1d", &klass), SOFA_OK);
  assert_ptr_equal(klass, &thing_class);
  assert_int_equal(sofa_factory_default(b.ctx, &wheel, "Vec2d", &klass), SOFA_ERR_NOT_FOUND);
  bench_said(&b, "class Lost is not available");
  bench_close(&b);
}

/* ---- templates ---- */

static const char *allowed; /* by the test's can_create */

static bool can_create(SofaNode *node, const struct SofaElement *element, const char *name,
                       SofaText *why) {
  (void)element;
  if (strstr(allowed, name)) return true;
  sofa_text_printf(node->object.ctx, why, "no state of this kind");
  return false;
}

static void template(Bench *b, const SofaClass *klass, const char *requested, const char *chosen,
                     bool fallback) {
  SofaTemplateChoice out = {0};
  const SofaElement element = {.tag = "Thing", .file = "scene.scn", .line = 5};
  const SofaErr err = sofa_factory_template(b->root, klass, &element, requested, &out);
  assert_int_equal(err, chosen ? SOFA_OK : SOFA_ERR_TYPE);
  if (chosen) assert_string_equal(out.name, chosen);
  else assert_non_null(strstr(out.why.data, "no state of this kind"));
  assert_int_equal(out.fallback, fallback);
  sofa_list_free(b->ctx, &out.why);
}

static void templates(void **state) {
  (void)state;
  Bench b;
  bench_open(&b);
  // Vec3d (the default), Rigid3d, Vec1d
  SofaClass klass = thing_class;
  template(&b, &klass, NULL, "Vec3d", false);
  template(&b, &klass, "", "Vec3d", false);
  template(&b, &klass, "Rigid3", "Rigid3d", false);
  template(&b, &klass, "Vec1d", "Vec1d", false);
  bench_silent(&b);
  template(&b, &klass, "Rigid", "Rigid3d", false);
  bench_said(&b, "deprecated:5:: template 'Rigid' is an old name of 'Rigid3d'");
  template(&b, &klass, "Vec6d", "Vec3d", true); // not one of the class
  klass.can_create = can_create;
  allowed = "Vec1d Rigid3d";
  template(&b, &klass, NULL, "Rigid3d", false); // the first in the alphabet
  template(&b, &klass, "Vec3d", "Rigid3d", true);
  template(&b, &klass, "Vec1d", "Vec1d", false);
  allowed = "Vec6d";
  template(&b, &klass, "Vec1d", NULL, false);
  // pairs
  static const char *const pairs[] = {"Vec3d,Vec3d", "Rigid3d,Vec3d", NULL};
  klass.templates = pairs;
  klass.can_create = NULL;
  template(&b, &klass, "Rigid3,Vec3", "Rigid3d,Vec3d", false);
  // without templates any text will do
  template(&b, &summer_class, "Whatever", "", false);
  bench_close(&b);
}

/* ---- plugins ---- */

static void plugins(void **state) {
  (void)state;
  Bench b;
  bench_open(&b);
  const SofaOrigin origin = {.file = "scene.scn", .line = 3};
  assert_int_equal(sofa_factory_register(b.ctx, &test_module), SOFA_OK);
  assert_int_equal(sofa_factory_register(b.ctx, &sofa_names_module), SOFA_OK);
  assert_int_equal(setenv("CSOFA_PLUGIN_PATH", "/nowhere::" TEST_PLUGIN_FOLDER, 1), 0);
  assert_int_equal(sofa_plugin_load(b.ctx, "Sofa.Component.Mass", NULL, &origin), SOFA_OK);
  bench_silent(&b);
  assert_int_equal(sofa_plugin_load(b.ctx, "plugin_good", NULL, &origin), SOFA_OK);
  assert_int_equal(sofa_plugin_load(b.ctx, "plugin_good", NULL, &origin), SOFA_OK);
  assert_int_equal(sofa_plugin_load(b.ctx, "Good", NULL, &origin), SOFA_OK);
  bench_silent(&b);
  const SofaClass *klass = sofa_factory_find(b.ctx, "Plugged", NULL);
  assert_non_null(klass);
  add(b.root, klass, "p");
  // another interface is refused before anything is called
  assert_int_equal(sofa_plugin_load(b.ctx, "plugin_old", NULL, &origin), SOFA_ERR_ABI);
  bench_said(&b, "error:3:: plugin");
  assert_int_equal(sofa_plugin_load(b.ctx, "plugin_clash", NULL, &origin), SOFA_ERR_ARGUMENT);
  bench_said(&b, "the name 'Object1' is taken");
  assert_null(sofa_factory_find(b.ctx, "Other", NULL));
  assert_int_equal(sofa_plugin_load(b.ctx, "plugin_clash", NULL, &origin), SOFA_ERR_ARGUMENT);
  bench_clear(&b);
  assert_int_equal(sofa_plugin_load(b.ctx, "NoSuch", "folder", &origin), SOFA_ERR_NOT_FOUND);
  bench_said(&b, "plugin 'NoSuch' was not found");
  // by path, relative to the scene or not
  assert_int_equal(sofa_plugin_load(b.ctx, TEST_PLUGIN_FOLDER "/libplugin_good.so", NULL, &origin),
                   SOFA_OK);
  assert_int_equal(sofa_plugin_load(b.ctx, "./plugin_good", TEST_PLUGIN_FOLDER, &origin), SOFA_OK);
  bench_clear(&b);
  bench_close(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(registration),       cmocka_unit_test(builtins),
      cmocka_unit_test(table_checks),       cmocka_unit_test(kept_functions),
      cmocka_unit_test(required_functions), cmocka_unit_test(clashes),
      cmocka_unit_test(old_names),          cmocka_unit_test(default_classes),
      cmocka_unit_test(templates),          cmocka_unit_test(plugins),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
