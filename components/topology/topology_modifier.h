/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The modifiers of the set containers. A modifier of larger elements is one of smaller ones, too.
 */
#ifndef SOFA_TOPOLOGY_TOPOLOGY_MODIFIER_H
#define SOFA_TOPOLOGY_TOPOLOGY_MODIFIER_H

#include "object/node.h"

typedef struct SofaTopologyModifier {
  SofaObject object;
  bool propagate_to_dof, remove_isolated;
  SofaIndices list_out;
} SofaTopologyModifier;

extern const SofaClass sofa_PointSetTopologyModifier_class, sofa_EdgeSetTopologyModifier_class,
    sofa_TriangleSetTopologyModifier_class, sofa_QuadSetTopologyModifier_class,
    sofa_TetrahedronSetTopologyModifier_class, sofa_HexahedronSetTopologyModifier_class;

#endif
