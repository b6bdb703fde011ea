/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What each word of the good text files of loaders does: a word of no format is put in its place,
 * then another number. The outcomes are recorded in tests/fuzz/corpus/words.tsv, two letters for
 * each word. With "@": '.' refused with the word's line, 'r' refused with another line, 'c' other
 * values, 'i' ignored. With a number larger by 1: 'r', 'c', 'i' as before, '-' the word is not a
 * number. */
#include "tests/unit/geometry/loader_files.h"

static char no_word(Words *w) {
  load(w, "@", 1);
  if (w->outcome.err != SOFA_OK) return w->outcome.line == w->line ? '.' : 'r';
  return as_before(w) ? 'i' : 'c';
}

static char other_number(Words *w) {
  char *end, word[40];
  const double value = strtod(w->text + w->begin, &end);
  if (end != w->text + w->end) return '-';
  snprintf(word, sizeof word, "%.17g", value + 1);
  load(w, word, strlen(word));
  if (w->outcome.err != SOFA_OK) return 'r';
  return as_before(w) ? 'i' : 'c';
}

/* The letters of all words of the file. */
static void each_word(Words *w, SofaText *letters) {
  w->begin = w->end = 0;
  w->line = 1;
  load(w, "", 0);
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
