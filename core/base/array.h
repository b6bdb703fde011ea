/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Growable arrays. Every list has the layout {T *data; size_t n, capacity;}, so that the few
 * functions below serve all of them. Lists own their data; an all-zero list is a valid empty one.
 */
#ifndef SOFA_BASE_ARRAY_H
#define SOFA_BASE_ARRAY_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "base/bytes.h"
#include "base/context.h"

SOFA_BEGIN_DECLS

#define SOFA_LIST(T, Name)                                                                         \
  typedef struct Name {                                                                            \
    T *data;                                                                                       \
    size_t n, capacity;                                                                            \
  } Name

typedef struct SofaVec3 {
  double v[3];
} SofaVec3;
typedef struct SofaEdge {
  uint32_t v[2];
} SofaEdge;
typedef struct SofaTriangle {
  uint32_t v[3];
} SofaTriangle;
typedef struct SofaQuad {
  uint32_t v[4];
} SofaQuad;
typedef struct SofaTetra {
  uint32_t v[4];
} SofaTetra;
typedef struct SofaPyramid {
  uint32_t v[5];
} SofaPyramid;
typedef struct SofaPrism {
  uint32_t v[6];
} SofaPrism;
typedef struct SofaHexa {
  uint32_t v[8];
} SofaHexa;

SOFA_LIST(void, SofaAnyList);
SOFA_LIST(double, SofaReals);
SOFA_LIST(int, SofaInts);
SOFA_LIST(uint32_t, SofaIndices);
SOFA_LIST(bool, SofaBools);
SOFA_LIST(char *, SofaStrings); /* owns its strings */
SOFA_LIST(SofaVec3, SofaVec3s);
SOFA_LIST(SofaEdge, SofaEdges);
SOFA_LIST(SofaTriangle, SofaTriangles);
SOFA_LIST(SofaQuad, SofaQuads);
SOFA_LIST(SofaTetra, SofaTetras);
SOFA_LIST(SofaPyramid, SofaPyramids);
SOFA_LIST(SofaPrism, SofaPrisms);
SOFA_LIST(SofaHexa, SofaHexas);
SOFA_LIST(char, SofaText); /* growing string, NUL-terminated once anything was appended */

/* `list` is the address of any list with the layout above, `size` the size of one element.
 * New elements are zero. Shrinking keeps the capacity. */
SofaErr sofa_list_resize(SofaContext *ctx, void *list, size_t size, size_t n);
SofaErr sofa_list_reserve(SofaContext *ctx, void *list, size_t size, size_t n);
SofaErr sofa_list_append(SofaContext *ctx, void *list, size_t size, const void *element);
SofaErr sofa_list_copy(SofaContext *ctx, void *to, const void *from, size_t size);
/* Gives back the memory behind the last element, unless it is little. */
SofaErr sofa_list_trim(SofaContext *ctx, void *list, size_t size);
void sofa_list_free(SofaContext *ctx, void *list); /* frees the data, list becomes empty */

#define SOFA_RESIZE(ctx, list, count) sofa_list_resize((ctx), (list), sizeof *(list)->data, (count))
#define SOFA_RESERVE(ctx, list, count)                                                             \
  sofa_list_reserve((ctx), (list), sizeof *(list)->data, (count))
#define SOFA_APPEND(ctx, list, element)                                                            \
  sofa_list_push((ctx), (list), sizeof *(list)->data, (element))

/* Appends without a call where there is room. Use SOFA_APPEND: the size is a constant there.
 * Members are read and written one by one: a processor waits when it reads together what it wrote
 * in parts. */
static inline SofaErr sofa_list_push(SofaContext *ctx, void *list, size_t size,
                                     const void *element) {
  char *const at = (char *)list, *data;
  size_t n, capacity;
  memcpy(&data, at + offsetof(SofaAnyList, data), sizeof data);
  memcpy(&n, at + offsetof(SofaAnyList, n), sizeof n);
  memcpy(&capacity, at + offsetof(SofaAnyList, capacity), sizeof capacity);
  if (n == capacity) return sofa_list_append(ctx, list, size, element);
  sofa_copy(data + n * size, element, size);
  n++;
  memcpy(at + offsetof(SofaAnyList, n), &n, sizeof n);
  return SOFA_OK;
}

/* Reserves room for the entries that a step appends one by one, so that the step does not
 * allocate. `most` is their largest number; room for at most 4096 is reserved. */
#define SOFA_RESERVE_HISTORY(ctx, list, most)                                                      \
  SOFA_RESERVE((ctx), (list), (most) < 4096 ? (size_t)(most) : 4096)

/* Strings of a list that owns them. Appending copies the first n bytes (at most) of the text. */
SofaErr sofa_strings_append(SofaContext *ctx, SofaStrings *strings, const char *text, size_t n);
void sofa_strings_free(SofaContext *ctx, SofaStrings *strings);

/* Appends text, formatted (in the C locale) or as it is. text->n does not count the NUL. */
SofaErr sofa_text_printf(SofaContext *ctx, SofaText *text, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
SofaErr sofa_text_append(SofaContext *ctx, SofaText *text, const char *bytes, size_t n);

SOFA_END_DECLS

#endif
