/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "new_plugin.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/output.h"
#include "embedded.h"
#include "object/factory.h"

static const SofaOrigin program = {.emitter = "runcsofa"};

enum { MAX_NAME = 64 };

/* The values of the words @NAME@ and @CLASS@ of the templates. */
typedef struct Names {
  char plugin[MAX_NAME + 1];
  char klass[MAX_NAME + sizeof "ForceField"];
} Names;

/* Where the text of a template is written: path in the folder, with these words. */
static const struct {
  const char *from, *to;
} places[] = {
    {"CMakeLists.txt.in", "CMakeLists.txt"}, {"force_field.c.in", "@CLASS@.c"},
    {"scene.scn.in", "@NAME@.scn"},          {"test.c.in", "test_@NAME@.c"},
    {"README.md.in", "README.md"},
};

/* Targets that CMake makes itself. */
static bool is_reserved(const char *name) {
  static const char *const words[] = {"all", "clean", "help", "install", "package", "test"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strcmp(name, words[i]) == 0) return true;
  return false;
}

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* C keeps names that begin with an underscore for itself. */
static bool is_identifier(const char *name) {
  size_t n = 0;
  while (is_letter(name[n]) || (n > 0 && (name[n] == '_' || (name[n] >= '0' && name[n] <= '9'))))
    n++;
  return n > 0 && n <= MAX_NAME && name[n] == '\0';
}

/* Names of classes begin with a capital letter (cmake/class_list.cmake). */
static void make_names(const char *name, Names *out) {
  snprintf(out->plugin, sizeof out->plugin, "%s", name);
  snprintf(out->klass, sizeof out->klass, "%c%sForceField", toupper((unsigned char)name[0]),
           out->plugin + 1);
}

static SofaErr check_name(SofaContext *ctx, const char *name, Names *out) {
  if (!is_identifier(name) || is_reserved(name))
    return sofa_fail(ctx, SOFA_ERR_ARGUMENT, &program,
                     "--new-plugin: '%s' cannot name a plugin: expected a letter, then letters, "
                     "digits and underscores (at most %d), and no target of CMake (all, test, ...)",
                     name, MAX_NAME);
  make_names(name, out);
  if (!sofa_factory_find(ctx, out->klass, NULL) && !sofa_factory_knows_module(ctx, name))
    return SOFA_OK;
  return sofa_fail(ctx, SOFA_ERR_ARGUMENT, &program,
                   "--new-plugin: csofa has a module '%s' or a component '%s'; choose another name",
                   name, out->klass);
}

/* The text with the values of the words. */
static SofaErr fill_in(SofaContext *ctx, const char *text, const Names *names, SofaText *out) {
  const char *const rows[][2] = {{"@NAME@", names->plugin}, {"@CLASS@", names->klass}};
  while (*text) {
    size_t n = 1 + strcspn(text + 1, "@"); // up to the next place of a word
    const char *piece = text;
    size_t length = n;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
      if (strncmp(text, rows[i][0], strlen(rows[i][0])) != 0) continue;
      n = strlen(rows[i][0]);
      piece = rows[i][1];
      length = strlen(piece);
    }
    SOFA_TRY(sofa_text_append(ctx, out, piece, length));
    text += n;
  }
  return SOFA_OK;
}

static const char *embedded_text(const char *name) {
  for (const EmbeddedFile *file = new_plugin_files; file->name; file++)
    if (strcmp(file->name, name) == 0) return file->text;
  return "";
}

static SofaErr write_file(SofaContext *ctx, const char *folder, const Names *names, size_t place) {
  SofaText path = {0}, text = {0};
  SofaErr err = SOFA_OK;
  SOFA_GO(err, done, sofa_text_printf(ctx, &path, "%s/", folder));
  SOFA_GO(err, done, fill_in(ctx, places[place].to, names, &path));
  SOFA_GO(err, done, fill_in(ctx, embedded_text(places[place].from), names, &text));
  const SofaOutputSpec spec = {
      .path = path.data, .what = "a file of the plugin", .provenance = SOFA_REMARK_NONE};
  err = sofa_output_whole(ctx, &spec, text.data, text.n);
done:
  sofa_list_free(ctx, &path);
  sofa_list_free(ctx, &text);
  return err;
}

SofaErr new_plugin_write(SofaContext *ctx, const char *name, const char *folder) {
  Names names;
  SOFA_TRY(check_name(ctx, name, &names));
  if (!folder) folder = name;
  if (mkdir(folder, 0777) != 0)
    return sofa_fail(ctx, SOFA_ERR_IO, &program, "--new-plugin: cannot make the folder '%s': %s",
                     folder, strerror(errno));
  for (size_t i = 0; i < sizeof places / sizeof *places; i++)
    SOFA_TRY(write_file(ctx, folder, &names, i));
  printf("The plugin %s is in %s. Build and test it with\n"
         "  cmake -S %s -B %s/build && cmake --build %s/build && ctest --test-dir %s/build\n",
         name, folder, folder, folder, folder, folder);
  return SOFA_OK;
}
