/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Settings: which texts are refused, which object and field a text names, what stands in for the
 * attributes of a scene, and what is said of a setting that nothing takes. */
#include "scene_test.h"

#include "base/abi.h"
#include "components/builtins.h"
#include "object/factory.h"
#include "scene/builder.h"
#include "scene/settings.h"

typedef struct Knob {
  SofaObject object;
  double value;
  char *word;
} Knob;

static const SofaField fields[] = {
    SOFA_FIELD(Knob, value, "value", "7", "m", "a number", .aliases = "alpha omega"),
    SOFA_FIELD(Knob, word, "word", "none", "", "a word"),
};
static const SofaClass knob_class = {
    .name = "Knob",
    .module = "Test.Knob",
    .category = "Test",
    .help = "Has two fields.",
    .base = &sofa_object_class,
    .size = sizeof(Knob),
    SOFA_FIELDS(fields),
};
static const SofaClass *const classes[] = {&knob_class, NULL};
static const SofaModule module = {
    .abi = SOFA_ABI, .name = "knob", .version = "1", .classes = classes};

static void open_bench(Bench *b) {
  bench_open(b, false);
  assert_int_equal(sofa_register_builtins(b->ctx), SOFA_OK);
  assert_int_equal(sofa_factory_register(b->ctx, &module), SOFA_OK);
}

static const Knob *knob(SofaSimulation *s, const char *path) {
  SofaObject *o = sofa_resolve_path(s->root, path, &(SofaPathRule){.strict = true});
  if (!o) fail_msg("no object %s", path);
  return (const Knob *)o;
}

static SofaSimulation *load(Bench *b, const char *text) {
  SofaSimulation *s = NULL;
  if (sofa_simulation_load_text(b->ctx, text, &s) != SOFA_OK) fail_msg("%s", b->messages);
  return s;
}

static void wrong_texts_are_refused(void **state) {
  static const char *const texts[][2] = {
      {"/a.value", "'/a.value': there is no '='; expected PATH.FIELD=VALUE"},
      {"", "'': there is no '='"},
      {"=1", "'=1': there is no field before '='"},
      {"/a.=1", "'/a.=1': there is no field before '='"},
      {"/a=1", "'/a=1': there is no field behind the path"},
      {"/a.b/c=1", "'/a.b/c=1': there is no field behind the path"},
      {"/a..=1", "there is no field behind the path"},
      {"/a.name=b", "'/a.name=b': links and templates of other objects rely on it"},
      {"/a.template=b", "rely on it"},
      {"/a.type=b", "rely on it"},
      {"/a.src=b", "rely on it"},
      {"name=b", "rely on it"},
  };
  Bench b;
  (void)state;
  open_bench(&b);
  for (size_t i = 0; i < SOFA_COUNT(texts); i++) {
    bench_clear(&b);
    assert_int_equal(sofa_scene_set(b.ctx, texts[i][0]), SOFA_ERR_ARGUMENT);
    assert_message(&b, texts[i][1]);
  }
  // nothing of them is left
  SofaSimulation *s = load(&b, "<Node><Knob name='a'/></Node>");
  assert_true(knob(s, "/a")->value == 7);
  sofa_simulation_destroy(&s);
  bench_close(&b);
}

/* The value ends the text, whatever is in it; the last setting of a field counts. */
static void settings_reach_their_fields(void **state) {
  static const char *const texts[] = {"/a.value=1", "b/a.value=2",      "//b/c.d.word=x=y/z.w",
                                      "dt=0.25",    "/b.gravity=1 2 3", "/a.word=one",
                                      "/a.word=",   "/a.omega=3"};
  Bench b;
  (void)state;
  open_bench(&b);
  for (size_t i = 0; i < SOFA_COUNT(texts); i++)
    assert_int_equal(sofa_scene_set(b.ctx, texts[i]), SOFA_OK);
  SofaSimulation *s =
      load(&b, "<Node dt='1'><Knob name='a' alpha='5' word='w' value='6'/><Node name='b'>"
               "<Knob name='a' word='kept' omega='9'/><Knob name='c.d'/><Knob name='e' alpha='4'/>"
               "</Node></Node>");
  assert_no_message(&b);
  assert_true(knob(s, "/a")->value == 3 && knob(s, "/b/a")->value == 2);
  assert_true(knob(s, "/b/e")->value == 4);
  assert_string_equal(knob(s, "/a")->word, "");
  assert_string_equal(knob(s, "/b/a")->word, "kept");
  assert_string_equal(knob(s, "/b/c.d")->word, "x=y/z.w");
  assert_true(s->root->dt == 0.25 && s->root->children.data[0]->gravity.v[2] == 3);
  sofa_simulation_destroy(&s);
  bench_close(&b);
}

/* Every setting must be taken, in each scene that is read. */
static void settings_that_nothing_takes(void **state) {
  Bench b;
  SofaSimulation *s = NULL;
  (void)state;
  open_bench(&b);
  assert_int_equal(sofa_scene_set(b.ctx, "/a.value=1"), SOFA_OK);
  assert_int_equal(sofa_scene_set(b.ctx, "b/knop.value=2"), SOFA_OK);
  s = load(&b, "<Node><Knob name='a'/><Node name='b'><Knob name='knop'/></Node></Node>");
  sofa_simulation_destroy(&s);
  assert_no_message(&b);
  assert_int_not_equal(
      sofa_simulation_load_text(
          b.ctx, "<Node><Knob name='aa'/><Node name='b'><Knob name='knob'/></Node></Node>", &s),
      SOFA_OK);
  assert_null(s);
  assert_message(&b, "'/a.value': there is no object or node '/a'");
  assert_message(&b, "'b/knop.value': there is no object or node '/b/knop'; did you mean");
  bench_clear(&b);
  assert_int_not_equal(sofa_simulation_load_text(b.ctx, "<Node><Knob name='a'/></Node>", &s),
                       SOFA_OK);
  assert_null(strstr(b.messages, "/a.value"));
  assert_message(&b, "'b/knop.value': there is no object or node '/b/knop'");
  bench_close(&b);
}

/* A field that the object does not have, near one that it has, and near none. */
static void settings_of_no_field(void **state) {
  static const char *const texts[][2] = {
      {"/a.vlue=1", "<Knob> has no field 'vlue', which was to be set; did you mean 'value'?\n"},
      {"/a.zzzzzzzz=1", "<Knob> has no field 'zzzzzzzz', which was to be set\n"}};
  (void)state;
  for (size_t i = 0; i < SOFA_COUNT(texts); i++) {
    Bench b;
    SofaSimulation *s = NULL;
    open_bench(&b);
    assert_int_equal(sofa_scene_set(b.ctx, texts[i][0]), SOFA_OK);
    assert_int_equal(sofa_simulation_load_text(b.ctx, "<Node><Knob name='a'/></Node>", &s),
                     SOFA_ERR_SCENE);
    assert_message(&b, texts[i][1]);
    bench_close(&b);
  }
}

/* The attribute that a setting stands for may be wrong. */
static void replaced_attributes_are_not_read(void **state) {
  Bench b;
  (void)state;
  open_bench(&b);
  assert_int_equal(sofa_scene_set(b.ctx, "/a.value=1"), SOFA_OK);
  SofaSimulation *s = load(&b, "<Node><Knob alpha='x' name='a' omega='y' value='z'/></Node>");
  assert_no_message(&b);
  assert_true(knob(s, "/a")->value == 1);
  sofa_simulation_destroy(&s);
  bench_close(&b);
}

static void lack_of_memory_is_survived(void **state) {
  Bench b;
  (void)state;
  for (long k = 1;; k++) {
    open_bench(&b);
    b.calls = 0, b.fail_at = k;
    const SofaErr err = sofa_scene_set(b.ctx, "/a.value=1");
    b.fail_at = 0;
    bench_close(&b);
    if (err == SOFA_OK) break;
    assert_int_equal(err, SOFA_ERR_MEMORY);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(wrong_texts_are_refused),
      cmocka_unit_test(settings_reach_their_fields),
      cmocka_unit_test(settings_that_nothing_takes),
      cmocka_unit_test(settings_of_no_field),
      cmocka_unit_test(replaced_attributes_are_not_read),
      cmocka_unit_test(lack_of_memory_is_survived),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
