/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The classes of the objects of a node, with the first and the last object of each: a search by
 * interface looks at classes instead of objects. Not for components. */
#ifndef SOFA_OBJECT_NODE_INDEX_IMPL_H
#define SOFA_OBJECT_NODE_INDEX_IMPL_H

#include "object/node.h"

/* The first or the last object of the node with the interface, or of the class when it is not
 * NULL. */
SofaObject *sofa_node_index_find(SofaNode *node, const SofaInterface *interface,
                                 const SofaClass *klass, bool last);
/* Objects of the same class that were named by sofa_object_name. */
unsigned sofa_node_index_n_named(SofaNode *node, const SofaClass *klass);
/* An object was named by sofa_object_name, or an object leaves the node. */
void sofa_node_index_named(SofaObject *object);
void sofa_node_index_drop(SofaNode *node);

#endif
