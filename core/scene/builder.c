/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Creates nodes and objects from the description tree, in document order, and applies their
 * attributes in SOFA's order. Recursion follows the tree, at most SOFA_SCENE_MAX_DEPTH deep. */
#include "scene/builder.h"

#include <stdio.h>
#include <string.h>

#include "object/data_graph.h"
#include "object/factory.h"
#include "scene/attributes_impl.h"

static SofaOrigin origin_of(const SofaElement *element) {
  return (SofaOrigin){.file = element->file, .line = element->line};
}

/* ---- creation ---- */

/* What is built, and the tags that were reported once for all their elements. */
typedef struct Builder {
  SofaContext *ctx;
  const SofaElement *root;
  SofaStrings reported; /* borrowed strings */
} Builder;

static size_t count_tag(const SofaElement *element, const char *tag) {
  size_t n = strcmp(element->tag, tag) == 0;
  for (size_t i = 0; i < element->n_children; i++) n += count_tag(element->children[i], tag);
  return n;
}

/* Components that csofa does not have are reported once; *skip: this one was. */
static SofaErr note_missing(Builder *builder, const SofaElement *element, size_t *n, bool *skip) {
  *n = 1;
  *skip = false;
  if (!sofa_factory_elsewhere(builder->ctx, element->tag)) return SOFA_OK;
  for (size_t i = 0; i < builder->reported.n; i++)
    if (strcmp(builder->reported.data[i], element->tag) == 0) {
      *skip = true;
      return SOFA_OK;
    }
  *n = count_tag(builder->root, element->tag);
  return SOFA_APPEND(builder->ctx, &builder->reported, &element->tag);
}

/* Why the tag names no class, and what to write instead. */
static SofaErr unknown_class(Builder *builder, const SofaElement *element) {
  SofaContext *ctx = builder->ctx;
  const SofaOrigin origin = origin_of(element);
  SofaText why = {0};
  size_t n = 1;
  bool skip = false;
  SOFA_TRY(note_missing(builder, element, &n, &skip));
  if (skip) return SOFA_OK;
  char count[64] = "was not created";
  if (n > 1) snprintf(count, sizeof count, "was not created %zu times", n);
  const SofaErr err = sofa_factory_explain(ctx, element->tag, &why);
  if (err != SOFA_ERR_MEMORY)
    sofa_message(ctx, SOFA_ERROR, &origin, "<%s> %s: %s", element->tag, count,
                 why.n ? why.data : "unknown class");
  sofa_list_free(ctx, &why);
  return err == SOFA_ERR_MEMORY ? err : SOFA_OK;
}

/* The template as its parts are called today: "Rigid,Vec3" -> "Rigid3d,Vec3d"; *out, NULL before,
 * stays NULL without one. */
static SofaErr canonical_template(SofaContext *ctx, const SofaElement *element, const char *text,
                                  char **out) {
  SofaErr err = SOFA_OK;
  SofaText made = {0};
  if (!text || !*text) return SOFA_OK;
  for (const char *at = text; at; at = *at ? at + 1 : NULL) {
    const size_t n = strcspn(at, ",");
    bool deprecated = false;
    char *part = sofa_strndup(ctx, at, n);
    if (!part) err = SOFA_ERR_MEMORY;
    if (err == SOFA_OK) {
      const char *name = sofa_template_alias(part, &deprecated);
      if (deprecated) {
        const SofaOrigin origin = origin_of(element);
        sofa_message(ctx, SOFA_DEPRECATED, &origin, "template '%s' is called '%s' now", part, name);
      }
      err = sofa_text_printf(ctx, &made, "%s%s", at == text ? "" : ",", name);
    }
    sofa_free(ctx, part);
    if (err != SOFA_OK) break;
    at += n;
  }
  if (err == SOFA_OK) {
    *out = made.data;
    return SOFA_OK;
  }
  sofa_list_free(ctx, &made);
  return err;
}

/* Chooses the template; reports when the requested one is not taken. *out, NULL before, stays NULL
 * when none is possible here. */
static SofaErr choose_template(SofaNode *node, const SofaClass *klass, const SofaElement *element,
                               const char **out) {
  SofaContext *ctx = node->object.ctx;
  const SofaOrigin origin = origin_of(element);
  char *requested = NULL;
  SofaTemplateChoice choice = {0};
  const SofaText *why = &choice.why;
  SofaErr err =
      canonical_template(ctx, element, sofa_element_attribute(element, "template"), &requested);
  if (err == SOFA_OK) err = sofa_factory_template(node, klass, element, requested, &choice);
  if (err == SOFA_OK) {
    *out = choice.name;
    if (choice.fallback && requested)
      sofa_message(ctx, SOFA_WARNING, &origin,
                   "<%s>: template '%s' is not possible here, '%s' is "
                   "taken%s%s",
                   element->tag, requested, choice.name, why->n ? ": " : "",
                   why->n ? why->data : "");
  } else if (err != SOFA_ERR_MEMORY) {
    sofa_message(ctx, SOFA_ERROR, &origin, "<%s> was not created: %s", element->tag,
                 why->n ? why->data : sofa_err_text(err));
    err = sofa_check_attribute_names(ctx, klass, element);
  }
  sofa_list_free(ctx, &choice.why);
  sofa_free(ctx, requested);
  return err;
}

/* Attributes, links, and what the class does with them. */
static SofaErr fill_object(SofaObject *object, SofaElement *element) {
  SOFA_TRY(sofa_apply_attributes(object, element));
  if (sofa_data_resolve(object, false) == SOFA_ERR_MEMORY) return SOFA_ERR_MEMORY;
  const uint64_t before = object->ctx->n_messages[SOFA_ERROR];
  const SofaErr err = sofa_object_run(object, SOFA_RUN_PARSED);
  if (err == SOFA_ERR_MEMORY) return err;
  SOFA_TRY(sofa_apply_late_attributes(object, element));
  if (sofa_data_resolve(object, false) == SOFA_ERR_MEMORY) return SOFA_ERR_MEMORY;
  if (err == SOFA_OK) return err;
  // the object stays, as incomplete as it is: others may refer to it
  if (object->ctx->n_messages[SOFA_ERROR] == before)
    sofa_object_message(object, SOFA_ERROR, "%s", sofa_err_text(err));
  return SOFA_OK;
}

/* Creates the object in its node. *out, NULL before, stays NULL when it is not possible: reported.
 */
static SofaErr create_object(SofaNode *node, const SofaElement *element, const SofaClass *klass,
                             SofaObject **out) {
  SofaContext *ctx = node->object.ctx;
  const SofaObjectInfo info = {element->file, element->line, element->tag, element};
  const SofaOrigin origin = origin_of(element);
  const char *chosen = NULL;
  const char *name = sofa_element_attribute(element, "name");
  SOFA_TRY(choose_template(node, klass, element, &chosen));
  if (!chosen) return SOFA_OK;
  const uint64_t before = ctx->n_messages[SOFA_ERROR];
  const SofaErr err = sofa_object_create_from(node, klass, name, chosen, &info, out);
  if (err == SOFA_ERR_MEMORY) return err;
  if (err != SOFA_OK && ctx->n_messages[SOFA_ERROR] > before) return SOFA_OK;
  if (err != SOFA_OK) {
    sofa_message(ctx, SOFA_ERROR, &origin, "<%s> was not created: %s", element->tag,
                 sofa_err_text(err));
    return SOFA_OK;
  }
  return name ? SOFA_OK : sofa_object_name(*out);
}

static void report_old_names(const SofaObject *object, const char *renamed) {
  const char *text = sofa_factory_deprecation(object->ctx, object->klass->name);
  if (renamed)
    sofa_object_message(object, SOFA_DEPRECATED, "<%s> is called <%s> now", object->created_as,
                        renamed);
  if (text) sofa_object_message(object, SOFA_DEPRECATED, "%s", text);
}

/* *out, NULL before, stays NULL when the object was not created: reported. */
static SofaErr build_object(Builder *builder, SofaNode *node, SofaElement *element,
                            SofaObject **out) {
  SofaContext *ctx = node->object.ctx;
  const SofaOrigin origin = origin_of(element);
  const char *renamed = NULL;
  const SofaClass *klass = sofa_factory_find(ctx, element->tag, &renamed);
  if (!klass) return unknown_class(builder, element);
  if (klass->abstract) {
    sofa_message(ctx, SOFA_ERROR, &origin,
                 "<%s> was not created: it is the base of other classes, not a component",
                 element->tag);
    return SOFA_OK;
  }
  SOFA_TRY(create_object(node, element, klass, out));
  if (!*out) return SOFA_OK;
  report_old_names(*out, renamed);
  return fill_object(*out, element);
}

/* ---- nodes ---- */

static SofaErr build_node(Builder *builder, SofaNode *node, SofaElement *element);

static SofaErr build_child(Builder *builder, SofaNode *node, SofaElement *element) {
  SofaObject *object = NULL;
  SofaNode *child = NULL;
  if (!sofa_element_is_node(element)) return build_object(builder, node, element, &object);
  const char *name = sofa_element_attribute(element, "name");
  SOFA_TRY(sofa_node_create(node->object.ctx, node, name ? name : "", &child));
  return build_node(builder, child, element);
}

/* The node exists; its attributes come before its children. */
static SofaErr build_node(Builder *builder, SofaNode *node, SofaElement *element) {
  node->object.file = element->file;
  node->object.line = element->line;
  SOFA_TRY(sofa_apply_node_attributes(node, element));
  for (size_t i = 0; i < element->n_children; i++)
    SOFA_TRY(build_child(builder, node, element->children[i]));
  return SOFA_OK;
}

SofaErr sofa_scene_build(SofaSimulation *simulation, SofaDescription *description) {
  SofaNode *root = simulation->root;
  const char *name = sofa_element_attribute(description->root, "name");
  SOFA_TRY(sofa_object_set_name(&root->object, name));

  // objects borrow the names of files: they live as long as the simulation
  simulation->files = description->files;
  description->files = (SofaStrings){0};
  Builder builder = {.ctx = root->object.ctx, .root = description->root};
  const SofaErr err = build_node(&builder, root, description->root);
  sofa_list_free(builder.ctx, &builder.reported);
  return err;
}

/* ---- from programs ---- */

static uint64_t n_errors(const SofaContext *ctx) {
  return ctx->n_messages[SOFA_ERROR] + ctx->n_messages[SOFA_FATAL];
}

static SofaErr make_element(SofaContext *ctx, const char *tag, const char *const *attributes,
                            SofaElement **out) {
  SOFA_TRY(sofa_element_create(ctx, tag, "(program)", 0, out));
  for (size_t i = 0; attributes && attributes[i]; i += 2) {
    const SofaErr err = attributes[i + 1]
                            ? sofa_element_set(ctx, *out, attributes[i], attributes[i + 1], 0)
                            : sofa_fail(ctx, SOFA_ERR_ARGUMENT, NULL,
                                        "attribute '%s' of a %s has no value", attributes[i], tag);
    if (err == SOFA_OK) continue;
    sofa_element_free(ctx, *out);
    return err;
  }
  return SOFA_OK;
}

SofaErr sofa_scene_add_object(SofaNode *node, const char *tag, const char *const *attributes,
                              SofaObject **out) {
  SofaContext *ctx = node->object.ctx;
  SofaElement *element = NULL;
  const uint64_t errors = n_errors(ctx);
  *out = NULL;
  SOFA_TRY(make_element(ctx, tag, attributes, &element));
  Builder builder = {.ctx = ctx, .root = element};
  SofaErr err = build_object(&builder, node, element, out);
  sofa_list_free(ctx, &builder.reported);
  sofa_element_free(ctx, element);
  if (err == SOFA_OK && n_errors(ctx) != errors && (!*out || !ctx->keep_going))
    err = SOFA_ERR_SCENE;
  if (err != SOFA_OK && *out) sofa_object_destroy(out);
  return err;
}

SofaErr sofa_scene_add_node(SofaNode *parent, const char *name, const char *const *attributes,
                            SofaNode **out) {
  SofaContext *ctx = parent->object.ctx;
  SofaElement *element = NULL;
  const uint64_t errors = n_errors(ctx);
  *out = NULL;
  SOFA_TRY(make_element(ctx, "Node", attributes, &element));
  SofaErr err = sofa_node_create(ctx, parent, name ? name : "", out);
  if (err == SOFA_OK) {
    (*out)->object.file = element->file;
    err = sofa_apply_node_attributes(*out, element);
  }
  sofa_element_free(ctx, element);
  if (err == SOFA_OK && n_errors(ctx) != errors && !ctx->keep_going) err = SOFA_ERR_SCENE;
  if (err != SOFA_OK && *out) sofa_node_destroy(out);
  return err;
}
