/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Loading a scene: find, read, create. All problems are reported in one run. */
#include <stddef.h>
#include <string.h>

#include "base/files.h"
#include "base/provenance.h"
#include "object/factory_impl.h"
#include "scene/builder.h"
#include "scene/checkpoint_impl.h"
#include "scene/description.h"
#include "scene/reader.h"
#include "scene/settings_impl.h"

static uint64_t n_errors(const SofaContext *ctx) {
  return ctx->n_messages[SOFA_ERROR] + ctx->n_messages[SOFA_FATAL];
}

/* Graph from the description; `file` is taken. `errors`: count before the reading began. */
static SofaErr make(SofaContext *ctx, SofaDescription *description, char *file, uint64_t errors,
                    SofaSimulation **out) {
  SofaErr err;
  SofaSimulation *simulation = NULL;
  err = sofa_simulation_create(ctx, &simulation);
  if (err != SOFA_OK) {
    sofa_free(ctx, file);
    return err;
  }
  simulation->file = file;
  sofa_settings_begin(ctx);
  SOFA_GO(err, done, sofa_scene_build(simulation, description));
  SOFA_GO(err, done, sofa_settings_check(simulation->root));
  SOFA_GO(err, done, sofa_factory_check_quirks(ctx));
  SOFA_GO(err, done, sofa_checkpoint_sum_scene(simulation, description->root));
  if (n_errors(ctx) != errors && !ctx->keep_going) err = SOFA_ERR_SCENE;
done:
  if (err != SOFA_OK) sofa_simulation_destroy(&simulation);
  *out = simulation;
  return err;
}

/* ---- files that are not XML ---- */

const SofaInterface sofa_scene_reader_interface = {
    .name = "scene reader",
    SOFA_REQUIRES(offsetof(SofaSceneReaderOps, extensions), offsetof(SofaSceneReaderOps, read)),
};

static bool reads(const SofaSceneReaderOps *reader, const char *extension) {
  for (size_t i = 0; reader->extensions[i]; i++)
    if (strcmp(reader->extensions[i], extension) == 0) return true;
  return false;
}

static const SofaSceneReaderOps *registered_reader(const SofaContext *ctx, const char *extension) {
  for (size_t i = 0, n = sofa_factory_n_classes(ctx); i < n; i++) {
    const SofaSceneReaderOps *reader =
        sofa_class_ops(sofa_factory_class_at(ctx, i), SOFA_SCENE_READER);
    if (reader && reads(reader, extension)) return reader;
  }
  return NULL;
}

/* Loads the plugin that reads the file. *out is NULL for XML. */
static SofaErr find_reader(SofaContext *ctx, const char *file, const SofaSceneReaderOps **out) {
  const SofaOrigin origin = {.file = file};
  const char *extension = sofa_path_extension(file);
  const char *plugin = sofa_factory_reader_plugin(ctx, extension);
  *out = registered_reader(ctx, extension);
  if (*out || !plugin) return SOFA_OK;
  SOFA_TRY(sofa_plugin_load(ctx, plugin, NULL, &origin));
  *out = registered_reader(ctx, extension);
  if (*out) return SOFA_OK;
  return sofa_fail(ctx, SOFA_ERR_UNSUPPORTED, &origin, "the plugin '%s' does not read it", plugin);
}

/* `file` is taken. The reader decides what is an error: a program may have handled one. */
static SofaErr make_with(SofaContext *ctx, const SofaSceneReaderOps *reader, char *file,
                         SofaSimulation **out) {
  SofaSimulation *simulation = NULL;
  SofaErr err = sofa_simulation_create(ctx, &simulation);
  if (err != SOFA_OK) {
    sofa_free(ctx, file);
    return err;
  }
  simulation->file = file;
  sofa_settings_begin(ctx);
  err = reader->read(simulation, file);
  if (err == SOFA_OK) err = sofa_settings_check(simulation->root);
  if (err == SOFA_OK) err = sofa_factory_check_quirks(ctx);
  if (err == SOFA_OK) err = sofa_checkpoint_sum_scene(simulation, NULL);
  if (err != SOFA_OK) sofa_simulation_destroy(&simulation);
  *out = simulation;
  return err;
}

/* ---- arguments of programs ---- */

SofaErr sofa_scene_add_arguments(SofaContext *ctx, const char *text) {
  char **all = &ctx->factory->scene_arguments;
  char *joined = *all ? sofa_format(ctx, "%s,%s", *all, text) : sofa_strdup(ctx, text);
  if (!joined) return SOFA_ERR_MEMORY;
  sofa_free(ctx, *all);
  *all = joined;
  return SOFA_OK;
}

const char *sofa_scene_arguments(const SofaContext *ctx) {
  const char *all = ctx->factory->scene_arguments;
  return all ? all : "";
}

static SofaErr refuse_arguments(SofaContext *ctx, const char *file) {
  const char *all = sofa_scene_arguments(ctx);
  if (!*all) return SOFA_OK;
  return sofa_fail(
      ctx, SOFA_ERR_ARGUMENT, &(SofaOrigin){.file = file},
      "the scene takes no arguments ('%s'): only a scene that is a Python program does", all);
}

/* Notes the text of a scene that another reader reads. */
static SofaErr note_program(SofaContext *ctx, const char *file) {
  const char *arguments = sofa_scene_arguments(ctx);
  char *bytes = NULL;
  size_t size = 0;
  char *words = sofa_format(ctx, "%s%s", *arguments ? "argv " : "", arguments);
  SofaErr err = words ? sofa_provenance_begin(ctx, file, words) : SOFA_ERR_MEMORY;
  if (err == SOFA_OK) err = sofa_read_file(ctx, file, SOFA_SCENE_MAX_BYTES, &bytes, &size);
  sofa_free(ctx, bytes);
  sofa_free(ctx, words);
  return err;
}

/* ---- all ---- */

SofaErr sofa_simulation_load(SofaContext *ctx, const char *path, SofaSimulation **out) {
  SofaErr err;
  SofaDescription description = {0};
  const SofaSceneReaderOps *reader = NULL;
  char *file = NULL;
  const uint64_t errors = n_errors(ctx);
  *out = NULL;
  if (sofa_is_folder(path))
    return sofa_fail(ctx, SOFA_ERR_NOT_FOUND, &(SofaOrigin){.file = path},
                     "this is a folder: name a scene file in it (.scn, .xml)");
  err = sofa_find_file(ctx, NULL, path, &file);
  if (err == SOFA_ERR_NOT_FOUND)
    return sofa_fail(ctx, err, &(SofaOrigin){.file = path},
                     "no such scene file in this folder or on the data path");
  if (err != SOFA_OK) return err;
  SOFA_GO(err, done, find_reader(ctx, file, &reader));
  if (!reader) SOFA_GO(err, done, refuse_arguments(ctx, file));
  if (!reader) SOFA_GO(err, done, sofa_description_read(ctx, file, &description));
  if (reader) SOFA_GO(err, done, note_program(ctx, file));
  err = reader ? make_with(ctx, reader, file, out) : make(ctx, &description, file, errors, out);
  file = NULL;
done:
  sofa_free(ctx, file);
  sofa_description_free(ctx, &description);
  return err == SOFA_ERR_PARSE || err == SOFA_ERR_RANGE ? SOFA_ERR_SCENE : err;
}

SofaErr sofa_simulation_load_text_in(SofaContext *ctx, const char *text, const char *folder,
                                     SofaSimulation **out) {
  SofaErr err;
  SofaDescription description = {0};
  const uint64_t errors = n_errors(ctx);
  *out = NULL;
  // files are found beside the scene, wherever its text comes from
  char *file = folder ? sofa_format(ctx, "%s/text", folder) : sofa_strdup(ctx, "text");
  if (!file) return SOFA_ERR_MEMORY;
  SOFA_GO(err, done,
          sofa_description_read_text(ctx, file, folder, text, strlen(text), &description));
  err = make(ctx, &description, file, errors, out);
  file = NULL;
done:
  sofa_free(ctx, file);
  sofa_description_free(ctx, &description);
  return err == SOFA_ERR_PARSE || err == SOFA_ERR_RANGE ? SOFA_ERR_SCENE : err;
}

SofaErr sofa_simulation_load_text(SofaContext *ctx, const char *text, SofaSimulation **out) {
  return sofa_simulation_load_text_in(ctx, text, NULL, out);
}
