/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From the raw tree to the description: includes and prefabs take their place, replacement
 * attributes reach the objects, the legacy forms of objects and attributes become plain ones.
 * Recursion follows the depth of the tree, which is at most SOFA_SCENE_MAX_DEPTH. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "object/factory.h"
#include "scene/reader_impl.h"

/* Where an expanded element goes. Children are appended or spliced into `parent`. */
typedef struct Place {
  SofaElement *parent;
  size_t depth;
  bool top; /* nothing to splice into */
} Place;

static SofaErr expand(SofaReader *reader, SofaElement *raw, Place place);

static bool is_group(const char *name) {
  return name && (strcmp(name, "Group") == 0 || strcmp(name, "_Group_") == 0);
}

static bool is_merge(const char *name) {
  return name && strcmp(name, "_Merge_") == 0;
}

/* ---- replacement attributes ---- */

/* An attribute of an include changes the objects below that have it already. */
static SofaErr replace_below(SofaContext *ctx, SofaElement *element, const char *only_named,
                             const char *name, const char *value) {
  const char *own_name = sofa_element_attribute(element, "name");
  const bool named = !only_named || (own_name && strcmp(own_name, only_named) == 0);
  SofaAttribute *found = sofa_element_find(element, name);
  if (named && found && !sofa_element_is_node(element)) {
    char *copy = sofa_strdup(ctx, value);
    if (!copy) return SOFA_ERR_MEMORY;
    sofa_free(ctx, found->value);
    found->value = copy;
  }
  for (size_t i = 0; i < element->n_children; i++)
    SOFA_TRY(replace_below(ctx, element->children[i], only_named, name, value));
  return SOFA_OK;
}

/* `N__a` reaches only objects named N. */
static SofaErr replace(SofaContext *ctx, SofaElement *root, const SofaAttribute *attribute) {
  const char *separator = strstr(attribute->name, "__");
  if (!separator || separator == attribute->name)
    return replace_below(ctx, root, NULL, attribute->name, attribute->value);
  char *only = sofa_strndup(ctx, attribute->name, (size_t)(separator - attribute->name));
  if (!only) return SOFA_ERR_MEMORY;
  const SofaErr err = replace_below(ctx, root, only, separator + 2, attribute->value);
  sofa_free(ctx, only);
  return err;
}

/* ---- merging ---- */

/* Takes the children of `from` away and hands them one by one to `take`, which owns them then. */
static SofaErr move_children(SofaContext *ctx, SofaElement *from, SofaElement *to,
                             SofaErr (*take)(SofaContext *, SofaElement *, SofaElement *)) {
  SofaErr err = SOFA_OK;
  SofaElement **children = from->children;
  const size_t n = from->n_children;
  from->children = NULL;
  from->n_children = from->capacity = 0;
  for (size_t i = 0; i < n; i++) {
    if (err == SOFA_OK) err = take(ctx, to, children[i]);
    else sofa_element_free(ctx, children[i]);
  }
  sofa_free(ctx, children);
  return err;
}

static SofaErr take_append(SofaContext *ctx, SofaElement *to, SofaElement *child) {
  const SofaErr err = sofa_element_append(ctx, to, child);
  if (err != SOFA_OK) sofa_element_free(ctx, child);
  return err;
}

static SofaElement *same_child(const SofaElement *parent, const SofaElement *like) {
  const char *name = sofa_element_attribute(like, "name");
  if (!name || !*name) return NULL;
  for (size_t i = 0; i < parent->n_children; i++) {
    SofaElement *child = parent->children[i];
    const char *other = sofa_element_attribute(child, "name");
    if (strcmp(child->tag, like->tag) == 0 && other && strcmp(other, name) == 0) return child;
  }
  return NULL;
}

static SofaErr copy_attributes(SofaContext *ctx, SofaElement *to, const SofaElement *from) {
  for (size_t i = 0; i < from->attributes.n; i++) {
    const SofaAttribute *a = &from->attributes.data[i];
    if (strcmp(a->name, "name") != 0)
      SOFA_TRY(sofa_element_set(ctx, to, a->name, a->value, a->line));
  }
  return SOFA_OK;
}

/* Same type and same name become one, others are appended. */
static SofaErr take_merge(SofaContext *ctx, SofaElement *to, SofaElement *child) {
  SofaElement *same = same_child(to, child);
  if (!same) return take_append(ctx, to, child);
  SofaErr err = copy_attributes(ctx, same, child);
  if (err == SOFA_OK) err = move_children(ctx, child, same, take_merge);
  sofa_element_free(ctx, child);
  return err;
}

/* ---- includes and prefabs ---- */

/* Gives the included `root` (taken) the attributes of the including element and puts it in place.
 */
static SofaErr place_included(SofaReader *reader, const SofaElement *include, SofaElement *root,
                              Place place) {
  SofaErr err = SOFA_OK;
  SofaContext *ctx = reader->ctx;
  const char *given = sofa_element_attribute(include, "name");
  const char *own = sofa_element_attribute(root, "name");
  const bool group = is_group(own) || is_group(given);
  const bool merge = !group && (is_merge(own) || is_merge(given));

  // attributes written on the include
  for (size_t i = 0; i < include->attributes.n; i++) {
    const SofaAttribute *a = &include->attributes.data[i];
    if (strcmp(a->name, "href") == 0) continue;
    if (strcmp(a->name, "name") == 0)
      SOFA_GO(err, done, sofa_element_set(ctx, root, "name", a->value, a->line));
    else SOFA_GO(err, done, replace(ctx, root, a));
  }

  // children of a group belong to the including node
  if (sofa_element_is_node(root) && !place.top && (group || merge)) {
    if (merge) SOFA_GO(err, done, copy_attributes(ctx, place.parent, root));
    err = move_children(ctx, root, place.parent, merge ? take_merge : take_append);
    goto done;
  }
  return take_append(ctx, place.parent, root);
done:
  sofa_element_free(ctx, root);
  return err;
}

/* Expands an included raw tree (taken) and puts it in place. Reports of what is in the file have
 * been made: only a missing memory or limit ends the reading. */
static SofaErr include_tree(SofaReader *reader, const SofaElement *include, SofaElement *raw,
                            Place place) {
  SofaElement holder = {.tag = NULL};
  SofaElement *root = NULL;
  SofaErr err = expand(reader, raw, (Place){&holder, place.depth, true});
  if (err == SOFA_OK && holder.n_children == 1) root = holder.children[0];
  if (!root)
    for (size_t i = 0; i < holder.n_children; i++)
      sofa_element_free(reader->ctx, holder.children[i]);
  sofa_free(reader->ctx, holder.children);
  return root ? place_included(reader, include, root, place) : err;
}

/* Canonical name of a file, to recognise it by. NULL: no memory. */
static char *canonical(SofaContext *ctx, const char *path) {
  char buffer[PATH_MAX];
  return sofa_strdup(ctx, realpath(path, buffer) ? buffer : path);
}

static bool is_being_read(const SofaReader *reader, const char *name) {
  for (size_t i = 0; i < reader->stack.n; i++)
    if (strcmp(reader->stack.data[i], name) == 0) return true;
  return false;
}

/* Reads the file in place of the element. */
static SofaErr include_file(SofaReader *reader, const SofaElement *include, const char *path,
                            Place place) {
  SofaErr err;
  SofaContext *ctx = reader->ctx;
  SofaElement *raw = NULL;
  if (++reader->n_includes > SOFA_SCENE_MAX_INCLUDES)
    return sofa_reader_fail(reader, SOFA_ERR_RANGE, include->file, include->line,
                            "more than %d files are included", SOFA_SCENE_MAX_INCLUDES);
  char *name = canonical(ctx, path);
  if (!name) return SOFA_ERR_MEMORY;
  if (is_being_read(reader, name)) {
    sofa_reader_fail(reader, SOFA_ERR_CYCLE, include->file, include->line,
                     "'%s' includes itself, directly or through other files", path);
    sofa_free(ctx, name);
    return SOFA_OK;
  }
  if (SOFA_APPEND(ctx, &reader->stack, &name) != SOFA_OK) {
    sofa_free(ctx, name);
    return SOFA_ERR_MEMORY;
  }
  err = sofa_reader_file(reader, path, &raw);
  if (err == SOFA_OK) err = include_tree(reader, include, raw, place);
  else if (err == SOFA_ERR_PARSE || err == SOFA_ERR_IO)
    err = SOFA_OK; // reported and counted; the rest of the scene is read all the same
  sofa_free(ctx, reader->stack.data[--reader->stack.n]);
  return err;
}

static SofaErr find_from(SofaReader *reader, const SofaElement *element, const char *name,
                         char **out) {
  char *folder = sofa_path_folder(reader->ctx, element->file);
  if (!folder) return SOFA_ERR_MEMORY;
  const SofaErr err = sofa_find_file(reader->ctx, folder, name, out);
  sofa_free(reader->ctx, folder);
  return err;
}

static SofaErr expand_include(SofaReader *reader, const SofaElement *raw, Place place) {
  char *path = NULL;
  const char *href = sofa_element_attribute(raw, "href");
  if (!href || !*href) {
    sofa_reader_fail(reader, SOFA_ERR_SCENE, raw->file, raw->line, "<include> needs href=\"file\"");
    return SOFA_OK;
  }
  SofaErr err = find_from(reader, raw, href, &path);
  if (err == SOFA_ERR_NOT_FOUND) {
    sofa_reader_fail(
        reader, err, raw->file, raw->line,
        "included file '%s' is neither in the folder of this file nor on the data path", href);
    return SOFA_OK;
  }
  if (err == SOFA_OK) err = include_file(reader, raw, path, place);
  sofa_free(reader->ctx, path);
  return err;
}

static void set_lines(SofaElement *element, int line) {
  element->line = line;
  for (size_t i = 0; i < element->attributes.n; i++) element->attributes.data[i].line = line;
  for (size_t i = 0; i < element->n_children; i++) set_lines(element->children[i], line);
}

/* A tag that is not a class may be the name of a file Objects/<tag>.xml. *done: it was. */
static SofaErr expand_prefab(SofaReader *reader, const SofaElement *raw, Place place, bool *done) {
  SofaErr err;
  SofaContext *ctx = reader->ctx;
  char *path = NULL;
  *done = false;
  if (sofa_factory_find(ctx, raw->tag, NULL)) return SOFA_OK;
  char *name = sofa_format(ctx, "Objects/%s.xml", raw->tag);
  if (!name) return SOFA_ERR_MEMORY;
  err = find_from(reader, raw, name, &path);
  sofa_free(ctx, name);
  if (err == SOFA_OK) {
    *done = true;
    err = include_file(reader, raw, path, place);
    sofa_free(ctx, path);
    return err;
  }
  if (err != SOFA_ERR_NOT_FOUND) return err;

  // the ones that scenes count on come with modules
  const char *text = sofa_factory_prefab(ctx, raw->tag);
  SofaElement *tree = NULL;
  if (!text) return SOFA_OK;
  *done = true;
  SOFA_TRY(sofa_parse_xml(reader, raw->file, text, strlen(text), &tree));
  set_lines(tree, raw->line);
  return include_tree(reader, raw, tree, place);
}

/* ---- objects ---- */

/* <Attribute type="x"><Data value="v"/></Attribute> below an object is x="v" written otherwise. */
static SofaErr attribute_element(SofaReader *reader, SofaElement *object, const SofaElement *a) {
  const char *name = sofa_element_attribute(a, "type");
  const SofaAttribute *value = NULL;
  for (size_t i = 0; i < a->n_children; i++) {
    const SofaAttribute *found = sofa_element_find(a->children[i], "value");
    if (strcmp(a->children[i]->tag, "Data") == 0 && found) value = found;
  }
  if (name && *name && value)
    return sofa_element_set(reader->ctx, object, name, value->value, value->line);
  sofa_reader_fail(reader, SOFA_ERR_SCENE, a->file, a->line,
                   "expected <Attribute type=\"name\"><Data value=\"text\"/></Attribute>");
  return SOFA_OK;
}

/* Removes the elements inside an object, after taking what they say. */
static SofaErr flatten_object(SofaReader *reader, SofaElement *object) {
  SofaErr err = SOFA_OK;
  for (size_t i = 0; i < object->n_children; i++) {
    SofaElement *child = object->children[i];
    if (err == SOFA_OK && strcmp(child->tag, "Attribute") == 0)
      err = attribute_element(reader, object, child);
    else if (err == SOFA_OK)
      sofa_reader_fail(reader, SOFA_ERR_SCENE, child->file, child->line,
                       "<%s> is inside the object <%s>: only nodes have children", child->tag,
                       object->tag);
    sofa_element_free(reader->ctx, child);
  }
  object->n_children = 0;
  return err;
}

/* <Object type="X"> is <X>. */
static SofaErr legacy_object(SofaReader *reader, SofaElement *raw, bool *usable) {
  const char *type = sofa_element_attribute(raw, "type");
  *usable = type && *type;
  if (!*usable) {
    sofa_reader_fail(reader, SOFA_ERR_SCENE, raw->file, raw->line,
                     "<Object> needs type=\"ClassName\"");
    return SOFA_OK;
  }
  char *tag = sofa_strdup(reader->ctx, type);
  if (!tag) return SOFA_ERR_MEMORY;
  sofa_free(reader->ctx, raw->tag);
  raw->tag = tag;
  sofa_element_remove(reader->ctx, raw, "type");
  return SOFA_OK;
}

/* ---- the walk ---- */

static SofaErr expand_node(SofaReader *reader, SofaElement *raw, Place place) {
  SofaElement **children = raw->children;
  const size_t n = raw->n_children;
  raw->children = NULL;
  raw->n_children = raw->capacity = 0;
  SofaErr err = take_append(reader->ctx, place.parent, raw);
  for (size_t i = 0; i < n; i++) {
    if (err == SOFA_OK) err = expand(reader, children[i], (Place){raw, place.depth + 1, false});
    else sofa_element_free(reader->ctx, children[i]);
  }
  sofa_free(reader->ctx, children);
  return err;
}

static SofaErr expand_object(SofaReader *reader, SofaElement *raw, Place place) {
  bool usable = true, done = false;
  SofaErr err = SOFA_OK;
  if (strcmp(raw->tag, "Object") == 0) err = legacy_object(reader, raw, &usable);
  else if (!sofa_element_attribute(raw, "type")) err = expand_prefab(reader, raw, place, &done);
  if (err == SOFA_OK && usable && !done) err = flatten_object(reader, raw);
  if (err == SOFA_OK && usable && !done) return take_append(reader->ctx, place.parent, raw);
  sofa_element_free(reader->ctx, raw);
  return err;
}

/* Takes `raw` and puts what it stands for at the place. */
static SofaErr expand(SofaReader *reader, SofaElement *raw, Place place) {
  SofaErr err = SOFA_OK;
  if (place.depth >= SOFA_SCENE_MAX_DEPTH) {
    err = sofa_reader_fail(reader, SOFA_ERR_RANGE, raw->file, raw->line,
                           "elements are nested deeper than %d", SOFA_SCENE_MAX_DEPTH);
    sofa_element_free(reader->ctx, raw);
    return err;
  }
  if (sofa_element_is_node(raw)) return expand_node(reader, raw, place);
  if (strcmp(raw->tag, "include") == 0) {
    place.depth++;
    err = expand_include(reader, raw, place);
  } else if (strcmp(raw->tag, "Attribute") == 0 || strcmp(raw->tag, "Data") == 0) {
    sofa_reader_warn(reader, raw->file, raw->line, "<%s> is outside of an object: ignored",
                     raw->tag);
  } else {
    return expand_object(reader, raw, place);
  }
  sofa_element_free(reader->ctx, raw);
  return err;
}

SofaErr sofa_expand(SofaReader *reader, SofaElement *raw, SofaElement **out) {
  SofaElement holder = {.tag = NULL};
  const char *file = raw->file;
  const int line = raw->line;
  char *name = canonical(reader->ctx, file);

  // the scene itself cannot be included either
  if (!name || SOFA_APPEND(reader->ctx, &reader->stack, &name) != SOFA_OK) {
    sofa_free(reader->ctx, name);
    sofa_element_free(reader->ctx, raw);
    return SOFA_ERR_MEMORY;
  }
  SofaErr err = expand(reader, raw, (Place){&holder, 0, true});
  if (err == SOFA_OK && holder.n_children == 1) {
    *out = holder.children[0];
  } else {
    for (size_t i = 0; i < holder.n_children; i++)
      sofa_element_free(reader->ctx, holder.children[i]);
    if (err == SOFA_OK && reader->out->n_errors == 0)
      sofa_reader_fail(reader, SOFA_ERR_PARSE, file, line, "the scene has no root node");
    if (err == SOFA_OK) err = SOFA_ERR_PARSE;
  }
  sofa_free(reader->ctx, holder.children);
  return err;
}
