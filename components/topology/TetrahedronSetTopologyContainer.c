/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TetrahedronSetTopologyContainer: tetrahedra, their triangles and edges. */
#include "set_container.h"

static const SofaField tetra_set_fields[] = {
    SOFA_FIELD(SofaSetContainer, create_triangle_array, "createTriangleArray", "0", "",
               "Asks for the triangles; they are always made.", .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_ROW_TETRAHEDRA(SofaSetContainer),
};

static SofaErr tetra_set_construct(SofaObject *object) {
  return sofa_set_container_top(object, SOFA_ELEMENT_TETRA);
}

SOFA_CLASS(TetrahedronSetTopologyContainer) = {
    .name = "TetrahedronSetTopologyContainer",
    .module = "Sofa.Component.Topology.Container.Dynamic",
    .category = "TopologyObject",
    .help = "A set of tetrahedra; their edges and triangles are made unless given.",
    .base = &sofa_TriangleSetTopologyContainer_class,
    .divided = SOFA_DIVIDED_LOCAL,
    .size = sizeof(SofaSetContainer),
    SOFA_FIELDS(tetra_set_fields),
    .construct = tetra_set_construct,
};
