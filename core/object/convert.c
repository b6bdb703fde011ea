/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copies of values between types, for data links. */
#include <limits.h>
#include <string.h>
#include "object/type_impl.h"

static bool is_numeric(const SofaType *type) {
  return type->scalar != SOFA_SCALAR_NONE && type->scalar != SOFA_SCALAR_STRING;
}

bool sofa_type_convertible(const SofaType *from, const SofaType *to) {
  if (from == to) return true;
  if (from->link || to->link) return false;
  if (from->scalar == SOFA_SCALAR_STRING || to->scalar == SOFA_SCALAR_STRING) return true;
  return is_numeric(from) && is_numeric(to);
}

/* A numeric value as n entries of `width` scalars each. */
typedef struct Numbers {
  SofaScalar scalar;
  size_t n, width;
  char *data;
} Numbers;

static Numbers numbers_of(const SofaType *type, const void *value) {
  Numbers v = {type->scalar, 1, type->width, (char *)(uintptr_t)value};
  if (type->list) {
    SofaAnyList any;
    memcpy(&any, value, sizeof any);
    v.n = any.n;
    v.data = any.data;
  }
  if (type == &sofa_type_coords) v.width = ((const SofaCoords *)value)->width;
  return v;
}

static double real_at(const Numbers *v, size_t i) {
  const char *at = v->data + i * sofa_scalar_size(v->scalar);
  if (v->scalar == SOFA_SCALAR_REAL) return *(const double *)at;
  if (v->scalar == SOFA_SCALAR_INT) return *(const int *)at;
  if (v->scalar == SOFA_SCALAR_UINT) return *(const uint32_t *)at;
  return *(const bool *)at ? 1 : 0;
}

/* Integers of 32 bits pass through a double unharmed; numbers out of range stop at its ends. */
static void set_real(Numbers *v, size_t i, double value) {
  char *at = v->data + i * sofa_scalar_size(v->scalar);
  if (v->scalar == SOFA_SCALAR_REAL) *(double *)at = value;
  else if (v->scalar == SOFA_SCALAR_BOOL) *(bool *)at = value < 0 || value > 0;
  else if (v->scalar == SOFA_SCALAR_INT) {
    *(int *)at = value >= INT_MAX ? INT_MAX : value > INT_MIN ? (int)value : INT_MIN;
  } else {
    *(uint32_t *)at = value >= UINT32_MAX ? UINT32_MAX : value > 0 ? (uint32_t)value : 0;
  }
}

/* -1 is the index that means none. */
static void copy_scalar(const Numbers *from, size_t i, Numbers *to, size_t j) {
  const bool to_uint = from->scalar == SOFA_SCALAR_INT && to->scalar == SOFA_SCALAR_UINT;
  const bool to_int = from->scalar == SOFA_SCALAR_UINT && to->scalar == SOFA_SCALAR_INT;
  if (to_uint || to_int) memcpy(to->data + 4 * j, from->data + 4 * i, 4);
  else set_real(to, j, real_at(from, i));
}

static SofaErr resize(SofaContext *ctx, const SofaType *type, void *value, size_t n) {
  if (type == &sofa_type_coords) return sofa_coords_resize(ctx, value, n);
  return sofa_list_resize(ctx, value, sofa_scalar_size(type->scalar) * type->width, n);
}

static SofaErr convert_numbers(SofaContext *ctx, const SofaType *from_type, const void *from,
                               const SofaType *to_type, void *to) {
  const Numbers source = numbers_of(from_type, from);
  if (!to_type->list) {
    // as many scalars as both have
    Numbers target = numbers_of(to_type, to);
    const size_t n = source.n * source.width;
    for (size_t i = 0; i < n && i < target.width; i++) copy_scalar(&source, i, &target, i);
    return SOFA_OK;
  }
  if (to_type == &sofa_type_coords && !((SofaCoords *)to)->width) {
    ((SofaCoords *)to)->width = (uint32_t)source.width;
  }
  // as many entries, of each as many scalars as both have
  SOFA_TRY(resize(ctx, to_type, to, source.n));
  Numbers target = numbers_of(to_type, to);
  const size_t width = source.width < target.width ? source.width : target.width;
  for (size_t i = 0; i < source.n; i++) {
    for (size_t k = 0; k < width; k++) {
      copy_scalar(&source, i * source.width + k, &target, i * target.width + k);
    }
  }
  return SOFA_OK;
}

static SofaErr convert_text(SofaContext *ctx, const SofaType *from_type, const void *from,
                            const SofaType *to_type, void *to) {
  SofaText text = {0}, why = {0};
  const SofaParse parse = {.ctx = ctx, .kind = SOFA_NO_KIND, .why = &why};
  SofaErr err = sofa_type_print(from_type, ctx, NULL, from, &text);
  if (!err) err = sofa_type_parse(to_type, &parse, text.data, to);
  sofa_list_free(ctx, &text);
  sofa_list_free(ctx, &why);
  return err;
}

SofaErr sofa_type_convert(SofaContext *ctx, const SofaType *from_type, const void *from,
                          const SofaType *to_type, void *to) {
  const bool coords = to_type == &sofa_type_coords;
  if (from_type == to_type) {
    const uint32_t wanted = coords ? ((SofaCoords *)to)->width : 0;
    if (!wanted || wanted == ((const SofaCoords *)from)->width) {
      return sofa_type_copy(to_type, ctx, from, to);
    }
  }
  if (!sofa_type_convertible(from_type, to_type)) return SOFA_ERR_TYPE;
  if (is_numeric(from_type) && is_numeric(to_type)) {
    return convert_numbers(ctx, from_type, from, to_type, to);
  }
  return convert_text(ctx, from_type, from, to_type, to);
}
