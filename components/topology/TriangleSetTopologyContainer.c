/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TriangleSetTopologyContainer: a set of triangles and their edges. */
#include "set_container.h"

static const SofaField triangle_set_fields[] = {
    SOFA_ROW_TRIANGLES(SofaSetContainer),
};

static SofaErr triangle_set_construct(SofaObject *object) {
  return sofa_set_container_top(object, SOFA_ELEMENT_TRIANGLE);
}

SOFA_CLASS(TriangleSetTopologyContainer) = {
    .name = "TriangleSetTopologyContainer",
    .module = "Sofa.Component.Topology.Container.Dynamic",
    .category = "TopologyObject",
    .help = "A set of triangles; their edges are made unless given.",
    .base = &sofa_EdgeSetTopologyContainer_class,
    .divided = SOFA_DIVIDED_LOCAL,
    .size = sizeof(SofaSetContainer),
    SOFA_FIELDS(triangle_set_fields),
    .construct = triangle_set_construct,
};
