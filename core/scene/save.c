/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From the graph to XML. */
#include "scene/save.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/output.h"
#include "base/text.h"

typedef struct Saver {
  SofaContext *ctx;
  SofaText *out;
  SofaText value; /* of the attribute that is written */
  char *folder;   /* full path of that of the saved scene, with '/' at its end; NULL: not known */
} Saver;

static SofaErr indent(Saver *s, size_t depth) {
  return sofa_text_printf(s->ctx, s->out, "%*s", (int)(2 * depth), "");
}

/* The value with the characters that XML needs escaped. */
static SofaErr append_escaped(Saver *s, const char *text) {
  for (const char *at = text; *at;) {
    const size_t n = strcspn(at, "&<>\"\n\r\t");
    SOFA_TRY(sofa_text_append(s->ctx, s->out, at, n));
    at += n;
    if (*at) SOFA_TRY(sofa_text_printf(s->ctx, s->out, "&#%d;", *at++));
  }
  return SOFA_OK;
}

static SofaErr attribute(Saver *s, const char *name, const char *value) {
  SOFA_TRY(sofa_text_printf(s->ctx, s->out, " %s=\"", name));
  SOFA_TRY(append_escaped(s, value));
  return sofa_text_printf(s->ctx, s->out, "\"");
}

/* ---- fields ---- */

/* As the scene says it, while that leads there; else by the path from the root. */
static SofaErr print_link(Saver *s, const SofaFieldState *state) {
  if (!state->source && state->link_path)
    return sofa_text_printf(s->ctx, &s->value, "%s%s", state->link_path[0] == '@' ? "" : "@",
                            state->link_path);
  char *path = sofa_object_path(state->source);
  if (!path) return SOFA_ERR_MEMORY;
  const SofaErr err =
      sofa_text_printf(s->ctx, &s->value, "@%s.%s", path, state->source_field->name);
  sofa_free(s->ctx, path);
  return err;
}

/* Length of the folders that two full paths have in common, with the last '/'. */
static size_t common_folders(const char *a, const char *b) {
  size_t n = 0;
  for (size_t i = 0; a[i] && a[i] == b[i]; i++)
    if (a[i] == '/') n = i + 1;
  return n;
}

/* A file relative to the folder of the saved scene; by its full path where they have nothing in
 * common, or the folder is not known. */
static SofaErr print_place(Saver *s, const char *full) {
  const size_t n = s->folder ? common_folders(full, s->folder) : 0;
  if (n < 2) return sofa_text_printf(s->ctx, &s->value, "%s", full);
  for (const char *at = s->folder + n; (at = strchr(at, '/')); at++)
    SOFA_TRY(sofa_text_printf(s->ctx, &s->value, "../"));
  return sofa_text_printf(s->ctx, &s->value, "%s", full + n);
}

/* Files that were found; others, and those that are written, as the scene names them. */
static SofaErr print_file(Saver *s, const SofaFileName *name) {
  char full[PATH_MAX];
  if (name->path && realpath(name->path, full)) return print_place(s, full);
  return sofa_text_printf(s->ctx, &s->value, "%s", name->text ? name->text : "");
}

static const SofaField *saved_field(const SofaObject *object, const SofaField *field) {
  if (!object->initialised) return field;
  for (const SofaClass *k = object->klass; k; k = sofa_class_base(k))
    if (k->saved) return k->saved(object, field);
  return field;
}

static bool is_saved(const SofaFieldState *state) {
  if (strcmp(state->field->name, "name") == 0 || strcmp(state->field->name, "template") == 0)
    return false;
  if (state->source || state->link_path) return true;
  return state->set && !(state->field->flags & SOFA_FIELD_OUTPUT) &&
         strcmp(state->field->name, "componentState") != 0;
}

static SofaErr save_field(Saver *s, const SofaObject *object, const SofaFieldState *state) {
  const SofaField *field = state->field;
  if (!is_saved(state)) return SOFA_OK;
  s->value.n = 0;
  if (state->source || state->link_path) {
    SOFA_TRY(print_link(s, state));
  } else if (field->type == &sofa_type_filename) {
    SOFA_TRY(print_file(s, sofa_field_value(object, field)));
  } else {
    const SofaField *from = saved_field(object, field);
    if (!from) return SOFA_OK;
    SOFA_TRY(sofa_field_print(object, from, &s->value));
  }
  SOFA_TRY(sofa_text_append(s->ctx, &s->value, "", 0));
  return attribute(s, field->name, s->value.data ? s->value.data : "");
}

static SofaErr save_fields(Saver *s, const SofaObject *object) {
  const size_t n = sofa_class_n_fields(object->klass);
  for (size_t i = 0; i < n; i++) SOFA_TRY(save_field(s, object, &object->field_states[i]));
  return SOFA_OK;
}

/* ---- objects and nodes ---- */

static size_t n_templates(const SofaClass *klass) {
  size_t n = 0;
  while (klass->templates && klass->templates[n]) n++;
  return n;
}

static SofaErr save_object(Saver *s, const SofaObject *object, size_t depth) {
  const SofaClass *klass = sofa_object_class_of(object);
  SOFA_TRY(indent(s, depth));
  SOFA_TRY(sofa_text_printf(s->ctx, s->out, "<%s", klass->name));
  if (!object->auto_named) SOFA_TRY(attribute(s, "name", object->name ? object->name : ""));
  if (n_templates(klass) > 1 && *object->template_name)
    SOFA_TRY(attribute(s, "template", object->template_name));
  SOFA_TRY(save_fields(s, object));
  return sofa_text_printf(s->ctx, s->out, "/>\n");
}

static SofaErr save_node(Saver *s, const SofaNode *node, size_t depth);

/* Objects and child nodes in the order in which they were made: interactions stand behind the nodes
 * that they join. Objects without a file were made by components. */
static SofaErr save_content(Saver *s, const SofaNode *node, size_t depth) {
  size_t child = 0;
  for (size_t i = 0; i < node->objects.n; i++) {
    const SofaObject *object = node->objects.data[i];
    while (child < node->children.n && node->children.data[child]->object.rank < object->rank)
      SOFA_TRY(save_node(s, node->children.data[child++], depth));
    if (object->file) SOFA_TRY(save_object(s, object, depth));
  }
  while (child < node->children.n) SOFA_TRY(save_node(s, node->children.data[child++], depth));
  return SOFA_OK;
}

static SofaErr save_node(Saver *s, const SofaNode *node, size_t depth) {
  if (node->parents.n > 1)
    return sofa_object_unsupported(&node->object,
                                   "a scene with a node that has several parents as XML");
  SOFA_TRY(indent(s, depth));
  SOFA_TRY(sofa_text_printf(s->ctx, s->out, "<Node"));
  SOFA_TRY(attribute(s, "name", node->object.name ? node->object.name : ""));
  SOFA_TRY(save_fields(s, &node->object));
  SOFA_TRY(sofa_text_printf(s->ctx, s->out, ">\n"));
  SOFA_TRY(save_content(s, node, depth + 1));
  SOFA_TRY(indent(s, depth));
  return sofa_text_printf(s->ctx, s->out, "</Node>\n");
}

static SofaErr print(Saver *s, const SofaNode *root) {
  SofaErr err = sofa_text_printf(s->ctx, s->out, "<?xml version=\"1.0\"?>\n");
  if (err == SOFA_OK) err = save_node(s, root, 0);
  sofa_list_free(s->ctx, &s->value);
  return err;
}

SofaErr sofa_scene_print(SofaSimulation *simulation, SofaText *out) {
  return print(&(Saver){.ctx = simulation->ctx, .out = out}, simulation->root);
}

/* *out, NULL before, stays NULL when the folder does not exist. */
static SofaErr full_folder(SofaContext *ctx, const char *path, char **out) {
  char full[PATH_MAX];
  char *folder = sofa_path_folder(ctx, path);
  if (!folder) return SOFA_ERR_MEMORY;
  const bool there = realpath(folder, full) != NULL;
  sofa_free(ctx, folder);
  if (!there) return SOFA_OK;
  *out = sofa_format(ctx, "%s/", full[1] ? full : "");
  return *out ? SOFA_OK : SOFA_ERR_MEMORY;
}

SofaErr sofa_scene_save(SofaSimulation *simulation, const char *path) {
  SofaText text = {0};
  Saver saver = {.ctx = simulation->ctx, .out = &text};
  SofaErr err = full_folder(saver.ctx, path, &saver.folder);
  if (err == SOFA_OK) err = print(&saver, simulation->root);
  sofa_free(saver.ctx, saver.folder);
  const SofaOutputSpec spec = {.path = path, .what = "the scene", .provenance = SOFA_REMARK_XML};
  if (err == SOFA_OK) err = sofa_output_whole(simulation->ctx, &spec, text.data, text.n);
  sofa_list_free(simulation->ctx, &text);
  return err;
}
