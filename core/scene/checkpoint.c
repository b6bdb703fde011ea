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
enum { FORMAT = 4, FORMAT_WHOLE = 3, BYTE_ORDER_MARK = 0x01020304 };

typedef struct Head {
  char magic[8];
  uint32_t order, format;
  uint64_t length, sum; /* of what follows; sum of FORMAT_WHOLE: without the sections */
} Head;

/* What follows in FORMAT_WHOLE: then the table of sections, the objects and their values, and the
 * sections themselves. */
typedef struct WholeHead {
  uint64_t n_bytes; /* of this head and of what stands before the sections */
  uint64_t sum;     /* of the sections */
  uint64_t n_sections;
} WholeHead;

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
  SOFA_TRY(sofa_checkpoint_put_plans(w, NULL));
  for (size_t i = 0; i < w->objects->n && w->err == SOFA_OK; i++) {
    const size_t hidden = sofa_checkpoint_begin(w);
    sofa_checkpoint_put_hidden(w, w->objects->data[i]);
    sofa_checkpoint_end(w, hidden);
  }
  return w->err;
}

static SofaErr put_whole_values(SofaCheckpointWriter *w, SofaSections *sections) {
  SOFA_TRY(sofa_checkpoint_put_divided(w, sections, false));
  SOFA_TRY(sofa_checkpoint_put_plans(w, sections));
  return sofa_checkpoint_put_divided(w, sections, true);
}

static SofaErr put_all(SofaSimulation *s, SofaCheckpointWriter *w, SofaSections *sections) {
  Condition conditions[N_CONDITIONS];
  size_t n_changes;
  const void *changes = sofa_changes(s->root, &n_changes);
  find_conditions(s, conditions);
  for (int i = 0; i < N_CONDITIONS; i++) sofa_checkpoint_put_text(w, conditions[i].text);
  SOFA_TRY(put_objects(w));
  sofa_checkpoint_put_uint(w, s->steps);
  if (sofa_is_divided(s->root)) return put_whole_values(w, sections);
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

/* The objects and their values, without the sections. */
static SofaErr compose(SofaSimulation *s, SofaSections *sections, SofaText *out) {
  SofaCheckpointWriter w = {.ctx = s->ctx};
  SofaObjects objects = {0};
  SofaErr err = SOFA_OK;
  if (!s->ready) return fail(s, SOFA_ERR_SCENE, "a state is saved after the initialisation");
  if (s->failure != SOFA_OK) return fail(s, s->failure, "a run that has failed is not saved");
  SOFA_GO(err, done, collect(s->root, true, &objects));
  SOFA_GO(err, done, check_objects(&objects));
  SOFA_GO(err, done, index_objects(&w, &objects));
  err = put_all(s, &w, sections);
done:
  if (err == SOFA_OK) err = w.err;
  *out = w.bytes;
  sofa_list_free(s->ctx, &w.sorted);
  sofa_list_free(s->ctx, &w.places);
  sofa_list_free(s->ctx, &objects);
  return err;
}

/* Appends the heads, the table of sections and the values. */
static SofaErr put_heads(SofaSimulation *s, const SofaSections *sections, const SofaText *values,
                         SofaText *out) {
  const bool whole = sofa_is_divided(s->root);
  const size_t n_table = sections->table.n * sizeof *sections->table.data, begin = out->n;
  Head head = {.order = BYTE_ORDER_MARK, .format = whole ? FORMAT_WHOLE : FORMAT};
  WholeHead second = {.n_bytes = sizeof second + n_table + values->n,
                      .n_sections = sections->table.n};
  uint64_t n_rows = 0;
  if (whole) SOFA_TRY(sofa_sections_sum_runs(sections, &second.sum));
  (void)sofa_sections_length(sections, UINT64_MAX, &n_rows);
  SOFA_TRY(SOFA_RESERVE(s->ctx, out, begin + sizeof head + second.n_bytes + 1));
  SOFA_TRY(sofa_text_append(s->ctx, out, (const char *)&head, sizeof head));
  if (whole) SOFA_TRY(sofa_text_append(s->ctx, out, (const char *)&second, sizeof second));
  SOFA_TRY(sofa_text_append(s->ctx, out, (const char *)sections->table.data, n_table));
  SOFA_TRY(sofa_text_append(s->ctx, out, values->data, values->n));
  const size_t n = out->n - begin - sizeof head;
  sofa_copy(head.magic, magic, sizeof magic);
  head.length = n + n_rows;
  head.sum = sofa_checksum(SOFA_CHECKSUM_BEGIN, out->data + begin + sizeof head, n);
  sofa_copy(out->data + begin, &head, sizeof head);
  return SOFA_OK;
}

/* Appends all but the sections. */
static SofaErr write_values(SofaSimulation *s, SofaSections *sections, SofaText *out) {
  SofaText values = {0};
  SofaErr err = compose(s, sections, &values);
  if (err == SOFA_OK) err = put_heads(s, sections, &values, out);
  sofa_list_free(s->ctx, &values);
  return err;
}

SofaErr sofa_checkpoint_write(SofaSimulation *s, SofaText *out) {
  SofaSections sections = {.ctx = s->ctx};
  SofaErr err = write_values(s, &sections, out);
  if (err == SOFA_OK) err = sofa_sections_gather(&sections, out);
  sofa_sections_free(&sections);
  return err;
}

SofaErr sofa_checkpoint_check(SofaSimulation *s) {
  SofaSections sections = {.ctx = s->ctx};
  SofaText values = {0};
  const SofaErr err = compose(s, &sections, &values);
  sofa_list_free(s->ctx, &values);
  sofa_sections_free(&sections);
  return err;
}

/* Each process writes its runs of the sections. */
static SofaErr write_whole(SofaSimulation *s, SofaOutput *file, const SofaText *values,
                           const SofaSections *sections) {
  SofaSharedOutput shared = {.output = file};
  const size_t n = sofa_process_rank(s->ctx) == 0 ? values->n : 0;
  SofaErr err = sofa_shared_output_write(s->ctx, &shared, values->data, n);
  if (err == SOFA_OK) err = sofa_sections_write(sections, &shared);
  sofa_shared_output_end(s->ctx, &shared);
  if (err != SOFA_OK) sofa_output_lose(file, NULL);
  return err;
}

/* When it returns the file has its name, for all processes. */
static SofaErr save_whole(SofaSimulation *s, const SofaOutputSpec *spec, const SofaText *values,
                          const SofaSections *sections) {
  SofaOutput *file = NULL;
  SofaErr err = sofa_output_open(s->ctx, spec, &file);
  s->ctx->n_lost_outputs += err != SOFA_OK;
  if (err != SOFA_OK) return err;
  err = write_whole(s, file, values, sections);
  const SofaErr closed = sofa_output_close(&file);
  if (err != SOFA_OK) return err;
  uint64_t lost = closed != SOFA_OK;
  SOFA_TRY(sofa_process_sum_counts(s->ctx, 1, &lost));
  return lost ? SOFA_ERR_IO : SOFA_OK;
}

SofaErr sofa_checkpoint_save(SofaSimulation *s, const char *path) {
  const SofaOutputSpec spec = {
      .path = path, .what = "the state of the run", .provenance = SOFA_REMARK_NONE};
  SofaSections sections = {.ctx = s->ctx};
  SofaText values = {0};
  SofaErr err = write_values(s, &sections, &values);
  if (err == SOFA_OK && sections.table.n) err = save_whole(s, &spec, &values, &sections);
  else if (err == SOFA_OK) err = sofa_output_whole(s->ctx, &spec, values.data, values.n);
  sofa_list_free(s->ctx, &values);
  sofa_sections_free(&sections);
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
  uint64_t size;    /* of the file */
  SofaSections sections;
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

/* n: bytes of what follows the head, but for the sections. */
static SofaErr check_sum(const Restoring *r, const Head *head, const char *bytes, uint64_t n) {
  const uint64_t length = r->size - sizeof *head;
  if (head->length != length)
    return refuse(r, SOFA_ERR_PARSE, "the file is %s",
                  length < head->length ? "cut" : "longer than it says");
  if (n > length || head->sum != sofa_checksum(SOFA_CHECKSUM_BEGIN, bytes, (size_t)n))
    return refuse(r, SOFA_ERR_PARSE, "the file was changed: its checksum is wrong");
  return SOFA_OK;
}

static SofaErr check_format(Restoring *r, const Head *head) {
  if (sofa_compare(head->magic, magic, sizeof magic))
    return refuse(r, SOFA_ERR_PARSE, "this is no saved state of a run");
  if (head->order != BYTE_ORDER_MARK)
    return refuse(r, SOFA_ERR_PARSE, "the state was saved on a machine with another byte order");
  r->whole = head->format == FORMAT_WHOLE;
  if (head->format == FORMAT && sofa_is_divided(r->simulation->root))
    return refuse(r, SOFA_ERR_UNSUPPORTED,
                  "a state that one process saved is not supported yet for a mesh that is divided "
                  "among processes");
  if (head->format != FORMAT && !r->whole)
    return refuse(r, SOFA_ERR_UNSUPPORTED,
                  "the file has version %u of its format, this program reads version %d",
                  head->format, sofa_is_divided(r->simulation->root) ? FORMAT_WHOLE : FORMAT);
  return SOFA_OK;
}

/* The table of sections, and these: each process reads its runs. All must have the same file. */
static SofaErr check_sections(Restoring *r, const WholeHead *head) {
  SofaContext *ctx = r->simulation->ctx;
  SofaSections *sections = &r->sections;
  SofaCheckpointReader *reader = &r->reader;
  uint64_t length, sum;
  bool same;
  if (head->n_sections > (size_t)(reader->end - reader->at) / sizeof *sections->table.data)
    return refuse(r, SOFA_ERR_PARSE, "the file cannot be read");
  SOFA_TRY(SOFA_RESIZE(ctx, &sections->table, (size_t)head->n_sections));
  sofa_checkpoint_get(reader, sections->table.data,
                      sections->table.n * sizeof *sections->table.data);
  sections->begin = sizeof(Head) + head->n_bytes;
  const uint64_t left = r->size - sections->begin;
  if (!sofa_sections_length(sections, left, &length) || length != left)
    return refuse(r, SOFA_ERR_PARSE, "the file cannot be read");
  SOFA_TRY(sofa_process_same(ctx, sizeof *head, head, &same));
  if (!same) return refuse(r, SOFA_ERR_SCENE, "the processes have different files of this name");
  SOFA_TRY(sofa_sections_sum_read(sections, &sum));
  if (sum != head->sum)
    return refuse(r, SOFA_ERR_PARSE, "the file was changed: its checksum is wrong");
  return SOFA_OK;
}

/* Of n bytes of the file, all or those before the sections. */
static SofaErr check_head(Restoring *r, const char *bytes, size_t n) {
  Head head;
  WholeHead second = {0};
  if (n < sizeof head || sofa_compare(bytes, magic, sizeof magic))
    return refuse(r, SOFA_ERR_PARSE, "this is no saved state of a run");
  sofa_copy(&head, bytes, sizeof head);
  SOFA_TRY(check_format(r, &head));
  const char *values = bytes + sizeof head;
  n -= sizeof head;
  if (r->whole && n >= sizeof second) sofa_copy(&second, values, sizeof second);
  // a head that was changed has another sum
  if (second.n_bytes >= sizeof second && second.n_bytes < n) n = (size_t)second.n_bytes;
  SOFA_TRY(check_sum(r, &head, values, n));
  r->reader = (SofaCheckpointReader){.ctx = r->simulation->ctx, .at = values, .end = values + n};
  if (!r->whole) return SOFA_OK;
  if (second.n_bytes != n) return refuse(r, SOFA_ERR_PARSE, "the file cannot be read");
  r->reader.at += sizeof second;
  return check_sections(r, &second);
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
  SOFA_TRY(sofa_checkpoint_get_plans(&r->reader, &r->objects, NULL));
  return get_hidden(r);
}

static SofaErr run_reinit(const Restoring *r, const bool *reinit) {
  for (size_t i = 0; i < r->objects.n; i++)
    if (reinit[i] && sofa_valid(r->objects.data[i]))
      SOFA_TRY(sofa_object_run(r->objects.data[i], SOFA_RUN_REINIT));
  return SOFA_OK;
}

static SofaErr get_whole_fields(Restoring *r, bool *reinit) {
  sofa_sections_rewind(&r->sections);
  return sofa_checkpoint_get_divided(&r->reader, &r->sections, &r->objects, false, reinit);
}

/* The same of a file with the values of the whole mesh. */
static SofaErr get_whole_values(Restoring *r) {
  const SofaCheckpointReader fields = r->reader;
  bool *reinit = sofa_alloc(r->simulation->ctx, r->objects.n, sizeof *reinit);
  if (!reinit) return SOFA_ERR_MEMORY;
  SofaErr err = get_whole_fields(r, reinit);
  if (err == SOFA_OK && !r->reader.bad) err = run_reinit(r, reinit);
  if (err == SOFA_OK) err = update_visuals(r->simulation);
  sofa_free(r->simulation->ctx, reinit);
  r->reader = fields;
  if (err == SOFA_OK) err = get_whole_fields(r, NULL);
  if (err == SOFA_OK) err = sofa_checkpoint_get_plans(&r->reader, &r->objects, &r->sections);
  if (err != SOFA_OK) return err;
  return sofa_checkpoint_get_divided(&r->reader, &r->sections, &r->objects, true, NULL);
}

static SofaErr look_at_places(const Restoring *r, bool *fit) {
  for (size_t i = 0; i < r->objects.n; i++)
    SOFA_TRY(sofa_checkpoint_check_places(r->objects.data[i], &fit[i]));
  return SOFA_OK;
}

/* What named points that are there before names such points with the values of the file, too: some
 * topologies have elements of points that only their states have. */
static SofaErr take_values(Restoring *r) {
  SofaContext *ctx = r->simulation->ctx;
  const size_t n = r->objects.n;
  bool *before = sofa_alloc(ctx, 2 * n + 1, sizeof *before);
  if (!before) return SOFA_ERR_MEMORY;
  bool *after = before + n;
  SofaErr err;
  SOFA_GO(err, done, look_at_places(r, before));
  SOFA_GO(err, done, r->whole ? get_whole_values(r) : get_values(r));
  SOFA_GO(err, done, look_at_places(r, after));
  for (size_t i = 0; i < n && err == SOFA_OK; i++)
    if (before[i] && !after[i]) err = misread(r, r->objects.data[i]);
done:
  sofa_free(ctx, before);
  return err;
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
  SOFA_TRY(take_values(r));
  if (r->reader.bad || r->reader.at != r->reader.end)
    return refuse(r, SOFA_ERR_PARSE, "the end of the file cannot be read");
  s->steps = steps;
  return SOFA_OK;
}

/* bytes: all of the file, or what stands before the sections of r->sections.file. */
static SofaErr restore_from(Restoring *r, const char *bytes, size_t n) {
  SofaSimulation *s = r->simulation;
  SofaErr err = SOFA_OK;
  if (!s->ready) return fail(s, SOFA_ERR_SCENE, "a state is restored after the initialisation");
  SOFA_GO(err, done, check_head(r, bytes, n));
  SOFA_GO(err, done, check_conditions(r));
  const SofaCheckpointReader table = r->reader;
  SOFA_GO(err, done, check_graph(r, false));
  if (!r->whole) SOFA_GO(err, done, check_changes(r, r->reader));
  if (s->steps || s->failure != SOFA_OK) SOFA_GO(err, done, sofa_simulation_reset(s));
  r->reader.objects = &r->objects;
  err = s->failure = apply(r, table);
done:
  sofa_list_free(s->ctx, &r->objects);
  sofa_sections_free(&r->sections);
  return err;
}

SofaErr sofa_checkpoint_read(SofaSimulation *s, const char *name, const char *bytes, size_t n) {
  Restoring r = {
      .simulation = s, .name = name, .size = n, .sections = {.ctx = s->ctx, .bytes = bytes}};
  return restore_from(&r, bytes, n);
}

/* *n: bytes before the sections of a file that has some; 0: of another one, which may be packed. */
static SofaErr find_sections(const SofaPartFile *file, size_t *n) {
  struct {
    Head first;
    WholeHead second;
  } head;
  *n = 0;
  if (file->size < sizeof head) return SOFA_OK;
  SOFA_TRY(sofa_part_read(file, 0, sizeof head, &head));
  const uint64_t length = sizeof head.first + head.second.n_bytes;
  if (!sofa_compare(head.first.magic, magic, sizeof magic) && head.first.format == FORMAT_WHOLE &&
      length > head.second.n_bytes && length <= file->size)
    *n = (size_t)length;
  return SOFA_OK;
}

static SofaErr restore_sections(SofaSimulation *s, const SofaPartFile *file, size_t n) {
  Restoring r = {.simulation = s,
                 .name = file->origin.file,
                 .size = file->size,
                 .sections = {.ctx = s->ctx, .file = file}};
  SofaText bytes = {0};
  SofaErr err = SOFA_RESIZE(s->ctx, &bytes, n);
  if (err == SOFA_OK) err = sofa_part_read(file, 0, n, bytes.data);
  if (err == SOFA_OK) err = restore_from(&r, bytes.data, n);
  sofa_list_free(s->ctx, &bytes);
  return err;
}

static SofaErr restore_all(SofaSimulation *s, const char *path) {
  char *bytes = NULL;
  size_t n = 0;
  SOFA_TRY(sofa_read_file(s->ctx, path, 0, &bytes, &n));
  const SofaErr err = sofa_checkpoint_read(s, path, bytes, n);
  sofa_free(s->ctx, bytes);
  return err;
}

SofaErr sofa_checkpoint_restore(SofaSimulation *s, const char *path) {
  const SofaOrigin origin = {.file = path};
  SofaPartFile file = {.descriptor = -1};
  size_t n = 0;
  SOFA_TRY(sofa_part_open(s->ctx, &origin, &file));
  SofaErr err = find_sections(&file, &n);
  if (err == SOFA_OK) err = n ? restore_sections(s, &file, n) : restore_all(s, path);
  sofa_part_close(&file);
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
