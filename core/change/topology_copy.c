/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Topologies whose lists are linked to lists of another topology change with it. */
#include "change/topological_mapping.h"
#include "change/topology_edit.h"

/* Is the list of a kind linked to that of the other topology? */
static bool is_linked(const SofaTopology *topology, const SofaTopology *from, int kind) {
  const char *name = sofa_element_kind_info((SofaElementKind)kind)->field;
  const SofaField *field = sofa_class_field(topology->object.klass, name);
  const SofaFieldState *state = field ? sofa_field_state(&topology->object, field) : NULL;
  return state && state->source == &from->object &&
         state->source_field == sofa_class_field(from->object.klass, name);
}

/* Does a topological mapping fill the topology? Then the mapping changes it. */
static bool is_filled(const SofaTopology *topology, const SofaTopologyEdit *edit) {
  for (size_t i = 0; i < edit->objects.n; i++) {
    const SofaObject *object = edit->objects.data[i];
    if (sofa_implements(object, SOFA_TOPOLOGICAL_MAPPING) && sofa_valid(object) &&
        ((const SofaTopologicalMapping *)object)->to == topology)
      return true;
  }
  return false;
}

bool sofa_topology_copies(const SofaTopology *topology, const SofaTopology *from,
                          const SofaTopologyEdit *edit) {
  bool copies = false;
  if (topology == from || is_filled(topology, edit)) return false;
  for (int kind = 0; kind < SOFA_N_ELEMENT_KINDS; kind++)
    copies = copies || topology->copied[kind] == from || is_linked(topology, from, kind);
  return copies;
}

/* Changes of the lists cut the links, so the linked topology is stored. */
static void keep_links(SofaTopology *topology, SofaTopology *from) {
  for (int kind = 0; kind < SOFA_N_ELEMENT_KINDS; kind++)
    if (is_linked(topology, from, kind)) topology->copied[kind] = from;
}

static SofaErr change_points(SofaTopology *t, const SofaTopologyChange *change) {
  SofaState *state = sofa_topology_moved_state(t, change->topology, change->edit);
  if (change->kind == SOFA_CHANGE_REMOVE)
    return sofa_topology_remove_points_of(change->edit, t, state, change->ids, change->n);
  return sofa_topology_add_points_of(change->edit, t, state, change->n, change->ancestors);
}

static SofaErr listen(SofaObject *object, const SofaTopologyChange *change) {
  SofaTopology *t = (SofaTopology *)object;
  const SofaElementKind kind = change->element;
  const bool points = kind == SOFA_ELEMENT_POINT;
  if (change->kind == SOFA_CHANGE_DONE || !change->topology ||
      !sofa_topology_copies(t, change->topology, change->edit))
    return SOFA_OK;
  keep_links(t, change->topology);
  const size_t n = points ? t->n_points : sofa_mesh_elements(&t->mesh, kind).n;
  if (t->copied[kind] != change->topology || n != change->n_before) return SOFA_OK;
  if (points) return change_points(t, change);
  // edges and faces that are not copied belong to this topology
  const unsigned flags = t->copied[SOFA_ELEMENT_EDGE] ? 0 : SOFA_REMOVE_SUBS;
  if (change->kind == SOFA_CHANGE_REMOVE)
    return sofa_topology_remove(change->edit, t, kind, change->ids, change->n, flags);
  const SofaElements from = sofa_mesh_elements(&change->topology->mesh, kind);
  return sofa_topology_add(change->edit, t, kind, from.v + change->n_before * from.width,
                           change->n);
}

static const SofaTopologyListenerOps listener = {.listen = listen};

const SofaClass sofa_changing_topology_class = {
    .name = "ChangingTopology",
    .module = "csofa",
    .category = "Topology",
    .help = "A topology that changes with the ones its lists are linked to.",
    .base = &sofa_topology_class,
    .size = sizeof(SofaTopology),
    .abstract = true,
    SOFA_IMPLEMENTS({SOFA_TOPOLOGY_LISTENER, &listener}),
};
