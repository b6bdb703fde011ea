/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fields of an object: defaults, setting from text, printing, change counters. */
#include <string.h>
#include "base/files.h"
#include "base/text.h"
#include "object/data_graph.h"
#include "object/node_index_impl.h"
#include "object/object_impl.h"

/* ---- look-up ---- */

SofaFieldState *sofa_field_state(const SofaObject *object, const SofaField *field) {
  for (const SofaClass *klass = object->klass; klass; klass = sofa_class_base(klass)) {
    const SofaField *rows = klass->fields;
    if (klass->n_fields && field >= rows && field < rows + klass->n_fields) {
      return &object->field_states[sofa_class_n_fields(sofa_class_base(klass)) +
                                   (size_t)(field - rows)];
    }
  }
  return NULL;
}

SofaErr sofa_field_compute(SofaObject *object, const SofaField *field) {
  if (!(field->flags & SOFA_FIELD_LAZY) || !object->initialised || !sofa_valid(object))
    return SOFA_OK;
  for (const SofaClass *klass = object->klass; klass; klass = sofa_class_base(klass))
    if (klass->n_fields && field >= klass->fields && field < klass->fields + klass->n_fields)
      return klass->compute_output ? klass->compute_output(object, field) : SOFA_OK;
  return SOFA_OK;
}

bool sofa_field_is_set(const SofaObject *object, const char *name) {
  const SofaField *field = sofa_class_field(object->klass, name);
  return field && sofa_field_state(object, field)->set;
}

void sofa_field_touch_state(SofaObject *object, SofaFieldState *state) {
  state->version++;
  sofa_object_changed(object);
  if (sofa_field_value(object, state->field) == (void *)&object->name)
    sofa_node_index_renamed(object);
}

void sofa_field_touch(SofaObject *object, const SofaField *field) {
  SofaFieldState *state = sofa_field_state(object, field);
  if (state) sofa_field_touch_state(object, state);
}

void sofa_field_touch_name(SofaObject *object, const char *name) {
  const SofaField *field = sofa_class_field(object->klass, name);
  if (field) sofa_field_touch(object, field);
}

bool sofa_field_is_view(const SofaObject *object, const SofaField *field) {
  return field->type == &sofa_type_coords &&
         ((const SofaCoords *)sofa_field_value(object, field))->view;
}

/* ---- defaults ---- */

static void set_width(const SofaObject *object, const SofaField *field) {
  if (field->type != &sofa_type_coords || object->kind == SOFA_NO_KIND) return;
  const SofaStateKindInfo *info = sofa_state_kind_info(object->kind);
  SofaCoords *list = sofa_field_value(object, field);
  list->width = field->flags & SOFA_FIELD_DERIV ? info->deriv : info->coord;
}

/* A string without a default is "". */
static const char *default_text(const SofaField *field) {
  return !field->def && field->type == &sofa_type_string ? "" : field->def;
}

static SofaErr apply_default(SofaObject *object, const SofaField *field) {
  SofaText why = {0};
  set_width(object, field);
  const char *text = default_text(field);
  if (!text) return SOFA_OK;
  const SofaParse parse = {object->ctx, field, NULL, object->kind, &why, object};
  SofaErr err = sofa_type_parse(field->type, &parse, text, sofa_field_value(object, field));
  if (err == SOFA_ERR_PARSE) {
    err = sofa_field_fail(object, field->name, err, "its default \"%s\" is unreadable: %s", text,
                          why.data);
  }
  sofa_list_free(object->ctx, &why);
  return err;
}

SofaErr sofa_fields_setup(SofaObject *object) {
  const size_t n = sofa_class_n_fields(object->klass);
  object->field_states = sofa_alloc(object->ctx, n, sizeof *object->field_states);
  if (!object->field_states) return SOFA_ERR_MEMORY;
  for (size_t i = 0; i < n; i++) {
    const SofaField *field = sofa_class_field_at(object->klass, i);
    object->field_states[i] = (SofaFieldState){.field = field, .version = 1};
  }
  for (size_t i = 0; i < n; i++) {
    const SofaField *field = object->field_states[i].field;
    SOFA_TRY(apply_default(object, field));
    if (field->flags & SOFA_FIELD_INPUT)
      SOFA_TRY(sofa_data_track(object, &object->field_states[i]));
  }
  return SOFA_OK;
}

void sofa_fields_clear(SofaObject *object) {
  if (!object->field_states) return;
  const size_t n = sofa_class_n_fields(object->klass);
  for (size_t i = 0; i < n; i++) {
    SofaFieldState *state = &object->field_states[i];
    sofa_type_free(state->field->type, object->ctx, sofa_field_value(object, state->field));
    sofa_free(object->ctx, state->link_path);
  }
  sofa_list_free(object->ctx, &object->tracked);
  sofa_free(object->ctx, object->field_states);
  object->field_states = NULL;
}

/* ---- printing ---- */

SofaErr sofa_field_print(const SofaObject *object, const SofaField *field, SofaText *out) {
  return sofa_type_print(field->type, object->ctx, field, sofa_field_value(object, field), out);
}

SofaErr sofa_field_default(const SofaObject *object, const SofaField *field, void *value) {
  SofaText why = {0};
  const SofaParse parse = {object->ctx, field, NULL, object->kind, &why, object};
  const char *text = default_text(field);
  const SofaErr err = text ? sofa_type_parse(field->type, &parse, text, value) : SOFA_OK;
  sofa_list_free(object->ctx, &why);
  return err;
}

/* Prints the default into *out by way of a value of its own. */
static SofaErr print_default(const SofaObject *object, const SofaField *field, SofaText *out) {
  SofaErr err = SOFA_OK;
  void *value = sofa_alloc(object->ctx, 1, field->type->size);
  if (!value) return SOFA_ERR_MEMORY;
  SOFA_GO(err, done, sofa_field_default(object, field, value));
  err = sofa_type_print(field->type, object->ctx, field, value, out);
done:
  sofa_type_free(field->type, object->ctx, value);
  sofa_free(object->ctx, value);
  return err;
}

bool sofa_field_is_default(const SofaObject *object, const SofaField *field) {
  SofaText now = {0}, def = {0};
  const bool same = sofa_field_print(object, field, &now) == SOFA_OK &&
                    print_default(object, field, &def) == SOFA_OK && now.n == def.n &&
                    sofa_compare(now.data, def.data, now.n) == 0;
  sofa_list_free(object->ctx, &now);
  sofa_list_free(object->ctx, &def);
  return same;
}

/* ---- setting ---- */

SofaErr sofa_object_folder(const SofaObject *object, char **out) {
  *out = NULL;
  if (!object->file) return SOFA_OK;
  *out = sofa_path_folder(object->ctx, object->file);
  return *out ? SOFA_OK : SOFA_ERR_MEMORY;
}

/* The beginning of the text on one line. */
static const char *excerpt(const char *text, char buffer[64]) {
  const size_t n = strnlen(text, 61);
  const size_t shown = n > 60 ? 57 : n;
  for (size_t i = 0; i < shown; i++) buffer[i] = (unsigned char)text[i] < ' ' ? ' ' : text[i];
  sofa_copy(buffer + shown, n > 60 ? "..." : "", n > 60 ? 4 : 1);
  return buffer;
}

/* Says what came of reading the text. */
static SofaErr report(const SofaObject *object, const SofaField *field, const char *text,
                      SofaErr err, const SofaText *why) {
  char buffer[64];
  if (err == SOFA_ERR_PARSE) {
    return sofa_field_fail(object, field->name, err, "cannot read \"%s\": %s",
                           excerpt(text, buffer), why->n ? why->data : "unreadable");
  }
  if (!err && why->n) {
    sofa_object_message(object, SOFA_WARNING, "field '%s': \"%s\": %s", field->name,
                        excerpt(text, buffer), why->data);
  }
  return err;
}

static SofaErr parse_value(SofaObject *object, const SofaField *field, const char *text) {
  SofaText why = {0};
  char *folder = NULL;
  SOFA_TRY(sofa_object_folder(object, &folder));
  const SofaParse parse = {object->ctx, field, folder, object->kind, &why, object};
  const bool view = sofa_field_is_view(object, field);
  SofaErr err = sofa_type_parse(field->type, &parse, text, sofa_field_value(object, field));
  if (view && !sofa_field_is_view(object, field)) sofa_graph_changed(object->node);
  err = report(object, field, text, err, &why);
  sofa_free(object->ctx, folder);
  sofa_list_free(object->ctx, &why);
  return err;
}

static SofaErr check_supported(SofaObject *object, const SofaField *field, const char *text) {
  if (!(field->flags & SOFA_FIELD_UNSUPPORTED) || sofa_field_is_default(object, field)) {
    return SOFA_OK;
  }
  char buffer[64];
  return sofa_field_fail(object, field->name, SOFA_ERR_UNSUPPORTED,
                         "\"%s\" is not supported yet: only the default \"%s\" is",
                         excerpt(text, buffer), field->def ? field->def : "");
}

static SofaErr set_one(SofaObject *object, SofaFieldState *state, const char *text, int line) {
  const SofaField *field = state->field;
  const bool linkable = !field->type->link && !(field->flags & SOFA_FIELD_LEGACY);
  const bool links = text[0] == '@' && linkable;
  // a live object keeps what it has
  if (object->initialised && !links) SOFA_TRY(sofa_range_check_text(object, field, text));
  // SOFA counts it as set whatever comes of the text
  state->set = true;
  state->line = line;
  if (links) return sofa_data_link_text(object, field, text, line);
  sofa_data_unlink(object, state);
  SofaErr err = parse_value(object, field, text);
  sofa_field_touch_state(object, state);
  if (err == SOFA_ERR_MEMORY) return err;
  if (field->type->link) {
    sofa_links_resolve(object, state);
    if (object->initialised) sofa_graph_changed(object->node);
  }
  if (!err) err = check_supported(object, field, text);
  if (!err && object->initialised && (field->flags & SOFA_FIELD_REINIT)) {
    err = sofa_object_run(object, SOFA_RUN_REINIT);
  }
  return err;
}

SofaErr sofa_field_set_text(SofaObject *object, const char *name, const char *text, int line) {
  const size_t n = sofa_class_n_fields(object->klass);
  SofaErr err = SOFA_OK;
  bool found = false;
  for (size_t i = 0; i < n; i++) {
    SofaFieldState *state = &object->field_states[i];
    if (!sofa_field_has_name(state->field, name)) continue;
    found = true;
    const SofaErr e = set_one(object, state, text, line);
    if (!err) err = e;
  }
  return found ? err : SOFA_ERR_NOT_FOUND;
}
