/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fields: how they are found, what they are, where their values come from. */
#include <string.h>

#include "api/api_impl.h"
#include "behavior/state.h"
#include "object/handle.h"
#include "object/numbers.h"

/* ---- finding ---- */

static SofaErr fail_name(const SofaObject *object, const char *name) {
  SofaText nearest = {0};
  SofaErr err = sofa_class_suggest_field(object->ctx, object->klass, name, &nearest);
  if (err == SOFA_OK)
    err = sofa_field_fail(object, name, SOFA_ERR_NOT_FOUND, "there is no such field%s",
                          nearest.n ? nearest.data : "");
  sofa_list_free(object->ctx, &nearest);
  return err;
}

SofaErr csofa_place_by_name(CsofaScene *scene, CsofaObject object, const char *name,
                            CsofaPlace *out) {
  SofaObject *o = csofa_get(scene, object);
  *out = (CsofaPlace){.object = o};
  if (!o) return SOFA_ERR_NOT_FOUND;
  if (!name) return sofa_object_fail(o, SOFA_ERR_ARGUMENT, "the name of a field is NULL");
  out->field = sofa_class_field(o->klass, name);
  if (!out->field) return fail_name(o, name);
  out->value = sofa_field_value(o, out->field);
  return SOFA_OK;
}

/* The number of a field: that of its object, and above it the field's index in the class, from 1. A
 * class with so many fields that the index does not fit has no numbers for the last ones. */
enum { MOST_FIELDS = (1 << (64 - SOFA_HANDLE_BITS)) - 1 };

static size_t index_of(const SofaClass *klass, const SofaField *field) {
  const size_t n = sofa_class_n_fields(klass);
  size_t i = 0;
  while (i < n && sofa_class_field_at(klass, i) != field) i++;
  return i;
}

CsofaField csofa_find_field(CsofaScene *scene, CsofaObject object, const char *name) {
  CsofaPlace at;
  csofa_begin(scene->owner);
  if (csofa_end(scene->owner, csofa_place_by_name(scene, object, name, &at)) != CSOFA_OK) return 0;
  const size_t i = index_of(at.object->klass, at.field);
  if (i < MOST_FIELDS) return (uint64_t)(i + 1) << SOFA_HANDLE_BITS | object;
  csofa_fail(scene->owner, SOFA_ERR_RANGE, "%s(%s): field %zu is beyond the %d that have numbers",
             at.object->klass->name, at.object->name, i, MOST_FIELDS);
  return 0;
}

CsofaObject csofa_field_object(CsofaField field) {
  return field & (((uint64_t)1 << SOFA_HANDLE_BITS) - 1);
}

static SofaErr fail_number(CsofaScene *scene, const char *why) {
  csofa_fail(scene->owner, SOFA_ERR_NOT_FOUND, "%s", why);
  return SOFA_ERR_NOT_FOUND;
}

SofaErr csofa_place_by_number(CsofaScene *scene, CsofaField number, CsofaPlace *out) {
  const size_t index = (size_t)(number >> SOFA_HANDLE_BITS);
  SofaObject *o = sofa_handle_object(scene->owner->ctx, csofa_field_object(number));
  *out = (CsofaPlace){.object = o};
  if (number == 0) return fail_number(scene, "field 0: there is no such field");
  if (!o) return fail_number(scene, "the object of the field does not exist any more");
  if (index == 0 || index > sofa_class_n_fields(o->klass))
    return fail_number(scene, "this is not a number of csofa_find_field");
  out->field = sofa_class_field_at(o->klass, index - 1);
  out->value = sofa_field_value(o, out->field);
  return SOFA_OK;
}

int csofa_kind_of(const SofaType *type) {
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
  CsofaPlace at;
  csofa_begin(scene->owner);
  const SofaErr err = csofa_place_by_name(scene, object, field, &at);
  if (err != SOFA_OK) return csofa_end(scene->owner, err);
  const SofaFieldState *state = sofa_field_state(at.object, at.field);
  if (kind) *kind = csofa_kind_of(at.field->type);
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
  CsofaPlace at;
  csofa_begin(scene->owner);
  return csofa_end(scene->owner, csofa_place_by_name(scene, object, field, &at)) == CSOFA_OK
             ? at.field
             : NULL;
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

static const SofaObject *target_of(const CsofaPlace *at) {
  const SofaFieldState *state = sofa_field_state(at->object, at->field);
  if (!at->field->type->link) return state->source;
  if (at->field->type != &sofa_type_links) return ((const SofaLink *)at->value)->target;
  const SofaLinks *links = at->value;
  return links->n ? links->data[0].target : NULL;
}

const char *csofa_field_link(CsofaScene *scene, CsofaObject object, const char *field) {
  CsofaContext *context = scene->owner;
  CsofaPlace at;
  csofa_begin(context);
  if (csofa_end(context, csofa_place_by_name(scene, object, field, &at)) != CSOFA_OK) return NULL;
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
  CsofaPlace at;
  csofa_begin(scene->owner);
  if (csofa_end(scene->owner, csofa_place_by_name(scene, object, field, &at)) != CSOFA_OK) return 0;
  const SofaObject *target = target_of(&at);
  return target ? sofa_handle_of((SofaObject *)(uintptr_t)target) : 0;
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
