/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by the files that implement the types; not for components. */
#ifndef SOFA_OBJECT_TYPE_IMPL_H
#define SOFA_OBJECT_TYPE_IMPL_H

#include <stdio.h>
#include "base/text.h"
#include "object/field.h"

#define SOFA_LONGEST_ELEMENT 16 /* scalars of the widest numeric type (a 4x4 matrix) */

/* The result of reading one scalar. */
typedef enum SofaGot {
  SOFA_GOT_IT,
  SOFA_GOT_END,  /* end of the text: *out untouched */
  SOFA_GOT_BAD,  /* not a number: *out is 0 */
  SOFA_GOT_LARGE /* out of range: *out is what a C++ stream leaves */
} SofaGot;
SofaGot sofa_read_scalar(SofaScalar scalar, const char **text, void *out);
SofaErr sofa_print_scalar(SofaScalar scalar, SofaContext *ctx, const void *value, SofaText *out);

/* "expected 3 numbers, found 'x'": fills *why and returns SOFA_ERR_PARSE. */
SofaErr sofa_refuse(const SofaParse *parse, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Adds a warning to *why and returns SOFA_OK. */
SofaErr sofa_tolerate(const SofaParse *parse, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* "expected ..., found '<the word at p>'". */
SofaErr sofa_refuse_word(const SofaType *type, const SofaParse *parse, const char *p);
/* The word at p as "%.*s" arguments: at most 32 characters. */
int sofa_word_length(const char *p);

/* Numbers: scalars, fixed vectors, lists of them (type_numeric.c). */
SofaErr sofa_parse_fixed(const SofaType *type, const SofaParse *parse, const char *text,
                         void *value);
SofaErr sofa_parse_matrix(const SofaType *type, const SofaParse *parse, const char *text,
                          void *value);
SofaErr sofa_parse_list(const SofaType *type, const SofaParse *parse, const char *text,
                        void *value);
SofaErr sofa_parse_ranges(const SofaType *type, const SofaParse *parse, const char *text,
                          void *value);
SofaErr sofa_print_fixed(const SofaType *type, SofaContext *ctx, const SofaField *field,
                         const void *value, SofaText *out);
SofaErr sofa_print_list(const SofaType *type, SofaContext *ctx, const SofaField *field,
                        const void *value, SofaText *out);
SofaErr sofa_copy_list(const SofaType *type, SofaContext *ctx, const void *from, void *to);
SofaErr sofa_print_reals(SofaContext *ctx, const double *values, size_t n, SofaText *out);

#define SOFA_TYPE_FUNCTIONS(name)                                                                  \
  SofaErr sofa_parse_##name(const SofaType *type, const SofaParse *parse, const char *text,        \
                            void *value);                                                          \
  SofaErr sofa_print_##name(const SofaType *type, SofaContext *ctx, const SofaField *field,        \
                            const void *value, SofaText *out);                                     \
  SofaErr sofa_copy_##name(const SofaType *type, SofaContext *ctx, const void *from, void *to);    \
  void sofa_free_##name(SofaContext *ctx, void *value);

SOFA_TYPE_FUNCTIONS(string)
SOFA_TYPE_FUNCTIONS(strings)
SOFA_TYPE_FUNCTIONS(tags)
SOFA_TYPE_FUNCTIONS(filename)
SOFA_TYPE_FUNCTIONS(option)
SOFA_TYPE_FUNCTIONS(bool)
SOFA_TYPE_FUNCTIONS(float)
SOFA_TYPE_FUNCTIONS(color)
SOFA_TYPE_FUNCTIONS(colors)
SOFA_TYPE_FUNCTIONS(material)
SOFA_TYPE_FUNCTIONS(rigid_mass)
SOFA_TYPE_FUNCTIONS(rigid_masses)
SOFA_TYPE_FUNCTIONS(coords)
SOFA_TYPE_FUNCTIONS(lists)
SOFA_TYPE_FUNCTIONS(link)
SOFA_TYPE_FUNCTIONS(links)

#endif
