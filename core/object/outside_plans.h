/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Objects that are in no plan of an ODE solver, such as contacts that are constraints: they are
 * made and destroyed within a step, and the plans (SofaMechanics) stay valid.
 *
 * The low half of a graph version counts the changes that a plan sees, the high half the others. */
#ifndef SOFA_OBJECT_OUTSIDE_PLANS_H
#define SOFA_OBJECT_OUTSIDE_PLANS_H

#include "object/node.h"

SOFA_BEGIN_DECLS

/* Do plans that were made at these versions of the graph have the same objects? */
static inline bool sofa_graph_same_plans(uint64_t a, uint64_t b) {
  return (uint32_t)a == (uint32_t)b;
}
/* All changes since the version `before` concern no plan. */
void sofa_graph_changed_outside(SofaNode *node, uint64_t before);
/* sofa_object_destroy of an object that is in no plan. */
void sofa_object_destroy_outside(SofaObject **object);
/* Moves an object that is in no plan behind the other objects of its node. */
void sofa_object_put_last_outside(SofaObject *object);

SOFA_END_DECLS

#endif
