/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Triangle2EdgeTopologicalMapping: the border of a set of triangles. */
#include "element_mapping.h"
#include "topology_modifier.h"

static SofaErr construct(SofaObject *object) {
  SofaBorderMapping *m = (SofaBorderMapping *)object;
  m->border = SOFA_ELEMENT_EDGE;
  m->volume = SOFA_ELEMENT_TRIANGLE;
  m->one_by_one = true;
  return SOFA_OK;
}

static SofaErr check(const SofaTopologicalMapping *mapping) {
  return sofa_mapping_needs(mapping, SOFA_ELEMENT_POINT, SOFA_ELEMENT_EDGE,
                            &sofa_EdgeSetTopologyModifier_class);
}

static SofaErr map(SofaTopologicalMapping *mapping) {
  const SofaTopologicalMappingOps *base =
      sofa_class_ops(&sofa_border_mapping_class, SOFA_TOPOLOGICAL_MAPPING);
  return base->map(mapping);
}

static const SofaTopologicalMappingOps ops = {.check = check, .map = map};

SOFA_CLASS(Triangle2EdgeTopologicalMapping) = {
    .name = "Triangle2EdgeTopologicalMapping",
    .module = "Sofa.Component.Topology.Mapping",
    .category = "TopologicalMapping",
    .help = "Takes the edges of a triangle mesh that only one triangle has.",
    .base = &sofa_border_mapping_class,
    .size = sizeof(SofaBorderMapping),
    .construct = construct,
    SOFA_IMPLEMENTS({SOFA_TOPOLOGICAL_MAPPING, &ops}),
};
