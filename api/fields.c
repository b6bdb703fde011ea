/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fields: what they are, their values as text, numbers and memory. */
#include <string.h>

#include "api/api_impl.h"
#include "behavior/state.h"
#include "object/data_graph.h"
#include "object/handle.h"
#include "object/numbers.h"
#include "scene/edit.h"

/* A field of an object that exists; on failure reported. */
typedef struct Place {
  SofaObject *object;
  const SofaField *field;
  void *value;
  size_t n, width; /* of numbers */
} Place;

static SofaErr fail_name(const SofaObject *object, const char *name) {
  SofaText nearest = {0};
  SofaErr err = sofa_class_suggest_field(object->ctx, object->klass, name, &nearest);
  if (err == SOFA_OK)
    err = sofa_field_fail(object, name, SOFA_ERR_NOT_FOUND, "there is no such field%s",
                          nearest.n ? nearest.data : "");
  sofa_list_free(object->ctx, &nearest);
  return err;
}

static SofaErr find(CsofaScene *scene, CsofaObject object, const char *name, Place *out) {
  SofaObject *o = csofa_get(scene, object);
  *out = (Place){.object = o};
  if (!o) return SOFA_ERR_NOT_FOUND;
  if (!name) return sofa_object_fail(o, SOFA_ERR_ARGUMENT, "the name of a field is NULL");
  out->field = sofa_class_field(o->klass, name);
  if (!out->field) return fail_name(o, name);
  out->value = sofa_field_value(o, out->field);
  return SOFA_OK;
}

/* The same with its present value: links pulled, computed. */
static SofaErr read_field(CsofaScene *scene, CsofaObject object, const char *name, Place *out) {
  SOFA_TRY(find(scene, object, name, out));
  SOFA_TRY(sofa_field_refresh(out->object, out->field));
  out->n = sofa_value_length(out->field, out->value);
  out->width = sofa_value_width(out->field, out->value);
  return SOFA_OK;
}

static int kind_of(const SofaType *type) {
  switch (type->scalar) {
  case SOFA_SCALAR_REAL:
    return CSOFA_REAL;
  case SOFA_SCALAR_INT:
    return CSOFA_INT;
  case SOFA_SCALAR_UINT:
    return CSOFA_UINT;
  case SOFA_SCALAR_BOOL:
    return CSOFA_BOOL;
  default:
    return CSOFA_TEXT;
  }
}

/* ---- what they are ---- */

size_t csofa_n_fields(CsofaScene *scene, CsofaObject object) {
  csofa_begin(scene->owner);
  const SofaObject *o = csofa_get(scene, object);
  return o ? sofa_class_n_fields(o->klass) : 0;
}

const char *csofa_field_name(CsofaScene *scene, CsofaObject object, size_t i) {
  csofa_begin(scene->owner);
  const SofaObject *o = csofa_get(scene, object);
  if (!o || i >= sofa_class_n_fields(o->klass)) return NULL;
  return csofa_lend(scene->owner, sofa_class_field_at(o->klass, i)->name);
}

int csofa_has_field(CsofaScene *scene, CsofaObject object, const char *field) {
  const SofaObject *o = sofa_handle_object(scene->owner->ctx, object);
  return o && field && sofa_class_field(o->klass, field);
}

CsofaErr csofa_field_info(CsofaScene *scene, CsofaObject object, const char *field, int *kind,
                          size_t *n, size_t *width, unsigned *flags) {
  Place at;
  csofa_begin(scene->owner);
  const SofaErr err = find(scene, object, field, &at);
  if (err != SOFA_OK) return csofa_end(scene->owner, err);
  const SofaFieldState *state = sofa_field_state(at.object, at.field);
  if (kind) *kind = kind_of(at.field->type);
  if (n) *n = sofa_value_length(at.field, at.value);
  if (width) *width = sofa_value_width(at.field, at.value);
  if (flags)
    *flags = (state->set ? CSOFA_FIELD_SET : 0u) |
             (at.field->flags & SOFA_FIELD_OUTPUT ? CSOFA_FIELD_OUTPUT : 0u) |
             (state->source ? CSOFA_FIELD_LINKED : 0u) |
             (at.field->type->list ? CSOFA_FIELD_LIST : 0u);
  return CSOFA_OK;
}

/* The row of a field, or NULL. */
static const SofaField *row(CsofaScene *scene, CsofaObject object, const char *field) {
  Place at;
  csofa_begin(scene->owner);
  return csofa_end(scene->owner, find(scene, object, field, &at)) == CSOFA_OK ? at.field : NULL;
}

const char *csofa_field_help(CsofaScene *scene, CsofaObject object, const char *field) {
  const SofaField *f = row(scene, object, field);
  return f ? csofa_lend(scene->owner, f->help ? f->help : "") : NULL;
}

const char *csofa_field_unit(CsofaScene *scene, CsofaObject object, const char *field) {
  const SofaField *f = row(scene, object, field);
  return f ? csofa_lend(scene->owner, f->unit ? f->unit : "") : NULL;
}

const char *csofa_field_type(CsofaScene *scene, CsofaObject object, const char *field) {
  const SofaField *f = row(scene, object, field);
  return f ? csofa_lend(scene->owner, f->type->name) : NULL;
}

const char *csofa_field_default(CsofaScene *scene, CsofaObject object, const char *field) {
  const SofaField *f = row(scene, object, field);
  return f ? csofa_lend(scene->owner, f->def ? f->def : "") : NULL;
}

/* ---- links ---- */

static const SofaObject *target_of(const Place *at) {
  const SofaFieldState *state = sofa_field_state(at->object, at->field);
  if (!at->field->type->link) return state->source;
  if (at->field->type != &sofa_type_links) return ((const SofaLink *)at->value)->target;
  const SofaLinks *links = at->value;
  return links->n ? links->data[0].target : NULL;
}

const char *csofa_field_link(CsofaScene *scene, CsofaObject object, const char *field) {
  CsofaContext *context = scene->owner;
  Place at;
  csofa_begin(context);
  if (csofa_end(context, find(scene, object, field, &at)) != CSOFA_OK) return NULL;
  const SofaObject *target = target_of(&at);
  const SofaField *source = sofa_field_state(at.object, at.field)->source_field;
  if (!target) return csofa_lend(context, "");
  char *path = sofa_object_path(target);
  context->text.n = 0;
  SofaErr err = path ? SOFA_OK : SOFA_ERR_MEMORY;
  if (err == SOFA_OK)
    err = sofa_text_printf(context->ctx, &context->text, "@%s%s%s", path, source ? "." : "",
                           source ? source->name : "");
  sofa_free(context->ctx, path);
  return csofa_end(context, err) == CSOFA_OK ? context->text.data : NULL;
}

CsofaObject csofa_linked_object(CsofaScene *scene, CsofaObject object, const char *field) {
  Place at;
  csofa_begin(scene->owner);
  if (csofa_end(scene->owner, find(scene, object, field, &at)) != CSOFA_OK) return 0;
  const SofaObject *target = target_of(&at);
  return target ? sofa_handle_of((SofaObject *)(uintptr_t)target) : 0;
}

/* ---- text ---- */

const char *csofa_get_text(CsofaScene *scene, CsofaObject object, const char *field) {
  CsofaContext *context = scene->owner;
  Place at;
  csofa_begin(context);
  SofaErr err = read_field(scene, object, field, &at);
  context->text.n = 0;
  if (err == SOFA_OK) err = sofa_field_print(at.object, at.field, &context->text);
  if (csofa_end(context, err) != CSOFA_OK) return NULL;
  return context->text.n ? context->text.data : "";
}

CsofaErr csofa_set_text(CsofaScene *scene, CsofaObject object, const char *field,
                        const char *text) {
  Place at;
  csofa_begin(scene->owner);
  SofaErr err = find(scene, object, field, &at);
  if (err == SOFA_OK && !text)
    err = sofa_field_fail(at.object, field, SOFA_ERR_ARGUMENT, "is NULL");
  if (err == SOFA_OK) err = sofa_edit(&at.object, field, text);
  return csofa_end(scene->owner, err);
}

/* ---- numbers ---- */

static SofaErr fail_numbers(const Place *at, size_t first, size_t n) {
  if (kind_of(at->field->type) == CSOFA_TEXT)
    return sofa_field_fail(at->object, at->field->name, SOFA_ERR_TYPE, "a %s has no numbers",
                           at->field->type->name);
  return sofa_field_fail(at->object, at->field->name, SOFA_ERR_RANGE,
                         "numbers %zu to %zu are asked for, it has %zu", first, first + n,
                         at->n * at->width);
}

CsofaErr csofa_get_reals(CsofaScene *scene, CsofaObject object, const char *field, size_t first,
                         size_t n, double *out) {
  Place at;
  csofa_begin(scene->owner);
  SofaErr err = read_field(scene, object, field, &at);
  for (size_t i = 0; err == SOFA_OK && i < n; i++)
    if (!sofa_field_number(at.object, at.field, first + i, &out[i]))
      err = fail_numbers(&at, first, n);
  return csofa_end(scene->owner, err);
}

CsofaErr csofa_get_ints(CsofaScene *scene, CsofaObject object, const char *field, size_t first,
                        size_t n, int64_t *out) {
  Place at;
  double number = 0;
  csofa_begin(scene->owner);
  SofaErr err = read_field(scene, object, field, &at);
  if (err == SOFA_OK && kind_of(at.field->type) == CSOFA_REAL)
    err = sofa_field_fail(at.object, field, SOFA_ERR_TYPE, "a %s has no integers",
                          at.field->type->name);
  for (size_t i = 0; err == SOFA_OK && i < n; i++) {
    if (!sofa_field_number(at.object, at.field, first + i, &number))
      err = fail_numbers(&at, first, n);
    out[i] = (int64_t)number;
  }
  return csofa_end(scene->owner, err);
}

CsofaErr csofa_set_reals(CsofaScene *scene, CsofaObject object, const char *field, size_t n,
                         const double *values) {
  Place at;
  csofa_begin(scene->owner);
  SofaErr err = find(scene, object, field, &at);
  if (err == SOFA_OK) err = sofa_edit_numbers(&at.object, field, n, values);
  return csofa_end(scene->owner, err);
}

CsofaErr csofa_set_ints(CsofaScene *scene, CsofaObject object, const char *field, size_t n,
                        const int64_t *values) {
  SofaContext *ctx = scene->owner->ctx;
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  double *reals = SOFA_SCRATCH(ctx, double, n + 1);
  for (size_t i = 0; reals && i < n; i++) reals[i] = (double)values[i];
  const CsofaErr err = reals ? csofa_set_reals(scene, object, field, n, reals) : CSOFA_ERR_MEMORY;
  sofa_scratch_release(ctx, mark);
  return err;
}

/* ---- memory ---- */

CsofaErr csofa_view(CsofaScene *scene, CsofaObject object, const char *field, void **data,
                    size_t *n, size_t *width, int *kind) {
  Place at;
  csofa_begin(scene->owner);
  SofaErr err = read_field(scene, object, field, &at);
  if (err == SOFA_OK && kind_of(at.field->type) == CSOFA_TEXT) err = fail_numbers(&at, 0, 0);
  if (err != SOFA_OK) return csofa_end(scene->owner, err);
  *data = (void *)(uintptr_t)sofa_value_data(at.field, at.value);
  *n = at.n;
  *width = at.width;
  *kind = kind_of(at.field->type);
  return CSOFA_OK;
}

int csofa_view_is_valid(CsofaScene *scene, CsofaObject object, const char *field, const void *data,
                        size_t n) {
  const SofaObject *o = sofa_handle_object(scene->owner->ctx, object);
  const SofaField *f = o && field ? sofa_class_field(o->klass, field) : NULL;
  if (!f) return 0;
  const void *value = sofa_field_value(o, f);
  return sofa_value_data(f, value) == data && sofa_value_length(f, value) == n;
}

CsofaErr csofa_touch(CsofaScene *scene, CsofaObject object, const char *field) {
  Place at;
  csofa_begin(scene->owner);
  SofaErr err = find(scene, object, field, &at);
  if (err == SOFA_OK) err = sofa_edit_touch(at.object, at.field);
  return csofa_end(scene->owner, err);
}

/* ---- forces ---- */

CsofaErr csofa_add_force(CsofaScene *scene, CsofaObject state, size_t point, size_t n,
                         const double *force) {
  csofa_begin(scene->owner);
  SofaObject *object = csofa_get(scene, state);
  if (!object) return CSOFA_ERR_NOT_FOUND;
  SofaState *s = (SofaState *)object;
  if (!sofa_implements(object, SOFA_MECHANICAL_STATE))
    return csofa_end(scene->owner, sofa_object_fail(object, SOFA_ERR_TYPE,
                                                    "forces act on mechanical states only"));
  if (point >= s->position.n || n != s->external_force.width)
    return csofa_end(scene->owner,
                     sofa_object_fail(object, SOFA_ERR_RANGE,
                                      "force of %zu numbers on point %zu, expected %u numbers and "
                                      "a point below %zu",
                                      n, point, s->external_force.width, s->position.n));
  SofaErr err = SOFA_OK;
  if (s->external_force.n != s->position.n)
    err = sofa_coords_resize(object->ctx, &s->external_force, s->position.n);
  if (err == SOFA_OK)
    for (size_t i = 0; i < n; i++) s->external_force.data[point * n + i] += force[i];
  return csofa_end(scene->owner, err);
}
