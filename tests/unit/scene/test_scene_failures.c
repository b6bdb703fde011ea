/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Scenes that cannot be made: what a caller gets then, messages that are worse than errors, and
 * loading, adding, saving and restoring with each allocation in turn that fails. */
#include "scene_test.h"

#include "base/abi.h"
#include "components/builtins.h"
#include "object/data_graph.h"
#include "object/factory.h"
#include "scene/builder.h"
#include "scene/checkpoint.h"
#include "scene/save.h"
#include "scene/settings.h"

/* ---- a class that fails as its word says ---- */

typedef struct Faulty {
  SofaObject object;
  char *word;
  double number;
} Faulty;

static const SofaField faulty_fields[] = {
    SOFA_FIELD(Faulty, word, "word", "none", "", "a word"),
    SOFA_FIELD(Faulty, number, "number", "0", "1", "a number", .aliases = "figure"),
};

/* "fatal": a message that is worse than an error; "both": an error, too; "silent": no message. */
static SofaErr faulty_parsed(SofaObject *object) {
  const char *word = ((const Faulty *)object)->word;
  if (strcmp(word, "both") == 0) sofa_object_message(object, SOFA_ERROR, "an error");
  if (strcmp(word, "both") == 0 || strcmp(word, "fatal") == 0)
    sofa_object_message(object, SOFA_FATAL, "a disaster");
  return strcmp(word, "silent") == 0 ? SOFA_ERR_IO : SOFA_OK;
}

static SofaErr faulty_construct(SofaObject *object) {
  const char *where = object->node->object.name;
  if (strcmp(where, "says") == 0)
    return sofa_object_fail(object, SOFA_ERR_RANGE, "not in this node");
  return strcmp(where, "mute") == 0 ? SOFA_ERR_RANGE : SOFA_OK;
}

static const SofaClass faulty_class = {.name = "Faulty",
                                       .module = "Test.Faulty",
                                       .category = "Test",
                                       .help = "Fails as its word says.",
                                       .base = &sofa_object_class,
                                       .size = sizeof(Faulty),
                                       SOFA_FIELDS(faulty_fields),
                                       .construct = faulty_construct,
                                       .parsed = faulty_parsed};
static const SofaClass *const classes[] = {&faulty_class, NULL};
static const SofaModule module = {
    .abi = SOFA_ABI, .name = "faulty", .version = "1", .classes = classes};

static void open_bench(Bench *b, bool keep_going) {
  bench_open(b, keep_going);
  assert_int_equal(sofa_register_builtins(b->ctx), SOFA_OK);
  assert_int_equal(sofa_factory_register(b->ctx, &module), SOFA_OK);
}

/* The messages of loading, each a line; *s stays NULL where nothing is made. */
static void loaded(const char *scene, bool keep_going, bool made, const char *messages) {
  static Bench b;
  open_bench(&b, keep_going);
  SofaSimulation *s = (SofaSimulation *)&b;
  const SofaErr err = sofa_simulation_load(b.ctx, bench_file(&b, "s", scene), &s);
  assert_int_equal(err, made ? SOFA_OK : SOFA_ERR_SCENE);
  assert_string_equal(b.messages, messages);
  if (made) sofa_simulation_destroy(&s);
  assert_null(s);
  // the same text without a file
  s = (SofaSimulation *)&b;
  assert_int_equal(sofa_simulation_load_text(b.ctx, scene, &s), made ? SOFA_OK : SOFA_ERR_SCENE);
  if (made) sofa_simulation_destroy(&s);
  assert_null(s);
  bench_close(&b);
}

static void messages_decide(void **state) {
  (void)state;
  loaded("<Node>\n<Faulty word='fatal'/></Node>", false, false, "s:2: fatal: a disaster\n");
  loaded("<Node>\n<Faulty word='both'/></Node>", false, false,
         "s:2: error: an error\ns:2: fatal: a disaster\n");
  loaded("<Node>\n<Faulty word='both'/></Node>", true, true,
         "s:2: error: an error\ns:2: fatal: a disaster\n");
  loaded("<Node>\n<Faulty word='silent'/></Node>", false, false,
         "s:2: error: input or output failed\n");
  loaded("<Node>\n<Faulty/></Node>", false, true, "");
}

/* A class that says why it was not created is not followed by a second message. */
static void reasons_come_once(void **state) {
  (void)state;
  loaded("<Node><Node name='says'>\n<Faulty/></Node></Node>", false, false,
         "s:2: error: not in this node\n");
  loaded("<Node><Node name='mute'>\n<Faulty/></Node></Node>", false, false,
         "s:2: error: <Faulty> was not created: value out of range\n");
  loaded("<Node><Node name='says'>\n<Faulty/></Node>\n<Faulty word='both'/></Node>", true, true,
         "s:2: error: not in this node\ns:3: error: an error\ns:3: fatal: a disaster\n");
}

/* What the reader of the text refuses, and too deep a scene, is an error of the scene. */
static void texts_that_are_refused(void **state) {
  static char deep[10000];
  static Bench b;
  static const char *const texts[] = {"<Node>", "", "<Node/><Node/>", deep};
  size_t n = 0;
  (void)state;
  for (int k = 0; k < 1000; k++) n += (size_t)snprintf(deep + n, sizeof deep - n, "<Node>");
  for (size_t k = 0; k < SOFA_COUNT(texts); k++) {
    open_bench(&b, true);
    SofaSimulation *s = NULL;
    assert_int_equal(sofa_simulation_load_text(b.ctx, texts[k], &s), SOFA_ERR_SCENE);
    assert_null(s);
    assert_int_equal(sofa_simulation_load(b.ctx, bench_file(&b, "s", texts[k]), &s),
                     SOFA_ERR_SCENE);
    assert_null(s);
    bench_close(&b);
  }
}

/* Files that were found by their place, others as the scene names them. */
static void names_of_files(void **state) {
  static Bench b;
  char expected[200];
  SofaSimulation *s = NULL;
  SofaText text = {0};
  (void)state;
  open_bench(&b, true);
  bench_file(&b, "one.off", "OFF 0 0 0");
  assert_int_equal(sofa_simulation_load(b.ctx,
                                        bench_file(&b, "s",
                                                   "<Node><MeshOffLoader filename='one.off'/>"
                                                   "<MeshOffLoader filename='no.off'/></Node>"),
                                        &s),
                   SOFA_OK);
  assert_int_equal(sofa_scene_print(s, &text), SOFA_OK);
  char *full = realpath(bench_path(&b, "one.off"), NULL);
  snprintf(expected, sizeof expected, "filename=\"%s\"", full);
  free(full);
  assert_non_null(strstr(text.data, expected));
  assert_non_null(strstr(text.data, "filename=\"no.off\""));
  sofa_list_free(b.ctx, &text);
  // a file that is written without all memory names them likewise
  SofaErr err = SOFA_OK;
  for (long k = 0; k <= 1 || err != SOFA_OK || strstr(b.messages, "out of memory"); k++) {
    char saved[2000] = "";
    bench_clear(&b);
    b.calls = 0;
    b.fail_at = k;
    err = sofa_scene_save(s, bench_path(&b, "saved"));
    b.fail_at = 0;
    if (k == 0) assert_int_equal(err, SOFA_OK);
    FILE *file = err == SOFA_OK ? fopen(bench_path(&b, "saved"), "r") : NULL;
    if (!file) continue;
    saved[fread(saved, 1, sizeof saved - 1, file)] = 0;
    fclose(file);
    assert_non_null(strstr(saved, "filename=\"one.off\""));
    assert_non_null(strstr(saved, "filename=\"no.off\""));
  }
  sofa_simulation_destroy(&s);
  bench_close(&b);
}

/* Links are saved wherever they come from: written, taken over from another object, of outputs, and
 * those whose target is not there. */
static void links_are_saved(void **state) {
  static Bench b;
  SofaSimulation *s = NULL;
  SofaText text = {0};
  (void)state;
  open_bench(&b, true);
  bench_file(&b, "one.off", "OFF 3 1 0 0 0 0 1 0 0 0 1 0 3 0 1 2");
  assert_int_equal(
      sofa_simulation_load(
          b.ctx,
          bench_file(
              &b, "s",
              "<Node><MeshOffLoader name='l' filename='one.off'/>"
              "<TriangleSetTopologyContainer name='t' src='@l'/>"
              "<BoxROI name='r' box='0 0 0 1 1 1' position='@l.position'/>"
              "<BoxROI name='q' box='0 0 0 1 1 1' position='@l.position' indices='@r.indices'/>"
              "<BoxROI name='p' box='0 0 0 1 1 1' position='@l.position'/>"
              "<Faulty name='f' number='@none.number'/></Node>"),
          &s),
      SOFA_OK);
  // linked without a path, as outputs rarely are
  SofaObject *from = sofa_resolve_path(s->root, "/r", NULL),
             *to = sofa_resolve_path(s->root, "/p", NULL);
  const SofaField *indices = sofa_class_field(from->klass, "indices");
  assert_int_equal(sofa_data_link(to, indices, from, indices), SOFA_OK);
  assert_int_equal(sofa_scene_print(s, &text), SOFA_OK);
  const char *objects = strstr(text.data, "  <Triangle");
  assert_string_equal(
      objects,
      "  <TriangleSetTopologyContainer name=\"t\" position=\"@/l.position\" edges=\"@/l.edges\" "
      "triangles=\"@/l.triangles\"/>\n"
      "  <BoxROI name=\"r\" template=\"Vec3d\" position=\"@/l.position\" box=\"0 0 0 1 1 1\"/>\n"
      "  <BoxROI name=\"q\" template=\"Vec3d\" position=\"@/l.position\" indices=\"@/r.indices\" "
      "box=\"0 0 0 1 1 1\"/>\n"
      "  <BoxROI name=\"p\" template=\"Vec3d\" position=\"@/l.position\" indices=\"@/r.indices\" "
      "box=\"0 0 0 1 1 1\"/>\n"
      "  <Faulty name=\"f\" number=\"@none.number\"/>\n</Node>\n");
  // the same text, or the error that there was no memory
  SofaErr err = SOFA_ERR_MEMORY;
  for (long k = 1; err == SOFA_ERR_MEMORY; k++) {
    SofaText again = {0};
    b.calls = 0;
    b.fail_at = k;
    err = sofa_scene_print(s, &again);
    b.fail_at = 0;
    if (err == SOFA_OK) assert_string_equal(again.data, text.data);
    sofa_list_free(b.ctx, &again);
  }
  assert_int_equal(err, SOFA_OK);
  sofa_list_free(b.ctx, &text);
  sofa_simulation_destroy(&s);
  bench_close(&b);
}

/* ---- from programs ---- */

static void add(Bench *b, SofaSimulation *s, const char *const *attributes, SofaErr expected,
                const char *messages) {
  SofaObject *object = (SofaObject *)b;
  bench_clear(b);
  assert_int_equal(sofa_scene_add_object(s->root, "Faulty", attributes, &object), expected);
  assert_string_equal(b->messages, messages);
  assert_int_equal(object != NULL, expected == SOFA_OK);
}

static void objects_of_programs(void **state) {
  static Bench b;
  (void)state;
  for (int keep_going = 0; keep_going < 2; keep_going++) {
    const SofaErr fails = keep_going ? SOFA_OK : SOFA_ERR_SCENE;
    SofaSimulation *s = NULL;
    open_bench(&b, keep_going != 0);
    assert_int_equal(sofa_simulation_create(b.ctx, &s), SOFA_OK);
    add(&b, s, (const char *const[]){"number", NULL, NULL}, SOFA_ERR_ARGUMENT,
        ":0: error: attribute 'number' of a Faulty has no value\n");
    add(&b, s, (const char *const[]){"word", "both", NULL}, fails,
        "(program):0: error: an error\n(program):0: fatal: a disaster\n");
    add(&b, s, (const char *const[]){"word", "fatal", NULL}, fails,
        "(program):0: fatal: a disaster\n");
    add(&b, s, (const char *const[]){"figure", "3", NULL}, SOFA_OK, "");
    add(&b, s, NULL, SOFA_OK, "");
    assert_int_equal(s->root->objects.n, keep_going ? 4 : 2);
    SofaObject *object = (SofaObject *)&b;
    assert_int_equal(sofa_scene_add_object(s->root, "NoSuchClass", NULL, &object), SOFA_ERR_SCENE);
    assert_null(object);
    sofa_simulation_destroy(&s);
    bench_close(&b);
  }
}

static void nodes_of_programs(void **state) {
  static Bench b;
  (void)state;
  for (int keep_going = 0; keep_going < 2; keep_going++) {
    SofaSimulation *s = NULL;
    SofaNode *node = (SofaNode *)&b;
    open_bench(&b, keep_going != 0);
    assert_int_equal(sofa_simulation_create(b.ctx, &s), SOFA_OK);
    assert_int_equal(
        sofa_scene_add_node(s->root, "k", (const char *const[]){"dt", NULL, NULL}, &node),
        SOFA_ERR_ARGUMENT);
    assert_null(node);
    assert_message(&b, "attribute 'dt' of a Node has no value");
    node = (SofaNode *)&b;
    const SofaErr err =
        sofa_scene_add_node(s->root, "k", (const char *const[]){"dt", "x", NULL}, &node);
    assert_int_equal(err, keep_going ? SOFA_OK : SOFA_ERR_SCENE);
    assert_int_equal(node != NULL, keep_going);
    assert_int_equal(s->root->children.n, keep_going);
    assert_int_equal(sofa_scene_add_node(s->root, NULL, NULL, &node), SOFA_OK);
    assert_string_equal(node->object.name, "");
    assert_string_equal(node->object.file, "(program)");
    sofa_simulation_destroy(&s);
    bench_close(&b);
  }
}

static void missing_files(void **state) {
  static Bench b;
  (void)state;
  open_bench(&b, false);
  SofaSimulation *s = (SofaSimulation *)&b;
  assert_int_equal(sofa_simulation_load(b.ctx, bench_path(&b, "none.scn"), &s), SOFA_ERR_NOT_FOUND);
  assert_null(s);
  assert_string_equal(b.messages, "none.scn:0: error: no such scene file in this folder or on the "
                                  "data path\n");
  s = (SofaSimulation *)&b;
  bench_clear(&b);
  assert_int_equal(sofa_simulation_load(b.ctx, b.folder, &s), SOFA_ERR_NOT_FOUND);
  assert_null(s);
  assert_message(&b, "this is a folder: name a scene file in it");
  bench_close(&b);
}

/* ---- without memory ---- */

#define ALL                                                                                        \
  "<Node name='r' dt='0.1' showNormals='1'><RequiredPlugin pluginName='Sofa.Component.Mass'/>"     \
  "<Faulty name='a' figure='2' number='4'/><Faulty name='b' src='@a'/><NoSuchClass/>"              \
  "<Faulty name='c' number='@a.number' wrd='x'/><include href='one.xml' a__number='3'/>"           \
  "<include href='two.xml' name='_Merge_'/><Object type='Faulty' name='d'><Attribute "             \
  "type='number'><Data value='7'/></Attribute></Object><Node name='mute'><Faulty/></Node>"         \
  "<MechanicalObject name='x' template='Rigid'/><Node name='k'><MechanicalObject name='y' "        \
  "template='Vec9d'/><UniformMass template='Vec3'/></Node><Node name='k'/><Node name='g'>"         \
  "<Faulty name='in g'/></Node></Node>"

typedef struct Attempt {
  Bench bench;
  char path[256];
  SofaSimulation *simulation;
  SofaText print; /* of the scene that was made */
} Attempt;

/* What the beginning has applied is not saved with what came of it. */
static void applied_fields_are_left_out(void **state) {
  static Bench b;
  SofaSimulation *s = NULL;
  SofaText text = {0};
  (void)state;
  open_bench(&b, true);
  assert_int_equal(
      sofa_simulation_load_text(b.ctx,
                                "<Node><DefaultAnimationLoop/><MechanicalObject name='m' "
                                "position='1 0 0' translation='2 0 0' scale3d='1 2 1'/></Node>",
                                &s),
      SOFA_OK);
  assert_int_equal(sofa_simulation_init(s), SOFA_OK);
  assert_int_equal(sofa_scene_print(s, &text), SOFA_OK);
  assert_non_null(strstr(text.data, "position=\"3 0 0\""));
  assert_null(strstr(text.data, "translation"));
  assert_null(strstr(text.data, "scale3d"));
  sofa_list_free(b.ctx, &text);
  sofa_simulation_destroy(&s);
  bench_close(&b);
}

typedef SofaErr Operation(Attempt *a);

static SofaErr load_it(Attempt *a) {
  SofaErr err = sofa_scene_set(a->bench.ctx, "a.number=9");
  if (err == SOFA_OK) err = sofa_simulation_load(a->bench.ctx, a->path, &a->simulation);
  return err == SOFA_OK ? sofa_scene_check(a->simulation) : err;
}

static SofaErr add_it(Attempt *a) {
  SofaNode *node = NULL;
  SofaObject *object = NULL;
  SofaErr err = sofa_scene_add_node(a->simulation->root, "new",
                                    (const char *const[]){"dt", "2", NULL}, &node);
  if (err == SOFA_OK)
    err =
        sofa_scene_add_object(node, "Faulty", (const char *const[]){"number", "2", NULL}, &object);
  if (err == SOFA_OK) assert_true(((Faulty *)object)->number == 2);
  return err;
}

static SofaErr print_it(Attempt *a) {
  sofa_list_free(a->bench.ctx, &a->print);
  return sofa_scene_print(a->simulation, &a->print);
}

static SofaErr save_it(Attempt *a) {
  char other[300];
  snprintf(other, sizeof other, "%s.saved", a->path);
  const SofaErr err = sofa_scene_save(a->simulation, other);
  // the output says it, too
  return err == SOFA_ERR_IO && strstr(a->bench.messages, "cannot write") ? SOFA_ERR_MEMORY : err;
}

static SofaErr attempt(Attempt *a, Operation *operation, bool on_scene, long fail_at) {
  Bench *b = &a->bench;
  memset(a, 0, sizeof *a);
  open_bench(b, true);
  bench_file(b, "one.xml", "<Node name='Group'><Faulty name='a' number='1'/></Node>");
  bench_file(b, "two.xml", "<Node><Node name='k'><Faulty name='z'/></Node></Node>");
  snprintf(a->path, sizeof a->path, "%s", bench_file(b, "s", ALL));
  if (on_scene) assert_int_equal(sofa_simulation_load(b->ctx, a->path, &a->simulation), SOFA_OK);
  b->calls = 0;
  b->fail_at = fail_at;
  const SofaErr err = operation(a);
  b->fail_at = 0;
  if (err == SOFA_OK) assert_int_equal(print_it(a), SOFA_OK);
  return err;
}

static void end(Attempt *a) {
  sofa_list_free(a->bench.ctx, &a->print);
  sofa_simulation_destroy(&a->simulation);
  bench_close(&a->bench);
}

/* Allocation number k fails, for each k: nothing is left, and there is that error and no other. A
 * message alone may lack its path: then the scene is the same as with all memory. */
static void without_memory(Operation *operation, bool on_scene) {
  static Attempt whole, a;
  assert_int_equal(attempt(&whole, operation, on_scene, 0), SOFA_OK);
  bool done = false;
  for (long k = 1; !done; k++) {
    const SofaErr err = attempt(&a, operation, on_scene, k);
    if (err != SOFA_OK && err != SOFA_ERR_MEMORY)
      fail_msg("call %ld: %s\n%s", k, sofa_err_text(err), a.bench.messages);
    if (err == SOFA_OK) assert_string_equal(a.print.data, whole.print.data);
    done = err == SOFA_OK && !strstr(a.bench.messages, "out of memory");
    end(&a);
  }
  end(&whole);
}

static void memory_for_loading(void **state) {
  (void)state;
  without_memory(load_it, false);
}
static void memory_for_saving(void **state) {
  (void)state;
  without_memory(print_it, true);
  without_memory(save_it, true);
}
static void memory_for_adding(void **state) {
  (void)state;
  without_memory(add_it, true);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(messages_decide),
      cmocka_unit_test(reasons_come_once),
      cmocka_unit_test(objects_of_programs),
      cmocka_unit_test(nodes_of_programs),
      cmocka_unit_test(missing_files),
      cmocka_unit_test(texts_that_are_refused),
      cmocka_unit_test(names_of_files),
      cmocka_unit_test(links_are_saved),
      cmocka_unit_test(applied_fields_are_left_out),
      cmocka_unit_test(memory_for_loading),
      cmocka_unit_test(memory_for_saving),
      cmocka_unit_test(memory_for_adding),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
