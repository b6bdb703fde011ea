/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What each word of the good text files of loaders does: a word of no format is put in its place,
 * then another number. The outcomes are recorded in tests/fuzz/corpus/words.tsv, two letters for
 * each word. With "@": '.' refused with the word's line, 'r' refused with another line, 'c' other
 * values, 'i' ignored. With a number larger by 1: 'r', 'c', 'i' as before, '-' the word is not a
 * number. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/support/loader_rows.h"

typedef struct Outcome {
  SofaErr err;
  int line, n_warnings;
  char message[300]; /* of the first error */
  SofaText fields;   /* all values of the loader */
} Outcome;

/* The file at hand, and the word of it that is replaced. */
typedef struct Words {
  SofaContext *ctx;
  Outcome outcome, whole;
  Row row;
  char folder[40], path[400];
  char *text;
  size_t n, begin, end;
  int line;
} Words;

static void listen(void *user, const SofaMessage *m) {
  Outcome *o = &((Words *)user)->outcome;
  o->n_warnings += m->severity == SOFA_WARNING;
  if (m->severity < SOFA_ERROR || o->message[0]) return;
  o->line = m->origin.line;
  snprintf(o->message, sizeof o->message, "%s", m->text);
}

static void print_fields(Words *w, const SofaObject *object) {
  for (const SofaClass *klass = object->klass; klass; klass = klass->base)
    for (size_t i = 0; i < klass->n_fields; i++) {
      const SofaField *field = &klass->fields[i];
      if (strcmp(field->name, "filename") == 0) continue;
      assert_int_equal(sofa_text_append(w->ctx, &w->outcome.fields, " ", 1), SOFA_OK);
      (void)sofa_field_print(object, field, &w->outcome.fields);
    }
}

/* What the loader makes of the file with `word` in the place of its word. */
static void load(Words *w, const char *word) {
  char scene[1000];
  SofaSimulation *simulation = NULL;
  FILE *file = fopen(w->path, "wb");
  assert_non_null(file);
  fwrite(w->text, 1, w->begin, file);
  fwrite(word, 1, strlen(word), file);
  fwrite(w->text + w->end, 1, w->n - w->end, file);
  assert_int_equal(fclose(file), 0);
  snprintf(scene, sizeof scene,
           "<Node name='root'><DefaultAnimationLoop/><%s name='l' filename='%s' %s/></Node>",
           w->row.klass, w->path, w->row.attributes);
  w->outcome = (Outcome){.fields = w->outcome.fields};
  w->outcome.fields.n = 0;
  SofaErr err = sofa_simulation_load_text(w->ctx, scene, &simulation);
  if (err == SOFA_OK) err = sofa_simulation_init(simulation);
  if (err == SOFA_OK)
    print_fields(w, sofa_resolve_path(simulation->root, "/l", &(SofaPathRule){.strict = true}));
  w->outcome.err = err;
  sofa_simulation_destroy(&simulation);
}

static bool as_before(const Words *w) {
  const SofaText *a = &w->outcome.fields, *b = &w->whole.fields;
  return a->n == b->n && memcmp(a->data, b->data, a->n) == 0 &&
         w->outcome.n_warnings == w->whole.n_warnings;
}

static char no_word(Words *w) {
  load(w, "@");
  if (w->outcome.err != SOFA_OK) return w->outcome.line == w->line ? '.' : 'r';
  return as_before(w) ? 'i' : 'c';
}

static char other_number(Words *w) {
  char *end, word[40];
  const double value = strtod(w->text + w->begin, &end);
  if (end != w->text + w->end) return '-';
  snprintf(word, sizeof word, "%.17g", value + 1);
  load(w, word);
  if (w->outcome.err != SOFA_OK) return 'r';
  return as_before(w) ? 'i' : 'c';
}

/* The letters of all words of the file. */
static void each_word(Words *w, SofaText *letters) {
  w->begin = w->end = 0;
  w->line = 1;
  load(w, "");
  assert_int_equal(w->outcome.err, SOFA_OK);
  w->whole = w->outcome;
  w->outcome.fields = (SofaText){0};
  for (size_t i = 0; i < w->n; i++) {
    w->line += w->text[i] == '\n';
    if (isspace((unsigned char)w->text[i])) continue;
    w->begin = i;
    while (i + 1 < w->n && !isspace((unsigned char)w->text[i + 1])) i++;
    w->end = i + 1;
    const char pair[2] = {no_word(w), other_number(w)};
    assert_int_equal(sofa_text_append(w->ctx, letters, pair, 2), SOFA_OK);
  }
  sofa_list_free(w->ctx, &w->whole.fields);
}

static bool is_text(const Words *w) {
  for (size_t i = 0; i < w->n; i++) {
    const unsigned char c = (unsigned char)w->text[i];
    if (c >= 127 || (c < ' ' && !isspace(c))) return false;
  }
  return true;
}

static bool check_file(Words *w, const char *recorded) {
  SofaText letters = {0};
  char row[200];
  snprintf(w->path, sizeof w->path, CORPUS "%s", w->row.file);
  assert_int_equal(sofa_read_file(w->ctx, w->path, 0, &w->text, &w->n), SOFA_OK);
  snprintf(w->path, sizeof w->path, "%s/%s", w->folder, strrchr(w->row.file, '/') + 1);
  bool good = true;
  if (is_text(w)) {
    each_word(w, &letters);
    snprintf(row, sizeof row, "\n%s\t%s\t%s\t", w->row.klass, w->row.attributes, w->row.file);
    const char *at = strstr(recorded, row);
    good = at && strncmp(at + strlen(row), letters.data, letters.n) == 0 &&
           at[strlen(row) + letters.n] == '\n';
    if (!good) print_error("not as recorded:%s%.*s\n", row, (int)letters.n, letters.data);
    unlink(w->path);
  }
  sofa_list_free(w->ctx, &letters);
  sofa_free(w->ctx, w->text);
  return good;
}

static void words(void **state) {
  Table table;
  Words w = {.folder = "/tmp/csofa-words-XXXXXX"};
  const SofaContextOptions options = {.sink = listen, .sink_user = &w};
  char *recorded = NULL;
  size_t size = 0, n_bad = 0;
  (void)state;
  assert_non_null(mkdtemp(w.folder));
  assert_int_equal(sofa_context_create(&options, &w.ctx), SOFA_OK);
  assert_int_equal(sofa_register_builtins(w.ctx), SOFA_OK);
  assert_int_equal(sofa_read_file(w.ctx, CORPUS "words.tsv", 0, &recorded, &size), SOFA_OK);
  open_table(&table);
  while (next_row(&table, &w.row))
    if (strcmp(w.row.result, "ok") == 0) n_bad += !check_file(&w, recorded);
  close_table(&table);
  sofa_list_free(w.ctx, &w.outcome.fields);
  sofa_free(w.ctx, recorded);
  sofa_context_destroy(&w.ctx);
  rmdir(w.folder);
  assert_int_equal(n_bad, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(words)};
  return cmocka_run_group_tests_name("loader_words", tests, NULL, NULL);
}
