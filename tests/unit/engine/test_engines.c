/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* All engines: what comes out of known inputs, out of changed ones, out of none, and of bad ones.
 * An engine without a case fails. */
#include "tests/support/engine_cases.h"
#include "tests/support/scene_run.h"

#include <math.h>
#include <unistd.h>

#include "object/data_graph.h"

/* Notes a failure: all of them show in one run. */
#define MISS(...) (print_error(__VA_ARGS__), print_error("\n"), 1)

static void open_case(SceneRun *run, const char *before, const char *name, const char *attributes) {
  char text[8000];
  snprintf(text, sizeof text,
           "<Node name='root'><DefaultAnimationLoop/><Node name='n'>%s<%s name='e' %s/></Node>"
           "</Node>",
           before ? before : "", name, attributes ? attributes : "");
  memset(run, 0, sizeof *run);
  run->quiet = true;
  scene_run_context(run, NULL);
  run->quiet = true;
  if (sofa_simulation_load_text(run->ctx, text, &run->simulation) == SOFA_OK)
    (void)sofa_simulation_init(run->simulation);
}

static bool has_errors(const SceneRun *run) {
  return run->ctx->n_messages[SOFA_ERROR] > 0;
}

/* Are both lists of the same numbers, up to 1e-15? */
static bool near(const char *a, const char *b) {
  double x = 0, y = 0;
  while (sofa_read_real(&a, &x) && sofa_read_real(&b, &y))
    if (!(fabs(x - y) <= 1e-15)) return false;
  return sofa_at_end(&a) && sofa_at_end(&b);
}

/* 0, or 1 when the output is not the expected one. */
static int differs(SceneRun *run, const EngineCase *c, const char *what, const char *expected) {
  SofaText text = {0};
  if (has_errors(run)) return MISS("%s, %s: %s", c->name, what, run->last);
  SofaObject *object = scene_run_object(run, "/n/e");
  const SofaField *field = sofa_class_field(object->klass, c->output);
  if (!field) return MISS("%s has no field '%s'", c->name, c->output);
  assert_int_equal(sofa_field_print(object, field, &text), SOFA_OK);
  const bool same = c->rounded ? near(text.data, expected) : strcmp(text.data, expected) == 0;
  const int miss =
      !same ? MISS("%s, %s: '%s', expected '%s'", c->name, what, text.data, expected) : 0;
  sofa_list_free(run->ctx, &text);
  return miss;
}

/* 0, or 1 when scratch memory was taken after `before` and not given back. */
static int keeps_scratch(SceneRun *run, const EngineCase *c, SofaScratchMark before) {
  const SofaScratchMark now = sofa_scratch_mark(run->ctx);
  const bool same = now.chunk == before.chunk && now.used == before.used;
  return same ? 0 : MISS("%s does not give its scratch memory back", c->name);
}

static void known_and_changed_inputs(void **state) {
  (void)state;
  int n = 0;
  for (size_t i = 0; i < N_ENGINE_CASES; i++) {
    const EngineCase *c = engine_case(i);
    SceneRun run;
    open_case(&run, c->before, c->name, c->attributes);
    const int miss = differs(&run, c, "known inputs", c->expected);
    if (!miss && c->change) {
      SofaObject *object = scene_run_object(&run, "/n/e");
      const SofaScratchMark before = sofa_scratch_mark(run.ctx);
      (void)sofa_field_set_text(object, c->change, c->to, 0);
      (void)sofa_data_update(object);
      n += differs(&run, c, "a changed input", c->then);
      n += keeps_scratch(&run, c, before);
    }
    n += miss;
    scene_run_close(&run);
  }
  assert_int_equal(n, 0);
}

/* Random displacements: within their bounds, spread over them, the same for the same seed. */
static void random_displacements(void **state) {
  (void)state;
  static const char *const seeds[] = {"7", "7", "8"};
  char points[1000] = "", attributes[1200];
  double x[3][150];
  for (int i = 0; i < 50; i++) strcat(points, "1 2 3 ");
  for (int k = 0; k < 3; k++) {
    SceneRun run;
    snprintf(attributes, sizeof attributes,
             "input_position='%s' method='random' maxRandomDisplacement='0.25' seedValue='%s'",
             points, seeds[k]);
    open_case(&run, NULL, "TransformPosition", attributes);
    SofaObject *e = scene_run_object(&run, "/n/e");
    assert_int_equal(sofa_data_update(e), SOFA_OK);
    const SofaVec3s *out = sofa_field_value(e, sofa_class_field(e->klass, "output_position"));
    assert_int_equal(out->n, 50);
    double low = 0, high = 0;
    for (int i = 0; i < 150; i++) {
      x[k][i] = out->data[i / 3].v[i % 3];
      low = fmin(low, x[k][i] - (1 + i % 3)), high = fmax(high, x[k][i] - (1 + i % 3));
    }
    assert_true(low >= -0.25 && low < -0.2 && high > 0.2 && high <= 0.25);
    scene_run_close(&run);
  }
  assert_memory_equal(x[0], x[1], sizeof *x);
  assert_memory_not_equal(x[0], x[2], sizeof *x);
}

static void no_inputs(void **state) {
  (void)state;
  int n = 0;
  for (size_t i = 0; i < N_ENGINE_CASES; i++) {
    const EngineCase *c = engine_case(i);
    SceneRun run;
    if (!c->empty) continue;
    open_case(&run, c->empty_before, c->name, c->empty);
    n += differs(&run, c, "no inputs", c->nothing ? c->nothing : "");
    scene_run_close(&run);
  }
  assert_int_equal(n, 0);
}

static void bad_inputs(void **state) {
  (void)state;
  int n = 0;
  for (size_t i = 0; i < N_ENGINE_CASES; i++) {
    const EngineCase *c = engine_case(i);
    SceneRun run;
    if (!c->bad) continue;
    open_case(&run, c->before, c->name, c->bad);
    if (!has_errors(&run)) n += MISS("%s takes %s", c->name, c->bad);
    else if (!strstr(run.last, c->message))
      n += MISS("%s with %s: '%s', expected '%s'", c->name, c->bad, run.last, c->message);
    scene_run_close(&run);
  }
  assert_int_equal(n, 0);
}

/* Every engine of the factory has a case with all four parts. */
static void every_engine_has_a_case(void **state) {
  (void)state;
  SceneRun run = {0};
  size_t n = 0;
  scene_run_context(&run, NULL);
  for (size_t i = 0; i < sofa_factory_n_classes(run.ctx); i++) {
    const SofaClass *klass = sofa_factory_class_at(run.ctx, i);
    bool change = false, empty = false, bad = false;
    if (!sofa_class_ops(klass, SOFA_ENGINE)) continue;
    for (size_t k = 0; k < N_ENGINE_CASES; k++) {
      const EngineCase *c = engine_case(k);
      if (strcmp(c->name, klass->name) != 0) continue;
      change |= c->change != NULL;
      empty |= c->empty != NULL;
      bad |= c->bad != NULL || c->cannot_fail;
    }
    if (!change || !empty || !bad)
      fail_msg("%s has no case with%s%s%s", klass->name, change ? "" : " a changed input",
               empty ? "" : " empty inputs", bad ? "" : " a bad input");
    n++;
  }
  assert_true(n > 60);
  scene_run_close(&run);
}

/* ---- fields made for each object ---- */

static void families(void **state) {
  (void)state;
  SceneRun run;
  open_case(&run, NULL, "MergeVectors", "template='vector&lt;i&gt;' nbInputs='70000'");
  assert_non_null(strstr(run.last, "0 to 10000"));
  scene_run_close(&run);
  // the number of fields is that of the scene, whatever the count becomes
  open_case(&run, "<MergeVectors name='a' template='vector&lt;i&gt;' input1='1'/>", "MergeVectors",
            "template='vector&lt;i&gt;' nbInputs='@a.nbInputs' input1='@a.output' input2='7'");
  assert_false(has_errors(&run));
  SofaObject *object = scene_run_object(&run, "/n/e");
  assert_int_equal(sofa_family_n(object, 1), 2);
  assert_string_equal(object->klass->name, "MergeVectors");
  assert_ptr_equal(sofa_object_class_of(object), sofa_factory_find(run.ctx, "MergeVectors", NULL));
  scene_run_close(&run);
  open_case(&run, "<MergeVectors name='a' template='vector&lt;i&gt;' nbInputs='3'/>",
            "MergeVectors", "template='vector&lt;i&gt;' nbInputs='@a.nbInputs'");
  assert_non_null(strstr(run.last, "nbInputs"));
  scene_run_close(&run);
  open_case(&run, NULL, "MergeVectors", "template='vector&lt;i&gt;' input3='1'");
  assert_non_null(strstr(run.last, "input3"));
  scene_run_close(&run);
}

/* An output linked to another engine's input follows. */
static void chains(void **state) {
  (void)state;
  SceneRun run;
  open_case(&run,
            "<MergeVectors name='a' template='vector&lt;d&gt;' input1='1 2' input2='3'/>"
            "<IndicesFromValues name='b' template='d' global='@a.output' values='3'/>",
            "ValuesFromIndices", "template='d' in='@a.output' indices='@b.indices'");
  const EngineCase c = {.name = "chain", .output = "out"};
  assert_int_equal(differs(&run, &c, "linked", "3"), 0);
  SofaObject *a = scene_run_object(&run, "/n/a");
  assert_int_equal(sofa_field_set_text(a, "input1", "3 5", 0), SOFA_OK);
  assert_int_equal(sofa_data_update(scene_run_object(&run, "/n/e")), SOFA_OK);
  assert_int_equal(differs(&run, &c, "changed", "3"), 0);
  scene_run_close(&run);
}

/* A box does not take the edges of its node's topology where these come from what it selects. */
static void open_inputs_close_no_cycle(void **state) {
  (void)state;
  SceneRun run;
  open_case(&run,
            STATE "<BoxROI name='box' box='-1 -1 -1 0.5 2 2'/>"
                  "<EdgeSetTopologyContainer name='pairs' edges='@e.edges'/>"
                  "<MechanicalObject name='other' position='0 1 0 1 0 0'/>",
            "NearestPointROI",
            "template='Vec3' object1='@state' object2='@other' radius='0.1' "
            "inputIndices1='@box.indices'");
  const EngineCase c = {.name = "cycle", .output = "indices1"};
  assert_int_equal(differs(&run, &c, "selected", "2"), 0);
  const SofaObject *box = scene_run_object(&run, "/n/box");
  assert_null(sofa_field_state(box, sofa_class_field(box->klass, "edges"))->source);
  scene_run_close(&run);
}

/* The second object has its points when it is initialised, after the engine. */
static void merged_points_of_a_later_state(void **state) {
  (void)state;
  SceneRun run = {.quiet = true};
  scene_run_context(&run, NULL);
  run.quiet = true;
  assert_int_equal(
      sofa_simulation_load_text(
          run.ctx,
          "<Node name='root'><DefaultAnimationLoop/><Node name='n'>"
          "<MergePoints name='e' template='Vec3' position1='" CORNERS "' position2='@m/s.position' "
          "mappingX2='3 1'/><Node name='m'><PointSetTopologyContainer position='5 0 0 6 0 0'/>"
          "<MechanicalObject name='s'/></Node></Node></Node>",
          &run.simulation),
      SOFA_OK);
  assert_int_equal(sofa_simulation_init(run.simulation), SOFA_OK);
  const EngineCase c = {.name = "late", .output = "points"};
  assert_int_equal(differs(&run, &c, "merged", "0 0 0 6 0 0 0 1 0 5 0 0"), 0);
  scene_run_close(&run);
}

/* Engines that take each other's values twice: 2^60 ways lead to the first one. */
static void many_ways_are_gone_once(void **state) {
  (void)state;
  enum { N = 60 };
  static char text[N * 160 + 1000];
  size_t n = 0;
  n += (size_t)snprintf(text + n, sizeof text - n,
                        "<Node name='root'><DefaultAnimationLoop/><Node name='n'>"
                        "<MechanicalObject name='first' position='1 0 0'/><TransformEngine "
                        "name='e0' template='Vec3d' input_position='@first.position'/>");
  for (int i = 1; i <= N; i++)
    n += (size_t)snprintf(text + n, sizeof text - n,
                          "<DifferenceEngine name='e%d' template='Vec3d' input='@e%d.%s' "
                          "substractor='@e%d.%s'/>",
                          i, i - 1, i == 1 ? "output_position" : "output", i - 1,
                          i == 1 ? "output_position" : "output");
  snprintf(text + n, sizeof text - n,
           "<MechanicalObject name='last' position='@e%d.output'/>"
           "<BoxROI name='box' box='-1 -1 -1 2 2 2'/></Node></Node>",
           N);
  SceneRun run;
  scene_run_open(&run, text, NULL);
  scene_run_steps(&run, 2);
  scene_run_close(&run);
}

/* Clusters written to a file and read again are the same. */
static void cluster_files(void **state) {
  (void)state;
  SceneRun run;
  char folder[] = "/tmp/csofa-clusters-XXXXXX", attributes[300], path[100];
  const EngineCase c = {.name = "ClusteringEngine", .output = "cluster"};
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/clusters.txt", folder);
  snprintf(attributes, sizeof attributes,
           "position='0 0 0 1 0 0 5 0 0 6 0 0' number='2' radius='1.5' outFile='%s'", path);
  open_case(&run, NULL, c.name, attributes);
  assert_int_equal(differs(&run, &c, "written", "[0,1,3] [3,0,2]"), 0);
  scene_run_close(&run);
  snprintf(attributes, sizeof attributes, "inFile='%s'", path);
  open_case(&run, NULL, c.name, attributes);
  assert_int_equal(differs(&run, &c, "read", "[0,1,3] [3,0,2]"), 0);
  scene_run_close(&run);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs("1 1 1 2 2 3 0 1", file);
  fclose(file);
  open_case(&run, NULL, c.name, attributes);
  assert_non_null(strstr(run.last, "not a file of clusters"));
  scene_run_close(&run);
  unlink(path);
  rmdir(folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_engine_has_a_case),
      cmocka_unit_test(known_and_changed_inputs),
      cmocka_unit_test(random_displacements),
      cmocka_unit_test(no_inputs),
      cmocka_unit_test(bad_inputs),
      cmocka_unit_test(families),
      cmocka_unit_test(chains),
      cmocka_unit_test(open_inputs_close_no_cycle),
      cmocka_unit_test(many_ways_are_gone_once),
      cmocka_unit_test(merged_points_of_a_later_state),
      cmocka_unit_test(cluster_files),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
