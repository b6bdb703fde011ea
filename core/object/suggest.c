/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What was meant by a name that no field, or a path that no object has. */
#include <string.h>

#include "base/text.h"
#include "object/node.h"

/* The names and aliases of a field, each a text of its own. */
static SofaErr add_names(SofaContext *ctx, const SofaField *field, SofaStrings *out) {
  const char *word;
  size_t length;
  for (int list = 0; list < 2; list++) {
    const char *at = list == 0 ? field->name : field->aliases;
    while (at && sofa_read_word(&at, &word, &length)) {
      char *copy = sofa_strndup(ctx, word, length);
      if (!copy) return SOFA_ERR_MEMORY;
      if (SOFA_APPEND(ctx, out, &copy) == SOFA_OK) continue;
      sofa_free(ctx, copy);
      return SOFA_ERR_MEMORY;
    }
  }
  return SOFA_OK;
}

/* Appends the nearest of the names, unless finding them has failed, and frees them. */
static SofaErr suggest(SofaContext *ctx, SofaErr err, const char *word, SofaStrings *names,
                       SofaText *out) {
  if (err == SOFA_OK)
    err = sofa_text_suggest(ctx, word, (const char *const *)names->data, names->n, out);
  for (size_t i = 0; i < names->n; i++) sofa_free(ctx, names->data[i]);
  sofa_list_free(ctx, names);
  return err;
}

SofaErr sofa_class_suggest_field(SofaContext *ctx, const SofaClass *klass, const char *name,
                                 SofaText *out) {
  SofaStrings names = {0};
  SofaErr err = SOFA_OK;
  for (size_t i = 0, n = sofa_class_n_fields(klass); i < n && err == SOFA_OK; i++)
    err = add_names(ctx, sofa_class_field_at(klass, i), &names);
  return suggest(ctx, err, name, &names, out);
}

static SofaErr add_path(const SofaObject *object, SofaStrings *paths) {
  char *path = sofa_object_path(object);
  if (!path) return SOFA_ERR_MEMORY;
  const SofaErr err = SOFA_APPEND(object->ctx, paths, &path);
  if (err != SOFA_OK) sofa_free(object->ctx, path);
  return err;
}

SofaErr sofa_path_suggest(SofaNode *root, const char *path, SofaText *out) {
  SofaContext *ctx = root->object.ctx;
  SofaErr err;
  SofaStrings paths = {0};
  SofaNodes nodes = {0};
  SOFA_GO(err, done, sofa_node_order(root, &nodes));
  for (size_t i = 0; i < nodes.n; i++) {
    const SofaObjects *objects = &nodes.data[i]->objects;
    SOFA_GO(err, done, add_path(&nodes.data[i]->object, &paths));
    for (size_t k = 0; k < objects->n; k++) SOFA_GO(err, done, add_path(objects->data[k], &paths));
  }
done:
  sofa_list_free(ctx, &nodes);
  return suggest(ctx, err, path, &paths, out);
}
