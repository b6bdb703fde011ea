/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Hexa2QuadTopologicalMapping: the surface of a set of hexahedra. */
#include "element_mapping.h"
#include "topology_modifier.h"

enum { QUIRK_HEXA_QUAD_ADDITIONS = 1 };
static const SofaQuirk quirks[] = {
    {QUIRK_HEXA_QUAD_ADDITIONS, "hexa-quad-additions",
     "Hexa2QuadTopologicalMapping does not follow hexahedra that are added",
     "test_quirks_sets.topologies"},
};

static const SofaField fields[] = {SOFA_ROW_FLIP_NORMALS};

static SofaErr construct(SofaObject *object) {
  SofaBorderMapping *m = (SofaBorderMapping *)object;
  m->border = SOFA_ELEMENT_QUAD;
  m->volume = SOFA_ELEMENT_HEXA;
  m->one_by_one = true;
  return SOFA_OK;
}

static SofaErr check(const SofaTopologicalMapping *mapping) {
  return sofa_mapping_needs(mapping, SOFA_ELEMENT_HEXA, SOFA_ELEMENT_QUAD,
                            &sofa_QuadSetTopologyModifier_class);
}

static SofaErr map(SofaTopologicalMapping *mapping) {
  const SofaTopologicalMappingOps *base =
      sofa_class_ops(&sofa_border_mapping_class, SOFA_TOPOLOGICAL_MAPPING);
  return base->map(mapping);
}

static SofaErr listen(SofaObject *object, const SofaTopologyChange *change) {
  const SofaTopologyListenerOps *base =
      sofa_class_ops(&sofa_border_mapping_class, SOFA_TOPOLOGY_LISTENER);
  const SofaTopology *from = ((SofaBorderMapping *)object)->mapping.from;
  // SOFA's is not notified of inserted hexahedra
  if (change->kind == SOFA_CHANGE_ADD && sofa_change_of(change, from, SOFA_ELEMENT_HEXA) &&
      sofa_quirk(object, QUIRK_HEXA_QUAD_ADDITIONS))
    return SOFA_OK;
  return base->listen(object, change);
}

static const SofaTopologicalMappingOps ops = {.check = check, .map = map};
static const SofaTopologyListenerOps listener = {.listen = listen};

SOFA_CLASS(Hexa2QuadTopologicalMapping) = {
    .name = "Hexa2QuadTopologicalMapping",
    .module = "Sofa.Component.Topology.Mapping",
    .category = "TopologicalMapping",
    .help = "Takes the quads of a hexahedral mesh that only one hexahedron has.",
    .base = &sofa_border_mapping_class,
    .divided = SOFA_DIVIDED_LOCAL,
    SOFA_QUIRKS(quirks),
    .size = sizeof(SofaBorderMapping),
    SOFA_FIELDS(fields),
    .construct = construct,
    SOFA_IMPLEMENTS({SOFA_TOPOLOGICAL_MAPPING, &ops}, {SOFA_TOPOLOGY_LISTENER, &listener}),
};
