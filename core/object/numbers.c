/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Numbers of fields, whatever their type. */
#include "object/numbers.h"

#include <math.h>
#include <string.h>

#include "object/object_impl.h"

size_t sofa_value_length(const SofaField *field, const void *value) {
  return field->type->list ? ((const SofaAnyList *)value)->n : 1;
}

size_t sofa_value_width(const SofaField *field, const void *value) {
  if (field->type->width) return field->type->width;
  return field->type == &sofa_type_coords ? ((const SofaCoords *)value)->width : 1;
}

const void *sofa_value_data(const SofaField *field, const void *value) {
  return field->type->list ? ((const SofaAnyList *)value)->data : value;
}

static bool number_at(const SofaType *type, const void *data, size_t i, double *out) {
  switch (type->scalar) {
  case SOFA_SCALAR_REAL:
    *out = ((const double *)data)[i];
    return true;
  case SOFA_SCALAR_INT:
    *out = ((const int *)data)[i];
    return true;
  case SOFA_SCALAR_UINT:
    *out = ((const uint32_t *)data)[i];
    return true;
  case SOFA_SCALAR_BOOL:
    *out = ((const bool *)data)[i];
    return true;
  default:
    return false;
  }
}

bool sofa_field_number(const SofaObject *object, const SofaField *field, size_t i, double *out) {
  const SofaType *type = field->type;
  const void *value = sofa_field_value(object, field);
  if (type->scalar == SOFA_SCALAR_NONE || type->scalar == SOFA_SCALAR_STRING) return false;
  const size_t n = sofa_value_length(field, value) * sofa_value_width(field, value);
  return i < n && number_at(type, sofa_value_data(field, value), i, out);
}

/* ---- setting ---- */

static bool fits(const SofaType *type, double value) {
  switch (type->scalar) {
  case SOFA_SCALAR_REAL:
    return true;
  case SOFA_SCALAR_INT:
    return value >= INT32_MIN && value <= INT32_MAX && floor(value) == value;
  case SOFA_SCALAR_UINT: // -1 is the index that means none
    return value >= -1 && value <= UINT32_MAX && floor(value) == value;
  case SOFA_SCALAR_BOOL:
    return value == 0 || value == 1;
  default:
    return false;
  }
}

static void put(const SofaType *type, void *data, size_t i, double value) {
  if (type->scalar == SOFA_SCALAR_REAL) ((double *)data)[i] = value;
  else if (type->scalar == SOFA_SCALAR_INT) ((int *)data)[i] = (int)value;
  else if (type->scalar == SOFA_SCALAR_BOOL) ((bool *)data)[i] = value > 0;
  else ((uint32_t *)data)[i] = value < 0 ? UINT32_MAX : (uint32_t)value;
}

/* Reports why the value cannot be used by a live object. */
static SofaErr check(SofaObject *object, const SofaField *field) {
  const SofaRange range = sofa_class_range(object->klass, field).range;
  SofaText why = {0};
  if (!object->initialised) return SOFA_OK; // init checks it
  SofaErr err =
      sofa_range_why(object->ctx, &range, field->type, sofa_field_value(object, field), &why);
  if (err == SOFA_OK && why.n)
    err = sofa_field_fail(object, field->name, SOFA_ERR_RANGE, "%s", why.data);
  sofa_list_free(object->ctx, &why);
  return err;
}

SofaErr sofa_field_set_numbers(SofaObject *object, const SofaField *field, size_t n,
                               const double *values) {
  const SofaType *type = field->type;
  void *value = sofa_field_value(object, field);
  SofaFieldState *state = sofa_field_state(object, field);
  if (type->scalar == SOFA_SCALAR_NONE || type->scalar == SOFA_SCALAR_STRING) return SOFA_ERR_TYPE;
  if (n != sofa_value_length(field, value) * sofa_value_width(field, value)) return SOFA_ERR_RANGE;
  for (size_t i = 0; i < n; i++)
    if (!fits(type, values[i])) return SOFA_ERR_RANGE;
  void *data = (void *)(uintptr_t)sofa_value_data(field, value);
  const size_t bytes = n * sofa_scalar_size(type->scalar);
  const SofaScratchMark mark = sofa_scratch_mark(object->ctx);
  char *old = SOFA_SCRATCH(object->ctx, char, bytes + 1);
  SofaErr err = old ? SOFA_OK : SOFA_ERR_MEMORY;
  if (err == SOFA_OK && bytes) memcpy(old, data, bytes);
  for (size_t i = 0; err == SOFA_OK && i < n; i++) put(type, data, i, values[i]);
  if (err == SOFA_OK) {
    err = check(object, field);
    if (err != SOFA_OK && bytes) memcpy(data, old, bytes);
  }
  sofa_scratch_release(object->ctx, mark);
  if (err != SOFA_OK) return err;
  state->set = true;
  sofa_data_unlink(object, state);
  sofa_field_touch_state(object, state);
  const bool renew = object->initialised && (field->flags & SOFA_FIELD_REINIT);
  return renew ? sofa_object_run(object, SOFA_RUN_REINIT) : SOFA_OK;
}
