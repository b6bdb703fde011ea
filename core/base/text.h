/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Numbers and words in text, independent of the locale, with the reading rules of C++ streams
 * that scene files rely on (spec: object model, text grammar). */
#ifndef SOFA_BASE_TEXT_H
#define SOFA_BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "base/array.h"

SOFA_BEGIN_DECLS

/* Each reader skips white space at *text, reads one value and moves *text after it.
 * false: there is no value; *text is then at the offending character and *value is 0. */
bool sofa_read_real(const char **text, double *value); /* nan, inf, hex and "5e" are refused */
bool sofa_read_int(const char **text, int64_t *value);
bool sofa_read_word(const char **text, const char **word, size_t *length);

/* Skips white space; true at the end of the text. */
bool sofa_at_end(const char **text);

/* A number too large for a double is refused, one too small becomes 0.
 * Correctly rounded decimal to double of [begin, end); *stop is the end of the number. Fast path
 * for the short numbers of mesh files. Reads nothing beyond end. No white space is skipped. */
bool sofa_parse_real(const char *begin, const char *end, const char **stop, double *value);
bool sofa_parse_int(const char *begin, const char *end, const char **stop, int64_t *value);

/* vsnprintf in the C locale: a dot in numbers whatever setlocale was called with. */
int sofa_vprint(char *buffer, size_t size, const char *format, va_list args)
    __attribute__((format(printf, 3, 0)));

/* %.{digits}g form of a number, with a dot whatever the locale; digits 1 to 17, or 0: the fewest
 * (15 to 17) that read back as the same number. buffer: >= 32 bytes. Returns the length. */
size_t sofa_print_real(char *buffer, double value, int digits);
SofaErr sofa_text_real(SofaContext *ctx, SofaText *text, double value, int digits);
/* Decimal digits of an integer. buffer: >= 24 bytes. Returns the length. */
size_t sofa_print_int(char *buffer, int64_t value);
SofaErr sofa_text_int(SofaContext *ctx, SofaText *text, int64_t value);

/* Bytes of the character of UTF-8 at `text`. 0: a control character, or a byte that is not UTF-8.
 */
size_t sofa_printable(const char *text);
/* Text of a scene for terminals and for files of lines: bytes that are not printable, line feeds
 * among them, become \n, \t or \x1b. */
void sofa_print_escaped(FILE *out, const char *text);
SofaErr sofa_text_escaped(SofaContext *ctx, SofaText *to, const char *text);

/* The same word? Most words of a table differ in the first character: they cost no call. */
static inline bool sofa_same_word(const char *a, const char *b) {
  return *a == *b && strcmp(a, b) == 0;
}
/* Similarity in [0, 1] of two words (Ratcliff/Obershelp ratio), for "did you mean". */
double sofa_similarity(const char *a, const char *b);
/* Index of the nearest of n words with similarity >= 0.5, or n. */
size_t sofa_nearest_word(const char *word, const char *const *words, size_t n);
/* Appends "; did you mean 'x'?" with the nearest of n words; nothing where none is near. */
SofaErr sofa_text_suggest(SofaContext *ctx, const char *word, const char *const *words, size_t n,
                          SofaText *out);

SOFA_END_DECLS

#endif
