/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every mapping on the scenes of the conformance suite: what it maps and its fields are those of
 * mapping_traces.txt. The conformance suite compares the operations with each other; the numbers
 * here say what is mapped. A trace that changes on purpose is recorded again: CSOFA_RECORD=FILE
 * writes what was found. */
#include <ctype.h>

#include "tests/support/mapping_cases.h"

#include "components/builtins.h"
#include "tests/support/trace.h"

enum { MOST_TEXT = 1000000, MOST_INPUTS = 4 };

/* Numbers of rounding errors are 0. */
static void add_numbers(Trace *t, const char *name, const double *x, size_t n) {
  trace_add(t, "  %s", name);
  for (size_t i = 0; i < n; i++) trace_add(t, " %.5g", fabs(x[i]) < 1e-9 ? 0 : x[i]);
  trace_add(t, "\n");
}

/* Text with the numbers in it rounded. */
static void add_text(Trace *t, const char *name, const char *text) {
  trace_add(t, "  %s ", name);
  for (const char *at = text; *at;) {
    char *end = NULL;
    const bool begins = at == text || strchr(" ,[", at[-1]);
    const double value = begins && !isalpha((unsigned char)*at) ? strtod(at, &end) : 0;
    if (!end || end == at) trace_add(t, "%c", *at++);
    else trace_add(t, "%.5g", fabs(value) < 1e-9 ? 0 : value), at = end;
  }
  trace_add(t, "\n");
}

static SofaMapping *find_mapping(SofaNode *node, const char *klass) {
  for (size_t i = 0; i < node->objects.n; i++)
    if (strcmp(node->objects.data[i]->klass->name, klass) == 0)
      return (SofaMapping *)node->objects.data[i];
  for (size_t i = 0; i < node->children.n; i++) {
    SofaMapping *found = find_mapping(node->children.data[i], klass);
    if (found) return found;
  }
  return NULL;
}

static void add_fields(Trace *t, const SofaObject *object) {
  for (const SofaClass *k = object->klass; k != &sofa_object_class; k = k->base)
    for (size_t i = 0; i < k->n_fields; i++) {
      SofaText text = {0};
      (void)sofa_field_print(object, &k->fields[i], &text);
      if (text.n) add_text(t, k->fields[i].name, text.data);
      sofa_list_free(object->ctx, &text);
    }
}

/* What a mapped point is at moved inputs, its velocity, and the forces of a force on it. */
static void add_operations(Trace *t, SofaContext *ctx, SofaMapping *map) {
  double *x[MOST_INPUTS] = {NULL}, *v[MOST_INPUTS] = {NULL}, *f[MOST_INPUTS] = {NULL};
  const SofaState *out = map->out;
  const SofaStateKindInfo *kind = sofa_state_kind_info(out->object.kind);
  const size_t nx = out->position.n * kind->coord, nv = out->position.n * kind->deriv;
  double *x_out = calloc(nx + 1, sizeof *x_out), *v_out = calloc(nv + 1, sizeof *v_out);
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  for (size_t k = 0; k < map->n_inputs; k++) {
    const SofaState *s = map->inputs[k];
    const size_t n = s->position.n, w = sofa_state_kind_info(s->object.kind)->deriv;
    x[k] = calloc(n * s->position.width + 1, sizeof **x);
    v[k] = calloc(n * w + 1, sizeof **v);
    f[k] = calloc(n * w + 1, sizeof **f);
    memcpy(x[k], s->position.data, n * s->position.width * sizeof **x);
    for (size_t i = 0; i < n * w; i++) v[k][i] = (double)((i * 7 + 3 * k) % 11) / 10 - 0.4;
    sofa_state_integrate(s->object.kind, n, 0.3, v[k], x[k]);
  }
  const SofaPoint at = {.x = (const double *const *)x,
                        .v = (const double *const *)v,
                        .n = map->n_inputs,
                        .id = sofa_point_id(ctx)};
  assert_int_equal(sofa_mapping_apply(map, &at, x_out), SOFA_OK);
  add_numbers(t, "moved", x_out, nx);
  assert_int_equal(sofa_mapping_apply_j(map, &at, at.v, v_out), SOFA_OK);
  add_numbers(t, "velocity", v_out, nv);
  for (size_t i = 0; i < nv; i++) v_out[i] = (double)(i * 5 % 7) - 3;
  assert_int_equal(sofa_mapping_apply_jt(map, &at, v_out, f), SOFA_OK);
  for (size_t k = 0; k < map->n_inputs; k++) {
    const SofaState *s = map->inputs[k];
    add_numbers(t, "force", f[k], s->position.n * sofa_state_kind_info(s->object.kind)->deriv);
    free(x[k]), free(v[k]), free(f[k]);
  }
  sofa_scratch_release(ctx, mark);
  free(x_out), free(v_out);
}

static void sink(void *user, const SofaMessage *message) {
  if (message->severity >= SOFA_WARNING)
    trace_add(user, "  %s: %s\n", sofa_severity_text(message->severity), message->text);
}

static void run_case(Trace *t, const MappingCase *c, bool quirks) {
  SceneRun run = {.quiet = true};
  const SofaContextOptions options = {.quirks = quirks};
  scene_run_context(&run, &options);
  run.ctx->sink = sink;
  run.ctx->sink_user = t;
  SofaErr err = sofa_simulation_load_text(run.ctx, c->scene, &run.simulation);
  if (err == SOFA_OK) err = sofa_simulation_init(run.simulation);
  trace_add(t, "%s", err == SOFA_OK ? "" : "  not initialised\n");
  SofaMapping *map = err == SOFA_OK ? find_mapping(run.simulation->root, c->klass) : NULL;
  if (map) {
    add_fields(t, &map->object);
    const SofaState *out = map->out;
    add_numbers(t, "position", out->position.data, out->position.n * out->position.width);
    add_operations(t, run.ctx, map);
  }
  run.ctx->sink = scene_run_sink;
  run.ctx->sink_user = &run;
  scene_run_close(&run);
}

/* With quirks only where that differs. */
static void trace(Trace *t, const MappingCase *c) {
  static char text[2][MOST_TEXT / 4];
  for (int quirks = 0; quirks < 2; quirks++) {
    Trace one = {.text = text[quirks], .most = sizeof text[quirks]};
    text[quirks][0] = 0;
    run_case(&one, c, quirks == 1);
    if (quirks == 0 || strcmp(text[0], text[1]) != 0)
      trace_add(t, "%s, %s%s\n%s", c->klass, c->what, quirks ? " with quirks" : "", text[quirks]);
  }
}

static void as_recorded(void **state) {
  static char found[MOST_TEXT];
  Trace t = {.text = found, .most = sizeof found};
  (void)state;
  trace_add(&t, "# SPDX-License-Identifier: LGPL-2.1-or-later\n");
  for (size_t l = 0; l < N_LISTS; l++)
    for (size_t k = 0; k < mapping_list_sizes[l]; k++) trace(&t, &mapping_lists[l][k]);
  trace_check(&t, "tests/unit/mapping/mapping_traces.txt");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(as_recorded)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
