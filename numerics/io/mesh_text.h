/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading a mesh file in memory, with the line for messages. */
#ifndef SOFA_NUMERICS_IO_MESH_TEXT_H
#define SOFA_NUMERICS_IO_MESH_TEXT_H

#include <string.h>
#include "base/files.h"
#include "base/text.h"

SOFA_BEGIN_DECLS

typedef struct SofaMeshText {
  SofaContext *ctx;
  SofaOrigin origin; /* of the file; line is set when a message is sent */
  const char *begin, *at, *end;
  int line;    /* of `at`, from 1 */
  bool binary; /* messages name the byte instead of the line */
} SofaMeshText;

static inline SofaMeshText sofa_mesh_text(SofaContext *ctx, const SofaFileBytes *file) {
  const char *begin = file->bytes;
  const SofaOrigin nowhere = {NULL, 0, NULL, NULL};
  const SofaMeshText t = {
      ctx, file->origin ? *file->origin : nowhere, begin, begin, begin + file->size, 1, false};
  return t;
}

/* Skips white space, over line ends. */
static inline void sofa_mesh_skip(SofaMeshText *t) {
  for (; t->at < t->end; t->at++) {
    if (*t->at == '\n') {
      t->line++;
    } else if (*t->at != ' ' && *t->at != '\t' && *t->at != '\r' && *t->at != '\v' &&
               *t->at != '\f') {
      return;
    }
  }
}

/* Skips white space within the line; true when the line has more text. */
static inline bool sofa_mesh_skip_blank(SofaMeshText *t) {
  while (t->at < t->end && (*t->at == ' ' || *t->at == '\t' || *t->at == '\r')) t->at++;
  return t->at < t->end && *t->at != '\n';
}

/* Moves to the start of the next line. */
static inline void sofa_mesh_next_line(SofaMeshText *t) {
  const char *newline =
      t->at < t->end ? (const char *)memchr(t->at, '\n', (size_t)(t->end - t->at)) : NULL;
  t->line += newline != NULL;
  t->at = newline ? newline + 1 : t->end;
}

/* The word at `at` (no white space skipped); length 0 at white space or the end. */
static inline size_t sofa_mesh_word(const SofaMeshText *t) {
  const char *stop = t->at;
  while (stop < t->end && (unsigned char)*stop > ' ') stop++;
  return (size_t)(stop - t->at);
}

static inline bool sofa_mesh_word_is(const SofaMeshText *t, const char *word) {
  const size_t n = sofa_mesh_word(t);
  return n == strlen(word) && sofa_compare(t->at, word, n) == 0;
}

/* The next number, white space and line ends before it skipped. It must end at white space. */
static inline bool sofa_mesh_int(SofaMeshText *t, int64_t *value) {
  sofa_mesh_skip(t);
  const char *stop;
  if (!sofa_parse_int(t->at, t->end, &stop, value)) return false;
  if (stop < t->end && (unsigned char)*stop > ' ') return false;
  t->at = stop;
  return true;
}

static inline bool sofa_mesh_real(SofaMeshText *t, double *value) {
  sofa_mesh_skip(t);
  const char *stop;
  if (!sofa_parse_real(t->at, t->end, &stop, value)) return false;
  if (stop < t->end && (unsigned char)*stop > ' ') return false;
  t->at = stop;
  return true;
}

/* The next integer; otherwise an error that says what was expected. */
SofaErr sofa_mesh_read_int(SofaMeshText *t, const char *what, int64_t *value);
/* The next integer as a number of things, each of which takes `bytes` of the rest of the file. */
SofaErr sofa_mesh_read_count(SofaMeshText *t, const char *what, size_t bytes, size_t *count);
/* The next integer, >= first and < first + n, minus first. */
SofaErr sofa_mesh_read_index(SofaMeshText *t, const char *what, int64_t first, size_t n,
                             uint32_t *index);
/* The next n reals. */
SofaErr sofa_mesh_read_reals(SofaMeshText *t, const char *what, unsigned n, double *x);

/* Reports an error at the current line, quoting the word found there. Returns SOFA_ERR_PARSE. */
SofaErr sofa_mesh_expected(SofaMeshText *t, const char *what);
/* Reports an error at the current line or byte. */
SofaErr sofa_mesh_fail(SofaMeshText *t, SofaErr err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Sends a warning with the current line. */
void sofa_mesh_warn(SofaMeshText *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

SOFA_END_DECLS

#endif
