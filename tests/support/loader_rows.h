/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rows of tests/fuzz/corpus/loaders.tsv: files that a loader reads or refuses. */
#ifndef TESTS_SUPPORT_LOADER_ROWS_H
#define TESTS_SUPPORT_LOADER_ROWS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
/* after the headers it needs */
#include <cmocka.h>

#include "base/files.h"
#include "components/builtins.h"
#include "sofa.h"

#define CORPUS "tests/fuzz/corpus/"
enum { N_COLUMNS = 5 };

/* Columns of a row: class, further attributes, file, "ok", "warn" or the line of the error ("-": a
 * byte, not a line), then words of the message or the sizes of what was read. */
typedef struct Row {
  char *klass, *attributes, *file, *result, *words;
} Row;

typedef struct Table {
  SofaContext *ctx;
  char *text, *at;
} Table;

static inline void open_table(Table *table) {
  size_t size = 0;
  const SofaContextOptions options = {0};
  assert_int_equal(sofa_context_create(&options, &table->ctx), SOFA_OK);
  assert_int_equal(sofa_register_builtins(table->ctx), SOFA_OK);
  assert_int_equal(sofa_read_file(table->ctx, CORPUS "loaders.tsv", 0, &table->text, &size),
                   SOFA_OK);
  table->at = table->text;
}

static inline void close_table(Table *table) {
  sofa_free(table->ctx, table->text);
  sofa_context_destroy(&table->ctx);
}

/* Cuts the next row out of the text; comments begin with '#'. */
static inline bool next_row(Table *table, Row *row) {
  char **columns[N_COLUMNS] = {&row->klass, &row->attributes, &row->file, &row->result,
                               &row->words};
  while (*table->at == '#') table->at = strchr(table->at, '\n') + 1;
  if (!*table->at) return false;
  char *end = strchr(table->at, '\n');
  assert_non_null(end);
  *end = '\0';
  char *at = table->at;
  for (int k = 0; k < N_COLUMNS; k++) {
    char *tab = strchr(at, '\t');
    if (k + 1 < N_COLUMNS) assert_non_null(tab);
    if (tab) *tab = '\0';
    *columns[k] = at;
    at = tab ? tab + 1 : at;
  }
  table->at = end + 1;
  return true;
}

#endif
