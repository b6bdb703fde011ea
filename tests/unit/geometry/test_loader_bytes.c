/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What each byte of the good binary files of loaders does: tests/fuzz/corpus/bytes.tsv has the
 * messages of a file without their numbers, then three letters for each byte: larger by 1, its
 * highest bit inverted, 0. 'c' other values, 'i' ignored, '-' the same byte, capital letters:
 * refused with that message. What changes on purpose is recorded again: CSOFA_RECORD=FILE writes
 * what was found. */
#include "tests/unit/geometry/loader_files.h"

typedef struct Bytes {
  Words w;
  SofaText found;         /* all rows */
  char messages[30][300]; /* of the file at hand */
  size_t n_messages;
} Bytes;

/* Numbers and quoted words are left out: a changed byte is in many of them. */
static char message_letter(Bytes *b, const char *message) {
  char text[300];
  size_t n = 0, k = 0;
  for (const char *at = message; *at && *at != '\''; at++) {
    const bool digit = isdigit((unsigned char)*at) || *at == '.' || *at == '-' || *at == '+';
    if (!digit && n + 1 < sizeof text && isprint((unsigned char)*at)) text[n++] = *at;
  }
  text[n] = '\0';
  while (k < b->n_messages && strcmp(b->messages[k], text) != 0) k++;
  if (k == b->n_messages) {
    assert_true(b->n_messages < SOFA_COUNT(b->messages));
    strcpy(b->messages[b->n_messages++], text);
  }
  return (char)('A' + k);
}

static char changed_byte(Bytes *b, char byte) {
  Words *w = &b->w;
  if (byte == w->text[w->begin]) return '-';
  load(w, &byte, 1);
  if (w->outcome.err != SOFA_OK) return message_letter(b, w->outcome.message);
  return as_before(w) ? 'i' : 'c';
}

static void each_byte(Bytes *b) {
  Words *w = &b->w;
  SofaText letters = {0};
  b->n_messages = 0;
  w->begin = w->end = 0;
  load(w, "", 0);
  assert_int_equal(w->outcome.err, SOFA_OK);
  w->whole = w->outcome;
  w->outcome.fields = (SofaText){0};
  for (size_t i = 0; i < w->n; i++) {
    const char byte = w->text[i];
    w->begin = i, w->end = i + 1;
    const char three[3] = {changed_byte(b, (char)(byte + 1)), changed_byte(b, (char)(byte ^ 0x80)),
                           changed_byte(b, 0)};
    assert_int_equal(sofa_text_append(w->ctx, &letters, three, 3), SOFA_OK);
  }
  assert_int_equal(sofa_text_printf(w->ctx, &b->found, "%s\t%s\t%s\n", w->row.klass,
                                    w->row.attributes, w->row.file),
                   SOFA_OK);
  for (size_t k = 0; k < b->n_messages; k++)
    assert_int_equal(sofa_text_printf(w->ctx, &b->found, "%c %s\n", (int)('A' + k), b->messages[k]),
                     SOFA_OK);
  for (size_t i = 0; i < letters.n; i += 96)
    assert_int_equal(sofa_text_printf(w->ctx, &b->found, " %.96s\n", letters.data + i), SOFA_OK);
  sofa_list_free(w->ctx, &letters);
  sofa_list_free(w->ctx, &w->whole.fields);
}

static void binary_file(Bytes *b) {
  Words *w = &b->w;
  snprintf(w->path, sizeof w->path, CORPUS "%s", w->row.file);
  assert_int_equal(sofa_read_file(w->ctx, w->path, 0, &w->text, &w->n), SOFA_OK);
  snprintf(w->path, sizeof w->path, "%s/%s", w->folder, strrchr(w->row.file, '/') + 1);
  if (!is_text(w)) each_byte(b);
  unlink(w->path);
  sofa_free(w->ctx, w->text);
}

static void bytes(void **state) {
  static Bytes b = {.w = {.folder = "/tmp/csofa-bytes-XXXXXX"}};
  const SofaContextOptions options = {.sink = listen, .sink_user = &b.w};
  const char *record = getenv("CSOFA_RECORD");
  Table table;
  char *recorded = NULL;
  size_t size = 0;
  (void)state;
  assert_non_null(mkdtemp(b.w.folder));
  assert_int_equal(sofa_context_create(&options, &b.w.ctx), SOFA_OK);
  assert_int_equal(sofa_register_builtins(b.w.ctx), SOFA_OK);
  open_table(&table);
  while (next_row(&table, &b.w.row))
    if (strcmp(b.w.row.result, "ok") == 0) binary_file(&b);
  close_table(&table);
  rmdir(b.w.folder);
  FILE *file = record ? fopen(record, "w") : NULL;
  if (file) fwrite(b.found.data, 1, b.found.n, file), fclose(file);
  assert_int_equal(sofa_read_file(b.w.ctx, CORPUS "bytes.tsv", 0, &recorded, &size), SOFA_OK);
  compare(b.found.data, recorded);
  sofa_list_free(b.w.ctx, &b.w.outcome.fields);
  sofa_list_free(b.w.ctx, &b.found);
  sofa_free(b.w.ctx, recorded);
  sofa_context_destroy(&b.w.ctx);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(bytes)};
  return cmocka_run_group_tests_name("loader_bytes", tests, NULL, NULL);
}
