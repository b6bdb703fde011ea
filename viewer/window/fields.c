/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fields of the selected object: copies for the inspector, and changes while the scene runs. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/profiler.h"
#include "base/text.h"
#include "object/data_graph.h"
#include "viewer/window/app.h"

enum { SHOWN = 2000 }; /* characters of a value */

/* ---- what may be changed ---- */

/* Lists keep their length: what was made of them at init relies on it. Numbers of points are only
 * changed where the class checks them. */
static bool is_editable(const SofaField *field) {
  if (field->flags & (SOFA_FIELD_OUTPUT | SOFA_FIELD_UNSUPPORTED)) return false;
  if (field->type->link) return false;
  if (strcmp(field->name, "name") == 0 || strcmp(field->name, "template") == 0) return false;
  if (field->flags & (SOFA_FIELD_REINIT | SOFA_FIELD_DISPLAY)) return true;
  return !(field->type->list && field->type->scalar == SOFA_SCALAR_UINT);
}

static size_t length_of(const SofaType *type, const void *value) {
  return type->list ? ((const SofaAnyList *)value)->n : 1;
}

/* ---- copies ---- */

void fields_free(App *app) {
  for (size_t i = 0; i < app->fields.n; i++) sofa_free(app->ui, app->fields.data[i].value);
  sofa_list_free(app->ui, &app->fields);
}

static void copy_field(App *app, SofaObject *object, const SofaField *field) {
  const SofaFieldState *state = sofa_field_state(object, field);
  FieldRow row = {.field = field,
                  .editable = is_editable(field),
                  .is_set = state && (state->set || state->source)};
  SofaText text = {0};
  (void)sofa_field_compute(object, field);
  const size_t n = length_of(field->type, sofa_field_value(object, field));
  const SofaType *type = field->type;
  if (type->list && n > 200) { // printing a large mesh again and again would cost more than a step
    sofa_text_printf(object->ctx, &text, "(%zu entries)", n);
    row.cut = true;
  } else {
    sofa_field_print(object, field, &text);
  }
  if (text.n > SHOWN) {
    row.cut = true;
    text.n = SHOWN;
  }
  row.editable &= !row.cut;
  row.value = sofa_strndup(app->ui, text.data ? text.data : "", text.n);
  sofa_list_free(object->ctx, &text);
  if (!row.value || SOFA_APPEND(app->ui, &app->fields, &row) != SOFA_OK)
    sofa_free(app->ui, row.value);
}

void fields_refresh(App *app, bool now) {
  const double time = sofa_now();
  if (!now && time < app->fields_made + 0.2) return;
  app->fields_made = time;
  const TreeRow *row = app->selected ? tree_find(app, app->selected) : NULL;
  for (size_t i = 0; i < app->fields.n; i++) sofa_free(app->ui, app->fields.data[i].value);
  app->fields.n = 0;
  if (!row) return;
  sofa_data_pull(row->object, NULL);
  const size_t n = sofa_class_n_fields(row->object->klass);
  // what the scene says comes first, then the class's own fields
  for (int pass = 0; pass < 2; pass++)
    for (size_t i = n; i-- > 0;) {
      const SofaFieldState *state = &row->object->field_states[i];
      if ((state->set || state->source) == (pass == 0))
        copy_field(app, row->object, sofa_class_field_at(row->object->klass, i));
    }
}

/* ---- changes ---- */

static bool has_reinit(const SofaObject *object) {
  for (const SofaClass *c = object->klass; c; c = sofa_class_base(c))
    if (c->reinit) return true;
  return false;
}

/* A class that made something of the value at the beginning, and has no way to make it anew. */
static void say_when(const SofaObject *object, const SofaField *field) {
  if ((field->flags & (SOFA_FIELD_REINIT | SOFA_FIELD_DISPLAY)) || has_reinit(object)) return;
  if (sofa_implements(object, SOFA_FORCE_FIELD) || sofa_implements(object, SOFA_MAPPING) ||
      sofa_implements(object, SOFA_TOPOLOGY))
    sofa_object_message(object, SOFA_WARNING,
                        "'%s' is set; what was made of the old value when the scene was loaded "
                        "stays: change the file and reload it if nothing is to be seen",
                        field->name);
}

/* Does the new value stand? The class says so when it takes it over. */
static SofaErr take_over(SofaObject *object, const SofaField *field) {
  if (!object->initialised || (field->flags & SOFA_FIELD_REINIT)) return SOFA_OK;
  return sofa_object_run(object, SOFA_RUN_REINIT);
}

/* Reports why not. */
static SofaErr set(SofaObject *object, const SofaField *field, const char *text, size_t n) {
  SOFA_TRY(sofa_field_set_text(object, field->name, text, 0));
  const size_t now = length_of(field->type, sofa_field_value(object, field));
  if (field->type->list && now != n && !(field->flags & SOFA_FIELD_DISPLAY))
    return sofa_field_fail(object, field->name, SOFA_ERR_RANGE,
                           "expected %zu entries, not %zu: the length of a list cannot change "
                           "while the scene is open; change the file and reload it",
                           n, now);
  return take_over(object, field);
}

/* The last error of the log since `version`, for the inspector. */
static void take_reason(App *app, const char *field) {
  const LogEntries *list = log_lock(&app->log);
  snprintf(app->refusal, sizeof app->refusal, "refused");
  for (size_t i = list->n; i-- > 0;) {
    if (list->data[i].severity < SOFA_WARNING) continue;
    snprintf(app->refusal, sizeof app->refusal, "%s", list->data[i].text);
    break;
  }
  log_unlock(&app->log);
  snprintf(app->refusal_field, sizeof app->refusal_field, "%s", field);
}

static SofaErr refuse(App *app, SofaObject *object, const char *field, const char *why) {
  const SofaErr err = sofa_field_fail(object, field, SOFA_ERR_UNSUPPORTED, "%s", why);
  take_reason(app, field);
  return err;
}

SofaErr field_edit(App *app, SofaObject *object, const char *name, const char *text) {
  const SofaField *field = sofa_class_field(object->klass, name);
  SofaText old = {0};
  app->refusal[0] = app->refusal_field[0] = '\0';
  if (!field) return refuse(app, object, name, "there is no such field");
  if (!is_editable(field))
    return refuse(app, object, name,
                  "cannot be changed while the scene is open: change the file and reload it");
  if (text[0] == '@') return refuse(app, object, name, "links are made when the scene is loaded");
  SofaErr err = sofa_field_print(object, field, &old);
  const size_t n = length_of(field->type, sofa_field_value(object, field));
  if (err == SOFA_OK) err = set(object, field, text, n);
  if (err != SOFA_OK) {
    take_reason(app, name);
    sofa_field_set_text(object, name, old.data ? old.data : "", 0);
    take_over(object, field);
  } else {
    say_when(object, field);
  }
  sofa_list_free(object->ctx, &old);
  app->picture_stale = app->tree_stale = true;
  app->fields_made = 0;
  return err;
}

/* ---- numbers ---- */

static bool number_at(const SofaType *type, const char *bytes, size_t i, double *out) {
  switch (type->scalar) {
  case SOFA_SCALAR_REAL:
    *out = ((const double *)(const void *)bytes)[i];
    return true;
  case SOFA_SCALAR_INT:
    *out = ((const int *)(const void *)bytes)[i];
    return true;
  case SOFA_SCALAR_UINT:
    *out = ((const uint32_t *)(const void *)bytes)[i];
    return true;
  case SOFA_SCALAR_BOOL:
    *out = ((const bool *)(const void *)bytes)[i];
    return true;
  default:
    return false;
  }
}

bool field_number(const SofaObject *object, const SofaField *field, size_t i, double *out) {
  const SofaType *type = field->type;
  const void *value = sofa_field_value(object, field);
  if (type->scalar == SOFA_SCALAR_NONE || type->scalar == SOFA_SCALAR_STRING) return false;
  if (!type->list) return i < (type->width ? type->width : 1) && number_at(type, value, i, out);
  const SofaAnyList *list = value;
  const size_t width = type->width ? type->width : ((const SofaCoords *)value)->width;
  return i < list->n * width && number_at(type, list->data, i, out);
}
