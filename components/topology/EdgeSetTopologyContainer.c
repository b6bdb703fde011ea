/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* EdgeSetTopologyContainer: a set of points and edges. */
#include "set_container.h"

static const SofaField edge_set_fields[] = {
    SOFA_ROW_EDGES(SofaSetContainer),
    SOFA_FIELD(SofaSetContainer, check_connexity, "checkConnexity", "0", "",
               "Asks for a check that the mesh is in one piece; it changes nothing.",
               .flags = SOFA_FIELD_NO_EFFECT),
};

static SofaErr edge_set_construct(SofaObject *object) {
  return sofa_set_container_top(object, SOFA_ELEMENT_EDGE);
}

SOFA_CLASS(EdgeSetTopologyContainer) = {
    .name = "EdgeSetTopologyContainer",
    .module = "Sofa.Component.Topology.Container.Dynamic",
    .category = "TopologyObject",
    .help = "A set of points and edges.",
    .base = &sofa_PointSetTopologyContainer_class,
    .divided = SOFA_DIVIDED_LOCAL,
    .size = sizeof(SofaSetContainer),
    SOFA_FIELDS(edge_set_fields),
    .construct = edge_set_construct,
};
