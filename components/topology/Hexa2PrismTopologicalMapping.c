/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Hexa2PrismTopologicalMapping: two prisms per hexahedron. */
#include "behavior/topological_mapping.h"

static SofaErr map(SofaTopologicalMapping *mapping) {
  static const uint8_t corner[2][6] = {{0, 5, 1, 3, 6, 2}, {0, 4, 5, 3, 7, 6}};
  const SofaHexas *hexas = sofa_topology_hexahedra(mapping->from);
  SofaTopology *to = mapping->to;
  SOFA_TRY(SOFA_RESERVE(to->object.ctx, &to->mesh.prisms, 2 * hexas->n));
  for (size_t i = 0; i < 2 * hexas->n; i++) {
    SofaPrism prism;
    for (int k = 0; k < 6; k++) prism.v[k] = hexas->data[i / 2].v[corner[i % 2][k]];
    SOFA_TRY(SOFA_APPEND(to->object.ctx, &to->mesh.prisms, &prism));
  }
  return SOFA_OK;
}

static const SofaTopologicalMappingOps ops = {.map = map};

extern const SofaClass sofa_Hexa2PrismTopologicalMapping_class;
const SofaClass sofa_Hexa2PrismTopologicalMapping_class = {
    .name = "Hexa2PrismTopologicalMapping",
    .module = "Sofa.Component.Topology.Mapping",
    .category = "TopologicalMapping",
    .help = "Cuts each hexahedron into two prisms.",
    .base = &sofa_topological_mapping_class,
    .size = sizeof(SofaTopologicalMapping),
    .ops = {[SOFA_TOPOLOGICAL_MAPPING] = &ops},
};
