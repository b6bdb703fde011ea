/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The modifiers of the set containers. A modifier of larger elements is one of smaller ones, too.
 */
#ifndef SOFA_TOPOLOGY_TOPOLOGY_MODIFIER_H
#define SOFA_TOPOLOGY_TOPOLOGY_MODIFIER_H

#include "behavior/topology_change.h"

extern const SofaClass sofa_PointSetTopologyModifier_class, sofa_EdgeSetTopologyModifier_class,
    sofa_TriangleSetTopologyModifier_class, sofa_QuadSetTopologyModifier_class,
    sofa_TetrahedronSetTopologyModifier_class, sofa_HexahedronSetTopologyModifier_class;

#endif
