/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Making and resolving links: data links between fields, `src`, links to objects. */
#include <string.h>
#include "base/text.h"
#include "object/data_graph.h"
#include "object/object_impl.h"

/* ---- nearest names ---- */

SofaErr sofa_text_nearest(SofaContext *ctx, SofaText *out, const char *before, const char *word,
                          const char *const *words, size_t n) {
  SOFA_TRY(sofa_text_append(ctx, out, "", 0));
  const size_t i = word && *word ? sofa_nearest_word(word, words, n) : n;
  return i < n ? sofa_text_printf(ctx, out, "; did you mean '%s%s'?", before, words[i]) : SOFA_OK;
}

typedef struct Names {
  const char **data;
  size_t n, capacity;
} Names;

/* Names a path could begin with: children and objects of the node and of those above. */
static SofaErr collect_names(const SofaObject *owner, Names *names) {
  SofaContext *ctx = owner->ctx;
  for (const SofaNode *node = owner->node; node; node = sofa_node_parent(node)) {
    for (size_t i = 0; i < node->objects.n; i++) {
      const SofaObject *object = node->objects.data[i];
      if (object != owner && *object->name) SOFA_TRY(SOFA_APPEND(ctx, names, &object->name));
    }
    for (size_t i = 0; i < node->children.n; i++) {
      const char *name = node->children.data[i]->object.name;
      if (*name) SOFA_TRY(SOFA_APPEND(ctx, names, &name));
    }
  }
  return SOFA_OK;
}

/* Reports that there is nothing at the path (with or without '@', and without the field's name). */
static SofaErr report_missing(const SofaObject *owner, const char *field, const char *text,
                              const char *path, size_t length) {
  Names names = {0};
  SofaText hint = {0};
  char *word = NULL;
  SofaErr err = collect_names(owner, &names);
  // the last name of the path is what can be misspelt
  size_t begin = length;
  while (begin > 0 && !strchr("/@", path[begin - 1])) begin--;
  if (!err) word = sofa_strndup(owner->ctx, path + begin, length - begin);
  if (!err && !word) err = SOFA_ERR_MEMORY;
  if (!err) err = sofa_text_nearest(owner->ctx, &hint, "", word, names.data, names.n);
  if (!err) {
    err = sofa_field_fail(owner, field, SOFA_ERR_NOT_FOUND, "nothing was found at '%s'%s", text,
                          hint.data);
  }
  sofa_free(owner->ctx, word);
  sofa_list_free(owner->ctx, &hint);
  sofa_list_free(owner->ctx, &names);
  return err;
}

/* "; its own fields are: a, b": the fields that only this object has. */
static SofaErr append_own_fields(const SofaObject *target, SofaText *out) {
  const SofaClass *own = target->own_class ? target->klass : NULL;
  for (size_t i = 0; own && i < own->n_fields; i++)
    SOFA_TRY(sofa_text_printf(target->ctx, out, "%s%s",
                              i ? ", " : "; its own fields are: ", own->fields[i].name));
  return SOFA_OK;
}

static SofaErr report_no_field(const SofaObject *owner, const char *field, const char *text,
                               const SofaObject *target, const char *name) {
  Names names = {0};
  SofaText hint = {0};
  SofaErr err = SOFA_OK;
  const size_t n = sofa_class_n_fields(target->klass);
  for (size_t i = 0; !err && i < n; i++) {
    err = SOFA_APPEND(owner->ctx, &names, &target->field_states[i].field->name);
  }
  if (!err) err = sofa_text_nearest(owner->ctx, &hint, "", name, names.data, names.n);
  if (!err) err = append_own_fields(target, &hint);
  if (!err) {
    err = sofa_field_fail(owner, field, SOFA_ERR_NOT_FOUND, "'%s': a %s has no field '%s'%s", text,
                          target->klass->name, name, hint.data);
  }
  sofa_list_free(owner->ctx, &hint);
  sofa_list_free(owner->ctx, &names);
  return err;
}

/* ---- data links ---- */

SofaErr sofa_data_track(SofaObject *object, const SofaFieldState *state) {
  const uint32_t k = (uint32_t)(state - object->field_states);
  for (size_t i = 0; i < object->tracked.n; i++) {
    if (object->tracked.data[i] == k) return SOFA_OK;
  }
  return SOFA_APPEND(object->ctx, &object->tracked, &k);
}

void sofa_data_unlink(SofaObject *object, SofaFieldState *state) {
  sofa_free(object->ctx, state->link_path);
  state->link_path = NULL;
  state->source = NULL;
  state->source_field = NULL;
  state->source_state = NULL;
  state->broken = false;
}

SofaErr sofa_data_link(SofaObject *object, const SofaField *field, SofaObject *source,
                       const SofaField *source_field) {
  SofaFieldState *state = sofa_field_state(object, field);
  SofaFieldState *source_state = sofa_field_state(source, source_field);
  if (!state || !source_state) return SOFA_ERR_ARGUMENT;
  if (state == source_state) {
    return sofa_field_fail(object, field->name, SOFA_ERR_CYCLE, "it is linked to itself");
  }
  if (!sofa_type_convertible(source_field->type, field->type)) {
    return sofa_field_fail(object, field->name, SOFA_ERR_TYPE,
                           "cannot be linked to field '%s' of %s '%s': a %s does not convert to "
                           "a %s",
                           source_field->name, source->klass->name, source->name,
                           source_field->type->name, field->type->name);
  }
  SOFA_TRY(sofa_data_track(object, state));
  state->source = source;
  state->source_field = source_field;
  state->source_state = source_state;
  state->pulled = 0;
  state->broken = false;
  state->set = true;
  sofa_object_changed(object);
  return SOFA_OK;
}

/* Splits "path.name" behind the last '.' that follows the last '/'. False: no name. */
static bool split(const char *path, size_t *path_length, const char **name) {
  const char *slash = strrchr(path, '/');
  const char *segment = slash ? slash + 1 : path;
  const char *dot = strrchr(segment, '.');
  if (!dot || !dot[1] || strcmp(segment, "..") == 0) return false;
  *path_length = (size_t)(dot - path);
  *name = dot + 1;
  return true;
}

/* Tries to find the source of a remembered link. Nothing there yet: SOFA_OK unless final. */
static SofaErr try_link(SofaObject *object, SofaFieldState *state, bool final) {
  const char *text = state->link_path, *field_name = NULL;
  size_t length = 0;
  if (!split(text + 1, &length, &field_name)) return SOFA_OK;
  char *path = sofa_strndup(object->ctx, text + 1, length);
  if (!path) return SOFA_ERR_MEMORY;
  SofaObject *source = sofa_resolve_path(object->node, path, &(SofaPathRule){.owner = object});
  sofa_free(object->ctx, path);
  const SofaField *source_field = source ? sofa_class_field(source->klass, field_name) : NULL;
  const bool usable = source_field && !(source_field->flags & SOFA_FIELD_LEGACY);
  if (usable) return sofa_data_link(object, state->field, source, source_field);
  if (!final) return SOFA_OK;
  if (source) return report_no_field(object, state->field->name, text, source, field_name);
  return report_missing(object, state->field->name, text, text + 1, length);
}

SofaErr sofa_data_link_text(SofaObject *object, const SofaField *field, const char *text,
                            int line) {
  SofaFieldState *state = sofa_field_state(object, field);
  if (!state) return SOFA_ERR_ARGUMENT;
  state->line = line;
  state->set = true;
  sofa_data_unlink(object, state);
  size_t length = 0;
  const char *name = NULL;
  if (text[0] != '@' || !split(text + 1, &length, &name)) {
    return sofa_field_fail(object, field->name, SOFA_ERR_PARSE,
                           "cannot be linked to '%s': expected '@path.field', the name of a field "
                           "is required",
                           text);
  }
  state->link_path = sofa_strdup(object->ctx, text);
  return state->link_path ? try_link(object, state, false) : SOFA_ERR_MEMORY;
}

/* ---- src ---- */

static bool is_excluded(const char *name, size_t length, const char *const *names, size_t n) {
  static const char *const always[] = {"type", "filename"};
  for (size_t i = 0; i < 2; i++) {
    if (strlen(always[i]) == length && sofa_compare(always[i], name, length) == 0) return true;
  }
  for (size_t i = 0; i < n; i++) {
    if (strlen(names[i]) == length && sofa_compare(names[i], name, length) == 0) return true;
  }
  return false;
}

static SofaErr link_name(SofaObject *object, SofaObject *source, const SofaField *from,
                         const char *name, size_t length, int line) {
  char *copy = sofa_strndup(object->ctx, name, length);
  if (!copy) return SOFA_ERR_MEMORY;
  const SofaField *to = sofa_class_field(object->klass, copy);
  sofa_free(object->ctx, copy);
  const bool plain = to && !to->type->link && !(to->flags & SOFA_FIELD_LEGACY);
  if (!plain || (to == from && object == source)) return SOFA_OK;
  if (!sofa_type_convertible(from->type, to->type)) {
    sofa_object_message(object, SOFA_WARNING,
                        "src does not link field '%s': a %s does not convert to a %s", to->name,
                        from->type->name, to->type->name);
    return SOFA_OK;
  }
  SofaFieldState *state = sofa_field_state(object, to);
  sofa_data_unlink(object, state);
  state->line = line;
  return sofa_data_link(object, to, source, from);
}

/* Links whatever of the object has the name or an alias of the source's field. */
static SofaErr link_names(SofaObject *object, SofaObject *source, const SofaField *from,
                          const char *const *excluded, size_t n_excluded, int line) {
  const size_t n = strlen(from->name);
  if (!is_excluded(from->name, n, excluded, n_excluded)) {
    SOFA_TRY(link_name(object, source, from, from->name, n, line));
  }
  for (const char *p = from->aliases; p && *p; p += *p == ' ') {
    const size_t length = strcspn(p, " ");
    if (length && !is_excluded(p, length, excluded, n_excluded)) {
      SOFA_TRY(link_name(object, source, from, p, length, line));
    }
    p += length;
  }
  return SOFA_OK;
}

static SofaErr src_error(const SofaObject *object, int line, SofaErr err, const char *format,
                         const char *text) __attribute__((format(printf, 4, 0)));

static SofaErr src_error(const SofaObject *object, int line, SofaErr err, const char *format,
                         const char *text) {
  char *path = sofa_object_path(object);
  const SofaOrigin origin = {object->file, line ? line : object->line, path, object->klass->name};
  sofa_message(object->ctx, err ? SOFA_ERROR : SOFA_WARNING, &origin, format, text);
  sofa_free(object->ctx, path);
  return err;
}

SofaErr sofa_data_link_source(SofaObject *object, const char *text, const char *const *excluded,
                              size_t n_excluded, int line) {
  if (text[0] != '@') {
    return src_error(object, line, SOFA_ERR_PARSE,
                     "src=\"%s\": expected a link that begins with '@'", text);
  }
  const char *path = strrchr(text, '@') + 1;
  if (!*path) return src_error(object, line, SOFA_OK, "src=\"%s\" names no object", text);
  // as SOFA does it: no search in the nodes above
  SofaObject *source =
      sofa_resolve_path(object->node, path, &(SofaPathRule){.owner = object, .strict = true});
  if (!source) {
    return src_error(object, line, SOFA_ERR_NOT_FOUND, "the object of src=\"%s\" was not found",
                     text);
  }
  const size_t n = sofa_class_n_fields(source->klass);
  for (size_t i = 0; i < n; i++) {
    const SofaField *from = source->field_states[i].field;
    if (from->type->link || (from->flags & (SOFA_FIELD_NO_AUTOLINK | SOFA_FIELD_LEGACY))) continue;
    SOFA_TRY(link_names(object, source, from, excluded, n_excluded, line));
  }
  return SOFA_OK;
}

/* ---- links to objects ---- */

typedef struct LinkList {
  SofaLink *data;
  size_t n;
} LinkList;

static LinkList links_of(const SofaObject *object, const SofaField *field) {
  void *value = sofa_field_value(object, field);
  if (!field->type->list) return (LinkList){value, 1};
  const SofaLinks *links = value;
  return (LinkList){links->data, links->n};
}

void sofa_links_resolve(SofaObject *object, SofaFieldState *state) {
  const LinkList links = links_of(object, state->field);
  for (size_t i = 0; i < links.n; i++) {
    SofaLink *link = &links.data[i];
    if (link->target || !link->path) continue;
    link->target = sofa_resolve_link(object, state->field->link, link->path);
    if (link->target) sofa_field_touch_state(object, state);
  }
}

/* What the rule accepts, for messages. */
static const char *rule_name(const SofaLinkRule *rule) {
  if (!rule) return "object";
  if (rule->node) return "node";
  if (rule->klass) return rule->klass->name;
  return rule->interface ? rule->interface->name : "object";
}

static SofaErr report_link(const SofaObject *object, const SofaField *field, const char *path) {
  const char *bare = path + (*path == '@');
  const SofaPathRule rule = {.owner = (SofaObject *)(uintptr_t)object};
  const SofaObject *other = sofa_resolve_path(object->node, bare, &rule);
  if (!other) return report_missing(object, field->name, path, bare, strlen(bare));
  if (sofa_class_is_a(other->klass, &sofa_node_class)) {
    return sofa_field_fail(object, field->name, SOFA_ERR_NOT_FOUND,
                           "node '%s' has no %s, or several of them", path, rule_name(field->link));
  }
  return sofa_field_fail(object, field->name, SOFA_ERR_TYPE, "expected a %s, '%s' is a %s",
                         rule_name(field->link), path, other->klass->name);
}

/* A link without a path is searched; a path from the scene that leads nowhere is an error. */
static SofaErr finish_links(SofaObject *object, SofaFieldState *state) {
  const SofaLinkRule *rule = state->field->link;
  const LinkList links = links_of(object, state->field);
  SofaErr err = SOFA_OK;
  for (size_t i = 0; i < links.n; i++) {
    SofaLink *link = &links.data[i];
    if (link->target) continue;
    if (link->path) {
      const SofaErr e = state->set ? report_link(object, state->field, link->path) : SOFA_OK;
      if (!err) err = e;
    } else if (rule && rule->klass) { // also where the rule names an interface of the class
      link->target = sofa_node_find_class(object->node, rule->klass, rule->search);
    } else if (rule && !rule->node && rule->interface) {
      link->target = sofa_node_find(object->node, rule->interface, rule->search);
    }
  }
  return err;
}

SofaErr sofa_data_resolve(SofaObject *object, bool final) {
  const size_t n = sofa_class_n_fields(object->klass);
  SofaErr err = SOFA_OK;
  for (size_t i = 0; i < n; i++) {
    SofaFieldState *state = &object->field_states[i];
    SofaErr e = SOFA_OK;
    if (state->field->type->link) {
      sofa_links_resolve(object, state);
      if (final) e = finish_links(object, state);
    } else if (state->link_path && !state->source) {
      e = try_link(object, state, final);
    }
    if (!err) err = e;
  }
  return err;
}

/* ---- objects that are destroyed ---- */

static void forget_in_object(SofaObject *object) {
  const size_t n = sofa_class_n_fields(object->klass);
  for (size_t i = 0; i < n; i++) {
    SofaFieldState *state = &object->field_states[i];
    if (state->source && state->source->dying) sofa_data_unlink(object, state);
    if (!state->field->type->link) continue;
    const LinkList links = links_of(object, state->field);
    for (size_t k = 0; k < links.n; k++) {
      if (links.data[k].target && links.data[k].target->dying) links.data[k].target = NULL;
    }
  }
}

void sofa_graph_forget_dying(SofaNode *root) {
  if (root->object.dying) return;
  forget_in_object(&root->object);
  for (size_t i = 0; i < root->objects.n; i++) {
    if (!root->objects.data[i]->dying) forget_in_object(root->objects.data[i]);
  }
  for (size_t i = 0; i < root->children.n; i++) sofa_graph_forget_dying(root->children.data[i]);
}

/* ---- objects that take another's place ---- */

static void redirect_in_object(SofaObject *object, const SofaObject *from, SofaObject *to) {
  const size_t n = sofa_class_n_fields(object->klass);
  for (size_t i = 0; i < n; i++) {
    SofaFieldState *state = &object->field_states[i];
    if (state->source == from) {
      state->source = to;
      state->source_state = sofa_field_state(to, state->source_field);
      state->pulled = 0;
    }
    if (!state->field->type->link) continue;
    const LinkList links = links_of(object, state->field);
    for (size_t k = 0; k < links.n; k++) {
      if (links.data[k].target == from) links.data[k].target = to;
    }
  }
}

void sofa_graph_redirect(SofaNode *root, const SofaObject *from, SofaObject *to) {
  redirect_in_object(&root->object, from, to);
  for (size_t i = 0; i < root->objects.n; i++) redirect_in_object(root->objects.data[i], from, to);
  for (size_t i = 0; i < root->children.n; i++)
    sofa_graph_redirect(root->children.data[i], from, to);
}
