/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every field of every object of a scene is edited: before and after init, as text, as numbers and
 * without a new value. What is set, refused and reported is that of edit_traces.txt. A trace that
 * changes on purpose is recorded again: CSOFA_RECORD=FILE writes what was found. */
#include <ctype.h>

#include "scene/edit.h"
#include "scene/save.h"
#include "tests/support/scene_run.h"
#include "tests/support/trace.h"

enum { MOST_TEXT = 2000000 };

static const char scene[] =
    "<Node name='root' dt='0.01' gravity='0 -1 0'><DefaultAnimationLoop/>"
    "<DefaultVisualManagerLoop/>"
    "<Node name='body' tags='one two'><EulerImplicitSolver name='ode' rayleighMass='0.1'/>"
    "<SparseLDLSolver name='ldl'/><SparseLDLSolver name='other'/>"
    "<MeshTopology name='mesh' position='0 0 0 1 0 0 0 1 0 0 0 1 1 1 1' "
    "tetrahedra='0 1 2 3 1 2 3 4'/><MechanicalObject name='state' position='@mesh.position'/>"
    "<UniformMass name='mass' totalMass='2'/>"
    "<TetrahedronFEMForceField name='fem' youngModulus='100' poissonRatio='0.3'/>"
    "<BoxROI name='roi' box='-1 -1 -1 2 2 0.5' position='@mesh.position'/>"
    "<FixedProjectiveConstraint name='fixed' indices='@roi.indices'/>"
    "<ConstantForceField name='load' indices='3 4' forces='1 0 0 0 1 0'/>"
    "<SpringForceField name='springs' spring='0 1 5 0.1 1 2 3 6 0.2 1'/>"
    "<Node name='points'><MechanicalObject name='state' position='0.1 0.2 0.3'/>"
    "<BarycentricMapping name='map'/></Node><Node name='skin'><OglModel name='shown' "
    "position='0 0 0 1 0 0 0 1 0 0 0 1 1 1 1' triangles='0 1 2'/><IdentityMapping/></Node>"
    "</Node></Node>";

static void sink(void *user, const SofaMessage *message) {
  if (message->severity >= SOFA_WARNING)
    trace_add(user, "    %s: %.110s\n", sofa_severity_text(message->severity), message->text);
}

static void open_scene(SceneRun *run, Trace *t, bool init) {
  *run = (SceneRun){.quiet = true};
  scene_run_context(run, NULL);
  assert_int_equal(sofa_simulation_load_text(run->ctx, scene, &run->simulation), SOFA_OK);
  if (init) assert_int_equal(sofa_simulation_init(run->simulation), SOFA_OK);
  run->ctx->sink = sink;
  run->ctx->sink_user = t;
}

static void close_scene(SceneRun *run) {
  run->ctx->sink = scene_run_sink;
  run->ctx->sink_user = run;
  scene_run_close(run);
}

/* The value afterwards, where the field is still there. */
static void add_value(Trace *t, const SofaObject *object, const SofaField *field, SofaErr err) {
  SofaText text = {0};
  (void)sofa_field_print(object, field, &text);
  trace_add(t, "  -> %s: %.60s%s\n", sofa_err_text(err), text.n ? text.data : "",
            sofa_field_state(object, field)->set ? ", set" : "");
  sofa_list_free(object->ctx, &text);
}

static const char *const texts[] = {"",     "1",   "2.5 0 0", "0 1 2 3 4 5", "@../mesh.position",
                                    "@roi", "word"};

static void edit_texts(Trace *t, SceneRun *run, const char *path, const SofaField *field) {
  for (size_t i = 0; i < SOFA_COUNT(texts); i++) {
    SofaObject *object = scene_run_object(run, path);
    const SofaObject *before = object;
    trace_add(t, " '%s'\n", texts[i]);
    const SofaErr err = sofa_edit(&object, field->name, texts[i]);
    if (object != before) trace_add(t, "  made again\n");
    assert_ptr_equal(object, scene_run_object(run, path));
    add_value(t, object, field, err);
  }
}

static void edit_numbers(Trace *t, SceneRun *run, const char *path, const SofaField *field) {
  static const double numbers[] = {1, -2, 0.5, 3, 4, 5};
  static const size_t lengths[] = {1, 3, 6};
  if (field->type->scalar == SOFA_SCALAR_NONE) return;
  for (size_t i = 0; i < SOFA_COUNT(lengths); i++) {
    SofaObject *object = scene_run_object(run, path);
    const SofaObject *before = object;
    trace_add(t, " %zu numbers\n", lengths[i]);
    const SofaErr err = sofa_edit_numbers(&object, field->name, lengths[i], numbers);
    if (object != before) trace_add(t, "  made again\n");
    assert_ptr_equal(object, scene_run_object(run, path));
    add_value(t, object, field, err);
  }
  SofaObject *object = scene_run_object(run, path);
  trace_add(t, " touched\n");
  add_value(t, object, field, sofa_edit_touch(object, field));
}

/* Each field in a scene of its own, but for those of the base that all objects have. */
static void edit_object(Trace *t, const char *path, bool init) {
  SceneRun run;
  open_scene(&run, t, init);
  const SofaClass *klass = scene_run_object(&run, path)->klass;
  close_scene(&run);
  for (const SofaClass *k = klass; k; k = k->base) {
    if (k == &sofa_object_class && strcmp(path, "/body/fem") != 0) continue;
    for (size_t i = 0; i < k->n_fields; i++) {
      const SofaField *field = &k->fields[i];
      if (field->flags & (SOFA_FIELD_DISPLAY | SOFA_FIELD_NO_EFFECT) && i % 4) continue;
      trace_add(t, "%s %s%s\n", path, field->name, init ? "" : " before init");
      open_scene(&run, t, init);
      edit_texts(t, &run, path, field);
      edit_numbers(t, &run, path, field);
      close_scene(&run);
    }
  }
}

static void as_recorded(void **state) {
  static const char *const paths[] = {"/body/ode",        "/body/mesh",      "/body/state",
                                      "/body/mass",       "/body/fem",       "/body/roi",
                                      "/body/fixed",      "/body/load",      "/body/springs",
                                      "/body/points/map", "/body/skin/shown"};
  static char found[MOST_TEXT];
  Trace t = {.text = found, .most = sizeof found};
  (void)state;
  trace_add(&t, "# SPDX-License-Identifier: LGPL-2.1-or-later\n");
  for (size_t i = 0; i < SOFA_COUNT(paths); i++)
    for (int init = 0; init < 2; init++)
      if (init || i % 3 == 0) edit_object(&t, paths[i], init == 1);
  trace_check(&t, "tests/unit/scene/edit_traces.txt");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(as_recorded)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
