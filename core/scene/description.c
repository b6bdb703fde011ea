/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Elements of the description tree, and the two ways to read one: from a file, from text. */
#include <string.h>

#include "base/files.h"
#include "base/provenance.h"
#include "scene/reader_impl.h"

SofaErr sofa_element_create(SofaContext *ctx, const char *tag, const char *file, int line,
                            SofaElement **out) {
  SofaElement *element = sofa_alloc(ctx, 1, sizeof *element);
  *out = NULL;
  if (!element) return SOFA_ERR_MEMORY;
  element->tag = sofa_strdup(ctx, tag);
  element->file = file;
  element->line = line;
  if (!element->tag) {
    sofa_free(ctx, element);
    return SOFA_ERR_MEMORY;
  }
  *out = element;
  return SOFA_OK;
}

static void attribute_free(SofaContext *ctx, SofaAttribute *attribute) {
  sofa_free(ctx, attribute->name);
  sofa_free(ctx, attribute->value);
}

/* recursion is bounded by SOFA_SCENE_MAX_DEPTH */
void sofa_element_free(SofaContext *ctx, SofaElement *element) {
  if (!element) return;
  for (size_t i = 0; i < element->n_children; i++) sofa_element_free(ctx, element->children[i]);
  for (size_t i = 0; i < element->attributes.n; i++)
    attribute_free(ctx, &element->attributes.data[i]);
  sofa_list_free(ctx, &element->attributes);
  sofa_free(ctx, element->children);
  sofa_free(ctx, element->tag);
  sofa_free(ctx, element);
}

SofaErr sofa_element_append(SofaContext *ctx, SofaElement *parent, SofaElement *child) {
  if (parent->n_children == parent->capacity) {
    const size_t capacity = parent->capacity ? 2 * parent->capacity : 4;
    SofaElement **grown = sofa_realloc(ctx, parent->children, capacity, sizeof *grown);
    if (!grown) return SOFA_ERR_MEMORY;
    parent->children = grown;
    parent->capacity = capacity;
  }
  parent->children[parent->n_children++] = child;
  return SOFA_OK;
}

SofaAttribute *sofa_element_find(const SofaElement *element, const char *name) {
  for (size_t i = 0; i < element->attributes.n; i++)
    if (strcmp(element->attributes.data[i].name, name) == 0) return &element->attributes.data[i];
  return NULL;
}

SofaErr sofa_element_set(SofaContext *ctx, SofaElement *element, const char *name,
                         const char *value, int line) {
  SofaAttribute *old = sofa_element_find(element, name);
  SofaAttribute made = {.line = line};
  made.value = sofa_strdup(ctx, value);
  if (!made.value) return SOFA_ERR_MEMORY;

  // replace the value in place
  if (old) {
    sofa_free(ctx, old->value);
    old->value = made.value;
    old->line = line;
    return SOFA_OK;
  }

  // or append
  made.name = sofa_strdup(ctx, name);
  if (made.name && SOFA_APPEND(ctx, &element->attributes, &made) == SOFA_OK) return SOFA_OK;
  attribute_free(ctx, &made);
  return SOFA_ERR_MEMORY;
}

void sofa_element_remove(SofaContext *ctx, SofaElement *element, const char *name) {
  SofaAttribute *found = sofa_element_find(element, name);
  if (!found) return;
  attribute_free(ctx, found);
  const size_t behind = element->attributes.n - 1 - (size_t)(found - element->attributes.data);
  sofa_move(found, found + 1, behind * sizeof *found);
  element->attributes.n--;
}

bool sofa_element_is_node(const SofaElement *element) {
  return strcmp(element->tag, "Node") == 0;
}

/* ---- messages ---- */

SofaErr sofa_reader_fail(SofaReader *reader, SofaErr err, const char *file, int line,
                         const char *format, ...) {
  const SofaOrigin origin = {.file = file, .line = line};
  va_list args;
  va_start(args, format);
  sofa_message_va(reader->ctx, SOFA_ERROR, &origin, format, args);
  va_end(args);
  reader->out->n_errors++;
  return err;
}

void sofa_reader_warn(SofaReader *reader, const char *file, int line, const char *format, ...) {
  const SofaOrigin origin = {.file = file, .line = line};
  va_list args;
  va_start(args, format);
  sofa_message_va(reader->ctx, SOFA_WARNING, &origin, format, args);
  va_end(args);
}

/* ---- reading ---- */

SofaErr sofa_reader_keep_name(SofaReader *reader, const char *name, const char **out) {
  char *copy = sofa_strdup(reader->ctx, name);
  if (!copy) return SOFA_ERR_MEMORY;
  if (SOFA_APPEND(reader->ctx, &reader->out->files, &copy) != SOFA_OK) {
    sofa_free(reader->ctx, copy);
    return SOFA_ERR_MEMORY;
  }
  *out = copy;
  return SOFA_OK;
}

SofaErr sofa_reader_file(SofaReader *reader, const char *path, SofaElement **out) {
  SofaErr err;
  const char *file = NULL;
  char *bytes = NULL;
  size_t size = 0;
  SOFA_TRY(sofa_reader_keep_name(reader, path, &file));

  // what was read so far counts too: many files cannot add up to more than one may have
  const size_t room = (size_t)SOFA_SCENE_MAX_BYTES - reader->n_bytes;
  if (room == 0)
    return sofa_reader_fail(reader, SOFA_ERR_RANGE, file, 0,
                            "the scene is larger than the limit of %d MB",
                            SOFA_SCENE_MAX_BYTES >> 20);
  err = sofa_read_file(reader->ctx, path, room, &bytes, &size);
  if (err != SOFA_OK) {
    reader->out->n_errors++;
    return err;
  }
  reader->n_bytes += size;
  err = sofa_parse_xml(reader, file, bytes, size, out);
  sofa_free(reader->ctx, bytes);
  return err;
}

/* A scene is one node: anything else has no place for its objects. */
static SofaErr finish(SofaReader *reader, SofaElement *raw, SofaDescription *out) {
  SOFA_TRY(sofa_expand(reader, raw, &out->root));
  if (sofa_element_is_node(out->root)) return SOFA_OK;
  return sofa_reader_fail(reader, SOFA_ERR_PARSE, out->root->file, out->root->line,
                          "the root element of a scene is <Node>, here it is <%s>", out->root->tag);
}

static void reader_close(SofaReader *reader, SofaErr err) {
  for (size_t i = 0; i < reader->stack.n; i++) sofa_free(reader->ctx, reader->stack.data[i]);
  sofa_list_free(reader->ctx, &reader->stack);
  if (err == SOFA_OK) return;
  sofa_element_free(reader->ctx, reader->out->root);
  reader->out->root = NULL;
}

SofaErr sofa_description_read(SofaContext *ctx, const char *path, SofaDescription *out) {
  SofaErr err;
  SofaElement *raw = NULL;
  *out = (SofaDescription){0};
  SofaReader reader = {.ctx = ctx, .out = out};
  SOFA_GO(err, done, sofa_provenance_begin(ctx, path, ""));
  SOFA_GO(err, done, sofa_reader_file(&reader, path, &raw));
  SOFA_GO(err, done, finish(&reader, raw, out));
done:
  reader_close(&reader, err);
  return err;
}

SofaErr sofa_description_read_text(SofaContext *ctx, const char *name, const char *folder,
                                   const char *text, size_t size, SofaDescription *out) {
  SofaErr err;
  SofaElement *raw = NULL;
  char *path = NULL;
  const char *file = NULL;
  *out = (SofaDescription){0};
  SofaReader reader = {.ctx = ctx, .out = out};

  // the name stands for a file of the folder, so that relative names work
  path = folder ? sofa_path_join(ctx, folder, name) : sofa_strdup(ctx, name);
  if (!path) return SOFA_ERR_MEMORY;
  SOFA_GO(err, done, sofa_reader_keep_name(&reader, path, &file));
  if (size > SOFA_SCENE_MAX_BYTES) {
    err =
        sofa_reader_fail(&reader, SOFA_ERR_RANGE, file, 0,
                         "the scene is larger than the limit of %d MB", SOFA_SCENE_MAX_BYTES >> 20);
    goto done;
  }
  SOFA_GO(err, done, sofa_provenance_begin(ctx, name, ""));
  SOFA_GO(err, done, sofa_provenance_file(ctx, path, text, size));
  reader.n_bytes = size;
  SOFA_GO(err, done, sofa_parse_xml(&reader, file, text, size, &raw));
  SOFA_GO(err, done, finish(&reader, raw, out));
done:
  sofa_free(ctx, path);
  reader_close(&reader, err);
  return err;
}

void sofa_description_free(SofaContext *ctx, SofaDescription *description) {
  sofa_element_free(ctx, description->root);
  for (size_t i = 0; i < description->files.n; i++) sofa_free(ctx, description->files.data[i]);
  sofa_list_free(ctx, &description->files);
  *description = (SofaDescription){0};
}
