/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* All that loaders read of good files, with some attributes: tests/fuzz/corpus/values.txt. What
 * changes on purpose is recorded again: CSOFA_RECORD=FILE writes what was found. */
#include "tests/support/fence_allocator.h"
#include "tests/unit/geometry/loader_files.h"

/* All fields of a loader with a value, one per line, and its state. */
static void list_fields(SofaContext *ctx, const SofaObject *object, SofaText *out) {
  for (const SofaClass *klass = object->klass; klass != &sofa_object_class; klass = klass->base)
    for (size_t i = 0; i < klass->n_fields; i++) {
      const SofaField *field = &klass->fields[i];
      SofaText text = {0};
      (void)sofa_field_print(object, field, &text);
      // a link copies an output again when its version has grown from 1; fields that the file
      // brings have their values before there are links
      const bool of_file = strcmp(klass->name, klass->base->name) == 0;
      if (text.n && (field->flags & SOFA_FIELD_OUTPUT) && !of_file &&
          sofa_field_state(object, field)->version < 2)
        fail_msg("%s: the version of %s did not grow", klass->name, field->name);
      if (text.n && strcmp(field->name, "filename") != 0)
        assert_int_equal(sofa_text_printf(ctx, out, "  %s %s\n", field->name, text.data), SOFA_OK);
      sofa_list_free(ctx, &text);
    }
  SofaText state = {0};
  (void)sofa_field_print(object, sofa_class_field(object->klass, "componentState"), &state);
  assert_int_equal(sofa_text_printf(ctx, out, "  %s\n", state.data), SOFA_OK);
  sofa_list_free(ctx, &state);
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
  const char *record = getenv("CSOFA_RECORD");
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
  const struct CMUnitTest tests[] = {cmocka_unit_test(values), cmocka_unit_test(options_by_links)};
  return cmocka_run_group_tests_name("loader_values", tests, NULL, NULL);
}
