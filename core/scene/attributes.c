/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Applies the attributes of an element in SOFA's order and reports the unknown ones. */
#include "scene/attributes_impl.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "draw/display_flags.h"
#include "object/data_graph.h"
#include "object/factory.h"
#include "scene/settings_impl.h"

/* Attributes in byte order of their names; the list is owned, the rows are borrowed. */
typedef struct Sorted {
  SofaAttribute **data;
  size_t n, capacity;
} Sorted;

static int by_name(const void *a, const void *b) {
  const SofaAttribute *const *left = a, *const *right = b;
  return strcmp((*left)->name, (*right)->name);
}

static SofaErr sort(SofaContext *ctx, SofaElement *element, Sorted *out) {
  SOFA_TRY(SOFA_RESERVE(ctx, out, element->attributes.n));
  for (size_t i = 0; i < element->attributes.n; i++)
    out->data[out->n++] = &element->attributes.data[i];
  sofa_sort(out->data, out->n, sizeof *out->data, by_name);
  return SOFA_OK;
}

/* Attributes that the reader has consumed itself, or that are not read. */
static bool is_structural(const char *name) {
  static const char *const names[] = {"name", "template", "type", "src", "printLog"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(names[i], name) == 0) return true;
  return false;
}

/* ---- unknown names ---- */

/* `origin` tells the object; the line is the attribute's. */
static SofaErr report_unknown_of(SofaContext *ctx, const SofaClass *klass, const char *tag,
                                 SofaOrigin origin, const SofaAttribute *attribute,
                                 SofaSeverity severity) {
  SofaText nearest = {0};
  const SofaErr err = sofa_class_suggest_field(ctx, klass, attribute->name, &nearest);
  origin.line = attribute->line;
  if (err == SOFA_OK)
    sofa_message(ctx, severity, &origin, "<%s> has no attribute '%s'%s", tag, attribute->name,
                 nearest.n ? nearest.data : "");
  sofa_list_free(ctx, &nearest);
  return err;
}

static SofaErr report_unknown(SofaObject *object, const SofaAttribute *attribute,
                              SofaSeverity severity) {
  char *path = sofa_object_path(object);
  const SofaOrigin origin = {.file = object->file, .path = path};
  const char *tag = object->created_as ? object->created_as : object->klass->name;
  const SofaErr err =
      report_unknown_of(object->ctx, object->klass, tag, origin, attribute, severity);
  sofa_free(object->ctx, path);
  return err;
}

/* Names that SOFA ignores without a word. */
static bool is_disabled(const char *name) {
  return name[0] == '_' || strncmp(name, "NO", 2) == 0;
}

SofaErr sofa_check_attribute_names(SofaContext *ctx, const SofaClass *klass,
                                   const SofaElement *element) {
  const SofaOrigin origin = {.file = element->file};
  for (size_t i = 0; i < element->attributes.n; i++) {
    const SofaAttribute *attribute = &element->attributes.data[i];
    if (is_structural(attribute->name) || is_disabled(attribute->name) ||
        sofa_class_field(klass, attribute->name))
      continue;
    SOFA_TRY(report_unknown_of(ctx, klass, element->tag, origin, attribute, SOFA_ERROR));
  }
  return SOFA_OK;
}

/* ---- application ---- */

/* Everything but missing memory was reported by the field. *unknown: no such field. */
static SofaErr apply(SofaObject *object, SofaAttribute *attribute, bool *unknown) {
  const SofaErr err =
      sofa_field_set_text(object, attribute->name, attribute->value, attribute->line);
  *unknown = err == SOFA_ERR_NOT_FOUND;
  attribute->used = !*unknown;
  if (err != SOFA_OK && attribute->given)
    sofa_object_message(object, SOFA_ERROR, "the value of '%s' is not the scene's: it was set",
                        attribute->name);
  return err == SOFA_ERR_MEMORY ? err : SOFA_OK;
}

static SofaErr apply_named(SofaObject *object, SofaElement *element, const char *name) {
  bool unknown;
  SofaAttribute *attribute = sofa_element_find(element, name);
  return attribute ? apply(object, attribute, &unknown) : SOFA_OK;
}

/* src="@loader": names written on the element are not linked. */
static SofaErr apply_source(SofaObject *object, SofaElement *element) {
  SofaContext *ctx = object->ctx;
  SofaAttribute *source = sofa_element_find(element, "src");
  if (!source) return SOFA_OK;
  source->used = true;
  const char **excluded = sofa_alloc(ctx, element->attributes.n, sizeof *excluded);
  if (!excluded) return SOFA_ERR_MEMORY;
  for (size_t i = 0; i < element->attributes.n; i++) excluded[i] = element->attributes.data[i].name;
  const SofaErr err =
      sofa_data_link_source(object, source->value, excluded, element->attributes.n, source->line);
  sofa_free(ctx, (void *)(uintptr_t)excluded);
  return err == SOFA_ERR_MEMORY ? err : SOFA_OK;
}

SofaErr sofa_apply_attributes(SofaObject *object, SofaElement *element) {
  SofaErr err;
  Sorted sorted = {0};
  SOFA_GO(err, done, sofa_settings_apply(object, element));
  SOFA_GO(err, done, sort(object->ctx, element, &sorted));
  SOFA_GO(err, done, apply_source(object, element));
  SOFA_GO(err, done, apply_named(object, element, "printLog"));
  for (size_t i = 0; i < sorted.n; i++) {
    SofaAttribute *attribute = sorted.data[i];
    bool unknown = false;
    if (is_structural(attribute->name)) continue;
    SOFA_GO(err, done, apply(object, attribute, &unknown));
  }
done:
  sofa_list_free(object->ctx, &sorted);
  return err;
}

SofaErr sofa_apply_late_attributes(SofaObject *object, SofaElement *element) {
  SofaErr err;
  Sorted sorted = {0};
  SOFA_GO(err, done, sort(object->ctx, element, &sorted));
  for (size_t i = 0; i < sorted.n; i++) {
    SofaAttribute *attribute = sorted.data[i];
    bool unknown = false;
    if (attribute->used || is_structural(attribute->name)) continue;
    SOFA_GO(err, done, apply(object, attribute, &unknown));
    if (unknown && !is_disabled(attribute->name))
      SOFA_GO(err, done, report_unknown(object, attribute, SOFA_ERROR));
  }
done:
  sofa_list_free(object->ctx, &sorted);
  return err;
}

/* ---- nodes ---- */

/* Attributes of nodes that SOFA turns into display flags: name and word behind show or hide. */
static const char *legacy_flag(const char *name) {
  static const char *const flags[][2] = {
      {"showAll", "All"},
      {"showVisual", "Visual"},
      {"showBehavior", "Behavior"},
      {"showCollision", "Collision"},
      {"showMapping", "Mapping"},
      {"showVisualModels", "VisualModels"},
      {"showBehaviorModels", "BehaviorModels"},
      {"showCollisionModels", "CollisionModels"},
      {"showBoundingCollisionModels", "BoundingCollisionModels"},
      {"showMappings", "Mappings"},
      {"showMechanicalMappings", "MechanicalMappings"},
      {"showForceFields", "ForceFields"},
      {"showInteractionForceFields", "InteractionForceFields"},
      {"showWireFrame", "Wireframe"},
      {"showNormals", "Normals"},
  };
  for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
    if (strcmp(flags[i][0], name) == 0) return flags[i][1];
  return NULL;
}

static SofaErr add_flag(SofaNode *node, SofaAttribute *attribute, SofaText *flags) {
  const char first = attribute->value[strspn(attribute->value, " \t\n")];
  const bool show = first == 't' || first == 'T' || (first >= '1' && first <= '9');
  attribute->used = true;
  SOFA_TRY(sofa_text_printf(node->object.ctx, flags, "%s%s%s", flags->n ? " " : "",
                            show ? "show" : "hide", legacy_flag(attribute->name)));
  sofa_object_message(&node->object, SOFA_DEPRECATED,
                      "attribute '%s' of a node is <VisualStyle displayFlags=\"...\"/> now",
                      attribute->name);
  return SOFA_OK;
}

static SofaErr add_visual_style(SofaNode *node, const char *flags) {
  SofaObject *style = NULL;
  const SofaClass *klass = NULL;
  SOFA_TRY(sofa_factory_default(node->object.ctx, SOFA_VISUAL_STYLE, NULL, &klass));
  if (!klass) return SOFA_OK;
  const SofaObjectInfo info = {node->object.file, node->object.line, klass->name, NULL};
  SOFA_TRY(sofa_object_create_from(node, klass, "displayFlags", "", &info, &style));
  const SofaErr err = sofa_field_set_text(style, "displayFlags", flags, node->object.line);
  return err == SOFA_ERR_MEMORY ? err : SOFA_OK;
}

SofaErr sofa_apply_node_attributes(SofaNode *node, SofaElement *element) {
  SofaErr err;
  SofaContext *ctx = node->object.ctx;
  Sorted sorted = {0};
  SofaText flags = {0};
  SOFA_GO(err, done, sofa_settings_apply(&node->object, element));
  SOFA_GO(err, done, sort(ctx, element, &sorted));
  SOFA_GO(err, done, apply_named(&node->object, element, "printLog"));
  for (size_t i = 0; i < sorted.n; i++) {
    SofaAttribute *attribute = sorted.data[i];
    bool unknown = false;
    if (is_structural(attribute->name)) continue;
    if (legacy_flag(attribute->name)) {
      SOFA_GO(err, done, add_flag(node, attribute, &flags));
      continue;
    }
    SOFA_GO(err, done, apply(&node->object, attribute, &unknown));
    if (unknown && !is_disabled(attribute->name))
      SOFA_GO(err, done, report_unknown(&node->object, attribute, SOFA_WARNING));
  }
  if (flags.n) SOFA_GO(err, done, add_visual_style(node, flags.data));
done:
  sofa_list_free(ctx, &flags);
  sofa_list_free(ctx, &sorted);
  return err;
}
