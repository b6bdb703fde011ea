/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Objects and nodes: find, look at, add, remove. */
#include <string.h>

#include "api/api_impl.h"
#include "object/handle.h"
#include "scene/builder.h"

SofaObject *csofa_get(CsofaScene *scene, CsofaObject object) {
  SofaObject *found = sofa_handle_object(scene->owner->ctx, object);
  if (!found)
    csofa_fail(scene->owner, SOFA_ERR_NOT_FOUND,
               object ? "the object does not exist any more" : "object 0: there is no such object");
  return found;
}

static bool is_node(const SofaObject *object) {
  return object->klass == &sofa_node_class;
}

SofaNode *csofa_get_node(CsofaScene *scene, CsofaObject object) {
  SofaObject *found = csofa_get(scene, object);
  if (!found || is_node(found)) return (SofaNode *)found;
  csofa_fail(scene->owner, SOFA_ERR_TYPE, "%s(%s) is not a node", found->klass->name, found->name);
  return NULL;
}

static CsofaObject handle(SofaObject *object) {
  return object ? sofa_handle_of(object) : 0;
}

/* ---- finding ---- */

CsofaObject csofa_root(CsofaScene *scene) {
  return handle(&scene->simulation->root->object);
}

CsofaObject csofa_find(CsofaScene *scene, CsofaObject start, const char *path) {
  const SofaPathRule rule = {.strict = true};
  SofaNode *root = scene->simulation->root;
  csofa_begin(scene->owner);
  SofaObject *from = start ? csofa_get(scene, start) : &root->object;
  if (!from || !path) return 0;
  if (path[0] == '@') path++;
  if (strcmp(path, "/") == 0) return csofa_root(scene);
  if (!*path) return handle(from);
  return handle(sofa_resolve_path(from->node, path, &rule));
}

const char *csofa_name(CsofaScene *scene, CsofaObject object) {
  csofa_begin(scene->owner);
  const SofaObject *o = csofa_get(scene, object);
  return o ? csofa_lend(scene->owner, o->name ? o->name : "") : NULL;
}

const char *csofa_path(CsofaScene *scene, CsofaObject object) {
  csofa_begin(scene->owner);
  const SofaObject *o = csofa_get(scene, object);
  char *path = o ? sofa_object_path(o) : NULL;
  const char *lent = csofa_lend(scene->owner, path);
  sofa_free(scene->owner->ctx, path);
  return lent;
}

const char *csofa_class(CsofaScene *scene, CsofaObject object) {
  csofa_begin(scene->owner);
  const SofaObject *o = csofa_get(scene, object);
  return o ? csofa_lend(scene->owner, o->klass->name) : NULL;
}

const char *csofa_template(CsofaScene *scene, CsofaObject object) {
  csofa_begin(scene->owner);
  const SofaObject *o = csofa_get(scene, object);
  return o ? csofa_lend(scene->owner, o->template_name ? o->template_name : "") : NULL;
}

const char *csofa_category(CsofaScene *scene, CsofaObject object) {
  csofa_begin(scene->owner);
  const SofaObject *o = csofa_get(scene, object);
  if (!o) return NULL;
  return csofa_lend(scene->owner, o->klass->category ? o->klass->category : "");
}

int csofa_is_node(CsofaScene *scene, CsofaObject object) {
  const SofaObject *o = sofa_handle_object(scene->owner->ctx, object);
  return o && is_node(o);
}

CsofaObject csofa_parent(CsofaScene *scene, CsofaObject object) {
  csofa_begin(scene->owner);
  SofaObject *o = csofa_get(scene, object);
  if (!o) return 0;
  SofaNode *parent = is_node(o) ? sofa_node_parent(o->node) : o->node;
  return parent ? handle(&parent->object) : 0;
}

CsofaObject csofa_parent_at(CsofaScene *scene, CsofaObject node, size_t i) {
  csofa_begin(scene->owner);
  const SofaNode *n = csofa_get_node(scene, node);
  return n && i < n->parents.n ? handle(&n->parents.data[i]->object) : 0;
}

size_t csofa_n_children(CsofaScene *scene, CsofaObject node) {
  csofa_begin(scene->owner);
  const SofaNode *n = csofa_get_node(scene, node);
  return n ? n->children.n : 0;
}

CsofaObject csofa_child(CsofaScene *scene, CsofaObject node, size_t i) {
  csofa_begin(scene->owner);
  const SofaNode *n = csofa_get_node(scene, node);
  return n && i < n->children.n ? handle(&n->children.data[i]->object) : 0;
}

/* Objects at the beginning that are the interface's own. */
static size_t n_hidden(const CsofaScene *scene, const SofaNode *node) {
  return scene->listener && node == scene->simulation->root;
}

size_t csofa_n_objects(CsofaScene *scene, CsofaObject node) {
  csofa_begin(scene->owner);
  const SofaNode *n = csofa_get_node(scene, node);
  return n ? n->objects.n - n_hidden(scene, n) : 0;
}

CsofaObject csofa_object(CsofaScene *scene, CsofaObject node, size_t i) {
  csofa_begin(scene->owner);
  const SofaNode *n = csofa_get_node(scene, node);
  if (!n || i >= n->objects.n - n_hidden(scene, n)) return 0;
  return handle(n->objects.data[i + n_hidden(scene, n)]);
}

/* ---- adding and removing ---- */

CsofaErr csofa_add_node(CsofaScene *scene, CsofaObject parent, const char *name,
                        const char *const *attributes, CsofaObject *out) {
  SofaNode *made = NULL;
  *out = 0;
  csofa_begin(scene->owner);
  SofaNode *node = csofa_get_node(scene, parent);
  if (!node) return CSOFA_ERR_NOT_FOUND;
  const SofaErr err = sofa_scene_add_node(node, name, attributes, &made);
  if (err == SOFA_OK) *out = handle(&made->object);
  scene->added = true;
  return csofa_end(scene->owner, err);
}

CsofaErr csofa_add_parent(CsofaScene *scene, CsofaObject node, CsofaObject parent) {
  csofa_begin(scene->owner);
  SofaNode *child = csofa_get_node(scene, node), *above = csofa_get_node(scene, parent);
  if (!child || !above) return CSOFA_ERR_NOT_FOUND;
  if (!sofa_node_parent(child))
    return csofa_fail(scene->owner, SOFA_ERR_ARGUMENT, "the root of a scene has no parents");
  return csofa_end(scene->owner, sofa_node_add_parent(child, above));
}

CsofaErr csofa_add_object(CsofaScene *scene, CsofaObject node, const char *class_name,
                          const char *const *attributes, CsofaObject *out) {
  SofaObject *made = NULL;
  *out = 0;
  csofa_begin(scene->owner);
  SofaNode *in = csofa_get_node(scene, node);
  if (!in) return CSOFA_ERR_NOT_FOUND;
  const SofaErr err = sofa_scene_add_object(in, class_name, attributes, &made);
  if (err == SOFA_OK) *out = handle(made);
  scene->added = true;
  return csofa_end(scene->owner, err);
}

CsofaErr csofa_remove(CsofaScene *scene, CsofaObject object) {
  csofa_begin(scene->owner);
  SofaObject *o = csofa_get(scene, object);
  if (!o) return CSOFA_ERR_NOT_FOUND;
  if (o == &scene->simulation->root->object)
    return csofa_fail(scene->owner, SOFA_ERR_ARGUMENT, "the root of a scene cannot be removed");
  SofaNode *node = o->node;
  if (is_node(o)) sofa_node_destroy(&node);
  else sofa_object_destroy(&o);
  return CSOFA_OK;
}
