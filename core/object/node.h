/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Nodes: the scene graph. A node has objects and child nodes; it may have several parents. */
#ifndef SOFA_OBJECT_NODE_H
#define SOFA_OBJECT_NODE_H

#include "object/object.h"

SOFA_BEGIN_DECLS

typedef struct SofaNode SofaNode;
typedef struct SofaObjects {
  SofaObject **data;
  size_t n, capacity;
} SofaObjects;
typedef struct SofaNodes {
  SofaNode **data;
  size_t n, capacity;
} SofaNodes;

struct SofaNode {
  SofaObject object; /* class sofa_node_class */
  SofaVec3 gravity;  /* m/s^2 */
  double dt, time;   /* s */
  bool animate, activated, sleeping, can_change_sleeping;
  SofaNodes parents;           /* first one is the main parent; empty for the root */
  SofaNodes children;          /* owned (by the parent that is destroyed last) */
  SofaObjects objects;         /* owned, in creation order */
  struct SofaNodeIndex *index; /* of the objects (node_index_impl.h), or NULL; owned */
  uint64_t *graph_version; /* of the simulation; grows when nodes or objects are added or removed */
  uint32_t mark;           /* for traversals */
  struct SofaMechanics *mechanics; /* plan of the ODE solver(s) in this node, or NULL; owned */
  uint64_t n_plans;                /* plans made so far */
  /* set together with mechanics; called before the node or anything below it is destroyed */
  void (*free_mechanics)(struct SofaMechanics **mechanics);
  /* root: the topology listeners of the graph (change/topology_listeners_impl.h), or NULL; owned
   */
  struct SofaListeners *listeners;
  void (*free_listeners)(SofaContext *ctx, struct SofaListeners *listeners);
  /* root: the topological changes so far (change/change_log.h), or NULL; owned */
  struct SofaChangeLog *changes;
  void (*free_changes)(SofaContext *ctx, struct SofaChangeLog *changes);
};

extern const SofaClass sofa_node_class;

/* Creates a root (parent NULL) or a child. Defaults applied. */
SofaErr sofa_node_create(SofaContext *ctx, SofaNode *parent, const char *name, SofaNode **out);
SofaErr sofa_node_add_parent(SofaNode *node, SofaNode *parent); /* refuses cycles */
/* Destroys the node, its objects and the children that have no other parent. */
void sofa_node_destroy(SofaNode **node);
SofaNode *sofa_node_root(SofaNode *node);
static inline SofaNode *sofa_node_parent(const SofaNode *node) {
  return node->parents.n ? node->parents.data[0] : NULL;
}
/* Appends "; did you mean '/a/b'?" with the path at or below root that is nearest to `path`;
 * nothing where none is near. */
SofaErr sofa_path_suggest(SofaNode *root, const char *path, SofaText *out);
void sofa_graph_changed(SofaNode *node); /* increments the graph version */

/* Searches by interface, in creation order; see SofaSearch. NULL when there is none. */
SofaObject *sofa_node_find(const SofaNode *node, const SofaInterface *interface, SofaSearch search);
SofaObject *sofa_node_find_class(const SofaNode *node, const SofaClass *klass, SofaSearch search);
SofaObject *sofa_node_object(const SofaNode *node, const char *name); /* by name, local */
SofaNode *sofa_node_child(const SofaNode *node, const char *name);

/* Moves the object that was added last to the front of its node's objects. */
void sofa_node_put_first(SofaNode *node);
/* Moves the object that was added last to the place before another object of the node. */
void sofa_node_put_before(SofaNode *node, const SofaObject *next);
/* The object of an interface that was added last to the node (topology, mechanical state, mass,
 * mapping, animation loop, visual loop). */
SofaObject *sofa_node_slot(const SofaNode *node, const SofaInterface *interface);
/* Slot of the node, else the first one of the ancestors (in their list order, as SOFA does). */
SofaObject *sofa_node_slot_up(const SofaNode *node, const SofaInterface *interface);

/* What a path may end on, and where it is searched. All-zero: any object or node. */
typedef bool (*SofaAccept)(const SofaObject *object, const void *user);
typedef struct SofaPathRule {
  SofaObject *owner; /* the object that asks; NULL: the node */
  SofaAccept accept; /* filters what the path may end on; NULL: any */
  const void *user;  /* for accept */
  bool node;         /* nodes only */
  bool strict;       /* no search in ancestors */
} SofaPathRule;
/* Resolves a path (without '@') as SOFA does (spec: links and path syntax). A path that ends on a
 * node with a filter for objects gives the unique acceptable object there. rule NULL: all-zero.
 * NULL when not found. The result may be a node (its object). */
SofaObject *sofa_resolve_path(SofaNode *start, const char *path, const SofaPathRule *rule);
/* Resolves with the rule of a link field; a leading '@' is skipped. A path that ends on a node
 * gives the node's one fitting object (topologies: the one added last); when the node has none,
 * the nearest above it for states, topologies, loops and ODE solvers. */
SofaObject *sofa_resolve_link(SofaObject *owner, const SofaLinkRule *rule, const char *path);

/* ---- traversal: spec, section Visitors ---- */
typedef enum SofaVisit { SOFA_CONTINUE, SOFA_PRUNE, SOFA_STOP } SofaVisit;
typedef struct SofaVisitor {
  SofaVisit (*down)(SofaNode *node, void *user); /* may be NULL */
  void (*up)(SofaNode *node, void *user);        /* may be NULL; exact reverse order of down */
  void *user;
  bool inactive_too; /* also nodes with activated="0" */
} SofaVisitor;
/* Visits `start` and below: a node once, after all its parents below start. SOFA_STOP ends the
 * downward phase; `up` still runs for the nodes visited. Visits must not add or remove nodes.
 * Works in scratch memory; visits may nest. */
SofaErr sofa_visit(SofaNode *start, const SofaVisitor *visitor);

/* Nodes below start in visiting order (active ones). Caller frees out->data with sofa_list_free. */
SofaErr sofa_node_order(SofaNode *start, SofaNodes *out);

SOFA_END_DECLS

#endif
