/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the two files on topological changes share; private to core/behavior. */
#ifndef SOFA_CHANGE_TOPOLOGY_EDIT_H
#define SOFA_CHANGE_TOPOLOGY_EDIT_H

#include "change/topology_change.h"

#pragma GCC visibility push(default)

/* Fails when something that would be wrong after changes of the topology (points: of its points,
 * too) cannot follow. */
SofaErr sofa_change_check(SofaTopologyEdit *edit, SofaTopology *topology, bool points);
/* Tells all listeners. */
SofaErr sofa_change_tell(const SofaTopologyChange *change);
/* The mechanical state whose points go with those of the topology, or NULL. */
SofaState *sofa_topology_state(const SofaTopology *topology);

/* Points of a topology go or come, and with them those of `state` unless it is NULL: answers. */
SofaErr sofa_topology_remove_points_of(SofaTopologyEdit *edit, SofaTopology *topology,
                                       SofaState *state, const uint32_t *ids, size_t n);
SofaErr sofa_topology_add_points_of(SofaTopologyEdit *edit, SofaTopology *topology,
                                    SofaState *state, size_t n, const SofaAncestors *ancestors);
/* Is a list of the topology linked to that of the other one? Such lists change with it. */
bool sofa_topology_copies(const SofaTopology *topology, const SofaTopology *from,
                          const SofaTopologyEdit *edit);
/* The state beside a topology that changes with another one, whose points go and come with its own:
 * NULL when there is none, it is the other one's, or a mapping to it says itself when they do. */
SofaState *sofa_topology_moved_state(const SofaTopology *topology, const SofaTopology *from,
                                     const SofaTopologyEdit *edit);

#pragma GCC visibility pop

#endif
