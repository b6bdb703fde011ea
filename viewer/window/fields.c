/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fields of the selected object: copies for the inspector. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/profiler.h"
#include "base/text.h"
#include "object/data_graph.h"
#include "object/numbers.h"
#include "scene/edit.h"
#include "viewer/window/app.h"

enum { SHOWN = 2000 }; /* characters of a value */

/* ---- copies ---- */

static void free_row(App *app, FieldRow *row) {
  sofa_free(app->ui, row->value);
  sofa_free(app->ui, row->link);
}

void fields_free(App *app) {
  for (size_t i = 0; i < app->fields.n; i++) free_row(app, &app->fields.data[i]);
  sofa_list_free(app->ui, &app->fields);
}

/* "@/path.field" of the source of a data link, the path of an object that was found; else NULL. */
static char *link_text(App *app, const SofaObject *object, const SofaFieldState *state) {
  const SofaObject *target = state->source;
  const bool is_object = state->field->type->link && !state->field->type->list;
  if (is_object) target = ((const SofaLink *)sofa_field_value(object, state->field))->target;
  char *path = target ? sofa_object_path(target) : NULL;
  char *text = NULL;
  if (path && is_object) text = sofa_format(app->ui, "%s", path);
  else if (path) text = sofa_format(app->ui, "@%s.%s", path, state->source_field->name);
  sofa_free(object->ctx, path);
  return text;
}

static bool is_empty_box(const SofaField *field, const void *value) {
  const SofaBox *box = value;
  return field->type == &sofa_type_box && !(box->min[0] <= box->max[0]);
}

/* The value as text, as much of it as is shown. */
static void print_value(SofaObject *object, FieldRow *row, SofaText *text) {
  const SofaField *field = row->field;
  // printing a large mesh again and again would cost more than a step
  row->cut = field->type->list && row->n > 200;
  if (row->cut) sofa_text_printf(object->ctx, text, "(%zu entries)", row->n);
  else if (is_empty_box(field, sofa_field_value(object, field)))
    sofa_text_printf(object->ctx, text, "none");
  else sofa_field_print(object, field, text);
  if (text->n <= SHOWN) return;
  row->cut = true;
  text->n = SHOWN;
}

static void copy_field(App *app, SofaObject *object, const SofaFieldState *state) {
  const SofaField *field = state->field;
  // one that cannot be computed is shown as it is; long lists of reals are matrices of all
  // elements, which are not worth plotting and may be larger than the memory
  if (field->type != &sofa_type_reals) (void)sofa_field_compute(object, field);
  const void *value = sofa_field_value(object, field);
  FieldRow row = {.field = field,
                  .range = sofa_class_range(object->klass, field).range,
                  .n = sofa_value_length(field, value),
                  .width = sofa_value_width(field, value),
                  .linked = state->source != NULL,
                  .is_set = state->set || state->source};
  SofaText text = {0};
  print_value(object, &row, &text);
  row.editable = !sofa_edit_refusal(field) && !row.cut && !is_empty_box(field, value);
  row.value = sofa_strndup(app->ui, text.data ? text.data : "", text.n);
  row.link = link_text(app, object, state);
  sofa_list_free(object->ctx, &text);
  if (!row.value || SOFA_APPEND(app->ui, &app->fields, &row) != SOFA_OK) free_row(app, &row);
}

/* Rows of fields [first, end); `set`: only those that the scene says, or only the others. */
static void copy_fields(App *app, SofaObject *object, size_t first, size_t end, bool set) {
  for (size_t i = first; i < end; i++) {
    const SofaFieldState *state = &object->field_states[i];
    if ((state->set || state->source) == set) copy_field(app, object, state);
  }
}

void fields_refresh(App *app, bool now) {
  const double time = sofa_now();
  if (!now && time < app->fields_made + 0.2) return;
  app->fields_made = time;
  const TreeRow *row = app->selected ? tree_find(app, app->selected) : NULL;
  for (size_t i = 0; i < app->fields.n; i++) free_row(app, &app->fields.data[i]);
  app->fields.n = 0;
  if (!row) return;
  sofa_data_pull(row->object, NULL);
  // what the scene says comes first, then the fields of the class, then those that all have
  const size_t n = sofa_class_n_fields(row->object->klass);
  const size_t common = sofa_class_n_fields(&sofa_object_class);
  copy_fields(app, row->object, 0, n, true);
  copy_fields(app, row->object, common, n, false);
  copy_fields(app, row->object, 0, common, false);
}
