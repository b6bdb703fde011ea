/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TriangleSetTopologyContainer: a set of triangles and their edges. */
#include "set_container.h"

static const SofaField triangle_set_fields[] = {
    SOFA_ROW_TRIANGLES(SofaSetContainer),
};

static SofaErr triangle_set_construct(SofaObject *object) {
  return sofa_set_container_top(object, SOFA_ELEMENT_TRIANGLE);
}

const SofaClass sofa_TriangleSetTopologyContainer_class = {
    .name = "TriangleSetTopologyContainer",
    .module = "Sofa.Component.Topology.Container.Dynamic",
    .category = "TopologyObject",
    .help = "A set of triangles; their edges are made unless given.",
    .base = &sofa_EdgeSetTopologyContainer_class,
    .size = sizeof(SofaSetContainer),
    .fields = triangle_set_fields,
    .n_fields = sizeof triangle_set_fields / sizeof *triangle_set_fields,
    .construct = triangle_set_construct,
};
