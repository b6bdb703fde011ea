/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Functions that the files on topological changes share; private to core/change. */
#ifndef SOFA_CHANGE_TOPOLOGY_EDIT_H
#define SOFA_CHANGE_TOPOLOGY_EDIT_H

#include "change/topology_change.h"

SOFA_BEGIN_DECLS

/* Fails if a component that changes of the topology (points: also of its points) concern cannot
 * update its data. */
SofaErr sofa_change_check(SofaTopologyEdit *edit, SofaTopology *topology, bool points);
/* Reports the change to all listeners. */
SofaErr sofa_change_report(const SofaTopologyChange *change);
/* The mechanical state whose points are removed and inserted with the topology's, or NULL. */
SofaState *sofa_topology_state(const SofaTopology *topology);

/* Answers: remove points from a topology and from `state` (unless it is NULL), or insert them. */
SofaErr sofa_topology_remove_points_of(SofaTopologyEdit *edit, SofaTopology *topology,
                                       SofaState *state, const uint32_t *ids, size_t n);
SofaErr sofa_topology_add_points_of(SofaTopologyEdit *edit, SofaTopology *topology,
                                    SofaState *state, size_t n, const SofaAncestors *ancestors);
/* Is a list of the topology linked to a list of the other one? Then it changes with that list. */
bool sofa_topology_copies(const SofaTopology *topology, const SofaTopology *from,
                          const SofaTopologyEdit *edit);
/* The state in the node of a topology that changes with another one, whose points change with the
 * topology's. NULL if there is none, if it is the other topology's, or if a mapping to it changes
 * its points. */
SofaState *sofa_topology_moved_state(const SofaTopology *topology, const SofaTopology *from,
                                     const SofaTopologyEdit *edit);

SOFA_END_DECLS

#endif
