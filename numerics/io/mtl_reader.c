/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads Wavefront material libraries: colours and shininess; textures are not part of a material.
 */
#include "base/files.h"
#include "numerics/io/mesh_text.h"
#include "numerics/io/obj_reader.h"

enum { DIFFUSE, AMBIENT, SPECULAR, EMISSIVE, SHININESS };

static SofaErr new_material(SofaMeshText *t, SofaMaterials *out) {
  static const double defaults[4][4] = {
      {0.75, 0.75, 0.75, 1}, {0.2, 0.2, 0.2, 1}, {1, 1, 1, 1}, {0, 0, 0, 0}};
  SofaMaterial material;
  memset(&material, 0, sizeof material);
  memcpy(material.color, defaults, sizeof defaults);
  material.use[DIFFUSE] = material.use[AMBIENT] = true;
  material.shininess = 45;
  sofa_mesh_skip_blank(t);
  material.name = sofa_strndup(t->ctx, t->at, sofa_mesh_word(t));
  if (!material.name) return SOFA_ERR_MEMORY;
  const SofaErr err = SOFA_APPEND(t->ctx, out, &material);
  if (err != SOFA_OK) sofa_free(t->ctx, material.name);
  return err;
}

/* Reads up to n numbers of the line; those that are not there keep their value. */
static SofaErr read_numbers(SofaMeshText *t, int n, double *x) {
  for (int k = 0; k < n && sofa_mesh_skip_blank(t); k++)
    if (!sofa_mesh_real(t, &x[k])) return sofa_mesh_expected(t, "a number");
  return SOFA_OK;
}

static SofaErr read_line(SofaMeshText *t, SofaMaterials *out) {
  const char *word = t->at;
  const size_t n = sofa_mesh_word(t);
  t->at += n;
  if (n == 6 && memcmp(word, "newmtl", 6) == 0) return new_material(t, out);
  SofaMaterial *material = out->n ? &out->data[out->n - 1] : NULL;
  int part = -1;
  if (n == 2 && word[0] == 'K') {
    part = word[1] == 'd' ? DIFFUSE : word[1] == 'a' ? AMBIENT : word[1] == 's' ? SPECULAR : -1;
  } else if (n == 2 && memcmp(word, "Ns", 2) == 0) {
    part = SHININESS;
  }
  const bool alpha = (n == 1 && *word == 'd') || (n == 2 && memcmp(word, "Tr", 2) == 0);
  if (part < 0 && !alpha) return SOFA_OK;
  if (!material) return sofa_mesh_fail(t, SOFA_ERR_PARSE, "no newmtl line before this one");
  if (alpha) return read_numbers(t, 1, &material->color[DIFFUSE][3]);
  material->use[part] = true;
  return part == SHININESS ? read_numbers(t, 1, &material->shininess)
                           : read_numbers(t, 3, material->color[part]);
}

SofaErr sofa_mtl_read(SofaContext *ctx, const SofaFileBytes *file, SofaMaterials *out) {
  SofaMeshText t = sofa_mesh_text(ctx, file);
  while (t.at < t.end) {
    sofa_mesh_skip(&t);
    if (t.at == t.end) break;
    SOFA_TRY(read_line(&t, out));
    sofa_mesh_next_line(&t);
  }
  return SOFA_OK;
}

SofaErr sofa_obj_materials(SofaObject *object, const SofaOrigin *origin, const SofaObjData *obj,
                           SofaMaterials *out) {
  SofaContext *ctx = object->ctx;
  SofaErr err = SOFA_OK;
  char *folder = sofa_path_folder(ctx, origin->file), *path = NULL, *bytes = NULL;
  if (!folder) return SOFA_ERR_MEMORY;
  for (size_t i = 0; i < obj->libraries.n && err == SOFA_OK; i++) {
    size_t size = 0;
    err = SOFA_ERR_MEMORY;
    path = sofa_path_join(ctx, folder, obj->libraries.data[i]);
    if (!path) break;
    if (sofa_is_file(path)) {
      const SofaOrigin library = {.file = path, .path = origin->path, .emitter = origin->emitter};
      err = sofa_read_file(ctx, path, 0, &bytes, &size);
      const SofaFileBytes file = {&library, bytes, size};
      if (err == SOFA_OK) err = sofa_mtl_read(ctx, &file, out);
    } else {
      sofa_object_message(object, SOFA_INFO, "no material library %s", path);
      err = SOFA_OK;
    }
    sofa_free(ctx, bytes);
    sofa_free(ctx, path);
    bytes = path = NULL;
  }
  sofa_free(ctx, folder);
  return err;
}
