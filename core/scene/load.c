/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Loading a scene: find, read, create. All problems are reported in one run. */
#include <string.h>

#include "base/files.h"
#include "object/factory.h"
#include "scene/builder.h"

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
  SOFA_GO(err, done, sofa_scene_build(simulation, description));
  SOFA_GO(err, done, sofa_factory_check_quirks(ctx));
  if (n_errors(ctx) != errors && !ctx->keep_going) err = SOFA_ERR_SCENE;
done:
  if (err != SOFA_OK) sofa_simulation_destroy(&simulation);
  *out = simulation;
  return err;
}

/* A file that is not XML gets its own message. */
static SofaErr check_kind(SofaContext *ctx, const char *path) {
  static const char *const python[] = {"py", "py3", "pyscn", "py3scn"};
  const char *extension = sofa_path_extension(path);
  for (size_t i = 0; i < sizeof python / sizeof *python; i++)
    if (strcmp(extension, python[i]) == 0)
      return sofa_fail(ctx, SOFA_ERR_UNSUPPORTED, &(SofaOrigin){.file = path},
                       "Python scenes are not supported yet: scenes are XML files (.scn, .xml)");
  return SOFA_OK;
}

SofaErr sofa_simulation_load(SofaContext *ctx, const char *path, SofaSimulation **out) {
  SofaErr err;
  SofaDescription description = {0};
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
  SOFA_GO(err, done, check_kind(ctx, file));
  SOFA_GO(err, done, sofa_description_read(ctx, file, &description));
  err = make(ctx, &description, file, errors, out);
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
