/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What each word of the good text files of loaders does: a word of no format is put in its place,
 * then another number. The outcomes are recorded in tests/fuzz/corpus/words.tsv, two letters for
 * each word. With "@": '.' refused with the word's line, 'r' refused with another line, 'c' other
 * values, 'i' ignored. With a number larger by 1: 'r', 'c', 'i' as before, '-' the word is not a
 * number. Of binary files each byte is changed: bytes.tsv has the messages of a file without their
 * numbers, then three letters for each byte: larger by 1, its highest bit inverted, 0. 'c' and 'i'
 * as before, capital letters: refused with that message. What changes on purpose is recorded again:
 * CSOFA_RECORD=FILE writes the bytes that were found. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/support/fence_allocator.h"
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

/* What the loader makes of the file with `word` in the place of its word or byte. */
static void load(Words *w, const char *word, size_t length) {
  char scene[1000];
  SofaSimulation *simulation = NULL;
  FILE *file = fopen(w->path, "wb");
  assert_non_null(file);
  fwrite(w->text, 1, w->begin, file);
  fwrite(word, 1, length, file);
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

/* ---- bytes ---- */

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

/* The first line that differs. */
static void compare(const char *found, const char *expected) {
  size_t i = 0, line = 0;
  for (; found[i] && found[i] == expected[i]; i++)
    if (found[i] == '\n') line = i + 1;
  if (found[i] == expected[i]) return;
  fail_msg("recorded\n%.300s\nfound\n%.300s", expected + line, found + line);
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

/* ---- values ---- */

/* All fields of a loader with a value, one per line. */
static void list_fields(SofaContext *ctx, const SofaObject *object, SofaText *out) {
  for (const SofaClass *klass = object->klass; klass != &sofa_object_class; klass = klass->base)
    for (size_t i = 0; i < klass->n_fields; i++) {
      const SofaField *field = &klass->fields[i];
      SofaText text = {0};
      (void)sofa_field_print(object, field, &text);
      if (text.n && strcmp(field->name, "filename") != 0)
        assert_int_equal(sofa_text_printf(ctx, out, "  %s %s\n", field->name, text.data), SOFA_OK);
      sofa_list_free(ctx, &text);
    }
}

static void add_values(Words *w, const char *attribute, SofaText *out) {
  char scene[1000], name[60];
  SofaSimulation *simulation = NULL;
  const SofaClass *klass = NULL;
  snprintf(name, sizeof name, "%.*s", (int)strcspn(attribute, "="), attribute);
  for (size_t i = 0; i < sofa_factory_n_classes(w->ctx); i++)
    if (strcmp(sofa_factory_class_at(w->ctx, i)->name, w->row.klass) == 0)
      klass = sofa_factory_class_at(w->ctx, i);
  if (!klass || (*name && !sofa_class_field(klass, name)) || strstr(w->row.attributes, attribute))
    return;
  snprintf(scene, sizeof scene,
           "<Node name='root'><DefaultAnimationLoop/><%s name='l' filename='" CORPUS
           "%s' %s %s/></Node>",
           w->row.klass, w->row.file,
           *name && strstr(w->row.attributes, name) ? "" : w->row.attributes, attribute);
  assert_int_equal(sofa_text_printf(w->ctx, out, "%s\t%s\t%s %s\n", w->row.file, w->row.klass,
                                    w->row.attributes, attribute),
                   SOFA_OK);
  SofaErr err = sofa_simulation_load_text(w->ctx, scene, &simulation);
  if (err == SOFA_OK) err = sofa_simulation_init(simulation);
  if (err == SOFA_OK)
    list_fields(w->ctx, sofa_resolve_path(simulation->root, "/l", &(SofaPathRule){.strict = true}),
                out);
  sofa_simulation_destroy(&simulation);
}

static void values(void **state) {
  static const char *const attributes[] = {
      "",
      "triangulate='1'",
      "flipNormals='1'",
      "createSubelements='1'",
      "handleSeams='1'",
      "onlyAttachedPoints='1'",
      "translation='1 2 3' scale3d='2 3 4'",
  };
  static Words w;
  FenceAllocator fences = {0}; // nothing is lost, no access behind a block
  const SofaContextOptions options = {
      .sink = listen, .sink_user = &w, .allocate = fence_allocate, .allocate_user = &fences};
  const char *record = getenv("CSOFA_RECORD_VALUES");
  Table table;
  SofaText found = {0};
  char *recorded = NULL;
  size_t size = 0;
  (void)state;
  assert_int_equal(sofa_context_create(&options, &w.ctx), SOFA_OK);
  assert_int_equal(sofa_register_builtins(w.ctx), SOFA_OK);
  open_table(&table);
  while (next_row(&table, &w.row))
    for (size_t k = 0; k < SOFA_COUNT(attributes); k++)
      if (strcmp(w.row.result, "ok") == 0 || strcmp(w.row.result, "warn") == 0)
        add_values(&w, attributes[k], &found);
  close_table(&table);
  FILE *file = record ? fopen(record, "w") : NULL;
  if (file) fwrite(found.data, 1, found.n, file), fclose(file);
  assert_int_equal(sofa_read_file(w.ctx, CORPUS "values.txt", 0, &recorded, &size), SOFA_OK);
  compare(found.data, recorded);
  sofa_list_free(w.ctx, &found);
  sofa_free(w.ctx, recorded);
  sofa_context_destroy(&w.ctx);
  assert_int_equal(fences.live, 0);
}

/* ---- links ---- */

static const SofaObject *object_at(const SofaSimulation *simulation, const char *path) {
  return sofa_resolve_path(simulation->root, path, &(SofaPathRule){.strict = true});
}

/* Points that another object, in front of the loader, has of it. */
static bool same_points(const SofaSimulation *simulation) {
  const SofaObject *loader = object_at(simulation, "/l");
  const SofaField *field = sofa_class_field(loader->klass, "position");
  const SofaState *state = (const SofaState *)object_at(simulation, "/s");
  if (!field) return true;
  return ((const SofaAnyList *)sofa_field_value(loader, field))->n == state->position.n;
}

/* NULL: the class has none of them. */
static const char *option_of(const SofaClass *klass) {
  static const char *const names[] = {"translation", "voxelSize"};
  for (size_t i = 0; i < SOFA_COUNT(names); i++)
    if (klass && sofa_class_field(klass, names[i])) return names[i];
  return NULL;
}

static bool linked(Words *w) {
  char scene[1500];
  SofaSimulation *simulation = NULL;
  SofaText texts[2] = {{0}};
  const SofaClass *klass = NULL;
  for (size_t i = 0; i < sofa_factory_n_classes(w->ctx); i++)
    if (strcmp(sofa_factory_class_at(w->ctx, i)->name, w->row.klass) == 0)
      klass = sofa_factory_class_at(w->ctx, i);
  const char *option = option_of(klass);
  if (!option || strstr(w->row.attributes, option)) return true;
  const bool points = sofa_class_field(klass, "position") != NULL;
  snprintf(scene, sizeof scene,
           "<Node name='root'><DefaultAnimationLoop/><MechanicalObject name='s' %s/>"
           "<%s name='f' filename='" CORPUS "%s' %s %s='1 2 3'/>"
           "<%s name='l' filename='" CORPUS "%s' %s %s='@f.%s'/></Node>",
           points ? "position='@l.position'" : "", w->row.klass, w->row.file, w->row.attributes,
           option, w->row.klass, w->row.file, w->row.attributes, option, option);
  w->outcome = (Outcome){0};
  SofaErr err = sofa_simulation_load_text(w->ctx, scene, &simulation);
  if (err == SOFA_OK) err = sofa_simulation_init(simulation);
  bool good = err == SOFA_OK && (!points || same_points(simulation));
  if (err == SOFA_OK) {
    list_fields(w->ctx, object_at(simulation, "/f"), &texts[0]);
    list_fields(w->ctx, object_at(simulation, "/l"), &texts[1]);
    good = good && strcmp(texts[0].data, texts[1].data) == 0;
  }
  for (int i = 0; i < 2; i++) sofa_list_free(w->ctx, &texts[i]);
  sofa_simulation_destroy(&simulation);
  if (!good)
    print_error("%s %s: another result by a link: %s\n", w->row.klass, w->row.file,
                w->outcome.message);
  return good;
}

/* Options may come by a link: the mesh is finished when they are known. */
static void options_by_links(void **state) {
  static Words w;
  const SofaContextOptions options = {.sink = listen, .sink_user = &w};
  size_t n_bad = 0;
  Table table;
  (void)state;
  assert_int_equal(sofa_context_create(&options, &w.ctx), SOFA_OK);
  assert_int_equal(sofa_register_builtins(w.ctx), SOFA_OK);
  open_table(&table);
  while (next_row(&table, &w.row))
    if (strcmp(w.row.result, "ok") == 0) n_bad += !linked(&w);
  close_table(&table);
  sofa_context_destroy(&w.ctx);
  assert_int_equal(n_bad, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(words), cmocka_unit_test(bytes),
                                     cmocka_unit_test(values), cmocka_unit_test(options_by_links)};
  return cmocka_run_group_tests_name("loader_words", tests, NULL, NULL);
}
