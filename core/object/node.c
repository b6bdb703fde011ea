/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Nodes: creation, parents, destruction, searches. */
#include <string.h>
#include "object/node_index_impl.h"
#include "object/object_impl.h"
#include "object/outside_plans.h"
#include "object/checkpoint.h"

static const SofaField node_fields[] = {
    SOFA_FIELD(SofaNode, gravity, "gravity", "0 -9.81 0", "m/s^2", "acceleration by gravity"),
    SOFA_FIELD(SofaNode, dt, "dt", "0.01", "s", "time step"),
    SOFA_FIELD(SofaNode, time, "time", "0", "s", "simulated time"),
    SOFA_FIELD(SofaNode, animate, "animate", "0", "",
               "start running when a viewer opens the scene"),
    SOFA_FIELD(SofaNode, activated, "activated", "1", "",
               "0: the node and all below it are left out"),
    SOFA_FIELD(SofaNode, sleeping, "sleeping", "0", "", "left out of the mechanics"),
    SOFA_FIELD(SofaNode, can_change_sleeping, "canChangeSleepingState", "0", "",
               "may fall asleep and wake up"),
};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(SofaNode, index),
    SOFA_COUNTED(SofaNode, n_plans),
};

const SofaClass sofa_node_class = {
    .name = "Node",
    .module = "csofa",
    .category = "Node",
    .help = "A node of the scene graph.",
    .base = &sofa_object_class,
    SOFA_SPARES(spared),
    .size = sizeof(SofaNode),
    SOFA_FIELDS(node_fields),
};

void sofa_graph_changed(SofaNode *node) {
  if (node->graph_version) ++*node->graph_version;
}

void sofa_graph_changed_outside(SofaNode *node, uint64_t before) {
  if (node->graph_version) *node->graph_version = before + ((uint64_t)1 << 32);
}

SofaNode *sofa_node_root(SofaNode *node) {
  while (sofa_node_parent(node)) node = sofa_node_parent(node);
  return node;
}

/* ---- creation ---- */

static void take_out(SofaNodes *list, const SofaNode *node) {
  for (size_t i = 0; i < list->n; i++) {
    if (list->data[i] != node) continue;
    sofa_move(list->data + i, list->data + i + 1, (list->n - i - 1) * sizeof *list->data);
    list->n--;
    return;
  }
}

static SofaErr attach(SofaNode *node, SofaNode *parent) {
  SofaContext *ctx = node->object.ctx;
  SOFA_TRY(SOFA_APPEND(ctx, &node->parents, &parent));
  const SofaErr err = SOFA_APPEND(ctx, &parent->children, &node);
  if (err) {
    node->parents.n--;
    return err;
  }
  node->graph_version = parent->graph_version;
  sofa_graph_changed(parent);
  return SOFA_OK;
}

static void free_node(SofaNode *node) {
  SofaContext *ctx = node->object.ctx;
  sofa_node_index_drop(node);
  sofa_list_free(ctx, &node->parents);
  sofa_list_free(ctx, &node->children);
  sofa_list_free(ctx, &node->objects);
  sofa_object_clear(&node->object);
  sofa_free(ctx, node);
}

SofaErr sofa_node_create(SofaContext *ctx, SofaNode *parent, const char *name, SofaNode **out) {
  *out = NULL;
  SofaNode *node = sofa_alloc(ctx, 1, sizeof *node);
  if (!node) return SOFA_ERR_MEMORY;
  node->object.ctx = ctx;
  SofaErr err = sofa_object_setup(&node->object, &sofa_node_class, node, name, NULL, NULL);
  if (!err && parent) err = attach(node, parent);
  if (err) free_node(node);
  else *out = node;
  return err;
}

static bool is_below(const SofaNode *node, const SofaNode *ancestor) {
  if (node == ancestor) return true;
  for (size_t i = 0; i < node->parents.n; i++) {
    if (is_below(node->parents.data[i], ancestor)) return true;
  }
  return false;
}

SofaErr sofa_node_add_parent(SofaNode *node, SofaNode *parent) {
  for (size_t i = 0; i < node->parents.n; i++) {
    if (node->parents.data[i] == parent) return SOFA_OK;
  }
  if (is_below(parent, node)) {
    return sofa_object_fail(&node->object, SOFA_ERR_CYCLE,
                            "node '%s' is below this one and cannot be its parent",
                            parent->object.name);
  }
  return attach(node, parent);
}

/* ---- destruction ---- */

void sofa_node_drop_plans(SofaNode *node) {
  if (node->mechanics && node->free_mechanics) node->free_mechanics(&node->mechanics);
  for (size_t i = 0; i < node->parents.n; i++) sofa_node_drop_plans(node->parents.data[i]);
}

/* Will the node go away together with the dying parent that asks? */
static bool only_dying_parents(const SofaNode *node) {
  for (size_t i = 0; i < node->parents.n; i++) {
    if (!node->parents.data[i]->object.dying) return false;
  }
  return true;
}

/* Marks what goes away, parents before children; plans first, while all states are alive. */
static void mark_dying(SofaNode *node) {
  if (node->mechanics && node->free_mechanics) node->free_mechanics(&node->mechanics);
  node->object.dying = true;
  for (size_t i = 0; i < node->objects.n; i++) node->objects.data[i]->dying = true;
  for (size_t i = 0; i < node->children.n; i++) {
    SofaNode *child = node->children.data[i];
    if (!child->object.dying && only_dying_parents(child)) mark_dying(child);
  }
}

static void release(SofaNode *node) {
  if (node->listeners) node->free_listeners(node->object.ctx, node->listeners);
  node->listeners = NULL;
  if (node->changes) node->free_changes(node->object.ctx, node->changes);
  node->changes = NULL;
  for (size_t i = node->children.n; i-- > 0;) {
    SofaNode *child = node->children.data[i];
    take_out(&child->parents, node);
    if (!child->parents.n) release(child);
  }
  sofa_node_index_drop(node);
  while (node->objects.n) sofa_object_release(node->objects.data[--node->objects.n]);
  free_node(node);
}

void sofa_node_destroy(SofaNode **pnode) {
  SofaNode *node = pnode ? *pnode : NULL;
  if (!node) return;
  *pnode = NULL;
  // leave the graph, which forgets what goes away
  sofa_node_drop_plans(node);
  SofaNode *root = sofa_node_root(node);
  mark_dying(node);
  if (root != node) sofa_graph_forget_dying(root);
  sofa_graph_changed(node);
  for (size_t i = 0; i < node->parents.n; i++) {
    take_out(&node->parents.data[i]->children, node);
    sofa_node_index_drop(node->parents.data[i]);
  }
  node->parents.n = 0;
  release(node);
}

/* ---- searches ---- */

enum { FEW_OBJECTS = 16 }; /* that are looked at faster than their classes */

static bool matches(const SofaObject *object, const SofaInterface *interface,
                    const SofaClass *klass) {
  return klass ? sofa_class_is_a(object->klass, klass) : sofa_implements(object, interface);
}

/* The index is a cache of the node. */
static SofaObject *find_in_index(const SofaNode *node, const SofaInterface *interface,
                                 const SofaClass *klass, bool last) {
  return sofa_node_index_find((SofaNode *)(uintptr_t)node, interface, klass, last);
}

static SofaObject *find_local(const SofaNode *node, const SofaInterface *interface,
                              const SofaClass *klass) {
  if (node->objects.n > FEW_OBJECTS) return find_in_index(node, interface, klass, false);
  for (size_t i = 0; i < node->objects.n; i++) {
    if (matches(node->objects.data[i], interface, klass)) return node->objects.data[i];
  }
  return NULL;
}

static SofaObject *find_last(const SofaNode *node, const SofaInterface *interface,
                             const SofaClass *klass) {
  if (node->objects.n > FEW_OBJECTS) return find_in_index(node, interface, klass, true);
  for (size_t i = node->objects.n; i-- > 0;) {
    if (matches(node->objects.data[i], interface, klass)) return node->objects.data[i];
  }
  return NULL;
}

static SofaObject *find(const SofaNode *node, const SofaInterface *interface,
                        const SofaClass *klass, SofaSearch search);

static SofaObject *find_parents(const SofaNode *node, const SofaInterface *interface,
                                const SofaClass *klass) {
  SofaObject *found = NULL;
  for (size_t i = 0; !found && i < node->parents.n; i++) {
    found = find(node->parents.data[i], interface, klass, SOFA_SEARCH_UP);
  }
  return found;
}

static SofaObject *find(const SofaNode *node, const SofaInterface *interface,
                        const SofaClass *klass, SofaSearch search) {
  SofaObject *found = NULL;
  switch (search) {
  case SOFA_SEARCH_NONE:
    return NULL;
  case SOFA_SEARCH_LOCAL:
    return find_local(node, interface, klass);
  case SOFA_SEARCH_UP_PARENTS:
    return find_parents(node, interface, klass);
  case SOFA_SEARCH_UP:
    found = find_local(node, interface, klass);
    return found ? found : find_parents(node, interface, klass);
  case SOFA_SEARCH_SLOT:
    found = find_last(node, interface, klass);
    return found ? found : find_parents(node, interface, klass);
  case SOFA_SEARCH_DOWN:
    found = find_local(node, interface, klass);
    for (size_t i = 0; !found && i < node->children.n; i++) {
      found = find(node->children.data[i], interface, klass, SOFA_SEARCH_DOWN);
    }
  }
  return found;
}

SofaObject *sofa_node_find(const SofaNode *node, const SofaInterface *interface,
                           SofaSearch search) {
  return find(node, interface, NULL, search);
}

SofaObject *sofa_node_find_class(const SofaNode *node, const SofaClass *klass, SofaSearch search) {
  return find(node, NULL, klass, search);
}

void sofa_node_put_first(SofaNode *node) {
  if (node->objects.n) sofa_node_put_before(node, node->objects.data[0]);
}

void sofa_node_put_before(SofaNode *node, const SofaObject *next) {
  SofaObjects *list = &node->objects;
  size_t place = 0;
  while (place < list->n && list->data[place] != next) place++;
  if (place + 1 >= list->n) return;
  SofaObject *last = list->data[list->n - 1];
  sofa_move(list->data + place + 1, list->data + place, (list->n - 1 - place) * sizeof *list->data);
  list->data[place] = last;
  sofa_node_index_drop(node);
}

void sofa_object_put_last_outside(SofaObject *object) {
  SofaNode *node = object->node;
  SofaObjects *list = &node->objects;
  size_t place = 0;
  while (place < list->n && list->data[place] != object) place++;
  if (place + 1 >= list->n) return;
  sofa_move(list->data + place, list->data + place + 1, (list->n - 1 - place) * sizeof *list->data);
  list->data[list->n - 1] = object;
  sofa_node_index_drop(node);
  if (node->graph_version) sofa_graph_changed_outside(node, *node->graph_version);
}

SofaObject *sofa_node_slot(const SofaNode *node, const SofaInterface *interface) {
  return find_last(node, interface, NULL);
}

SofaObject *sofa_node_slot_up(const SofaNode *node, const SofaInterface *interface) {
  return find(node, interface, NULL, SOFA_SEARCH_SLOT);
}

SofaObject *sofa_node_object(const SofaNode *node, const char *name) {
  return sofa_node_index_object(node, name, strlen(name), NULL);
}

SofaNode *sofa_node_child(const SofaNode *node, const char *name) {
  return sofa_node_index_child(node, name, strlen(name));
}
