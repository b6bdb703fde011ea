/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Scenes of another format than XML: a class that reads them, the arguments they get, and what is
 * done when it fails. */
#include "scene_test.h"

#include "base/abi.h"
#include "base/text.h"
#include "components/builtins.h"
#include "object/factory.h"
#include "scene/builder.h"
#include "scene/reader.h"
#include "scene/settings.h"

/* The time step of a scene is the number of its arguments' letters; a file "bad" fails. */
static SofaErr read_toy(SofaSimulation *simulation, const char *path) {
  if (strstr(path, "bad")) return SOFA_ERR_NOT_FOUND;
  if (strstr(path, "torn")) return SOFA_ERR_PARSE;
  if (strstr(path, "huge")) return SOFA_ERR_RANGE;
  simulation->root->dt = (double)strlen(sofa_scene_arguments(simulation->ctx));
  return SOFA_OK;
}

static const char *const extensions[] = {"toy", "game", NULL};
static const SofaSceneReaderOps ops = {extensions, read_toy};
static const SofaClass reader_class = {
    .name = "ToyReader",
    .module = "Test.Toy",
    .category = "Test",
    .help = "Reads toys.",
    .base = &sofa_object_class,
    .size = sizeof(SofaObject),
    SOFA_IMPLEMENTS({SOFA_SCENE_READER, &ops}),
};
static SofaErr give_up(SofaObject *object) {
  sofa_object_message(object, SOFA_FATAL, "this is the end");
  return SOFA_OK;
}

static const SofaClass fatal_class = {
    .name = "Fatal",
    .module = "Test.Toy",
    .category = "Test",
    .help = "Reports a fatal problem.",
    .base = &sofa_object_class,
    .size = sizeof(SofaObject),
    .parsed = give_up,
};
static const SofaClass *const classes[] = {&reader_class, &fatal_class, NULL};
static const SofaModule module = {
    .abi = SOFA_ABI, .name = "toy", .version = "1", .classes = classes};

static void open_bench(Bench *b) {
  bench_open(b, false);
  assert_int_equal(sofa_register_builtins(b->ctx), SOFA_OK);
  assert_int_equal(sofa_factory_register(b->ctx, &module), SOFA_OK);
}

static double load(Bench *b, const char *name) {
  SofaSimulation *s = NULL;
  if (sofa_simulation_load(b->ctx, bench_file(b, name, "x"), &s) != SOFA_OK)
    fail_msg("%s", b->messages);
  const double dt = s->root->dt;
  assert_string_equal(s->file, bench_path(b, name));
  sofa_simulation_destroy(&s);
  return dt;
}

static void arguments_reach_the_reader(void **state) {
  Bench b;
  SofaSimulation *s = NULL;
  (void)state;
  open_bench(&b);
  assert_string_equal(sofa_scene_arguments(b.ctx), "");
  assert_true(load(&b, "a.toy") == 0);
  assert_int_equal(sofa_simulation_load(b.ctx, bench_file(&b, "a.scn", "<Node/>"), &s), SOFA_OK);
  sofa_simulation_destroy(&s);
  assert_int_equal(sofa_scene_add_arguments(b.ctx, "x,y"), SOFA_OK);
  assert_int_equal(sofa_scene_add_arguments(b.ctx, "z"), SOFA_OK);
  assert_string_equal(sofa_scene_arguments(b.ctx), "x,y,z");
  assert_true(load(&b, "a.toy") == 5 && load(&b, "b.game") == 5);
  assert_no_message(&b);
  // a scene that is no program takes none
  assert_int_equal(sofa_simulation_load(b.ctx, bench_file(&b, "a.scn", "<Node/>"), &s),
                   SOFA_ERR_ARGUMENT);
  assert_null(s);
  assert_message(&b, "a.scn:0: error: the scene takes no arguments ('x,y,z'): only");
  bench_close(&b);
}

static void failures_leave_nothing(void **state) {
  Bench b;
  SofaSimulation *s = NULL;
  (void)state;
  open_bench(&b);
  assert_int_equal(sofa_simulation_load(b.ctx, bench_file(&b, "bad.toy", "x"), &s),
                   SOFA_ERR_NOT_FOUND);
  assert_null(s);
  assert_int_equal(sofa_simulation_load(b.ctx, bench_path(&b, "none.toy"), &s), SOFA_ERR_NOT_FOUND);
  assert_message(&b, "no such scene file in this folder or on the data path");
  assert_int_equal(sofa_simulation_load(b.ctx, b.folder, &s), SOFA_ERR_NOT_FOUND);
  assert_message(&b, "this is a folder: name a scene file in it (.scn, .xml)");
  // settings count here, too
  bench_clear(&b);
  assert_int_equal(sofa_scene_set(b.ctx, "/none.value=1"), SOFA_OK);
  assert_int_not_equal(sofa_simulation_load(b.ctx, bench_file(&b, "a.toy", "x"), &s), SOFA_OK);
  assert_null(s);
  assert_message(&b, "there is no object or node '/none'");
  bench_close(&b);
}

/* What cannot be read, by a reader or as XML, is an error of the scene; there is no simulation. */
static void failures_are_those_of_a_scene(void **state) {
  static const char deep[] = "<Node>";
  static const struct {
    const char *name, *text;
    SofaErr err;
  } rows[] = {{"torn.toy", "x", SOFA_ERR_SCENE},
              {"huge.toy", "x", SOFA_ERR_SCENE},
              {"bad.toy", "x", SOFA_ERR_NOT_FOUND},
              {"a.toy", "x", SOFA_OK},
              {"torn.scn", "<Node>", SOFA_ERR_SCENE},
              {"huge.scn", NULL, SOFA_ERR_SCENE},
              {"a.scn", "<Node/>", SOFA_OK},
              {"b.scn", "<Node><Fatal/></Node>", SOFA_ERR_SCENE},
              {"c.scn", "<Node><Nothing/></Node>", SOFA_ERR_SCENE}};
  static char nested[600 * sizeof deep];
  Bench b;
  (void)state;
  for (int i = 0; i < 600; i++) strcat(nested, deep);
  open_bench(&b);
  for (size_t i = 0; i < SOFA_COUNT(rows); i++) {
    SofaSimulation *const none = (SofaSimulation *)&b;
    const char *text = rows[i].text ? rows[i].text : nested;
    for (int as_text = 0; as_text < 2; as_text++) {
      SofaSimulation *s = none;
      if (as_text && !strstr(rows[i].name, ".scn")) continue;
      const SofaErr err = as_text
                              ? sofa_simulation_load_text(b.ctx, text, &s)
                              : sofa_simulation_load(b.ctx, bench_file(&b, rows[i].name, text), &s);
      if (err != rows[i].err) fail_msg("%s: %s", rows[i].name, sofa_err_text(err));
      assert_true(s != none && (s == NULL) == (err != SOFA_OK));
      if (s) assert_true(s->scene_sum != 0);
      sofa_simulation_destroy(&s);
    }
  }
  SofaSimulation *s = (SofaSimulation *)&b;
  assert_int_equal(sofa_simulation_load(b.ctx, bench_path(&b, "none.toy"), &s), SOFA_ERR_NOT_FOUND);
  assert_null(s);
  bench_close(&b);
}

/* What a program adds: an object or a node, or an error, and nothing is left. */
static void additions(void **state) {
  static const char *const no_value[] = {"printLog", NULL}, *const wrong[] = {"dt", "x", NULL};
  static const char *const unknown[] = {"zzz", "1", NULL}, *const good[] = {"dt", "0.5", NULL};
  (void)state;
  for (int keep_going = 0; keep_going < 2; keep_going++) {
    Bench b;
    SofaSimulation *s = NULL;
    bench_open(&b, keep_going);
    assert_int_equal(sofa_register_builtins(b.ctx), SOFA_OK);
    assert_int_equal(sofa_factory_register(b.ctx, &module), SOFA_OK);
    assert_int_equal(sofa_simulation_load_text(b.ctx, "<Node/>", &s), SOFA_OK);
    SofaNode *const root = s->root, *const none = (SofaNode *)&b;
    const struct {
      const char *tag; /* NULL: a node */
      const char *const *attributes;
      SofaErr err; /* with keep_going only without *out */
      bool out;
    } rows[] = {{"Fatal", NULL, SOFA_ERR_SCENE, true},
                {"Nothing", NULL, SOFA_ERR_SCENE, false},
                {"ToyReader", NULL, SOFA_OK, true},
                {"ToyReader", no_value, SOFA_ERR_ARGUMENT, false},
                {"ToyReader", unknown, SOFA_ERR_SCENE, true},
                {NULL, NULL, SOFA_OK, true},
                {NULL, no_value, SOFA_ERR_ARGUMENT, false},
                {NULL, wrong, SOFA_ERR_SCENE, true},
                {NULL, good, SOFA_OK, true}};
    for (size_t i = 0; i < SOFA_COUNT(rows); i++) {
      const size_t n_objects = root->objects.n, n_children = root->children.n;
      SofaObject *object = &none->object;
      SofaNode *node = none;
      const SofaErr err =
          rows[i].tag ? sofa_scene_add_object(root, rows[i].tag, rows[i].attributes, &object)
                      : sofa_scene_add_node(root, "n", rows[i].attributes, &node);
      const bool is_there = rows[i].tag ? object != NULL : node != NULL;
      const SofaErr expected = keep_going && rows[i].out ? SOFA_OK : rows[i].err;
      if (err != expected) fail_msg("%zu: %s\n%s", i, sofa_err_text(err), b.messages);
      assert_true(rows[i].tag ? object != &none->object : node != none);
      assert_int_equal(is_there, err == SOFA_OK);
      assert_int_equal(root->objects.n, n_objects + (rows[i].tag && is_there));
      assert_int_equal(root->children.n, n_children + (!rows[i].tag && is_there));
    }
    sofa_simulation_destroy(&s);
    bench_close(&b);
  }
}

/* A quirk that no class knows is an error of scenes of every format. */
static void quirks_are_checked(void **state) {
  static const char *const names[] = {"a.toy", "a.scn"};
  (void)state;
  for (int i = 0; i < 2; i++) {
    Bench b;
    SofaSimulation *s = NULL;
    open_bench(&b);
    b.ctx->quirk_words = sofa_strdup(b.ctx, "no-such-quirk");
    assert_int_equal(sofa_simulation_load(b.ctx, bench_file(&b, names[i], "<Node/>"), &s),
                     SOFA_ERR_ARGUMENT);
    assert_null(s);
    assert_message(&b, "error: there is no quirk 'no-such-quirk'");
    bench_close(&b);
  }
}

static void lack_of_memory_is_survived(void **state) {
  static const char *const names[] = {"a.toy", "a.scn"};
  Bench b;
  (void)state;
  for (int i = 0; i < 2; i++) {
    SofaErr err = SOFA_ERR_MEMORY;
    for (long k = 1; err != SOFA_OK; k++) {
      SofaSimulation *s = NULL;
      open_bench(&b);
      const char *path = bench_file(&b, names[i], "<Node><Node name='a'/></Node>");
      if (i == 0) assert_int_equal(sofa_scene_add_arguments(b.ctx, "x"), SOFA_OK);
      b.calls = 0, b.fail_at = k;
      err = sofa_simulation_load(b.ctx, path, &s);
      b.fail_at = 0;
      assert_int_equal(err, s ? SOFA_OK : SOFA_ERR_MEMORY);
      sofa_simulation_destroy(&s);
      bench_close(&b);
    }
  }
  SofaErr err = SOFA_ERR_MEMORY;
  for (long k = 1; err != SOFA_OK; k++) {
    open_bench(&b);
    assert_int_equal(sofa_scene_add_arguments(b.ctx, "x"), SOFA_OK);
    b.calls = 0, b.fail_at = k;
    err = sofa_scene_add_arguments(b.ctx, "y");
    b.fail_at = 0;
    assert_string_equal(sofa_scene_arguments(b.ctx), err == SOFA_OK ? "x,y" : "x");
    bench_close(&b);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(arguments_reach_the_reader),
      cmocka_unit_test(failures_leave_nothing),
      cmocka_unit_test(failures_are_those_of_a_scene),
      cmocka_unit_test(quirks_are_checked),
      cmocka_unit_test(additions),
      cmocka_unit_test(lack_of_memory_is_survived),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
