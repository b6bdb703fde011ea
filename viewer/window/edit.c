/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Changes of fields while the scene runs. A value of the same length is set, and the class takes it
 * over. Where a list becomes longer or shorter or a link leads elsewhere, a class either makes
 * itself anew (reinit), or its object is made anew; what others were built on is refused. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "object/data_graph.h"
#include "viewer/window/app.h"
#include "behavior/mass.h"
#include "behavior/mapping.h"
#include "change/topological_mapping.h"
#include "behavior/loader.h"
#include "behavior/visual_model.h"
#include "behavior/rotation_finder.h"
#include "behavior/projective.h"

/* ---- what may be changed ---- */

static const char *why_never(const SofaField *field) {
  static const char *const names[] = {"name", "template", NULL};
  if (field->flags & SOFA_FIELD_OUTPUT || strcmp(field->name, "componentState") == 0)
    return "it is computed";
  if (field->flags & SOFA_FIELD_UNSUPPORTED) return "it is not supported yet";
  for (int i = 0; names[i]; i++)
    if (strcmp(field->name, names[i]) == 0)
      return "links and templates of other objects rely on it: change the file and reload it";
  return NULL;
}

bool edit_is_possible(const SofaObject *object, const SofaField *field) {
  (void)object;
  return !why_never(field);
}

static bool has_reinit(const SofaObject *object) {
  for (const SofaClass *c = object->klass; c; c = sofa_class_base(c))
    if (c->reinit) return true;
  return false;
}

/* Objects that act on a state and are referenced only by links. */
static bool is_leaf(const App *app, const SofaObject *object) {
  // what the window itself put into the scene it knows by its address
  if (sofa_implements(object, SOFA_MASS) || !object->file) return false;
  if (!sofa_implements(object, SOFA_FORCE_FIELD) && !sofa_implements(object, SOFA_PROJECTIVE))
    return false;
  // a preconditioner keeps the force field whose rotations it uses
  for (size_t i = 0; sofa_implements(object, SOFA_ROTATION_FINDER) && i < app->tree.n; i++)
    if (strstr(app->tree.data[i].class_name, "WarpPreconditioner")) return false;
  return true;
}

typedef enum Way { SET, RENEW, REFUSE } Way;

/* How a list gets another length, or a link another target. */
static Way way_of(const App *app, const SofaObject *object, const SofaField *field,
                  const char **why) {
  const bool link = field->type->link;
  *why = "";
  if (field->flags & SOFA_FIELD_DISPLAY && !link) return SET;
  if (sofa_implements(object, SOFA_VISUAL_MODEL)) *why = "a mapping moves these points";
  else if (sofa_implements(object, SOFA_STATE)) *why = "all that acts on the state relies on it";
  else if (sofa_implements(object, SOFA_TOPOLOGY) || sofa_implements(object, SOFA_LOADER) ||
           sofa_implements(object, SOFA_TOPOLOGICAL_MAPPING))
    *why = "states, masses and force fields were made for these points and elements";
  else if (sofa_implements(object, SOFA_MAPPING)) *why = "the order of the scene relies on it";
  else if (is_leaf(app, object)) return link || !has_reinit(object) ? RENEW : SET;
  else if (has_reinit(object) || sofa_implements(object, SOFA_ENGINE)) return SET;
  else if (link) *why = "the object looked it up when the scene was loaded";
  else *why = "it was read into a table when the scene was loaded";
  return REFUSE;
}

/* ---- the old value ---- */

typedef struct Old {
  SofaText text;
  SofaObject *source; /* of a data link, or NULL */
  const SofaField *source_field;
  bool set;
} Old;

static SofaErr keep(const SofaObject *object, const SofaField *field, Old *old) {
  const SofaFieldState *state = sofa_field_state(object, field);
  *old = (Old){.source = state->source, .source_field = state->source_field, .set = state->set};
  return sofa_field_print(object, field, &old->text);
}

/* Does the new value stand? The class says so when it takes it over. */
static SofaErr take_over(SofaObject *object, const SofaField *field) {
  if (!object->initialised || (field->flags & SOFA_FIELD_REINIT)) return SOFA_OK;
  if (sofa_implements(object, SOFA_ENGINE)) return sofa_data_update(object);
  return sofa_object_run(object, SOFA_RUN_REINIT);
}

static void restore(SofaObject *object, const SofaField *field, Old *old) {
  sofa_field_set_text(object, field->name, old->text.data ? old->text.data : "", 0);
  if (field->type->link) sofa_data_resolve(object, true);
  if (old->source) sofa_data_link(object, field, old->source, old->source_field);
  sofa_field_state(object, field)->set = old->set;
  take_over(object, field);
}

/* ---- setting ---- */

static SofaErr fail_length(const SofaObject *object, const SofaField *field, size_t n, size_t now,
                           const char *why) {
  return sofa_field_fail(object, field->name, SOFA_ERR_RANGE,
                         "expected %zu entries, not %zu: the length of this list cannot change "
                         "while the scene is open: %s; change the file and reload it",
                         n, now, why);
}

/* A text that reads as a list of another length: does it go? *way: how. */
static SofaErr look_at_length(const App *app, SofaObject *object, const SofaField *field,
                              const char *text, Way *way) {
  const size_t n = field_length(field, sofa_field_value(object, field));
  SofaText why = {0};
  const SofaParse parse = {object->ctx, field, NULL, object->kind, &why, object};
  const char *reason = "";
  size_t now = n;
  void *value = sofa_alloc(object->ctx, 1, field->type->size);
  if (!value) return SOFA_ERR_MEMORY;
  if (field->type == &sofa_type_coords)
    ((SofaCoords *)value)->width = ((const SofaCoords *)sofa_field_value(object, field))->width;
  // unreadable text is reported when it is set
  if (sofa_type_parse(field->type, &parse, text, value) == SOFA_OK)
    now = field_length(field, value);
  sofa_type_free(field->type, object->ctx, value);
  sofa_free(object->ctx, value);
  sofa_list_free(object->ctx, &why);
  if (now == n) return SOFA_OK;
  *way = way_of(app, object, field, &reason);
  return *way == REFUSE ? fail_length(object, field, n, now, reason) : SOFA_OK;
}

/* Links and values, into the object as it is. Reports why not. */
static SofaErr set(const App *app, SofaObject *object, const SofaField *field, const char *text) {
  const bool link = text[0] == '@' || field->type->link;
  const size_t n = field_length(field, sofa_field_value(object, field));
  const char *why = "";
  SOFA_TRY(sofa_field_set_text(object, field->name, text, 0));
  if (!link) return take_over(object, field);
  SOFA_TRY(sofa_data_resolve(object, true));
  if (!field->type->link) {
    SOFA_TRY(sofa_data_check_cycles(app->simulation->root));
    SOFA_TRY(sofa_data_pull(object, NULL));
    const size_t now = field_length(field, sofa_field_value(object, field));
    if (field->type->list && now != n && way_of(app, object, field, &why) == REFUSE)
      return fail_length(object, field, n, now, why);
  }
  SOFA_TRY(take_over(object, field));
  sofa_graph_changed(object->node);
  return SOFA_OK;
}

static SofaErr set_or_restore(App *app, SofaObject *object, const SofaField *field,
                              const char *text) {
  Old old;
  SofaErr err = keep(object, field, &old);
  if (err == SOFA_OK) err = set(app, object, field, text);
  if (err != SOFA_OK && err != SOFA_ERR_MEMORY) restore(object, field, &old);
  sofa_list_free(object->ctx, &old.text);
  return err;
}

/* A class that made something of the value at the beginning, and cannot make it again. */
static void say_when(const SofaObject *object, const SofaField *field) {
  if ((field->flags & (SOFA_FIELD_REINIT | SOFA_FIELD_DISPLAY)) || has_reinit(object)) return;
  if (sofa_implements(object, SOFA_FORCE_FIELD) || sofa_implements(object, SOFA_MAPPING) ||
      sofa_implements(object, SOFA_TOPOLOGY))
    sofa_object_message(object, SOFA_WARNING,
                        "'%s' is set; data made of the old value when the scene was loaded is "
                        "not updated: change the file and reload it if nothing is to be seen",
                        field->name);
}

/* Rows, watched numbers and marks know the old object. */
static SofaErr renew(App *app, SofaObject *object, const SofaField *field, const char *text) {
  SofaObject *made = NULL;
  pull_end(&app->pull);
  if (scene_view_options(app->view)->mark == object) scene_view_options(app->view)->mark = NULL;
  const SofaErr err = sofa_object_renew(object, field->name, text, &made);
  app->tree_stale = true;
  tree_refresh(app);
  watch_resolve(app);
  return err;
}

/* ---- reasons ---- */

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

static SofaErr refuse(const SofaObject *object, const char *field, const char *why,
                      const char *hint) {
  return sofa_field_fail(object, field, SOFA_ERR_UNSUPPORTED,
                         "it cannot be changed while the scene is open: %s%s", why, hint);
}

/* ---- all ---- */

static SofaErr edit(App *app, SofaObject *object, const char *name, const char *text) {
  const SofaField *field = sofa_class_field(object->klass, name);
  const char *why = "";
  Way way = SET;
  if (!field) return sofa_field_fail(object, name, SOFA_ERR_NOT_FOUND, "there is no such field");
  if (why_never(field)) return refuse(object, name, why_never(field), "");
  if (text[0] == '@' || field->type->link) way = way_of(app, object, field, &why);
  else if (field->type->list) SOFA_TRY(look_at_length(app, object, field, text, &way));
  // a data link that brings as many entries is possible everywhere but in a state
  if (way == REFUSE && (field->type->link || sofa_implements(object, SOFA_STATE)))
    return refuse(object, name, why, "; change the file and reload it");
  if (way == RENEW) return renew(app, object, field, text);
  SOFA_TRY(set_or_restore(app, object, field, text));
  say_when(object, field);
  return SOFA_OK;
}

SofaErr edit_field(App *app, SofaObject *object, const char *name, const char *text) {
  app->refusal[0] = app->refusal_field[0] = '\0';
  const SofaErr err = edit(app, object, name, text);
  if (err != SOFA_OK) take_reason(app, name);
  app->picture_stale = app->tree_stale = true;
  app->fields_made = 0;
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
  const size_t width = field_width(field, sofa_field_value(object, field));
  SofaErr err = sofa_field_print(object, field, &old);
  if (err == SOFA_OK && !find_entry(old.data ? old.data : "", i, width, &begin, &length)) {
    err = sofa_field_fail(object, name, SOFA_ERR_RANGE, "there is no entry %zu: it has %zu", i,
                          field_length(field, sofa_field_value(object, field)));
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
