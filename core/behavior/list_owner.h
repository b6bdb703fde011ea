/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whose points and elements the lists of objects belong to (SofaBelongs, object/field.h). */
#ifndef SOFA_BEHAVIOR_LIST_OWNER_H
#define SOFA_BEHAVIOR_LIST_OWNER_H

#include "behavior/state.h"
#include "topology/topology.h"

SOFA_BEGIN_DECLS

/* The object that a link field of this name leads to, or NULL. */
const SofaObject *sofa_link_target(const SofaObject *object, const char *name);
/* The state of a role: of a force field, constraint or mapping, else the node's. */
const SofaState *sofa_state_of_role(const SofaObject *object, SofaStateRole role);
/* The topology at the link field (NULL: `topology`), else the node's. */
const SofaTopology *sofa_topology_of_link(const SofaObject *object, const char *link);

/* SofaClass.list_owner of force fields, constraints and mappings. */
bool sofa_list_owner(const SofaObject *object, const SofaBelongs *belongs, SofaListOwner *out);

SOFA_END_DECLS

#endif
