/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DynamicSparseGridTopologyModifier: removes voxels. */
#include "set_container.h"
#include "topology_modifier.h"

static SofaErr init(SofaObject *object) {
  if (sofa_node_find_class(object->node, &sofa_DynamicSparseGridTopologyContainer_class,
                           SOFA_SEARCH_UP))
    return SOFA_OK;
  return sofa_object_fail(object, SOFA_ERR_NOT_FOUND,
                          "there is no DynamicSparseGridTopologyContainer in this node or above");
}

SOFA_CLASS(DynamicSparseGridTopologyModifier) = {
    .name = "DynamicSparseGridTopologyModifier",
    .module = "Sofa.Component.Topology.Container.Dynamic",
    .category = "TopologyObject",
    .help = "Changes the hexahedra of a DynamicSparseGridTopologyContainer.",
    .base = &sofa_HexahedronSetTopologyModifier_class,
    .size = sizeof(SofaTopologyModifier),
    .init = init,
};
