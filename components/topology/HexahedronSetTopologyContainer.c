/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* HexahedronSetTopologyContainer: hexahedra, their quads and edges. */
#include "set_container.h"

static const SofaField hexa_set_fields[] = {
    SOFA_FIELD(SofaSetContainer, create_quad_array, "createQuadArray", "0", "",
               "Asks for the quads; they are always made.", .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_ROW_HEXAHEDRA(SofaSetContainer),
};

static SofaErr hexa_set_construct(SofaObject *object) {
  return sofa_set_container_top(object, SOFA_ELEMENT_HEXA);
}

SOFA_CLASS(HexahedronSetTopologyContainer) = {
    .name = "HexahedronSetTopologyContainer",
    .module = "Sofa.Component.Topology.Container.Dynamic",
    .category = "TopologyObject",
    .help = "A set of hexahedra; their edges and quads are made unless given.",
    .base = &sofa_QuadSetTopologyContainer_class,
    .divided = SOFA_DIVIDED_LOCAL,
    .size = sizeof(SofaSetContainer),
    SOFA_FIELDS(hexa_set_fields),
    .construct = hexa_set_construct,
};
