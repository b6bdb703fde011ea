/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* QuadSetTopologyContainer: a set of quads and their edges. */
#include "set_container.h"

static const SofaField quad_set_fields[] = {
    SOFA_ROW_QUADS(SofaSetContainer),
};

static SofaErr quad_set_construct(SofaObject *object) {
  return sofa_set_container_top(object, SOFA_ELEMENT_QUAD);
}

SOFA_CLASS(QuadSetTopologyContainer) = {
    .name = "QuadSetTopologyContainer",
    .module = "Sofa.Component.Topology.Container.Dynamic",
    .category = "TopologyObject",
    .help = "A set of quads; their edges are made unless given.",
    .base = &sofa_EdgeSetTopologyContainer_class,
    .divided = SOFA_DIVIDED_LOCAL,
    .size = sizeof(SofaSetContainer),
    SOFA_FIELDS(quad_set_fields),
    .construct = quad_set_construct,
};
