/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Paths: how a link's text is resolved to an object or a node. */
#include <string.h>
#include "base/text.h"
#include "object/node_index_impl.h"
#include "object/object_impl.h"

/* What a path is resolved for. */
typedef struct Wanted {
  SofaPathRule rule;
  const SofaInterface *interface; /* for the search above a node that has none, or NULL */
} Wanted;

static bool fits(const Wanted *w, const SofaObject *object) {
  return !w->rule.accept || w->rule.accept(object, w->rule.user);
}

/* The one fitting object of a node. */
static SofaObject *object_of_node(SofaNode *node, const Wanted *w) {
  if (!w->rule.accept || w->rule.node) return fits(w, &node->object) ? &node->object : NULL;
  SofaObject *found = NULL;
  for (size_t i = 0; i < node->objects.n; i++) {
    SofaObject *object = node->objects.data[i];
    if (object == w->rule.owner || !fits(w, object)) continue;
    // several: ambiguous, except for topologies, where the last one counts
    if (found && !(w->interface && w->interface->last_counts)) return NULL;
    found = object;
  }
  if (found || !w->interface || !w->interface->slot) return found;
  for (const SofaNode *up = sofa_node_parent(node); up; up = sofa_node_parent(up)) {
    found = sofa_node_slot(up, w->interface);
    if (found) return fits(w, found) ? found : NULL;
  }
  return NULL;
}

/* Walks the segments of a path; before the first one was found, ancestors are tried too. */
static SofaObject *walk(SofaNode *node, const char *p, bool strict, const Wanted *w) {
  while (node) {
    p += strspn(p, "/");
    const size_t n = strcspn(p, "/");
    if (!n) return object_of_node(node, w);
    if (n == 1 && *p == '.') {
      strict = true;
    } else if (n == 2 && p[0] == '.' && p[1] == '.') {
      node = sofa_node_parent(node);
      strict = true;
    } else {
      SofaNode *child = sofa_node_index_child(node, p, n);
      SofaObject *object = child ? NULL : sofa_node_index_object(node, p, n, w->rule.owner);
      if (object) {
        // names behind an object would be its slaves
        const bool last = !p[n + strspn(p + n, "/")];
        return last && !w->rule.node && fits(w, object) ? object : NULL;
      }
      if (!child && strict) return NULL;
      node = child ? child : sofa_node_parent(node);
      if (!child) continue;
      strict = true;
    }
    p += n;
  }
  return NULL;
}

/* [-k]: the k-th object before the owner, or, without owner, from the end of the list. */
static SofaObject *relative(const SofaNode *node, const char *p, const Wanted *w) {
  const char *end = p + 1;
  int64_t k = 0;
  if (!sofa_read_int(&end, &k) || *end != ']' || end[1] || k > 0) return NULL;
  size_t at = node->objects.n;
  // the owner is near the end of the list while a scene is read
  for (size_t i = node->objects.n; w->rule.owner && i-- > 0 && at == node->objects.n;) {
    if (node->objects.data[i] == w->rule.owner) at = i;
  }
  if (k < -(int64_t)at) return NULL;
  const size_t i = at - (size_t)-k;
  SofaObject *object = i < node->objects.n ? node->objects.data[i] : NULL;
  return object && !w->rule.node && fits(w, object) ? object : NULL;
}

static SofaObject *resolve(SofaNode *start, const char *path, const Wanted *w) {
  if (!*path || strcmp(path, "[]") == 0) {
    SofaObject *self = w->rule.owner ? w->rule.owner : &start->object;
    return fits(w, self) ? self : NULL;
  }
  if (*path == '[') return relative(start, path, w);
  if (*path == '/') return walk(sofa_node_root(start), path, true, w);
  return walk(start, path, w->rule.strict, w);
}

SofaObject *sofa_resolve_path(SofaNode *start, const char *path, const SofaPathRule *rule) {
  static const SofaPathRule any = {0};
  const Wanted w = {.rule = rule ? *rule : any};
  return resolve(start, path, &w);
}

/* ---- links ---- */

static bool is_node(const SofaObject *object) {
  return sofa_class_is_a(object->klass, &sofa_node_class);
}

static bool rule_accepts(const SofaObject *object, const void *user) {
  const SofaLinkRule *rule = user;
  if (rule->node) return is_node(object);
  if (rule->klass && !sofa_class_is_a(object->klass, rule->klass)) return false;
  if (rule->interface) return sofa_implements(object, rule->interface);
  return rule->klass != NULL || !is_node(object);
}

SofaObject *sofa_resolve_link(SofaObject *owner, const SofaLinkRule *rule, const char *path) {
  static const SofaLinkRule any = {0};
  if (!rule) rule = &any;
  const Wanted w = {
      .rule = {.owner = owner, .accept = rule_accepts, .user = rule, .node = rule->node},
      .interface = rule->node ? NULL : rule->interface,
  };
  return resolve(owner->node, path + (*path == '@'), &w);
}
