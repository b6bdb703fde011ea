/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CenterPointTopologicalMapping: one point per hexahedron. */
#include "behavior/state.h"
#include "change/topological_mapping.h"

static SofaErr map(SofaTopologicalMapping *mapping) {
  const size_t n = sofa_topology_hexahedra(mapping->from)->n;
  SofaTopology *to = mapping->to;
  SofaState *state =
      (SofaState *)sofa_node_find(to->object.node, SOFA_MECHANICAL_STATE, SOFA_SEARCH_LOCAL);
  to->n_points = n;
  if (state) return state->position.n == n ? SOFA_OK : sofa_state_resize(state, n);
  return sofa_object_fail(&mapping->object, SOFA_ERR_NOT_FOUND,
                          "there is no mechanical state in the node of '%s' to hold the points",
                          to->object.name);
}

static SofaErr listen(SofaObject *object, const SofaTopologyChange *change) {
  SofaTopologicalMapping *m = (SofaTopologicalMapping *)object;
  if (!sofa_change_of(change, m->from, SOFA_ELEMENT_HEXA)) return SOFA_OK;
  if (change->kind == SOFA_CHANGE_REMOVE)
    return sofa_topological_mapping_remove_points(m, change->edit, change->ids, change->n);
  return sofa_topological_mapping_add_points(m, change->edit, change->n, NULL);
}

static const SofaTopologyListenerOps listener = {.listen = listen};
static const SofaTopologicalMappingOps ops = {.map = map};

SOFA_CLASS(CenterPointTopologicalMapping) = {
    .name = "CenterPointTopologicalMapping",
    .module = "Sofa.Component.Topology.Mapping",
    .category = "TopologicalMapping",
    .help = "Gives the output, and the state in its node, as many points as the input has "
            "hexahedra; another component must set their positions.",
    .base = &sofa_topological_mapping_class,
    .size = sizeof(SofaTopologicalMapping),
    SOFA_IMPLEMENTS({SOFA_TOPOLOGICAL_MAPPING, &ops}, {SOFA_TOPOLOGY_LISTENER, &listener}),
};
