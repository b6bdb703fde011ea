/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every loader of the factory reads its good files and refuses its broken ones, with file and line.
 * The cases are the rows of tests/fuzz/corpus/loaders.tsv; a loader without enough rows fails. */
#include <stdio.h>
#include <unistd.h>

#include "behavior/loader.h"
#include "tests/support/loader_rows.h"
#include "tests/unit/base/failing_allocator.h"

enum { N_GOOD = 1, N_BROKEN = 5 };

/* ---- messages ---- */

typedef struct Heard {
  int n_errors, n_warnings, line;
  char file[400], text[400]; /* of the first */
} Heard;

static void listen(void *user, const SofaMessage *m) {
  Heard *heard = user;
  if (m->severity < SOFA_WARNING) return;
  if (!heard->n_errors && !heard->n_warnings) {
    heard->line = m->origin.line;
    snprintf(heard->file, sizeof heard->file, "%s", m->origin.file ? m->origin.file : "");
    snprintf(heard->text, sizeof heard->text, "%s", m->text);
  }
  if (m->severity == SOFA_WARNING) heard->n_warnings++;
  else heard->n_errors++;
}

/* "points=8 triangles=2", of the lists that are not empty, and of the arrays of a VTK file. */
static void describe(SofaObject *object, char *out, size_t size) {
  static const char *const lists[][2] = {
      {"position", "points"}, {"edges", "edges"},           {"triangles", "triangles"},
      {"quads", "quads"},     {"tetrahedra", "tetrahedra"}, {"hexahedra", "hexahedra"},
      {"prisms", "prisms"},   {"pyramids", "pyramids"},     {"polylines", "polylines"}};
  size_t n = 0;
  out[0] = '\0';
  for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) {
    const SofaField *field = sofa_class_field(object->klass, lists[k][0]);
    if (!field) continue;
    const SofaAnyList *list = sofa_field_value(object, field);
    if (list->n)
      n += (size_t)snprintf(out + n, size - n, "%s%s=%zu", n ? " " : "", lists[k][1], list->n);
  }
  // fields that were found in the file
  const SofaClass *own = object->own_class ? object->klass : NULL;
  for (size_t k = 0; own && k < own->n_fields; k++) {
    const SofaAnyList *list = sofa_field_value(object, &own->fields[k]);
    n += (size_t)snprintf(out + n, size - n, " %s=%zu", own->fields[k].name, list->n);
  }
}

/* ---- the cases ---- */

static void check_row(const Row *row) {
  char scene[1000], sizes[200];
  Heard heard = {0};
  SofaSimulation *simulation = NULL;
  SofaContext *ctx = NULL;
  const SofaContextOptions options = {.sink = listen, .sink_user = &heard};
  assert_int_equal(sofa_context_create(&options, &ctx), SOFA_OK);
  assert_int_equal(sofa_register_builtins(ctx), SOFA_OK);
  snprintf(scene, sizeof scene,
           "<Node name='root'><DefaultAnimationLoop/><%s name='l' filename='" CORPUS
           "%s' %s/></Node>",
           row->klass, row->file, row->attributes);
  SofaErr err = sofa_simulation_load_text(ctx, scene, &simulation);
  if (err == SOFA_OK) err = sofa_simulation_init(simulation);
  if (strcmp(row->result, "ok") == 0) {
    if (err != SOFA_OK || heard.n_warnings) fail_msg("%s: %s", row->file, heard.text);
    describe(sofa_resolve_path(simulation->root, "/l", &(SofaPathRule){.strict = true}), sizes,
             sizeof sizes);
    if (strcmp(sizes, row->words) != 0) fail_msg("%s has %s", row->file, sizes);
  } else {
    const bool warn = strcmp(row->result, "warn") == 0;
    if (warn != (err == SOFA_OK) || heard.n_errors != !warn)
      fail_msg("%s: %d errors: %s", row->file, heard.n_errors, heard.text);
    if (!strstr(heard.text, row->words)) fail_msg("%s: %s", row->file, heard.text);
    if (!warn && strcmp(row->result, "-") != 0) {
      char line[20];
      snprintf(line, sizeof line, "%d", heard.line);
      if (strcmp(line, row->result) != 0) fail_msg("%s: line %s", row->file, line);
      if (!strstr(heard.file, row->file)) fail_msg("%s: file %s", row->file, heard.file);
    }
  }
  sofa_simulation_destroy(&simulation);
  sofa_context_destroy(&ctx);
}

static void files_are_read_or_refused(void **state) {
  Table table;
  Row row;
  (void)state;
  open_table(&table);
  while (next_row(&table, &row)) check_row(&row);
  close_table(&table);
}

static void ignore(void *user, const SofaMessage *message) {
  (void)user;
  (void)message;
}

/* Any allocation may fail: an error, and nothing is left behind. */
static void run_out_of_memory(const Row *row) {
  char scene[1000];
  bool done = false;
  snprintf(scene, sizeof scene,
           "<Node name='root'><DefaultAnimationLoop/><%s name='l' filename='" CORPUS
           "%s' %s/></Node>",
           row->klass, row->file, row->attributes);
  for (uint64_t fail_at = 1; !done; fail_at++) {
    FailingAllocator allocator = {0};
    SofaSimulation *simulation = NULL;
    SofaContext *ctx = NULL;
    const SofaContextOptions options = {
        .allocate = failing_allocate, .allocate_user = &allocator, .sink = ignore};
    assert_int_equal(sofa_context_create(&options, &ctx), SOFA_OK);
    assert_int_equal(sofa_register_builtins(ctx), SOFA_OK);
    allocator.fail_at = allocator.calls + fail_at;
    SofaErr err = sofa_simulation_load_text(ctx, scene, &simulation);
    if (err == SOFA_OK) err = sofa_simulation_init(simulation);
    done = allocator.calls < allocator.fail_at;
    if (done != (err == SOFA_OK)) fail_msg("%s: allocation %d", row->file, (int)fail_at);
    sofa_simulation_destroy(&simulation);
    sofa_context_destroy(&ctx);
    if (allocator.live) fail_msg("%s: allocation %d leaves something", row->file, (int)fail_at);
  }
}

static void lack_of_memory_is_survived(void **state) {
  Table table;
  Row row;
  (void)state;
  open_table(&table);
  while (next_row(&table, &row))
    if (strcmp(row.result, "ok") == 0) run_out_of_memory(&row);
  close_table(&table);
}

static bool reads_files(const SofaClass *klass) {
  const SofaLoaderOps *ops = sofa_class_ops(klass, SOFA_LOADER);
  const bool loader = ops || strcmp(klass->category, "Loader") == 0;
  return loader && !klass->abstract && !(ops && ops->make);
}

static void every_loader_has_cases(void **state) {
  Table table;
  (void)state;
  open_table(&table);
  const size_t n = sofa_factory_n_classes(table.ctx);
  for (size_t i = 0; i < n; i++) {
    const SofaClass *klass = sofa_factory_class_at(table.ctx, i);
    int n_good = 0, n_broken = 0;
    Table rows;
    Row row;
    if (!reads_files(klass)) continue;
    open_table(&rows);
    while (next_row(&rows, &row)) {
      if (strcmp(row.klass, klass->name) != 0) continue;
      if (strcmp(row.result, "ok") == 0) n_good++;
      else if (strcmp(row.result, "warn") != 0) n_broken++;
    }
    close_table(&rows);
    if (n_good < N_GOOD || n_broken < N_BROKEN)
      fail_msg("%s has %d good and %d broken files in " CORPUS "loaders.tsv, at least %d and %d "
               "are expected",
               klass->name, n_good, n_broken, N_GOOD, N_BROKEN);
  }
  close_table(&table);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(files_are_read_or_refused),
      cmocka_unit_test(every_loader_has_cases),
      cmocka_unit_test(lack_of_memory_is_survived),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
