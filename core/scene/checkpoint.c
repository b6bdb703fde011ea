/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The file of a checkpoint: head, options, objects, and their values. */
#include "scene/checkpoint.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/checksum.h"
#include "base/files.h"
#include "base/output.h"
#include "base/provenance.h"
#include "base/quirks.h"
#include "base/text.h"
#include "change/change_log.h"
#include "math/kernels.h"
#include "scene/checkpoint_impl.h"
#include "simulation/divide.h"
#include "simulation/schedule.h"

static const char magic[8] = {'c', 's', 'o', 'f', 'a', 'R', 'U', 'N'};
/* of a scene with a divided mesh: in the order of the whole mesh */
enum { FORMAT = 1, FORMAT_WHOLE = 2, BYTE_ORDER_MARK = 0x01020304 };

typedef struct Head {
  char magic[8];
  uint32_t order, format;
  uint64_t length, sum; /* of what follows */
} Head;

/* ---- the objects of the graph ---- */

typedef struct Collector {
  SofaObjects *objects;
  bool made; /* with those that others have made in steps */
  SofaErr err;
} Collector;

static SofaVisit collect_node(SofaNode *node, void *user) {
  Collector *c = user;
  SofaObject *object = &node->object;
  c->err = SOFA_APPEND(object->ctx, c->objects, &object);
  for (size_t i = 0; i < node->objects.n && c->err == SOFA_OK; i++)
    if (c->made || !node->objects.data[i]->of_run)
      c->err = SOFA_APPEND(object->ctx, c->objects, &node->objects.data[i]);
  return c->err == SOFA_OK ? SOFA_CONTINUE : SOFA_STOP;
}

/* Nodes and objects in visiting order, inactive ones included. */
static SofaErr collect(SofaNode *root, bool made, SofaObjects *out) {
  Collector c = {.objects = out, .made = made};
  out->n = 0;
  SOFA_TRY(
      sofa_visit(root, &(SofaVisitor){.down = collect_node, .user = &c, .inactive_too = true}));
  return c.err;
}

static int by_address(const void *a, const void *b) {
  const uintptr_t p = (uintptr_t) * (SofaObject *const *)a,
                  q = (uintptr_t) * (SofaObject *const *)b;
  return p < q ? -1 : p > q;
}

/* So that the writer finds the place of an object. */
static SofaErr index_objects(SofaCheckpointWriter *w, const SofaObjects *objects) {
  SofaContext *ctx = w->ctx;
  w->objects = objects;
  SOFA_TRY(SOFA_RESIZE(ctx, &w->sorted, objects->n));
  SOFA_TRY(SOFA_RESIZE(ctx, &w->places, objects->n));
  sofa_copy(w->sorted.data, objects->data, objects->n * sizeof *objects->data);
  sofa_sort(w->sorted.data, w->sorted.n, sizeof *w->sorted.data, by_address);
  for (uint32_t i = 0; i < objects->n; i++) {
    const SofaObject *const key = objects->data[i];
    SofaObject **at =
        sofa_search(&key, w->sorted.data, w->sorted.n, sizeof *w->sorted.data, by_address);
    w->places.data[at - w->sorted.data] = i;
  }
  return SOFA_OK;
}

/* ---- what decides the bits ---- */

typedef struct Condition {
  const char *what;
  char text[64];
} Condition;
enum { N_CONDITIONS = 5 };

static void find_conditions(const SofaSimulation *s, Condition out[N_CONDITIONS]) {
  const SofaContext *ctx = s->ctx;
  const char *quirks = sofa_quirks_chosen(ctx);
  const char *const what[N_CONDITIONS] = {"the version of csofa", "the instruction set",
                                          "the quirks", "--keep-going",
                                          "the scene (its elements or its meshes)"};
  for (int i = 0; i < N_CONDITIONS; i++) out[i].what = what[i];
  snprintf(out[0].text, sizeof out[0].text, "%s", CSOFA_VERSION);
  snprintf(out[1].text, sizeof out[1].text, "%s",
           sofa_arithmetic(ctx->kernels ? ctx->kernels->name : NULL));
  if (strlen(quirks) < sizeof out[2].text) snprintf(out[2].text, sizeof out[2].text, "%s", quirks);
  else
    snprintf(out[2].text, sizeof out[2].text, "%016llx",
             (unsigned long long)sofa_checksum(SOFA_CHECKSUM_BEGIN, quirks, strlen(quirks)));
  snprintf(out[3].text, sizeof out[3].text, "%s", ctx->keep_going ? "on" : "off");
  snprintf(out[4].text, sizeof out[4].text, "%016llx", (unsigned long long)s->scene_sum);
}

/* ---- saving ---- */

/* Objects that others have made are in the lists of their makers. */
static SofaErr put_objects(SofaCheckpointWriter *w) {
  sofa_checkpoint_put_uint(w, w->objects->n);
  for (size_t i = 0; i < w->objects->n && w->err == SOFA_OK; i++) {
    const SofaObject *object = w->objects->data[i];
    char *path = sofa_object_path(object);
    if (!path) return SOFA_ERR_MEMORY;
    sofa_checkpoint_put_text(w, path);
    sofa_checkpoint_put_text(w, sofa_object_class_of(object)->name);
    sofa_checkpoint_put_uint(w, object->of_run);
    sofa_free(w->ctx, path);
  }
  return w->err;
}

/* In numbers of the objects that others have not made. */
static SofaErr put_made(SofaSimulation *s, SofaCheckpointWriter *w) {
  const SofaObjects *all = w->objects;
  SofaObjects objects = {0};
  SofaErr err = SOFA_OK;
  SOFA_GO(err, done, collect(s->root, false, &objects));
  SOFA_GO(err, done, index_objects(w, &objects));
  for (size_t i = 0; i < objects.n; i++) {
    if (!sofa_checkpoint_makes(objects.data[i])) continue;
    const size_t part = sofa_checkpoint_begin(w);
    SOFA_GO(err, done, sofa_checkpoint_put_made(w, objects.data[i]));
    sofa_checkpoint_end(w, part);
  }
  err = index_objects(w, all);
done:
  sofa_list_free(s->ctx, &objects);
  return err == SOFA_OK ? w->err : err;
}

static SofaErr put_values(SofaCheckpointWriter *w) {
  for (size_t i = 0; i < w->objects->n && w->err == SOFA_OK; i++) {
    const size_t fields = sofa_checkpoint_begin(w);
    sofa_checkpoint_put_fields(w, w->objects->data[i]);
    sofa_checkpoint_end(w, fields);
  }
  SOFA_TRY(w->err);
  SOFA_TRY(sofa_checkpoint_put_plans(w, false));
  for (size_t i = 0; i < w->objects->n && w->err == SOFA_OK; i++) {
    const size_t hidden = sofa_checkpoint_begin(w);
    sofa_checkpoint_put_hidden(w, w->objects->data[i]);
    sofa_checkpoint_end(w, hidden);
  }
  return w->err;
}

static SofaErr put_whole_values(SofaCheckpointWriter *w) {
  SOFA_TRY(sofa_checkpoint_put_divided(w, false));
  SOFA_TRY(sofa_checkpoint_put_plans(w, true));
  return sofa_checkpoint_put_divided(w, true);
}

static SofaErr put_all(SofaSimulation *s, SofaCheckpointWriter *w) {
  Condition conditions[N_CONDITIONS];
  size_t n_changes;
  const void *changes = sofa_changes(s->root, &n_changes);
  find_conditions(s, conditions);
  for (int i = 0; i < N_CONDITIONS; i++) sofa_checkpoint_put_text(w, conditions[i].text);
  SOFA_TRY(put_objects(w));
  sofa_checkpoint_put_uint(w, s->steps);
  if (sofa_is_divided(s->root)) return put_whole_values(w);
  sofa_checkpoint_put_uint(w, n_changes);
  sofa_checkpoint_put(w, changes, n_changes);
  SOFA_TRY(put_made(s, w));
  return put_values(w);
}

static SofaErr check_objects(const SofaObjects *objects) {
  SofaErr err = SOFA_OK;
  for (size_t i = 0; i < objects->n; i++) {
    const char *why = sofa_checkpoint_refusal(objects->data[i]);
    if (why) err = sofa_object_unsupported(objects->data[i], "a saved state: %s", why);
  }
  return err;
}

static SofaErr fail(const SofaSimulation *s, SofaErr err, const char *what) {
  return sofa_fail(s->ctx, err, &(SofaOrigin){.file = s->file}, "%s", what);
}

SofaErr sofa_checkpoint_write(SofaSimulation *s, SofaText *out) {
  SofaCheckpointWriter w = {.ctx = s->ctx};
  SofaObjects objects = {0};
  Head head = {.order = BYTE_ORDER_MARK,
               .format = sofa_is_divided(s->root) ? FORMAT_WHOLE : FORMAT};
  SofaErr err = SOFA_OK;
  if (!s->ready) return fail(s, SOFA_ERR_SCENE, "a state is saved after the initialisation");
  if (s->failure != SOFA_OK) return fail(s, s->failure, "a run that has failed is not saved");
  SOFA_GO(err, done, collect(s->root, true, &objects));
  SOFA_GO(err, done, check_objects(&objects));
  SOFA_GO(err, done, index_objects(&w, &objects));
  sofa_checkpoint_put(&w, &head, sizeof head);
  SOFA_GO(err, done, put_all(s, &w));
  sofa_copy(head.magic, magic, sizeof magic);
  head.length = w.bytes.n - sizeof head;
  head.sum = sofa_checksum(SOFA_CHECKSUM_BEGIN, w.bytes.data + sizeof head, head.length);
  sofa_copy(w.bytes.data, &head, sizeof head);
  err = sofa_text_append(s->ctx, out, w.bytes.data, w.bytes.n);
done:
  if (err == SOFA_OK) err = w.err;
  sofa_list_free(s->ctx, &w.bytes);
  sofa_list_free(s->ctx, &w.sorted);
  sofa_list_free(s->ctx, &w.places);
  sofa_list_free(s->ctx, &objects);
  return err;
}

SofaErr sofa_checkpoint_save(SofaSimulation *s, const char *path) {
  const SofaOutputSpec spec = {
      .path = path, .what = "the state of the run", .provenance = SOFA_REMARK_NONE};
  SofaText bytes = {0};
  SofaErr err = sofa_checkpoint_write(s, &bytes);
  if (err == SOFA_OK) err = sofa_output_whole(s->ctx, &spec, bytes.data, bytes.n);
  sofa_list_free(s->ctx, &bytes);
  return err;
}

SofaErr sofa_checkpoint_save_good(SofaSimulation *s, const char *path) {
  const SofaErr failure = s->failure;
  s->failure = SOFA_OK;
  const SofaErr err = sofa_checkpoint_save(s, path);
  s->failure = failure;
  return err;
}

/* ---- checks of a file ---- */

typedef struct Restoring {
  SofaSimulation *simulation;
  const char *name; /* of the file */
  bool whole;       /* the file has the values of the whole mesh */
  SofaCheckpointReader reader;
  SofaObjects objects;
} Restoring;

static SofaErr refuse(const Restoring *r, SofaErr err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static SofaErr refuse(const Restoring *r, SofaErr err, const char *format, ...) {
  char text[512];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  return sofa_fail(r->simulation->ctx, err, &(SofaOrigin){.file = r->name}, "%s", text);
}

static SofaErr misread(const Restoring *r, const SofaObject *object) {
  return refuse(r, SOFA_ERR_PARSE, "the values of %s '%s' cannot be read", object->klass->name,
                object->name);
}

static SofaErr check_head(Restoring *r, const char *bytes, size_t n) {
  Head head;
  if (n < sizeof head || sofa_compare(bytes, magic, sizeof magic))
    return refuse(r, SOFA_ERR_PARSE, "this is no saved state of a run");
  sofa_copy(&head, bytes, sizeof head);
  if (head.order != BYTE_ORDER_MARK)
    return refuse(r, SOFA_ERR_PARSE, "the state was saved on a machine with another byte order");
  r->whole = head.format == FORMAT_WHOLE;
  if (head.format == FORMAT && sofa_is_divided(r->simulation->root))
    return refuse(r, SOFA_ERR_UNSUPPORTED,
                  "a state that one process saved is not supported yet for a mesh that is divided "
                  "among processes");
  if (head.format != FORMAT && !r->whole)
    return refuse(r, SOFA_ERR_UNSUPPORTED,
                  "the file has version %u of its format, this program reads version %d",
                  head.format, FORMAT_WHOLE);
  if (head.length != n - sizeof head)
    return refuse(r, SOFA_ERR_PARSE, "the file is %s",
                  n - sizeof head < head.length ? "cut" : "longer than it says");
  if (head.sum != sofa_checksum(SOFA_CHECKSUM_BEGIN, bytes + sizeof head, n - sizeof head))
    return refuse(r, SOFA_ERR_PARSE, "the file was changed: its checksum is wrong");
  return SOFA_OK;
}

static SofaErr check_conditions(Restoring *r) {
  Condition now[N_CONDITIONS];
  SofaErr err = SOFA_OK;
  find_conditions(r->simulation, now);
  for (int i = 0; i < N_CONDITIONS; i++) {
    const char *then = sofa_checkpoint_get_text(&r->reader);
    if (r->reader.bad) return refuse(r, SOFA_ERR_PARSE, "the file cannot be read");
    if (strcmp(then ? then : "", now[i].text) != 0)
      err =
          refuse(r, SOFA_ERR_SCENE, "the state was saved with another value of %s: '%s', now '%s'",
                 now[i].what, then ? then : "", now[i].text);
  }
  return err;
}

/* Compares the objects of the file with those of the graph. `made`: those that a run makes are
 * there, too. */
static SofaErr check_graph(Restoring *r, bool made) {
  SofaCheckpointReader *reader = &r->reader;
  const uint64_t n = sofa_checkpoint_get_uint(reader);
  size_t at = 0;
  SofaErr err = SOFA_OK;
  SOFA_TRY(collect(r->simulation->root, made, &r->objects));
  for (uint64_t i = 0; i < n && err == SOFA_OK; i++) {
    const char *path = sofa_checkpoint_get_text(reader), *klass = sofa_checkpoint_get_text(reader);
    const bool later = sofa_checkpoint_get_uint(reader) && !made;
    if (reader->bad || !klass) return refuse(r, SOFA_ERR_PARSE, "the file cannot be read");
    if (later) continue;
    if (at == r->objects.n)
      return refuse(r, SOFA_ERR_SCENE, "the scene has no %s '%s'", klass, path ? path : "");
    const SofaObject *object = r->objects.data[at++];
    char *here = sofa_object_path(object);
    if (!here) return SOFA_ERR_MEMORY;
    if (strcmp(here, path ? path : "") != 0 ||
        strcmp(klass, sofa_object_class_of(object)->name) != 0)
      err = refuse(r, SOFA_ERR_SCENE, "the state has %s '%s' where the scene has %s '%s'", klass,
                   path ? path : "", sofa_object_class_of(object)->name, here);
    sofa_free(r->simulation->ctx, here);
  }
  if (err == SOFA_OK && at < r->objects.n)
    err = refuse(r, SOFA_ERR_SCENE, "the state has no %s '%s'", r->objects.data[at]->klass->name,
                 r->objects.data[at]->name);
  return err;
}

/* ---- restoring ---- */

/* Topologies that have changed in this simulation go on from there, where the file says so. The
 * reader is before the number of steps. */
static SofaErr check_changes(const Restoring *r, SofaCheckpointReader reader) {
  size_t there = 0;
  const void *made = sofa_changes(r->simulation->root, &there);
  (void)sofa_checkpoint_get_uint(&reader);
  const uint64_t n = sofa_checkpoint_get_uint(&reader);
  if (reader.bad || n > (size_t)(reader.end - reader.at))
    return refuse(r, SOFA_ERR_PARSE, "the file cannot be read");
  if (there <= n && !sofa_compare(made, reader.at, there)) return SOFA_OK;
  return refuse(r, SOFA_ERR_SCENE,
                "the topologies of this simulation have changed in another way: load the scene "
                "again before");
}

static SofaErr repeat_changes(Restoring *r) {
  SofaNode *root = r->simulation->root;
  const uint64_t n = sofa_checkpoint_get_uint(&r->reader);
  const char *all = r->reader.at;
  size_t there = 0;
  (void)sofa_changes(root, &there);
  r->reader.at += n;
  const SofaErr err = sofa_changes_repeat(root, all + there, n - there);
  return err == SOFA_OK ? err : refuse(r, err, "the topological changes cannot be repeated");
}

static SofaErr make_objects(Restoring *r) {
  for (size_t i = 0; i < r->objects.n; i++) {
    SofaObject *object = r->objects.data[i];
    if (!sofa_checkpoint_makes(object)) continue;
    SofaCheckpointReader part = sofa_checkpoint_part(&r->reader);
    SOFA_TRY(sofa_checkpoint_get_made(&part, object));
    if (part.bad) return misread(r, object);
  }
  return SOFA_OK;
}

/* The fields of all objects; reinit of those that have to take a value over when `reinit`. */
static SofaErr get_fields(Restoring *r, bool reinit) {
  for (size_t i = 0; i < r->objects.n; i++) {
    SofaObject *object = r->objects.data[i];
    bool changed = false;
    SofaCheckpointReader part = sofa_checkpoint_part(&r->reader);
    SOFA_TRY(sofa_checkpoint_get_fields(&part, object, &changed, NULL));
    if (part.bad) return misread(r, object);
    if (changed && reinit && sofa_valid(object)) SOFA_TRY(sofa_object_run(object, SOFA_RUN_REINIT));
  }
  return SOFA_OK;
}

static SofaErr get_hidden(Restoring *r) {
  for (size_t i = 0; i < r->objects.n; i++) {
    SofaCheckpointReader part = sofa_checkpoint_part(&r->reader);
    SOFA_TRY(sofa_checkpoint_get_hidden(&part, r->objects.data[i]));
    if (part.bad) return misread(r, r->objects.data[i]);
  }
  return SOFA_OK;
}

/* Visual models take the positions over. */
static SofaErr update_visuals(SofaSimulation *s) {
  SofaSchedule *schedule = NULL;
  SOFA_TRY(sofa_schedule_create(s->root, &schedule));
  const SofaErr err = sofa_schedule_update_visuals(schedule);
  sofa_schedule_destroy(&schedule);
  return err;
}

/* Values that reinit or the visual models have changed are read a second time. Plans come before
 * what classes add: solvers begin their history when they take their vectors. */
static SofaErr get_values(Restoring *r) {
  const SofaCheckpointReader fields = r->reader;
  SOFA_TRY(get_fields(r, true));
  SOFA_TRY(update_visuals(r->simulation));
  r->reader = fields;
  SOFA_TRY(get_fields(r, false));
  SOFA_TRY(sofa_checkpoint_get_plans(&r->reader, &r->objects, false));
  return get_hidden(r);
}

static SofaErr run_reinit(const Restoring *r, const bool *reinit) {
  for (size_t i = 0; i < r->objects.n; i++)
    if (reinit[i] && sofa_valid(r->objects.data[i]))
      SOFA_TRY(sofa_object_run(r->objects.data[i], SOFA_RUN_REINIT));
  return SOFA_OK;
}

/* The same of a file with the values of the whole mesh. */
static SofaErr get_whole_values(Restoring *r) {
  const SofaCheckpointReader fields = r->reader;
  bool *reinit = sofa_alloc(r->simulation->ctx, r->objects.n, sizeof *reinit);
  if (!reinit) return SOFA_ERR_MEMORY;
  SofaErr err = sofa_checkpoint_get_divided(&r->reader, &r->objects, false, reinit);
  if (err == SOFA_OK && !r->reader.bad) err = run_reinit(r, reinit);
  if (err == SOFA_OK) err = update_visuals(r->simulation);
  sofa_free(r->simulation->ctx, reinit);
  r->reader = fields;
  if (err == SOFA_OK) err = sofa_checkpoint_get_divided(&r->reader, &r->objects, false, NULL);
  if (err == SOFA_OK) err = sofa_checkpoint_get_plans(&r->reader, &r->objects, true);
  return err == SOFA_OK ? sofa_checkpoint_get_divided(&r->reader, &r->objects, true, NULL) : err;
}

static SofaErr apply(Restoring *r, SofaCheckpointReader table) {
  SofaSimulation *s = r->simulation;
  const uint64_t steps = sofa_checkpoint_get_uint(&r->reader);
  if (!r->whole) SOFA_TRY(repeat_changes(r));
  if (!r->whole) SOFA_TRY(make_objects(r));
  const SofaCheckpointReader values = r->reader;
  r->reader = table;
  SOFA_TRY(check_graph(r, true));
  r->reader = values;
  r->reader.objects = &r->objects;
  SOFA_TRY(r->whole ? get_whole_values(r) : get_values(r));
  if (r->reader.bad || r->reader.at != r->reader.end)
    return refuse(r, SOFA_ERR_PARSE, "the end of the file cannot be read");
  s->steps = steps;
  return SOFA_OK;
}

SofaErr sofa_checkpoint_read(SofaSimulation *s, const char *name, const char *bytes, size_t n) {
  Restoring r = {.simulation = s, .name = name};
  SofaErr err = SOFA_OK;
  if (!s->ready) return fail(s, SOFA_ERR_SCENE, "a state is restored after the initialisation");
  SOFA_TRY(check_head(&r, bytes, n));
  r.reader = (SofaCheckpointReader){.ctx = s->ctx, .at = bytes + sizeof(Head), .end = bytes + n};
  SOFA_GO(err, done, check_conditions(&r));
  const SofaCheckpointReader table = r.reader;
  SOFA_GO(err, done, check_graph(&r, false));
  if (!r.whole) SOFA_GO(err, done, check_changes(&r, r.reader));
  if (s->steps || s->failure != SOFA_OK) SOFA_GO(err, done, sofa_simulation_reset(s));
  r.reader.objects = &r.objects;
  err = s->failure = apply(&r, table);
done:
  sofa_list_free(s->ctx, &r.objects);
  return err;
}

SofaErr sofa_checkpoint_restore(SofaSimulation *s, const char *path) {
  char *bytes = NULL;
  size_t n = 0;
  SOFA_TRY(sofa_read_file(s->ctx, path, 0, &bytes, &n));
  const SofaErr err = sofa_checkpoint_read(s, path, bytes, n);
  sofa_free(s->ctx, bytes);
  return err;
}

/* ---- for tests ---- */

static SofaErr print_object(SofaContext *ctx, const SofaObjects *objects, size_t i, SofaText *out) {
  const SofaObject *object = objects->data[i];
  SofaCheckpointWriter w = {.ctx = ctx};
  SofaErr err = SOFA_OK;
  char *path = sofa_object_path(object);
  if (!path) return SOFA_ERR_MEMORY;
  SOFA_GO(err, done, index_objects(&w, objects));
  SOFA_GO(err, done, sofa_text_printf(ctx, out, "%s %s", object->klass->name, path));
  for (size_t k = 0; k < sofa_class_n_fields(object->klass); k++) {
    const SofaField *field = sofa_class_field_at(object->klass, k);
    if (field->type->link) continue;
    w.bytes.n = 0;
    sofa_checkpoint_put_value(&w, field->type, sofa_field_value(object, field));
    SOFA_GO(err, done,
            sofa_text_printf(
                ctx, out, " %s=%016llx", field->name,
                (unsigned long long)sofa_checksum(SOFA_CHECKSUM_BEGIN, w.bytes.data, w.bytes.n)));
  }
  w.bytes.n = 0;
  sofa_checkpoint_put_hidden(&w, object);
  SOFA_GO(err, done,
          sofa_text_printf(
              ctx, out, " (hidden)=%016llx\n",
              (unsigned long long)sofa_checksum(SOFA_CHECKSUM_BEGIN, w.bytes.data, w.bytes.n)));
done:
  sofa_list_free(ctx, &w.bytes);
  sofa_list_free(ctx, &w.sorted);
  sofa_list_free(ctx, &w.places);
  sofa_free(ctx, path);
  return err == SOFA_OK ? w.err : err;
}

SofaErr sofa_checkpoint_print(SofaSimulation *s, SofaText *out) {
  SofaObjects objects = {0};
  SofaErr err = collect(s->root, true, &objects);
  for (size_t i = 0; i < objects.n && err == SOFA_OK; i++)
    err = print_object(s->ctx, &objects, i, out);
  sofa_list_free(s->ctx, &objects);
  return err;
}
