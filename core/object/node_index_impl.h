/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The classes of the objects of a node, with the first and the last object of each: a search by
 * interface looks at classes instead of objects. Tables of the names of its objects and children.
 * Not for components. */
#ifndef SOFA_OBJECT_NODE_INDEX_IMPL_H
#define SOFA_OBJECT_NODE_INDEX_IMPL_H

#include "object/node.h"

/* The first or the last object of the node with the interface, or of the class when it is not
 * NULL. */
SofaObject *sofa_node_index_find(SofaNode *node, const SofaInterface *interface,
                                 const SofaClass *klass, bool last);
/* Objects of the same class that were named by sofa_object_name. */
unsigned sofa_node_index_n_named(SofaNode *node, const SofaClass *klass);
/* An object was named by sofa_object_name, or an object or a child leaves the node. */
void sofa_node_index_named(SofaObject *object);
void sofa_node_index_drop(SofaNode *node);

/* The first object, not counting `not_this`, or child with a name of n characters. */
SofaObject *sofa_node_index_object(const SofaNode *node, const char *name, size_t n,
                                   const SofaObject *not_this);
SofaNode *sofa_node_index_child(const SofaNode *node, const char *name, size_t n);
/* The name of an object, or of a node, was changed. */
void sofa_node_index_renamed(SofaObject *object);

#endif
