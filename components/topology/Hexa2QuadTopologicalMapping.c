/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Hexa2QuadTopologicalMapping: the surface of a set of hexahedra. */
#include "element_mapping.h"
#include "topology_modifier.h"

typedef struct Hexa2QuadTopologicalMapping {
  SofaTopologicalMapping mapping;
  bool flip_normals;
} Hexa2QuadTopologicalMapping;

static const SofaField fields[] = {SOFA_ROW_FLIP_NORMALS(Hexa2QuadTopologicalMapping)};

static SofaErr check(const SofaTopologicalMapping *mapping) {
  return sofa_mapping_needs(mapping, SOFA_ELEMENT_HEXA, SOFA_ELEMENT_QUAD,
                            &sofa_QuadSetTopologyModifier_class);
}

static SofaErr map(SofaTopologicalMapping *mapping) {
  const bool flip = ((const Hexa2QuadTopologicalMapping *)mapping)->flip_normals;
  return sofa_map_border(mapping, SOFA_ELEMENT_QUAD, SOFA_ELEMENT_HEXA, flip);
}

static const SofaTopologicalMappingOps ops = {.check = check, .map = map};

extern const SofaClass sofa_Hexa2QuadTopologicalMapping_class;
const SofaClass sofa_Hexa2QuadTopologicalMapping_class = {
    .name = "Hexa2QuadTopologicalMapping",
    .module = "Sofa.Component.Topology.Mapping",
    .category = "TopologicalMapping",
    .help = "Takes the quads of a hexahedral mesh that only one hexahedron has.",
    .base = &sofa_topological_mapping_class,
    .size = sizeof(Hexa2QuadTopologicalMapping),
    .fields = fields,
    .n_fields = sizeof fields / sizeof *fields,
    .ops = {[SOFA_TOPOLOGICAL_MAPPING] = &ops},
};
