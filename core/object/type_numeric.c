/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading and printing of numbers: scalars, fixed vectors and lists of both. */
#include <limits.h>
#include <stdarg.h>
#include <string.h>
#include "object/type_impl.h"

/* ---- what was expected ---- */

static bool is_blank(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

int sofa_word_length(const char *p) {
  int n = 0;
  while (p[n] && !is_blank(p[n]) && n < 32) n++;
  return n;
}

static SofaErr add_why(const SofaParse *parse, const char *format, va_list args) {
  char buffer[512];
  sofa_vprint(buffer, sizeof buffer, format, args);
  if (parse->why->n) SOFA_TRY(sofa_text_append(parse->ctx, parse->why, "; ", 2));
  return sofa_text_append(parse->ctx, parse->why, buffer, strlen(buffer));
}

SofaErr sofa_refuse(const SofaParse *parse, const char *format, ...) {
  va_list args;
  va_start(args, format);
  const SofaErr err = add_why(parse, format, args);
  va_end(args);
  return err ? err : SOFA_ERR_PARSE;
}

SofaErr sofa_tolerate(const SofaParse *parse, const char *format, ...) {
  va_list args;
  va_start(args, format);
  const SofaErr err = add_why(parse, format, args);
  va_end(args);
  return err;
}

/* "3 numbers", "a list of integers, 4 per entry". */
static void expected(const SofaType *type, unsigned width, char *buffer, size_t size) {
  const char *one = "a number", *many = "numbers";
  if (type->scalar == SOFA_SCALAR_INT) one = "an integer", many = "integers";
  if (type->scalar == SOFA_SCALAR_UINT) one = "an integer >= 0", many = "integers >= 0";
  if (type->scalar == SOFA_SCALAR_BOOL) one = "0 or 1", many = "0 or 1";
  if (type->list && width > 1) snprintf(buffer, size, "%s, %u per entry", many, width);
  else if (type->list) snprintf(buffer, size, "%s", many);
  else if (width > 1) snprintf(buffer, size, "%u %s", width, many);
  else snprintf(buffer, size, "%s", one);
}

SofaErr sofa_refuse_word(const SofaType *type, const SofaParse *parse, const char *p) {
  char what[64];
  expected(type, type->width, what, sizeof what);
  if (!*p) return sofa_refuse(parse, "expected %s, found nothing", what);
  return sofa_refuse(parse, "expected %s, found '%.*s'", what, sofa_word_length(p), p);
}

static SofaErr refuse_range(const SofaType *type, const SofaParse *parse, const char *p) {
  char what[64];
  expected(type, type->width, what, sizeof what);
  return sofa_refuse(parse, "expected %s; '%.*s' is out of range", what, sofa_word_length(p), p);
}

/* ---- scalars ---- */

size_t sofa_scalar_size(SofaScalar scalar) {
  static const size_t sizes[] = {
      0, sizeof(double), sizeof(int), sizeof(uint32_t), sizeof(bool), sizeof(char *)};
  return sizes[scalar];
}

/* Keeps an integer within the scalar's range as C++ streams do: an int saturates, an unsigned one
 * wraps below zero. -1 is accepted for the index that means none. */
static SofaGot store_int(SofaScalar scalar, int64_t v, void *out) {
  if (scalar == SOFA_SCALAR_BOOL) {
    *(bool *)out = v != 0;
    return SOFA_GOT_IT;
  }
  if (scalar == SOFA_SCALAR_INT) {
    *(int *)out = v > INT_MAX ? INT_MAX : v < INT_MIN ? INT_MIN : (int)v;
    return v > INT_MAX || v < INT_MIN ? SOFA_GOT_LARGE : SOFA_GOT_IT;
  }
  *(uint32_t *)out = v > UINT32_MAX ? UINT32_MAX : (uint32_t)(uint64_t)v;
  return v > UINT32_MAX || v < -1 ? SOFA_GOT_LARGE : SOFA_GOT_IT;
}

SofaGot sofa_read_scalar(SofaScalar scalar, const char **text, void *out) {
  if (sofa_at_end(text)) return SOFA_GOT_END;
  if (scalar == SOFA_SCALAR_REAL) {
    double v = 0;
    const bool ok = sofa_read_real(text, &v);
    *(double *)out = ok ? v : 0;
    return ok ? SOFA_GOT_IT : SOFA_GOT_BAD;
  }
  int64_t v = 0;
  if (sofa_read_int(text, &v)) return store_int(scalar, v, out);
  sofa_zero(out, sofa_scalar_size(scalar));
  return SOFA_GOT_BAD;
}

SofaErr sofa_print_scalar(SofaScalar scalar, SofaContext *ctx, const void *value, SofaText *out) {
  if (scalar == SOFA_SCALAR_REAL) return sofa_text_real(ctx, out, *(const double *)value, 0);
  if (scalar == SOFA_SCALAR_INT) return sofa_text_int(ctx, out, *(const int *)value);
  if (scalar == SOFA_SCALAR_UINT) return sofa_text_int(ctx, out, *(const uint32_t *)value);
  return sofa_text_int(ctx, out, *(const bool *)value);
}

/* ---- fixed vectors ---- */

/* Text glued to the last number at `at`, which ends at p. */
static SofaErr check_glued(const SofaType *type, const SofaParse *parse, const char *at,
                           const char *p) {
  // 0.5f reads as people read it
  const bool real = type->scalar == SOFA_SCALAR_REAL;
  if (real && (*p == 'f' || *p == 'F') && (!p[1] || is_blank(p[1]))) {
    return sofa_tolerate(parse, "'%c' after the number is ignored", *p);
  }
  // 1.0 or 1e3 as an integer: only when the value is the one that was read
  double as_real = 0, as_int = 0;
  const char *q = at, *r = at;
  int64_t i = 0;
  if (!real && sofa_read_real(&q, &as_real) && (!*q || is_blank(*q)) && sofa_read_int(&r, &i)) {
    as_int = (double)i;
    if (!(as_real < as_int) && !(as_real > as_int)) {
      return sofa_tolerate(parse, "'%.*s' is read as an integer", sofa_word_length(at), at);
    }
  }
  // 0 0 0-0.7: further numbers of a vector
  if (type->width > 1 && (*p == '-' || *p == '+')) {
    return sofa_tolerate(parse, "only the first %u numbers are used", type->width);
  }
  return sofa_refuse_word(type, parse, at);
}

SofaErr sofa_parse_fixed(const SofaType *type, const SofaParse *parse, const char *text,
                         void *value) {
  const size_t size = sofa_scalar_size(type->scalar);
  const char *p = text, *at = text;
  if (sofa_at_end(&p)) return SOFA_OK;
  // components before the bad one are written, those behind it keep their value
  for (unsigned i = 0; i < type->width; i++) {
    sofa_at_end(&p);
    at = p;
    const SofaGot got = sofa_read_scalar(type->scalar, &p, (char *)value + i * size);
    if (got == SOFA_GOT_END) {
      char what[64];
      expected(type, type->width, what, sizeof what);
      return sofa_refuse(parse, "expected %s, found only %u", what, i);
    }
    if (got == SOFA_GOT_BAD) return sofa_refuse_word(type, parse, at);
    if (got == SOFA_GOT_LARGE) return refuse_range(type, parse, at);
  }
  if (*p && !is_blank(*p)) return check_glued(type, parse, at, p);
  if (sofa_at_end(&p)) return SOFA_OK;
  const char *s = type->width > 1 ? "s are" : " is";
  return sofa_tolerate(parse, "only the first %u number%s used, '%.*s' and the rest is ignored",
                       type->width, s, sofa_word_length(p), p);
}

SofaErr sofa_parse_matrix(const SofaType *type, const SofaParse *parse, const char *text,
                          void *value) {
  // brackets and commas between rows are blanks
  char *plain = sofa_strdup(parse->ctx, text);
  if (!plain) return SOFA_ERR_MEMORY;
  for (char *c = plain; *c; c++) {
    if (*c == '[' || *c == ']' || *c == ',') *c = ' ';
  }
  const SofaErr err = sofa_parse_fixed(type, parse, plain, value);
  sofa_free(parse->ctx, plain);
  return err;
}

SofaErr sofa_print_fixed(const SofaType *type, SofaContext *ctx, const SofaField *field,
                         const void *value, SofaText *out) {
  (void)field;
  const size_t size = sofa_scalar_size(type->scalar);
  for (unsigned i = 0; i < type->width; i++) {
    if (i) SOFA_TRY(sofa_text_append(ctx, out, " ", 1));
    SOFA_TRY(sofa_print_scalar(type->scalar, ctx, (const char *)value + i * size, out));
  }
  return SOFA_OK;
}

/* ---- lists ---- */

static SofaAnyList load(const void *list) {
  SofaAnyList any;
  memcpy(&any, list, sizeof any);
  return any;
}

SofaErr sofa_parse_list(const SofaType *type, const SofaParse *parse, const char *text,
                        void *value) {
  const size_t size = sofa_scalar_size(type->scalar);
  const unsigned width = type->width;
  double element[SOFA_LONGEST_ELEMENT]; // the largest scalar
  const char *p = text;
  SOFA_TRY(sofa_list_resize(parse->ctx, value, width * size, 0));
  while (!sofa_at_end(&p)) {
    for (unsigned i = 0; i < width; i++) {
      sofa_at_end(&p);
      const char *at = p;
      const SofaGot got = sofa_read_scalar(type->scalar, &p, (char *)element + i * size);
      if (got == SOFA_GOT_END) {
        return sofa_refuse(parse, "expected %u numbers per entry, the last one has only %u", width,
                           i);
      }
      if (got == SOFA_GOT_BAD) return sofa_refuse_word(type, parse, at);
      if (got == SOFA_GOT_LARGE) return refuse_range(type, parse, at);
    }
    SOFA_TRY(sofa_list_append(parse->ctx, value, width * size, element));
  }
  return SOFA_OK;
}

SofaErr sofa_print_list(const SofaType *type, SofaContext *ctx, const SofaField *field,
                        const void *value, SofaText *out) {
  (void)field;
  const size_t size = sofa_scalar_size(type->scalar);
  const SofaAnyList list = load(value);
  for (size_t i = 0; i < list.n * type->width; i++) {
    if (i) SOFA_TRY(sofa_text_append(ctx, out, " ", 1));
    SOFA_TRY(sofa_print_scalar(type->scalar, ctx, (const char *)list.data + i * size, out));
  }
  return SOFA_OK;
}

SofaErr sofa_copy_list(const SofaType *type, SofaContext *ctx, const void *from, void *to) {
  return sofa_list_copy(ctx, to, from, sofa_scalar_size(type->scalar) * type->width);
}

SofaErr sofa_print_reals(SofaContext *ctx, const double *values, size_t n, SofaText *out) {
  for (size_t i = 0; i < n; i++) {
    if (i) SOFA_TRY(sofa_text_append(ctx, out, " ", 1));
    SOFA_TRY(sofa_text_real(ctx, out, values[i], 0));
  }
  return SOFA_OK;
}
