/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The inspector's changes of fields: scene/edit.h, and what the window knows of the object. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "object/numbers.h"
#include "scene/edit.h"
#include "viewer/window/app.h"

/* The last error of the log, for the inspector. */
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

/* Rows, watched numbers and marks know the object, which may be made again. */
static SofaErr edit(App *app, SofaObject *object, const char *name, const char *text) {
  const SofaObject *before = object;
  pull_end(&app->pull);
  const SofaErr err = sofa_edit(&object, name, text);
  if (object == before) return err;
  if (scene_view_options(app->view)->mark == before) scene_view_options(app->view)->mark = NULL;
  app->tree_stale = true;
  tree_refresh(app);
  watch_resolve(app);
  return err;
}

/* ---- undo ---- */

static void free_undo(App *app, Undo *u) {
  sofa_free(app->ui, u->path);
  sofa_free(app->ui, u->field);
  sofa_free(app->ui, u->text);
  *u = (Undo){.path = NULL};
}

void edit_forget(App *app) {
  for (int i = 0; i < app->n_undo; i++) free_undo(app, &app->undo[i]);
  app->n_undo = 0;
}

/* What a field is now: its value as text, or the link it has. path NULL: it cannot be told. */
static Undo undo_of(App *app, const SofaObject *object, const char *name) {
  const SofaField *field = sofa_class_field(object->klass, name);
  const SofaFieldState *state = field ? sofa_field_state(object, field) : NULL;
  Undo made = {.path = NULL};
  SofaText text = {0};
  if (!state) return made;
  char *source = state->source ? sofa_object_path(state->source) : NULL;
  if (source) made.text = sofa_format(app->ui, "@%s.%s", source, state->source_field->name);
  else if (sofa_field_print(object, field, &text) == SOFA_OK)
    made.text = sofa_strndup(app->ui, text.data ? text.data : "", text.n);
  sofa_free(object->ctx, source);
  sofa_list_free(object->ctx, &text);
  char *path = sofa_object_path(object);
  made.path = path ? sofa_strdup(app->ui, path) : NULL;
  made.field = sofa_strdup(app->ui, field->name);
  sofa_free(object->ctx, path);
  if (!made.path || !made.field || !made.text) free_undo(app, &made);
  return made;
}

static void push_undo(App *app, const Undo *made) {
  if (!made->path) return;
  if (app->n_undo == UNDO_MOST) {
    free_undo(app, &app->undo[0]);
    sofa_move(app->undo, app->undo + 1, (UNDO_MOST - 1) * sizeof *app->undo);
    app->n_undo--;
  }
  app->undo[app->n_undo++] = *made;
}

static SofaErr edit_noted(App *app, SofaObject *object, const char *name, const char *text) {
  app->refusal[0] = app->refusal_field[0] = '\0';
  const SofaErr err = edit(app, object, name, text);
  if (err != SOFA_OK) take_reason(app, name);
  app->picture_stale = app->tree_stale = true;
  app->fields_made = 0;
  return err;
}

void edit_undo(App *app) {
  if (!app->n_undo) {
    app_say(app, SOFA_INFO, "there is no edit to undo");
    return;
  }
  Undo last = app->undo[--app->n_undo];
  const TreeRow *row = tree_find(app, last.path);
  if (!row) app_say(app, SOFA_WARNING, "%s is not there any more", last.path);
  else if (edit_noted(app, row->object, last.field, last.text) == SOFA_OK)
    app_say(app, SOFA_INFO, "%s.%s is as it was", last.path, last.field);
  free_undo(app, &last);
  scene_view_update(app->view);
  fields_refresh(app, true);
}

/* ---- edits ---- */

SofaErr edit_field(App *app, SofaObject *object, const char *name, const char *text) {
  Undo before = undo_of(app, object, name);
  const SofaErr err = edit_noted(app, object, name, text);
  if (err == SOFA_OK) push_undo(app, &before);
  else free_undo(app, &before);
  return err;
}

/* The words of entry i of a printed list: from *begin, in *length. */
static bool find_entry(const char *text, size_t i, size_t width, size_t *begin, size_t *length) {
  const char *at = text + strspn(text, " ");
  for (size_t k = 0; k < i * width && *at; k++) {
    at += strcspn(at, " ");
    at += strspn(at, " ");
  }
  const char *end = at;
  for (size_t k = 0; k < width; k++) {
    if (!*end) return false;
    end += strspn(end, " ");
    end += strcspn(end, " ");
  }
  *begin = (size_t)(at - text);
  *length = (size_t)(end - at);
  return true;
}

SofaErr edit_entry(App *app, SofaObject *object, const char *name, size_t i, const char *text) {
  const SofaField *field = sofa_class_field(object->klass, name);
  SofaText old = {0}, made = {0};
  size_t begin = 0, length = 0;
  if (!field || !field->type->list) return edit_field(app, object, name, text);
  const size_t width = sofa_value_width(field, sofa_field_value(object, field));
  SofaErr err = sofa_field_print(object, field, &old);
  if (err == SOFA_OK && !find_entry(old.data ? old.data : "", i, width, &begin, &length)) {
    err = sofa_field_fail(object, name, SOFA_ERR_RANGE, "there is no entry %zu: it has %zu", i,
                          sofa_value_length(field, sofa_field_value(object, field)));
    take_reason(app, name);
  } else if (err == SOFA_OK) {
    err = sofa_text_printf(object->ctx, &made, "%.*s%s%s", (int)begin, old.data, text,
                           old.data + begin + length);
    if (err == SOFA_OK) err = edit_field(app, object, name, made.data);
  }
  sofa_list_free(object->ctx, &old);
  sofa_list_free(object->ctx, &made);
  return err;
}
