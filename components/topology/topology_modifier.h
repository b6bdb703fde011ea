/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The modifiers of the set containers. A modifier of larger elements is one of smaller ones, too.
 */
#ifndef SOFA_TOPOLOGY_TOPOLOGY_MODIFIER_H
#define SOFA_TOPOLOGY_TOPOLOGY_MODIFIER_H

#include "behavior/topology_change.h"

extern const SofaClass sofa_PointSetTopologyModifier_class, sofa_EdgeSetTopologyModifier_class,
    sofa_TriangleSetTopologyModifier_class, sofa_QuadSetTopologyModifier_class,
    sofa_TetrahedronSetTopologyModifier_class, sofa_HexahedronSetTopologyModifier_class;

/* The modifier beside a topology that can change elements of the kind, NULL: none. */
const SofaTopologyModifier *sofa_modifier_of(const SofaTopology *topology, SofaElementKind kind);
/* What goes with elements of the kind that it removes: flags of sofa_topology_remove. */
unsigned sofa_modifier_takes_along(const SofaTopologyModifier *modifier, SofaElementKind kind);

#endif
