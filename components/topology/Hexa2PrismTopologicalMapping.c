/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Hexa2PrismTopologicalMapping: two prisms per hexahedron. */
#include "element_mapping.h"

static const uint8_t corner[2][6] = {{0, 5, 1, 3, 6, 2}, {0, 4, 5, 3, 7, 6}};

static SofaErr map(SofaTopologicalMapping *mapping) {
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

static SofaErr listen(SofaObject *object, const SofaTopologyChange *change) {
  return sofa_mapping_follow_blocks((SofaTopologicalMapping *)object, change, SOFA_ELEMENT_HEXA,
                                    SOFA_ELEMENT_PRISM, corner[0], 12);
}

static const SofaTopologyListenerOps listener = {.listen = listen};
static const SofaTopologicalMappingOps ops = {.map = map};

SOFA_CLASS(Hexa2PrismTopologicalMapping) = {
    .name = "Hexa2PrismTopologicalMapping",
    .module = "Sofa.Component.Topology.Mapping",
    .category = "TopologicalMapping",
    .help = "Cuts each hexahedron into two prisms.",
    .base = &sofa_topological_mapping_class,
    .size = sizeof(SofaTopologicalMapping),
    SOFA_IMPLEMENTS({SOFA_TOPOLOGICAL_MAPPING, &ops}, {SOFA_TOPOLOGY_LISTENER, &listener}),
};
