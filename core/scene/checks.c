/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Scene checks: what is legal but probably not meant, and what SOFA would miss. They run after
 * loading and before initialisation, and change nothing. */
#include <stdlib.h>
#include <string.h>

#include "object/factory.h"
#include "scene/builder.h"
#include "scene/reader.h"
#include "behavior/mapping.h"

typedef struct Checker {
  SofaContext *ctx;
  SofaErr err;
  SofaStrings loaded; /* by RequiredPlugin */
  struct {
    const SofaClass **data;
    size_t n, capacity;
  } used; /* classes, each once */
} Checker;

static SofaErr keep_copy(SofaContext *ctx, SofaStrings *list, const char *text) {
  char *copy = sofa_strdup(ctx, text);
  if (!copy) return SOFA_ERR_MEMORY;
  const SofaErr err = SOFA_APPEND(ctx, list, &copy);
  if (err != SOFA_OK) sofa_free(ctx, copy);
  return err;
}

/* ---- names ---- */

static int by_name(const void *a, const void *b) {
  const SofaObject *const *left = a, *const *right = b;
  return strcmp((*left)->name, (*right)->name);
}

/* Two things of one name in a node: a path reaches only the first. */
static SofaErr check_duplicates(const SofaNode *node) {
  SofaContext *ctx = node->object.ctx;
  SofaErr err = SOFA_OK;
  SofaObjects all = {0};
  SOFA_GO(err, done, SOFA_RESERVE(ctx, &all, node->children.n + node->objects.n));
  for (size_t i = 0; i < node->children.n; i++)
    if (*node->children.data[i]->object.name) all.data[all.n++] = &node->children.data[i]->object;
  for (size_t i = 0; i < node->objects.n; i++) all.data[all.n++] = node->objects.data[i];
  sofa_sort(all.data, all.n, sizeof *all.data, by_name);
  for (size_t i = 0; i < all.n;) {
    size_t end = i + 1;
    while (end < all.n && strcmp(all.data[end]->name, all.data[i]->name) == 0) end++;
    if (end - i > 1)
      sofa_object_message(&node->object, SOFA_WARNING,
                          "%zu objects or nodes here are called '%s': links reach only the first",
                          end - i, all.data[i]->name);
    i = end;
  }
done:
  sofa_list_free(ctx, &all);
  return err;
}

static void check_characters(const SofaObject *object) {
  const char *name = object->name;
  const size_t n = strcspn(name, " !@#$%^&*()+=[]{}|;':\",./\\<>?");
  if (name[n])
    sofa_object_message(object, SOFA_WARNING, "the name '%s' contains '%c': links may not reach it",
                        name, name[n]);
}

/* ---- graph ---- */

static void check_mapping(const SofaNode *node) {
  const SofaObject *mapping = sofa_node_find(node, SOFA_MAPPING, SOFA_SEARCH_LOCAL);
  if (mapping && !sofa_node_find(node, SOFA_STATE, SOFA_SEARCH_LOCAL))
    sofa_object_message(mapping, SOFA_WARNING, "this node has a mapping but no state to map to");
}

static void check_alias(const SofaObject *object) {
  const char *const *aliases = object->klass->aliases;
  for (size_t i = 0; object->created_as && aliases && aliases[i]; i++)
    if (strcmp(aliases[i], object->created_as) == 0)
      sofa_object_message(object, SOFA_INFO, "%s is another name of %s", object->created_as,
                          object->klass->name);
}

/* ---- plugins ---- */

static SofaErr note_class(Checker *c, const SofaObject *object) {
  if (sofa_implements(object, SOFA_SCENE_READER)) return SOFA_OK; // made with the scene
  // engines with families of fields have a class of their own each
  for (size_t i = 0; i < c->used.n; i++)
    if (strcmp(c->used.data[i]->name, object->klass->name) == 0) return SOFA_OK;
  return SOFA_APPEND(c->ctx, &c->used, &object->klass);
}

/* Names a RequiredPlugin has loaded; core knows the class by its name and field only. */
static SofaErr note_plugins(Checker *c, const SofaObject *object) {
  const SofaField *field = sofa_class_field(object->klass, "loadedPlugins");
  if (!field || field->type != &sofa_type_strings) return SOFA_OK;
  const SofaStrings *names = sofa_field_value(object, field);
  for (size_t i = 0; i < names->n; i++) SOFA_TRY(keep_copy(c->ctx, &c->loaded, names->data[i]));
  return SOFA_OK;
}

/* Loaded by its name or by an umbrella: "Sofa.Component" stands for "Sofa.Component.Mass". */
static bool is_loaded(const Checker *c, const char *module) {
  for (size_t i = 0; i < c->loaded.n; i++) {
    const size_t n = strlen(c->loaded.data[i]);
    if (strncmp(module, c->loaded.data[i], n) == 0 && (!module[n] || module[n] == '.')) return true;
  }
  return false;
}

static bool needs_plugin(const char *module) {
  return strcmp(module, "csofa") != 0 && strncmp(module, "Sofa.Simulation", 15) != 0 &&
         strncmp(module, "Sofa.Core", 9) != 0;
}

static int by_module(const void *a, const void *b) {
  const SofaClass *const *left = a, *const *right = b;
  const int order = strcmp((*left)->module, (*right)->module);
  return order ? order : strcmp((*left)->name, (*right)->name);
}

/* The lines SOFA needs and the scene lacks, ready to paste. */
static SofaErr report_plugins(Checker *c, const SofaOrigin *scene) {
  SofaErr err = SOFA_OK;
  SofaText text = {0};
  sofa_sort(c->used.data, c->used.n, sizeof *c->used.data, by_module);
  for (size_t i = 0; i < c->used.n;) {
    const char *module = c->used.data[i]->module;
    const bool missing = needs_plugin(module) && !is_loaded(c, module);
    text.n = 0;
    size_t k = i;
    for (; k < c->used.n && strcmp(c->used.data[k]->module, module) == 0; k++)
      SOFA_GO(err, done,
              sofa_text_printf(c->ctx, &text, "%s%s", k > i ? "," : "", c->used.data[k]->name));
    if (missing)
      sofa_message(c->ctx, SOFA_INFO, scene,
                   "SOFA needs here <RequiredPlugin pluginName=\"%s\"/> <!-- Needed to use "
                   "components [%s] -->",
                   module, text.data);
    i = k;
  }
done:
  sofa_list_free(c->ctx, &text);
  return err;
}

/* ---- all ---- */

static SofaErr check_object(Checker *c, const SofaObject *object) {
  check_characters(object);
  check_alias(object);
  SOFA_TRY(note_class(c, object));
  return note_plugins(c, object);
}

static SofaVisit check_node(SofaNode *node, void *user) {
  Checker *c = user;
  SOFA_GO(c->err, done, check_duplicates(node));
  if (sofa_node_parent(node)) {
    if (!*node->object.name)
      sofa_object_message(&node->object, SOFA_INFO, "the node has no name: paths are ambiguous");
    check_characters(&node->object);
  }
  check_mapping(node);
  for (size_t i = 0; i < node->objects.n; i++)
    SOFA_GO(c->err, done, check_object(c, node->objects.data[i]));
done:
  return c->err == SOFA_OK ? SOFA_CONTINUE : SOFA_STOP;
}

SofaErr sofa_scene_check(SofaSimulation *simulation) {
  Checker c = {.ctx = simulation->ctx};
  const SofaVisitor visitor = {.down = check_node, .user = &c, .inactive_too = true};
  const SofaOrigin scene = {.file = simulation->file};
  SofaErr err = sofa_visit(simulation->root, &visitor);
  if (err == SOFA_OK) err = c.err;
  if (err == SOFA_OK) err = report_plugins(&c, &scene);
  for (size_t i = 0; i < c.loaded.n; i++) sofa_free(c.ctx, c.loaded.data[i]);
  sofa_list_free(c.ctx, &c.loaded);
  sofa_list_free(c.ctx, &c.used);
  return err;
}
