/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lists of springs as texts `BEGIN_SPRING points WORD numbers ... END_SPRING`. */
#ifndef SOFA_SPRING_ITEMS_H
#define SOFA_SPRING_ITEMS_H

#include "object/object.h"

typedef struct SofaItemKey {
  const char *word;
  unsigned n;    /* numbers behind it */
  size_t offset; /* of as many doubles in the struct of a spring */
} SofaItemKey;

/* How the struct of a spring is filled. Its first members are uint32_t points[4] and uint32_t
 * given, which gets bit k when key k was there. */
typedef struct SofaItemFormat {
  size_t size;
  unsigned n_points;
  const SofaItemKey *keys;
  size_t n_keys;
  const void *preset; /* a spring before its text is read */
} SofaItemFormat;

typedef struct SofaItemHead {
  uint32_t points[4], given;
} SofaItemHead;

/* Reads all springs of the field's text (may be NULL) into a list of structs. */
SofaErr sofa_spring_items_read(const SofaObject *object, const char *field, const char *text,
                               const SofaItemFormat *format, void *list);

#endif
