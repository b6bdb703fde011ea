/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which states and topologies have the points of a divided mesh: found through data links from
 * positions to the loader or grid that was divided. */
#ifndef SOFA_BEHAVIOR_STATE_DIVISION_H
#define SOFA_BEHAVIOR_STATE_DIVISION_H

#include "behavior/state.h"
#include "topology/division.h"

SOFA_BEGIN_DECLS

/* NULL: all processes have all of its points. */
const SofaDivision *sofa_state_division(const SofaState *state);
const SofaDivision *sofa_topology_division(const SofaTopology *topology);
/* The division of the mesh that a field of points or elements comes from, NULL: of none. */
const SofaDivision *sofa_field_division(const SofaObject *object, const SofaField *field);

/* The division that the topology's elements of a kind have; NULL: they are not those of the mesh
 * that was divided. */
const SofaDivision *sofa_topology_list_division(const SofaTopology *topology, SofaElementKind kind);
/* Elements of a kind on all processes, those of a mesh that was divided once each. Those that a
 * topology has by itself are the ones that are here. */
size_t sofa_topology_n_whole(const SofaTopology *topology, SofaElementKind kind);

/* Points of a state on all processes, and those of this process in sums over points: the first
 * ones. */
size_t sofa_state_n_whole(const SofaState *state);
size_t sofa_state_n_owned(const SofaState *state);

SOFA_END_DECLS

#endif
