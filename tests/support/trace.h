/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Traces: what a program does as a text, compared with a file that was recorded before. The first
 * line that differs fails the test. CSOFA_RECORD=FILE writes the text instead. */
#ifndef CSOFA_TESTS_TRACE_H
#define CSOFA_TESTS_TRACE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

typedef struct Trace {
  char *text;
  size_t n, most; /* length; room */
} Trace;

static inline void __attribute__((format(printf, 2, 3)))
trace_add(Trace *t, const char *format, ...) {
  va_list list;
  va_start(list, format);
  t->n += (size_t)vsnprintf(t->text + t->n, t->most - t->n, format, list);
  va_end(list);
  assert_true(t->n < t->most);
}

/* A line that does not begin with a blank is the name of those below it. */
static inline void trace_compare(const char *found, const char *recorded) {
  size_t i = 0, line = 0, name = 0;
  for (; found[i] && found[i] == recorded[i]; i++)
    if (found[i] == '\n') {
      line = i + 1;
      if (found[i + 1] != ' ') name = i + 1;
    }
  if (found[i] == recorded[i]) return;
  fail_msg("%.200s\ncolumn %zu, recorded\n%.300s\nfound\n%.300s", found + name, i - line,
           recorded + line, found + line);
}

/* path: of the recorded file, from the folder of the sources. */
static inline void trace_check(const Trace *t, const char *path) {
  const char *record = getenv("CSOFA_RECORD");
  FILE *file = fopen(record ? record : path, record ? "w" : "r");
  char *recorded = calloc(t->most, 1);
  assert_non_null(file);
  assert_non_null(recorded);
  if (record) assert_int_equal(fwrite(t->text, 1, t->n, file), t->n);
  else recorded[fread(recorded, 1, t->most - 1, file)] = 0;
  fclose(file);
  if (!record) trace_compare(t->text, recorded);
  free(recorded);
}

#endif
