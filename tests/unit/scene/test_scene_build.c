/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests of loading: graph, names, order of attributes, messages, strictness, scene checks, plugins,
 * display flags. */
#include "scene_test.h"

#include "components/builtins.h"
#include "components/visual/VisualStyle.h"
#include "base/abi.h"
#include "draw/display_words.h"
#include "object/factory.h"
#include "scene/builder.h"
#include "scene/settings.h"

/* ---- a class that shows what was done to it ---- */

typedef struct Probe {
  SofaObject object;
  double zeta;
  int beta;
  char *word;
  SofaReals list;
} Probe;

static const SofaField probe_fields[] = {
    SOFA_FIELD(Probe, zeta, "zeta", "7", "m", "a number", .aliases = "alpha"),
    SOFA_FIELD(Probe, beta, "beta", "3", "1", "a count", .aliases = "omega"),
    SOFA_FIELD(Probe, word, "word", "none", "", "a word"),
    SOFA_FIELD(Probe, list, "list", NULL, "", "numbers"),
};

static SofaErr probe_parsed(SofaObject *object) {
  const Probe *p = (const Probe *)object;
  if (strcmp(p->word, "fail") != 0) return SOFA_OK;
  return sofa_object_fail(object, SOFA_ERR_IO, "the word is fail");
}

static bool probe_can_create(SofaNode *node, const struct SofaElement *element, const char *t,
                             SofaText *why) {
  (void)element;
  (void)t;
  if (strcmp(node->object.name, "forbidden") != 0) return true;
  sofa_text_printf(node->object.ctx, why, "not in this node");
  return false;
}

static SofaErr probe_construct(SofaObject *object) {
  if (strcmp(object->node->object.name, "broken") != 0) return SOFA_OK;
  return sofa_object_fail(object, SOFA_ERR_UNSUPPORTED, "Probe is not supported yet: here");
}

static const char *const probe_templates[] = {"Vec3d", "Rigid3d", NULL};
static const SofaClass probe_class = {
    .name = "Probe",
    .module = "Test.Probe",
    .category = "Test",
    .help = "Shows what was done to it.",
    .base = &sofa_object_class,
    .size = sizeof(Probe),
    SOFA_FIELDS(probe_fields),
    .templates = probe_templates,
    .can_create = probe_can_create,
    .construct = probe_construct,
    .parsed = probe_parsed,
};
static const SofaClass *const probe_classes[] = {&probe_class, NULL};
static const SofaModule probe_module = {
    .abi = SOFA_ABI, .name = "test", .version = "1", .classes = probe_classes};

static void open_bench(Bench *b, bool keep_going) {
  bench_open(b, keep_going);
  assert_int_equal(sofa_register_builtins(b->ctx), SOFA_OK);
  assert_int_equal(sofa_factory_register(b->ctx, &probe_module), SOFA_OK);
}

static SofaSimulation *load(Bench *b, const char *text) {
  SofaSimulation *s = NULL;
  bench_clear(b);
  const SofaErr err = sofa_simulation_load(b->ctx, bench_file(b, "scene.scn", text), &s);
  if (err != SOFA_OK) fail_msg("not loaded: %s\n%s", text, b->messages);
  return s;
}

static void refused(Bench *b, const char *text, const char *message) {
  SofaSimulation *s = NULL;
  bench_clear(b);
  assert_int_equal(sofa_simulation_load(b->ctx, bench_file(b, "scene.scn", text), &s),
                   SOFA_ERR_SCENE);
  assert_null(s);
  assert_message(b, message);
}

static Probe *probe_at(SofaSimulation *s, const char *path) {
  SofaObject *o = sofa_resolve_path(s->root, path, &(SofaPathRule){.strict = true});
  if (!o) fail_msg("no object %s", path);
  assert_ptr_equal(o->klass, &probe_class);
  return (Probe *)o;
}

/* ---- graph and names ---- */

static void builds_the_graph(void **state) {
  Bench b;
  (void)state;
  open_bench(&b, false);
  SofaSimulation *s = load(&b, "<Node name='top' dt='0.5' gravity='1 2 3'>\n"
                               "<Probe/><Probe name='p'/><Probe/>\n"
                               "<Node name='k'><Probe/><Object type='Probe' zeta='2'/></Node>\n"
                               "<Node/></Node>");
  assert_no_message(&b);
  assert_string_equal(s->root->object.name, "top");
  assert_true(s->root->dt == 0.5 && s->root->gravity.v[2] == 3);
  assert_int_equal(s->root->objects.n, 3);
  assert_int_equal(s->root->children.n, 2);

  // unnamed objects are counted per class and node
  assert_int_equal(probe_at(s, "/Probe1")->object.line, 2);
  probe_at(s, "/p");
  probe_at(s, "/Probe2");
  probe_at(s, "/k/Probe1");
  assert_true(probe_at(s, "/k/Probe2")->zeta == 2);
  char *path = sofa_object_path(&probe_at(s, "/k/Probe2")->object);
  assert_string_equal(path, "/k/Probe2");
  sofa_free(b.ctx, path);
  assert_string_equal(s->root->children.data[1]->object.name, "");

  // files live as long as the simulation
  assert_non_null(strstr(probe_at(s, "/p")->object.file, "scene.scn"));
  sofa_simulation_destroy(&s);

  // text without a file
  assert_int_equal(sofa_simulation_load_text(b.ctx, "<Node><Probe name='x'/></Node>", &s), SOFA_OK);
  probe_at(s, "/x");
  sofa_simulation_destroy(&s);
  bench_close(&b);
}

static void applies_attributes_in_order(void **state) {
  Bench b;
  (void)state;
  open_bench(&b, false);

  // of a name and its alias the later one in the alphabet wins, not the one written last
  SofaSimulation *s =
      load(&b, "<Node><Probe name='a' zeta='1' alpha='2' omega='4' beta='5'/></Node>");
  assert_true(probe_at(s, "/a")->zeta == 1);
  assert_int_equal(probe_at(s, "/a")->beta, 4);
  sofa_simulation_destroy(&s);

  // src comes first, and leaves out what is written
  s = load(&b, "<Node><Probe name='a' list='1 2' word='w' zeta='9'/>"
               "<Probe name='b' word='own' src='@a'/></Node>");
  const Probe *p = probe_at(s, "/b");
  const SofaField *list = sofa_class_field(&probe_class, "list");
  assert_string_equal(p->word, "own");
  assert_non_null(sofa_field_state(&p->object, list)->source);
  sofa_simulation_destroy(&s);

  // names that say nothing, and values out of the attribute's own lines
  s = load(&b, "<Node><Probe _zeta='1' NOzeta='2' type='x' template='Rigid'/></Node>");
  assert_true(probe_at(s, "/Probe1")->zeta == 7);
  assert_string_equal(probe_at(s, "/Probe1")->object.template_name, "Rigid3d");
  assert_message(&b, "deprecated");
  sofa_simulation_destroy(&s);
  bench_close(&b);
}

/* ---- problems ---- */

static const char faulty[] = "<Node name='root'>\n"
                             "<Prob/>\n"
                             "<Probe name='p' zet='1'\n word='x'/>\n"
                             "<Probe name='q' zeta='abc'/>\n"
                             "<Node name='forbidden'>\n<Probe bet='1'/></Node>\n"
                             "<Node name='broken'>\n<Probe/></Node>\n"
                             "<Probe name='r' word='fail'/>\n"
                             "<Probe name='last'/>\n"
                             "</Node>";

static void expect_all(Bench *b) {
  assert_message(b, "scene.scn:2: error: <Prob> was not created");
  assert_message(b, "Probe");
  assert_message(b, "scene.scn:3: error: <Probe> has no attribute 'zet'; did you mean 'zeta'?");
  assert_message(b, "scene.scn:5: error: ");
  assert_message(b, "scene.scn:7: error: <Probe> was not created: ");
  assert_message(b, "not in this node");
  assert_message(b, "scene.scn:7: error: <Probe> has no attribute 'bet'; did you mean 'beta'?");
  assert_message(b, "scene.scn:9: error: ");
  assert_message(b, "scene.scn:10: error: the word is fail");
}

static void reports_all_problems(void **state) {
  Bench b;
  (void)state;
  open_bench(&b, false);
  refused(&b, faulty, "not in this node");
  expect_all(&b);
  refused(&b, "<Node><AnimationLoop/></Node>", "<AnimationLoop> was not created");
  refused(&b, "<Node><Object type='NoSuchThing'/></Node>", "<NoSuchThing> was not created");
  refused(&b, "<Node><Probe><Probe/></Probe></Node>", "only nodes have children");
  refused(&b, "<Node><MechanicalObject src='loader'/></Node>", "scene.scn:1: error");
  refused(&b, "<Node>", "malformed XML");
  bench_close(&b);
}

static void goes_on_when_asked(void **state) {
  Bench b;
  (void)state;
  open_bench(&b, true);
  SofaSimulation *s = load(&b, faulty);
  expect_all(&b);
  probe_at(s, "/last");
  assert_true(probe_at(s, "/q")->zeta == 0); /* what SOFA reads there */
  assert_string_equal(probe_at(s, "/p")->word, "x");
  probe_at(s, "/r");
  assert_int_equal(s->root->children.data[0]->objects.n, 0);
  assert_int_equal(s->root->children.data[1]->objects.n, 0);
  sofa_simulation_destroy(&s);
  refused(&b, "<Node>", "malformed XML");
  bench_close(&b);
}

static void accepts_old_forms(void **state) {
  Bench b;
  (void)state;
  open_bench(&b, false);
  SofaSimulation *s =
      load(&b, "<Node>\n<Node name='n' showWireFrame='1' showNormals='false' depend='x' "
               "multiThreadSimulation='1'/></Node>");
  assert_message(&b, "scene.scn:2: deprecated: attribute 'showNormals'");
  assert_message(&b, "scene.scn:2: warning: <Node> has no attribute 'depend'");
  const SofaObject *style = sofa_node_object(s->root->children.data[0], "displayFlags");
  assert_non_null(style);
  assert_string_equal(((const VisualStyle *)style)->display_flags, "hideNormals showWireframe");
  sofa_simulation_destroy(&s);

  // a template that is not there
  s = load(&b, "<Node><Probe template='Vec1d'/></Node>");
  assert_string_equal(probe_at(s, "/Probe1")->object.template_name, "Vec3d");
  assert_message(&b, "scene.scn:1: warning: <Probe>: template 'Vec1d' is not possible here");
  sofa_simulation_destroy(&s);
  bench_close(&b);
}

/* ---- plugins ---- */

static void requires_plugins(void **state) {
  Bench b;
  (void)state;
  open_bench(&b, false);
  SofaSimulation *s = load(&b, "<Node><RequiredPlugin name='n' pluginName='Sofa.Component.Mass "
                               "Sofa.Component.ODESolver.Backward'/></Node>");
  assert_no_message(&b);
  sofa_simulation_destroy(&s);
  s = load(&b, "<Node>\n<RequiredPlugin name='Sofa.Component.Mass'/></Node>");
  assert_message(&b, "scene.scn:2: deprecated: the plugin is named by 'name'");
  sofa_simulation_destroy(&s);
  refused(&b, "<Node>\n<RequiredPlugin pluginName='NoSuchPlugin'/></Node>",
          "scene.scn:2: error: plugin 'NoSuchPlugin' was not found");
  bench_close(&b);
}

/* ---- checks ---- */

/* A setting of a field that the object does not have is told, and nothing of it is left. */
static void refuses_unknown_settings(void **state) {
  Bench b;
  (void)state;
  open_bench(&b, false);
  assert_int_equal(sofa_scene_set(b.ctx, "/a.lst=1 2"), SOFA_OK);
  refused(&b, "<Node><Probe name='a'/></Node>",
          "<Probe> has no field 'lst', which was to be set; did you mean 'list'?");
  bench_close(&b);
}

static void checks_scenes(void **state) {
  Bench b;
  (void)state;
  open_bench(&b, false);
  SofaSimulation *s =
      load(&b, "<Node>\n<RequiredPlugin pluginName='Sofa.Component.Visual'/><Probe name='a'/>\n"
               "<Node name='a'/>\n<Node>\n<Probe name='b c'/></Node><VisualStyle/></Node>");
  assert_no_message(&b);
  assert_int_equal(sofa_scene_check(s), SOFA_OK);
  assert_message(&b, "scene.scn:1: warning: 2 objects or nodes here are called 'a'");
  assert_message(&b, "scene.scn:5: warning: the name 'b c' contains ' '");
  assert_message(
      &b, "<RequiredPlugin pluginName=\"Test.Probe\"/> <!-- Needed to use components [Probe] -->");
  assert_null(strstr(b.messages, "\"Sofa.Component.Visual\""));
  sofa_simulation_destroy(&s);
  bench_close(&b);
}

/* ---- display flags ---- */

static signed char flag(const Bench *b, const SofaObject *o, const char *text, SofaDisplayFlag f) {
  SofaDisplayFlags flags;
  (void)b;
  sofa_display_flags_parse(o, text, &flags);
  return flags.value[f];
}

static void reads_display_flags(void **state) {
  Bench b;
  (void)state;
  open_bench(&b, false);
  SofaSimulation *s = load(&b, "<Node><VisualStyle name='v'/></Node>");
  const SofaObject *o = s->root->objects.data[0];
  assert_int_equal(flag(&b, o, "showForceFields", SOFA_DISPLAY_FORCE_FIELDS), 1);
  assert_int_equal(flag(&b, o, "hideForceFields", SOFA_DISPLAY_FORCE_FIELDS), -1);
  assert_int_equal(flag(&b, o, "hideForceFields", SOFA_DISPLAY_WIREFRAME), 0);
  assert_int_equal(flag(&b, o, "showAll hideVisual", SOFA_DISPLAY_VISUAL_MODELS), 1);
  assert_int_equal(flag(&b, o, "showBehavior hideForceFields", SOFA_DISPLAY_FORCE_FIELDS), 1);
  assert_int_equal(flag(&b, o, "showNormals hideNormals", SOFA_DISPLAY_NORMALS), 1);
  assert_int_equal(flag(&b, o, "hideNormals showNormals", SOFA_DISPLAY_NORMALS), 1);
  assert_int_equal(flag(&b, o, "showAll", SOFA_DISPLAY_NORMALS), 0);
  assert_int_equal(flag(&b, o, "hideOptions", SOFA_DISPLAY_WIREFRAME), -1);
  assert_no_message(&b);
  assert_int_equal(flag(&b, o, "SHOWnormals", SOFA_DISPLAY_NORMALS), 1);
  assert_message(&b, "warning: displayFlags: 'SHOWnormals' is written 'showNormals'");
  assert_int_equal(flag(&b, o, "showNothing show hide x", SOFA_DISPLAY_NORMALS), 0);
  assert_message(&b, "warning: displayFlags: 'showNothing' is not a flag");
  assert_int_equal(flag(&b, o, "showRendering", SOFA_DISPLAY_ADVANCED_RENDERING), 1);
  assert_message(&b, "deprecated: 'showRendering' is called 'showAdvancedRendering' now");

  // a node's own flags override those of its parent
  SofaDisplayFlags flags, own;
  sofa_display_flags_parse(o, "showVisual hideNormals", &flags);
  sofa_display_flags_parse(o, "hideVisualModels showWireframe", &own);
  sofa_display_flags_override(&flags, &own);
  assert_int_equal(flags.value[SOFA_DISPLAY_VISUAL_MODELS], -1);
  assert_int_equal(flags.value[SOFA_DISPLAY_NORMALS], -1);
  assert_int_equal(flags.value[SOFA_DISPLAY_WIREFRAME], 1);
  sofa_simulation_destroy(&s);
  bench_close(&b);
}

static void reads_flags_of_options(void **state) {
  SofaDisplayFlags f;
  size_t n = 0;
  const char *near = NULL;
  (void)state;
  assert_null(sofa_display_flags_read("showForceFields, hideVisual", &f, &n, &near));
  assert_int_equal(f.value[SOFA_DISPLAY_FORCE_FIELDS], 1);
  assert_int_equal(f.value[SOFA_DISPLAY_VISUAL_MODELS], -1);
  assert_int_equal(f.value[SOFA_DISPLAY_WIREFRAME], 0);
  assert_null(sofa_display_flags_read("  -all WireFrame points,-contacts forces", &f, &n, &near));
  assert_int_equal(f.value[SOFA_DISPLAY_VISUAL_MODELS], -1);
  assert_int_equal(f.value[SOFA_DISPLAY_WIREFRAME], 1);
  // the outermost group decides, as in a scene
  assert_int_equal(f.value[SOFA_DISPLAY_BEHAVIOR_MODELS], -1);
  assert_null(sofa_display_flags_read("points -contacts forces", &f, &n, &near));
  assert_int_equal(f.value[SOFA_DISPLAY_BEHAVIOR_MODELS], 1);
  assert_int_equal(f.value[SOFA_DISPLAY_FORCE_FIELDS], 1);
  assert_int_equal(f.value[SOFA_DISPLAY_DETECTION_OUTPUTS], -1);
  assert_null(sofa_display_flags_read("", &f, &n, &near));
  assert_int_equal(f.value[SOFA_DISPLAY_FORCE_FIELDS], 0);

  // the first wrong word, and what is near
  const char *text = "showVisual hideMappngs x";
  assert_ptr_equal(sofa_display_flags_read(text, &f, &n, &near), text + 11);
  assert_int_equal(n, 11);
  assert_string_equal(near, "Mappings");
  assert_non_null(sofa_display_flags_read("contact", &f, &n, &near));
  assert_string_equal(near, "contacts");
  assert_non_null(sofa_display_flags_read("-", &f, &n, &near));
  assert_null(near);
  assert_non_null(sofa_display_flags_read("show", &f, &n, &near));
}

/* Loading again and again, each time with another allocation that fails. */
static void survives_without_memory(void **state) {
  Bench b;
  SofaSimulation *s = NULL;
  (void)state;
  open_bench(&b, false);
  bench_file(&b, "one.xml", "<Node name='Group'><Probe src='@' zeta='0'/></Node>");
  const char *text =
      "<Node name='r' showNormals='1'><RequiredPlugin pluginName='Sofa.Component.Mass'/>"
      "<Probe name='a' list='1 2'/><Probe src='@a'/><include href='one.xml' src='@a'/>"
      "<Node name='k' dt='1'><Probe template='Rigid'/></Node></Node>";
  char path[256];
  snprintf(path, sizeof path, "%s", bench_file(&b, "scene.scn", text));

  // once for what the context keeps
  SofaErr err = sofa_simulation_load(b.ctx, path, &s);
  assert_int_equal(err, SOFA_OK);
  assert_int_equal(sofa_scene_check(s), SOFA_OK);
  sofa_simulation_destroy(&s);
  const long blocks = b.blocks;
  err = SOFA_ERR_MEMORY;
  for (long i = 1; err != SOFA_OK && i < 10000; i++) {
    bench_clear(&b);
    b.calls = 0;
    b.fail_at = i;
    err = sofa_simulation_load(b.ctx, path, &s);
    if (err == SOFA_OK) err = sofa_scene_check(s);
    b.fail_at = 0;
    sofa_simulation_destroy(&s);
    if (b.blocks != blocks) fail_msg("call %ld: %ld blocks are lost", i, b.blocks - blocks);
  }
  assert_int_equal(err, SOFA_OK);
  bench_close(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(builds_the_graph),         cmocka_unit_test(applies_attributes_in_order),
      cmocka_unit_test(reports_all_problems),     cmocka_unit_test(goes_on_when_asked),
      cmocka_unit_test(accepts_old_forms),        cmocka_unit_test(requires_plugins),
      cmocka_unit_test(refuses_unknown_settings), cmocka_unit_test(checks_scenes),
      cmocka_unit_test(reads_display_flags),      cmocka_unit_test(reads_flags_of_options),
      cmocka_unit_test(survives_without_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
