/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The modifiers of the set containers. A modifier of larger elements is one of smaller ones, too.
 */
#ifndef SOFA_TOPOLOGY_TOPOLOGY_MODIFIER_H
#define SOFA_TOPOLOGY_TOPOLOGY_MODIFIER_H

#include "change/topology_change.h"

SOFA_BEGIN_DECLS

extern const SofaClass sofa_PointSetTopologyModifier_class, sofa_EdgeSetTopologyModifier_class,
    sofa_TriangleSetTopologyModifier_class, sofa_QuadSetTopologyModifier_class,
    sofa_TetrahedronSetTopologyModifier_class, sofa_HexahedronSetTopologyModifier_class;

/* The class that changes elements of a kind; NULL: there is none. */
const SofaClass *sofa_modifier_class(SofaElementKind kind);
/* Can elements of the kind (or points) of the topology change? If not, it is reported for the
 * caller. *flags: what is removed with elements. */
SofaErr sofa_modifier_check(const SofaObject *caller, const SofaTopology *topology,
                            SofaElementKind kind, unsigned *flags);

SOFA_END_DECLS

#endif
