/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* IdentityTopologicalMapping: says that two topologies have the same elements. */
#include "element_mapping.h"

/* Nothing is made: both topologies have their elements. */
static SofaErr map(SofaTopologicalMapping *mapping) {
  const SofaTopology *from = mapping->from, *to = mapping->to;
  if (from->n_points != to->n_points)
    sofa_object_message(&mapping->object, SOFA_WARNING,
                        "'%s' has %zu points, '%s' has %zu: they are not the same",
                        from->object.name, from->n_points, to->object.name, to->n_points);
  return SOFA_OK;
}

/* What goes or comes in the input does so in the output, where that has the elements. */
static SofaErr listen(SofaObject *object, const SofaTopologyChange *change) {
  SofaTopologicalMapping *m = (SofaTopologicalMapping *)object;
  const SofaElementKind kind = change->element;
  if (change->kind == SOFA_CHANGE_DONE || change->topology != m->from) return SOFA_OK;
  if (kind == SOFA_ELEMENT_POINT)
    return m->to->n_points == change->n_before ? sofa_mapping_follow_points(m, change) : SOFA_OK;
  if (sofa_mesh_elements(&m->to->mesh, kind).n != change->n_before) return SOFA_OK;
  if (change->kind == SOFA_CHANGE_REMOVE)
    return sofa_topology_remove(change->edit, m->to, kind, change->ids, change->n, 0);
  const SofaElements from = sofa_mesh_elements(&m->from->mesh, kind);
  return sofa_topology_add(change->edit, m->to, kind, from.v + change->ids[0] * (size_t)from.width,
                           change->n);
}

static const SofaTopologyListenerOps listener = {.listen = listen};
static const SofaTopologicalMappingOps ops = {.map = map, .keeps_output = true};

SOFA_CLASS(IdentityTopologicalMapping) = {
    .name = "IdentityTopologicalMapping",
    .module = "Sofa.Component.Topology.Mapping",
    .category = "TopologicalMapping",
    .help = "Says that the output has the elements of the input already; it only follows "
            "topological changes.",
    .base = &sofa_topological_mapping_class,
    .size = sizeof(SofaTopologicalMapping),
    SOFA_IMPLEMENTS({SOFA_TOPOLOGICAL_MAPPING, &ops}, {SOFA_TOPOLOGY_LISTENER, &listener}),
};
