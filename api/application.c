/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Controllers and engines of the application, and the functions of all its components. */
#include <string.h>

#include "api/api_impl.h"
#include "api/application_impl.h"
#include "base/text.h"
#include "object/data_graph.h"
#include "object/event.h"

typedef struct Application {
  SofaObject object;
  char *data;
  ApplicationFunctions functions;
} Application;

SofaErr csofa_application_result(const SofaObject *object, int result) {
  if (result == 0) return SOFA_OK;
  return sofa_object_fail(object, SOFA_ERR_ARGUMENT, "the function of the application returned %d",
                          result);
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
    sofa_text_copy(word, sizeof word, at, n);
    if (n >= sizeof word || !read_row(word, rows->names[rows->n], &rows->rows[rows->n]))
      return sofa_field_fail(&a->object, "data", SOFA_ERR_PARSE,
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
  static const char *const names[SOFA_N_EVENTS] = {[SOFA_EVENT_INIT_START] = "initStart",
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
                                                   [SOFA_EVENT_END] = "end"};
  return names[type];
}

static SofaErr handle_event(SofaObject *object, const SofaEvent *event) {
  const ApplicationFunction *f = &((Application *)object)->functions.of[CSOFA_ON_EVENT];
  if (!f->function || !event_name(event->type)) return SOFA_OK;
  const int result =
      ((CsofaEventFn)f->function)(f->user, event_name(event->type), event->key, event->dt);
  return csofa_application_result(object, result);
}

/* ---- engines ---- */

static SofaErr update(SofaObject *object) {
  const ApplicationFunction *f = &((Application *)object)->functions.of[CSOFA_UPDATE];
  if (!f->function) return SOFA_OK;
  return csofa_application_result(object, ((CsofaUpdateFn)f->function)(f->user));
}

static SofaErr engine_init(SofaObject *object) {
  return sofa_data_update(object);
}

static const SofaField fields[] = {
    SOFA_FIELD(Application, data, "data", "", "",
               "fields of the application, as \"name:type\", of engines \"name:type:in\" and "
               "\"name:type:out\""),
};

SOFA_CLASS(ApplicationController) = {
    .name = "ApplicationController",
    .size = sizeof(Application),
    .module = "csofa.Application",
    .category = "Controller",
    .help = "Calls a function of the application at events.",
    .base = &sofa_object_class,
    SOFA_FIELDS(fields),
    .listening = true,
    .parsed = parsed,
    .handle_event = handle_event,
};

SOFA_CLASS(ApplicationEngine) = {
    .name = "ApplicationEngine",
    .size = sizeof(Application),
    .module = "csofa.Application",
    .category = "Engine",
    .help = "Computes fields by a function of the application.",
    .base = &sofa_object_class,
    SOFA_FIELDS(fields),
    .parsed = parsed,
    .init = engine_init,
    .update = update,
    SOFA_IMPLEMENTS({SOFA_ENGINE, SOFA_NO_OPS}),
};

/* ---- all ---- */

static const SofaClass *const classes[] = {&sofa_ApplicationController_class,
                                           &sofa_ApplicationEngine_class, &csofa_force_field_class,
                                           &csofa_mapping_class, NULL};
const SofaModule csofa_application_module = {
    .abi = SOFA_ABI, .name = "csofa.Application", .version = CSOFA_VERSION, .classes = classes};

ApplicationFunctions *csofa_application_functions(SofaObject *object) {
  if (sofa_class_is_a(object->klass, &sofa_ApplicationController_class) ||
      sofa_class_is_a(object->klass, &sofa_ApplicationEngine_class))
    return &((Application *)object)->functions;
  ApplicationFunctions *f = csofa_force_field_functions(object);
  return f ? f : csofa_mapping_functions(object);
}

CsofaErr csofa_set_function(CsofaScene *scene, CsofaObject object, int which,
                            CsofaFunction function, void *user) {
  csofa_begin(scene->owner);
  SofaObject *o = csofa_get(scene, object);
  if (!o) return CSOFA_ERR_NOT_FOUND;
  ApplicationFunctions *functions = csofa_application_functions(o);
  if (!functions)
    return csofa_end(scene->owner,
                     sofa_object_fail(o, SOFA_ERR_TYPE,
                                      "functions are given to ApplicationController, "
                                      "ApplicationForceField, ApplicationMapping and "
                                      "ApplicationEngine only"));
  if (which < 0 || which >= CSOFA_N_FUNCTIONS)
    return csofa_end(scene->owner,
                     sofa_object_fail(o, SOFA_ERR_ARGUMENT, "there is no function %d", which));
  functions->of[which] = (ApplicationFunction){function, user};
  return CSOFA_OK;
}
