/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Growth, copy and release of lists, and text that grows. */
#include "base/array.h"

#include <stdarg.h>
#include <string.h>
#include "base/text.h"

/* A list of any element type is read and written through memcpy: its `data` member has another
 * pointer type than SofaAnyList's. */
static SofaAnyList load(const void *list) {
  SofaAnyList any;
  memcpy(&any, list, sizeof any);
  return any;
}

static void store(void *list, SofaAnyList any) {
  memcpy(list, &any, sizeof any);
}

static void *at(SofaAnyList any, size_t i, size_t size) {
  return (char *)any.data + i * size;
}

SofaErr sofa_list_reserve(SofaContext *ctx, void *list, size_t size, size_t n) {
  SofaAnyList any = load(list);
  if (n <= any.capacity) return SOFA_OK;
  void *data = sofa_realloc(ctx, any.data, n, size);
  if (!data) return SOFA_ERR_MEMORY;
  any.data = data;
  any.capacity = n;
  store(list, any);
  return SOFA_OK;
}

/* Room for n elements, in steps that make repeated appending linear. */
static SofaErr grow(SofaContext *ctx, void *list, size_t size, size_t n) {
  const size_t capacity = load(list).capacity;
  if (n <= capacity) return SOFA_OK;
  const size_t next = capacity + capacity / 2 + 8;
  return sofa_list_reserve(ctx, list, size, n < next ? next : n);
}

SofaErr sofa_list_trim(SofaContext *ctx, void *list, size_t size) {
  enum { LITTLE = 1 << 16 }; /* bytes */
  SofaAnyList any = load(list);
  if ((any.capacity - any.n) * size < LITTLE) return SOFA_OK;
  void *data = sofa_realloc(ctx, any.data, any.n ? any.n : 1, size);
  if (!data) return SOFA_ERR_MEMORY;
  any.data = data;
  any.capacity = any.n ? any.n : 1;
  store(list, any);
  return SOFA_OK;
}

SofaErr sofa_list_resize(SofaContext *ctx, void *list, size_t size, size_t n) {
  // an empty list has memory, too: its address may be handed to functions of the C library
  SOFA_TRY(sofa_list_reserve(ctx, list, size, n ? n : 1));
  SofaAnyList any = load(list);
  if (n > any.n) sofa_zero(at(any, any.n, size), (n - any.n) * size);
  any.n = n;
  store(list, any);
  return SOFA_OK;
}

SofaErr sofa_list_append(SofaContext *ctx, void *list, size_t size, const void *element) {
  SofaAnyList any = load(list);
  // an element of the list itself moves with the list
  const char *first = any.data, *e = element;
  const bool own = any.n && e >= first && e < first + any.n * size;
  const size_t offset = own ? (size_t)(e - first) : 0;
  SOFA_TRY(grow(ctx, list, size, any.n + 1));
  any = load(list);
  sofa_copy(at(any, any.n, size), own ? (const char *)any.data + offset : e, size);
  any.n++;
  store(list, any);
  return SOFA_OK;
}

SofaErr sofa_list_copy(SofaContext *ctx, void *to, const void *from, size_t size) {
  if (to == from) return SOFA_OK;
  const SofaAnyList source = load(from);
  SOFA_TRY(sofa_list_reserve(ctx, to, size, source.n));
  SofaAnyList any = load(to);
  if (source.n) sofa_copy(any.data, source.data, source.n * size);
  any.n = source.n;
  store(to, any);
  return SOFA_OK;
}

void sofa_list_free(SofaContext *ctx, void *list) {
  sofa_free(ctx, load(list).data);
  store(list, (SofaAnyList){0});
}

/* ---- strings ---- */

SofaErr sofa_strings_append(SofaContext *ctx, SofaStrings *strings, const char *text, size_t n) {
  char *copy = sofa_strndup(ctx, text, n);
  if (!copy) return SOFA_ERR_MEMORY;
  const SofaErr err = SOFA_APPEND(ctx, strings, &copy);
  if (err) sofa_free(ctx, copy);
  return err;
}

void sofa_strings_free(SofaContext *ctx, SofaStrings *strings) {
  for (size_t i = 0; i < strings->n; i++) sofa_free(ctx, strings->data[i]);
  sofa_list_free(ctx, strings);
}

/* ---- text ---- */

SofaErr sofa_text_append(SofaContext *ctx, SofaText *text, const char *bytes, size_t n) {
  if (n > SIZE_MAX - text->n - 1) return sofa_fail(ctx, SOFA_ERR_MEMORY, NULL, "text too long");
  SOFA_TRY(grow(ctx, text, 1, text->n + n + 1));
  if (n) sofa_copy(text->data + text->n, bytes, n);
  text->n += n;
  text->data[text->n] = '\0';
  return SOFA_OK;
}

SofaErr sofa_text_printf(SofaContext *ctx, SofaText *text, const char *format, ...) {
  SofaErr err = SOFA_ERR_ARGUMENT;
  va_list args, again;
  va_start(args, format);
  va_copy(again, args);
  const size_t room = text->capacity > text->n ? text->capacity - text->n : 0;
  const int n = sofa_vprint(room ? text->data + text->n : NULL, room, format, args);
  if (n < 0) goto done;
  if ((size_t)n < room) {
    err = SOFA_OK;
  } else {
    if (room) text->data[text->n] = '\0';
    SOFA_GO(err, done, grow(ctx, text, 1, text->n + (size_t)n + 1));
    sofa_vprint(text->data + text->n, (size_t)n + 1, format, again);
  }
  text->n += (size_t)n;
done:
  va_end(again);
  va_end(args);
  return err;
}
