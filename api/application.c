/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Controllers and engines of the application, and the functions of all its components. */
#include <stdio.h>
#include <string.h>

#include "api/api_impl.h"
#include "object/checkpoint.h"
#include "object/data_graph.h"
#include "object/event.h"

typedef struct Application {
  SofaObject object;
  char *data;
  CsofaEventFn event;   /* of a controller; NULL: not given */
  CsofaUpdateFn update; /* of an engine */
  void *user;
  CsofaSaveFn save; /* of the scene's listener; NULL: not given */
  CsofaRestoreFn restore;
  void *saved_user;
  CsofaDrawFn draw; /* of a controller; NULL: not given, or it failed */
  void *draw_user;
} Application;

static SofaErr end_call(const SofaObject *object, int status) {
  if (status == 0) return SOFA_OK;
  return sofa_object_fail(object, SOFA_ERR_SCENE, "the function of the application failed");
}

/* ---- fields that the application names ---- */

static const SofaType *type_of(const char *word, size_t n) {
  static const struct {
    const char *name;
    const SofaType *type;
  } types[] = {
#define TYPE_ROW(T, symbol) {#symbol, &sofa_type_##symbol},
      SOFA_TYPES(TYPE_ROW)
#undef TYPE_ROW
  };
  for (size_t i = 0; i < SOFA_COUNT(types); i++)
    if (strlen(types[i].name) == n && strncmp(types[i].name, word, n) == 0) return types[i].type;
  return NULL;
}

/* "name:type[:in|:out]" to a row; false: it is not one. */
static bool read_row(const char *word, char *name, SofaField *row) {
  const size_t n = strcspn(word, ":");
  if (n == 0 || n > 63 || word[n] != ':') return false;
  memcpy(name, word, n);
  name[n] = '\0';
  const char *type = word + n + 1;
  const size_t n_type = strcspn(type, ":");
  const char *way = type + n_type;
  unsigned flags = 0;
  if (strcmp(way, ":in") == 0) flags = SOFA_FIELD_INPUT;
  else if (strcmp(way, ":out") == 0) flags = SOFA_FIELD_OUTPUT;
  else if (*way) return false;
  *row = (SofaField){.name = name,
                     .type = type_of(type, n_type),
                     .unit = "",
                     .help = "of the application",
                     .flags = flags};
  return row->type && !row->type->link && row->type != &sofa_type_coords;
}

typedef struct Rows {
  SofaField rows[64];
  char names[64][64];
  size_t n;
} Rows;

static SofaErr read_rows(const Application *a, Rows *rows) {
  char word[160];
  for (const char *at = a->data ? a->data : ""; *(at += strspn(at, " \t\n"));) {
    const size_t n = strcspn(at, " \t\n");
    if (rows->n == 64)
      return sofa_field_fail(&a->object, "data", SOFA_ERR_RANGE, "more than 64 fields");
    snprintf(word, sizeof word, "%.*s", (int)(n < sizeof word ? n : sizeof word - 1), at);
    if (n >= sizeof word || !read_row(word, rows->names[rows->n], &rows->rows[rows->n]))
      return sofa_field_fail(
          &a->object, "data", SOFA_ERR_PARSE,
          "'%s' is not name:type, name:type:in or name:type:out with a type such "
          "as real, reals, int, ints, indices, bool, string, vec3, vec3s",
          word);
    if (sofa_class_field(a->object.klass, rows->names[rows->n]))
      return sofa_field_fail(&a->object, "data", SOFA_ERR_ARGUMENT, "there is a field '%s' already",
                             rows->names[rows->n]);
    rows->n++;
    at += n;
  }
  return SOFA_OK;
}

static SofaErr parsed(SofaObject *object) {
  const Application *a = (const Application *)object;
  Rows *rows = sofa_alloc(object->ctx, 1, sizeof *rows);
  if (!rows) return SOFA_ERR_MEMORY;
  SofaErr err = read_rows(a, rows);
  if (err == SOFA_OK && rows->n) err = sofa_object_add_fields(object, rows->rows, rows->n);
  sofa_free(object->ctx, rows);
  return err;
}

/* ---- events ---- */

static const char *event_name(SofaEventType type) {
  static const char *const names[SOFA_N_EVENTS] = {
      [SOFA_EVENT_INIT_START] = "initStart",
      [SOFA_EVENT_INIT_DONE] = "initDone",
      [SOFA_EVENT_ANIMATE_BEGIN] = "animateBegin",
      [SOFA_EVENT_ANIMATE_END] = "animateEnd",
      [SOFA_EVENT_COLLISION_BEGIN] = "collisionBegin",
      [SOFA_EVENT_COLLISION_END] = "collisionEnd",
      [SOFA_EVENT_INTEGRATE_BEGIN] = "integrateBegin",
      [SOFA_EVENT_INTEGRATE_END] = "integrateEnd",
      [SOFA_EVENT_UPDATE_MAPPING_END] = "mappingEnd",
      [SOFA_EVENT_KEY_PRESSED] = "keyPressed",
      [SOFA_EVENT_KEY_RELEASED] = "keyReleased",
      [SOFA_EVENT_MOUSE_MOVED] = "mouseMoved",
      [SOFA_EVENT_PAUSE] = "pause",
      [SOFA_EVENT_DATA_EXCHANGE] = "dataExchange",
      [SOFA_EVENT_READY] = "ready",
      [SOFA_EVENT_END] = "end",
      [SOFA_EVENT_CONSTRAINTS_BUILT] = "constraintsBuilt",
      [SOFA_EVENT_CONSTRAINTS_SOLVED] = "constraintsSolved"};
  return names[type];
}

static SofaErr handle_event(SofaObject *object, const SofaEvent *event) {
  const Application *a = (const Application *)object;
  const char *name = event_name(event->type);
  if (!a->event || !name) return SOFA_OK;
  return end_call(object, a->event(a->user, name, event->key, event->dt));
}

/* ---- pictures ---- */

/* An error would come again with each picture: the function is not called any more. */
static void draw(SofaObject *object, const SofaDrawArgs *args) {
  Application *a = (Application *)object;
  CsofaDrawing drawing = {.list = args->list};
  if (!a->draw || a->draw(a->draw_user, &drawing) == 0) return;
  a->draw = NULL;
  sofa_object_message(object, SOFA_ERROR,
                      "the function of the application that draws failed: it is not called again");
}

static const SofaDrawOps draw_ops = {.draw = draw};

/* ---- saved states ---- */

struct CsofaBytes {
  SofaContext *ctx;
  SofaText text;
  SofaErr err; /* the first failure */
};

void csofa_put_bytes(CsofaBytes *to, const void *bytes, size_t n) {
  if (to->err == SOFA_OK) to->err = sofa_text_append(to->ctx, &to->text, bytes, n);
}

static SofaErr save(const SofaObject *object, SofaCheckpointWriter *to) {
  const Application *a = (const Application *)object;
  CsofaBytes bytes = {.ctx = object->ctx};
  SofaErr err = a->save ? end_call(object, a->save(a->saved_user, &bytes)) : SOFA_OK;
  if (err == SOFA_OK) err = bytes.err;
  if (err == SOFA_OK) sofa_checkpoint_put_list(to, &bytes.text, 1);
  sofa_list_free(object->ctx, &bytes.text);
  return err;
}

static SofaErr restore(SofaObject *object, SofaCheckpointReader *from) {
  const Application *a = (const Application *)object;
  SofaText text = {0};
  SofaErr err = sofa_checkpoint_get_list(from, &text, 1);
  if (err == SOFA_OK && a->restore && !sofa_checkpoint_is_bad(from))
    err = end_call(object, a->restore(a->saved_user, text.data, text.n));
  sofa_list_free(object->ctx, &text);
  return err;
}

static const SofaCheckpointOps checkpoint = {.save = save, .restore = restore};

/* ---- engines ---- */

static SofaErr update(SofaObject *object) {
  const Application *a = (const Application *)object;
  return a->update ? end_call(object, a->update(a->user)) : SOFA_OK;
}

static SofaErr engine_init(SofaObject *object) {
  return sofa_data_update(object);
}

static const SofaField fields[] = {
    SOFA_FIELD(Application, data, "data", "", "",
               "fields of the application, as \"name:type\", of engines \"name:type:in\" and "
               "\"name:type:out\""),
};

const SofaClass csofa_controller_class = {
    .name = "ApplicationController",
    .size = sizeof(Application),
    .module = "csofa",
    .category = "Controller",
    .help = "Calls a function of the application at events.",
    .base = &sofa_object_class,
    SOFA_FIELDS(fields),
    .listening = true,
    .checkpoint = &checkpoint,
    .parsed = parsed,
    .handle_event = handle_event,
    SOFA_IMPLEMENTS({SOFA_DRAW, &draw_ops}),
};

const SofaClass csofa_engine_class = {
    .name = "ApplicationEngine",
    .size = sizeof(Application),
    .module = "csofa",
    .category = "Engine",
    .help = "Computes fields by a function of the application.",
    .base = &sofa_object_class,
    SOFA_FIELDS(fields),
    .parsed = parsed,
    .init = engine_init,
    .update = update,
    SOFA_IMPLEMENTS({SOFA_ENGINE, SOFA_NO_OPS}),
};

/* ---- functions ---- */

static Application *find(CsofaScene *scene, CsofaObject object, const SofaClass *klass,
                         CsofaErr *err) {
  csofa_begin(scene->owner);
  SofaObject *o = csofa_get(scene, object);
  *err = CSOFA_ERR_NOT_FOUND;
  if (!o) return NULL;
  *err = CSOFA_OK;
  // fields of its own give an object a class of its own
  if (sofa_class_is_a(sofa_object_class_of(o), klass)) return (Application *)o;
  *err =
      csofa_end(scene->owner, sofa_object_fail(o, SOFA_ERR_TYPE, "it is not an %s", klass->name));
  return NULL;
}

CsofaErr csofa_set_controller(CsofaScene *scene, CsofaObject object, CsofaEventFn function,
                              void *user) {
  CsofaErr err;
  Application *a = find(scene, object, &csofa_controller_class, &err);
  if (!a) return err;
  a->event = function;
  a->user = user;
  return CSOFA_OK;
}

CsofaErr csofa_set_draw(CsofaScene *scene, CsofaObject object, CsofaDrawFn function, void *user) {
  CsofaErr err;
  Application *a = find(scene, object, &csofa_controller_class, &err);
  if (!a) return err;
  a->draw = function;
  a->draw_user = user;
  return CSOFA_OK;
}

/* An object without a place in a file is not saved. */
static SofaErr make_listener(CsofaScene *scene) {
  SofaNode *root = scene->simulation->root;
  SOFA_TRY(sofa_object_create(root, &csofa_controller_class, "events", NULL, &scene->listener));
  sofa_node_put_first(root);
  scene->added = true;
  return SOFA_OK;
}

/* The listener of the scene, made when there is none. */
static CsofaErr get_listener(CsofaScene *scene, Application **out) {
  csofa_begin(scene->owner);
  const SofaErr err = scene->listener ? SOFA_OK : make_listener(scene);
  if (err != SOFA_OK) return csofa_end(scene->owner, err);
  *out = (Application *)scene->listener;
  return CSOFA_OK;
}

CsofaErr csofa_on_event(CsofaScene *scene, CsofaEventFn function, void *user) {
  Application *a = NULL;
  const CsofaErr err = get_listener(scene, &a);
  if (err != CSOFA_OK) return err;
  a->event = function;
  a->user = user;
  return CSOFA_OK;
}

CsofaErr csofa_on_draw(CsofaScene *scene, CsofaDrawFn function, void *user) {
  Application *a = NULL;
  const CsofaErr err = get_listener(scene, &a);
  if (err != CSOFA_OK) return err;
  a->draw = function;
  a->draw_user = user;
  return CSOFA_OK;
}

CsofaErr csofa_on_save(CsofaScene *scene, CsofaSaveFn save_fn, CsofaRestoreFn restore_fn,
                       void *user) {
  Application *a = NULL;
  const CsofaErr err = get_listener(scene, &a);
  if (err != CSOFA_OK) return err;
  a->save = save_fn;
  a->restore = restore_fn;
  a->saved_user = user;
  return CSOFA_OK;
}

CsofaErr csofa_set_engine(CsofaScene *scene, CsofaObject object, CsofaUpdateFn function,
                          void *user) {
  CsofaErr err;
  Application *a = find(scene, object, &csofa_engine_class, &err);
  if (!a) return err;
  a->update = function;
  a->user = user;
  return CSOFA_OK;
}
