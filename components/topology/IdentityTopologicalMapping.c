/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* IdentityTopologicalMapping: says that two topologies have the same elements. */
#include "behavior/topological_mapping.h"

/* Nothing is made: both topologies have their elements. */
static SofaErr map(SofaTopologicalMapping *mapping) {
  const SofaTopology *from = mapping->from, *to = mapping->to;
  if (from->n_points != to->n_points)
    sofa_object_message(&mapping->object, SOFA_WARNING,
                        "'%s' has %zu points, '%s' has %zu: they are not the same",
                        from->object.name, from->n_points, to->object.name, to->n_points);
  return SOFA_OK;
}

static const SofaTopologicalMappingOps ops = {.map = map, .keeps_output = true};

extern const SofaClass sofa_IdentityTopologicalMapping_class;
const SofaClass sofa_IdentityTopologicalMapping_class = {
    .name = "IdentityTopologicalMapping",
    .module = "Sofa.Component.Topology.Mapping",
    .category = "TopologicalMapping",
    .help = "Says that the output has the elements of the input already; it is not changed.",
    .base = &sofa_topological_mapping_class,
    .size = sizeof(SofaTopologicalMapping),
    .ops = {[SOFA_TOPOLOGICAL_MAPPING] = &ops},
};
