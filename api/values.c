/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Values of fields as text, numbers and memory: by the name of a field or by its number. */
#include "api/api_impl.h"
#include "object/data_graph.h"
#include "object/handle.h"
#include "object/numbers.h"
#include "scene/edit.h"

/* A call about a field begins; on failure reported. */
static SofaErr by_name(CsofaScene *scene, CsofaObject object, const char *field, CsofaPlace *at) {
  csofa_begin(scene->owner);
  return csofa_place_by_name(scene, object, field, at);
}

static SofaErr by_number(CsofaScene *scene, CsofaField field, CsofaPlace *at) {
  csofa_begin(scene->owner);
  return csofa_place_by_number(scene, field, at);
}

/* The present value: links pulled, computed. */
static SofaErr refresh(CsofaPlace *at) {
  SOFA_TRY(sofa_field_refresh(at->object, at->field));
  at->n = sofa_value_length(at->field, at->value);
  at->width = sofa_value_width(at->field, at->value);
  return SOFA_OK;
}

/* ---- text ---- */

static const char *get_text(CsofaContext *context, SofaErr err, CsofaPlace *at) {
  if (err == SOFA_OK) err = refresh(at);
  context->text.n = 0;
  if (err == SOFA_OK) err = sofa_field_print(at->object, at->field, &context->text);
  if (csofa_end(context, err) != CSOFA_OK) return NULL;
  return context->text.n ? context->text.data : "";
}

const char *csofa_get_text(CsofaScene *scene, CsofaObject object, const char *field) {
  CsofaPlace at;
  const SofaErr err = by_name(scene, object, field, &at);
  return get_text(scene->owner, err, &at);
}

const char *csofa_field_get_text(CsofaScene *scene, CsofaField field) {
  CsofaPlace at;
  const SofaErr err = by_number(scene, field, &at);
  return get_text(scene->owner, err, &at);
}

static CsofaErr set_text(CsofaContext *context, SofaErr err, CsofaPlace *at, const char *text) {
  if (err == SOFA_OK && !text)
    err = sofa_field_fail(at->object, at->field->name, SOFA_ERR_ARGUMENT, "is NULL");
  if (err == SOFA_OK) err = sofa_edit_field(&at->object, at->field, text);
  return csofa_end(context, err);
}

CsofaErr csofa_set_text(CsofaScene *scene, CsofaObject object, const char *field,
                        const char *text) {
  CsofaPlace at;
  const SofaErr err = by_name(scene, object, field, &at);
  return set_text(scene->owner, err, &at, text);
}

CsofaErr csofa_field_set_text(CsofaScene *scene, CsofaField field, const char *text) {
  CsofaPlace at;
  const SofaErr err = by_number(scene, field, &at);
  return set_text(scene->owner, err, &at, text);
}

/* ---- numbers ---- */

static SofaErr fail_numbers(const CsofaPlace *at, size_t first, size_t n) {
  if (csofa_kind_of(at->field->type) == CSOFA_TEXT)
    return sofa_field_fail(at->object, at->field->name, SOFA_ERR_TYPE, "a %s has no numbers",
                           at->field->type->name);
  return sofa_field_fail(at->object, at->field->name, SOFA_ERR_RANGE,
                         "numbers %zu to %zu are asked for, it has %zu", first, first + n,
                         at->n * at->width);
}

/* Of the present value: numbers [first, first + n). */
static SofaErr get_reals(CsofaPlace *at, size_t first, size_t n, double *out) {
  SOFA_TRY(refresh(at));
  for (size_t i = 0; i < n; i++)
    if (!sofa_field_number(at->object, at->field, first + i, &out[i]))
      return fail_numbers(at, first, n);
  return SOFA_OK;
}

CsofaErr csofa_get_reals(CsofaScene *scene, CsofaObject object, const char *field, size_t first,
                         size_t n, double *out) {
  CsofaPlace at;
  SofaErr err = by_name(scene, object, field, &at);
  if (err == SOFA_OK) err = get_reals(&at, first, n, out);
  return csofa_end(scene->owner, err);
}

CsofaErr csofa_field_get_reals(CsofaScene *scene, CsofaField field, size_t first, size_t n,
                               double *out) {
  CsofaPlace at;
  SofaErr err = by_number(scene, field, &at);
  if (err == SOFA_OK) err = get_reals(&at, first, n, out);
  return csofa_end(scene->owner, err);
}

static SofaErr get_ints(CsofaPlace *at, size_t first, size_t n, int64_t *out) {
  double number = 0;
  SOFA_TRY(refresh(at));
  if (csofa_kind_of(at->field->type) == CSOFA_REAL)
    return sofa_field_fail(at->object, at->field->name, SOFA_ERR_TYPE, "a %s has no integers",
                           at->field->type->name);
  for (size_t i = 0; i < n; i++) {
    if (!sofa_field_number(at->object, at->field, first + i, &number))
      return fail_numbers(at, first, n);
    out[i] = (int64_t)number;
  }
  return SOFA_OK;
}

CsofaErr csofa_get_ints(CsofaScene *scene, CsofaObject object, const char *field, size_t first,
                        size_t n, int64_t *out) {
  CsofaPlace at;
  SofaErr err = by_name(scene, object, field, &at);
  if (err == SOFA_OK) err = get_ints(&at, first, n, out);
  return csofa_end(scene->owner, err);
}

CsofaErr csofa_field_get_ints(CsofaScene *scene, CsofaField field, size_t first, size_t n,
                              int64_t *out) {
  CsofaPlace at;
  SofaErr err = by_number(scene, field, &at);
  if (err == SOFA_OK) err = get_ints(&at, first, n, out);
  return csofa_end(scene->owner, err);
}

CsofaErr csofa_set_reals(CsofaScene *scene, CsofaObject object, const char *field, size_t n,
                         const double *values) {
  CsofaPlace at;
  SofaErr err = by_name(scene, object, field, &at);
  if (err == SOFA_OK) err = sofa_edit_field_numbers(&at.object, at.field, n, values);
  return csofa_end(scene->owner, err);
}

CsofaErr csofa_field_set_reals(CsofaScene *scene, CsofaField field, size_t n,
                               const double *values) {
  CsofaPlace at;
  SofaErr err = by_number(scene, field, &at);
  if (err == SOFA_OK) err = sofa_edit_field_numbers(&at.object, at.field, n, values);
  return csofa_end(scene->owner, err);
}

static SofaErr set_ints(CsofaPlace *at, size_t n, const int64_t *values) {
  SofaContext *ctx = at->object->ctx;
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  double *reals = SOFA_SCRATCH(ctx, double, n + 1);
  SofaErr err = reals ? SOFA_OK : SOFA_ERR_MEMORY;
  for (size_t i = 0; reals && i < n; i++) reals[i] = (double)values[i];
  if (reals) err = sofa_edit_field_numbers(&at->object, at->field, n, reals);
  sofa_scratch_release(ctx, mark);
  return err;
}

CsofaErr csofa_set_ints(CsofaScene *scene, CsofaObject object, const char *field, size_t n,
                        const int64_t *values) {
  CsofaPlace at;
  SofaErr err = by_name(scene, object, field, &at);
  if (err == SOFA_OK) err = set_ints(&at, n, values);
  return csofa_end(scene->owner, err);
}

CsofaErr csofa_field_set_ints(CsofaScene *scene, CsofaField field, size_t n,
                              const int64_t *values) {
  CsofaPlace at;
  SofaErr err = by_number(scene, field, &at);
  if (err == SOFA_OK) err = set_ints(&at, n, values);
  return csofa_end(scene->owner, err);
}

/* ---- memory ---- */

static SofaErr view(CsofaPlace *at, void **data, size_t *n, size_t *width, int *kind) {
  SOFA_TRY(refresh(at));
  *kind = csofa_kind_of(at->field->type);
  if (*kind == CSOFA_TEXT) return fail_numbers(at, 0, 0);
  *data = (void *)(uintptr_t)sofa_value_data(at->field, at->value);
  *n = at->n;
  *width = at->width;
  return SOFA_OK;
}

CsofaErr csofa_view(CsofaScene *scene, CsofaObject object, const char *field, void **data,
                    size_t *n, size_t *width, int *kind) {
  CsofaPlace at;
  SofaErr err = by_name(scene, object, field, &at);
  if (err == SOFA_OK) err = view(&at, data, n, width, kind);
  return csofa_end(scene->owner, err);
}

CsofaErr csofa_field_view(CsofaScene *scene, CsofaField field, void **data, size_t *n,
                          size_t *width, int *kind) {
  CsofaPlace at;
  SofaErr err = by_number(scene, field, &at);
  if (err == SOFA_OK) err = view(&at, data, n, width, kind);
  return csofa_end(scene->owner, err);
}

static int is_valid(const SofaObject *object, const SofaField *field, const void *data, size_t n) {
  if (!field) return 0;
  const void *value = sofa_field_value(object, field);
  return sofa_value_data(field, value) == data && sofa_value_length(field, value) == n;
}

int csofa_view_is_valid(CsofaScene *scene, CsofaObject object, const char *field, const void *data,
                        size_t n) {
  const SofaObject *o = sofa_handle_object(scene->owner->ctx, object);
  return is_valid(o, o && field ? sofa_class_field(o->klass, field) : NULL, data, n);
}

int csofa_field_view_is_valid(CsofaScene *scene, CsofaField field, const void *data, size_t n) {
  CsofaPlace at;
  // a field that is gone is no error here
  if (!sofa_handle_object(scene->owner->ctx, csofa_field_object(field))) return 0;
  const SofaErr err = by_number(scene, field, &at);
  return csofa_end(scene->owner, err) == CSOFA_OK && is_valid(at.object, at.field, data, n);
}

CsofaErr csofa_touch(CsofaScene *scene, CsofaObject object, const char *field) {
  CsofaPlace at;
  SofaErr err = by_name(scene, object, field, &at);
  if (err == SOFA_OK) err = sofa_edit_touch(at.object, at.field);
  return csofa_end(scene->owner, err);
}

CsofaErr csofa_field_touch(CsofaScene *scene, CsofaField field) {
  CsofaPlace at;
  SofaErr err = by_number(scene, field, &at);
  if (err == SOFA_OK) err = sofa_edit_touch(at.object, at.field);
  return csofa_end(scene->owner, err);
}
