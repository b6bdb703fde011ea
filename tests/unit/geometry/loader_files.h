/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* For tests that load the good files of loaders with something changed. */
#ifndef TESTS_UNIT_GEOMETRY_LOADER_FILES_H
#define TESTS_UNIT_GEOMETRY_LOADER_FILES_H

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

static inline void listen(void *user, const SofaMessage *m) {
  Outcome *o = &((Words *)user)->outcome;
  o->n_warnings += m->severity == SOFA_WARNING;
  if (m->severity < SOFA_ERROR || o->message[0]) return;
  o->line = m->origin.line;
  snprintf(o->message, sizeof o->message, "%s", m->text);
}

static inline void print_fields(Words *w, const SofaObject *object) {
  for (const SofaClass *klass = object->klass; klass; klass = klass->base)
    for (size_t i = 0; i < klass->n_fields; i++) {
      const SofaField *field = &klass->fields[i];
      if (strcmp(field->name, "filename") == 0) continue;
      assert_int_equal(sofa_text_append(w->ctx, &w->outcome.fields, " ", 1), SOFA_OK);
      (void)sofa_field_print(object, field, &w->outcome.fields);
    }
}

/* What the loader makes of the file with `word` in the place of its word or byte. */
static inline void load(Words *w, const char *word, size_t length) {
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

static inline bool as_before(const Words *w) {
  const SofaText *a = &w->outcome.fields, *b = &w->whole.fields;
  return a->n == b->n && memcmp(a->data, b->data, a->n) == 0 &&
         w->outcome.n_warnings == w->whole.n_warnings;
}

static inline bool is_text(const Words *w) {
  for (size_t i = 0; i < w->n; i++) {
    const unsigned char c = (unsigned char)w->text[i];
    if (c >= 127 || (c < ' ' && !isspace(c))) return false;
  }
  return true;
}

/* The first line that differs. */
static inline void compare(const char *found, const char *expected) {
  size_t i = 0, line = 0;
  for (; found[i] && found[i] == expected[i]; i++)
    if (found[i] == '\n') line = i + 1;
  if (found[i] == expected[i]) return;
  fail_msg("recorded\n%.300s\nfound\n%.300s", expected + line, found + line);
}

#endif
