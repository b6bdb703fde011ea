/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The abstract topological mapping: finds the two topologies, empties and refills the output. */
#include "change/topological_mapping.h"

#include "behavior/mapping.h"
#include "behavior/state_division.h"
#include "change/topology_edit.h"
#include "topology/shared_sides.h"

const SofaInterface sofa_topological_mapping_interface = {
    .name = "topological mapping",
    SOFA_REQUIRES(offsetof(SofaTopologicalMappingOps, map)),
    .keeps_topology = true};

static const SofaLinkRule topology_rule = {.interface = SOFA_TOPOLOGY};

static const SofaField mapping_fields[] = {
    SOFA_FIELD(SofaTopologicalMapping, input, "input", NULL, "",
               "Topology the elements are made from; that of the parent node when none is given.",
               .link = &topology_rule),
    SOFA_FIELD(SofaTopologicalMapping, output, "output", NULL, "",
               "Topology that is filled; that of this node when none is given.",
               .link = &topology_rule),
};

static SofaErr resolve(SofaTopologicalMapping *mapping, SofaLink *link, const char *path,
                       const char *field, SofaTopology **out) {
  if (!link->target)
    link->target = sofa_resolve_link(&mapping->object, &topology_rule,
                                     link->path && *link->path ? link->path : path);
  *out = (SofaTopology *)link->target;
  if (*out) return SOFA_OK;
  return sofa_field_fail(&mapping->object, field, SOFA_ERR_NOT_FOUND, "no topology at '%s'",
                         link->path && *link->path ? link->path : path);
}

SofaErr sofa_topological_mapping_divide(SofaTopologicalMapping *mapping, SofaElementKind kind,
                                        size_t n, const uint64_t *key) {
  SofaContext *ctx = mapping->object.ctx;
  SofaTopology *to = mapping->to;
  const SofaMadeElements made = {.kind = kind, .n = n, .key = key};
  if (to->division) sofa_division_free(ctx, to->division);
  sofa_free(ctx, to->division);
  to->division = NULL;
  return sofa_division_of_made(ctx, sofa_topology_division(mapping->from), &made, &to->division);
}

SofaErr sofa_topological_mapping_divide_each(SofaTopologicalMapping *mapping, SofaElementKind kind,
                                             const SofaDivision *division, SofaElementKind from,
                                             unsigned n) {
  SofaContext *ctx = mapping->object.ctx;
  const SofaIndices *numbers = &division->elements[from];
  const size_t n_made = n * numbers->n;
  uint64_t *key = sofa_alloc(ctx, n_made, sizeof *key);
  if (!key) return SOFA_ERR_MEMORY;
  for (size_t i = 0; i < n_made; i++) key[i] = n * (uint64_t)numbers->data[i / n] + i % n;
  const SofaErr err = sofa_topological_mapping_divide(mapping, kind, n_made, key);
  sofa_free(ctx, key);
  return err;
}

static SofaErr mapping_init(SofaObject *object) {
  SofaTopologicalMapping *mapping = (SofaTopologicalMapping *)object;
  const SofaTopologicalMappingOps *ops =
      (const SofaTopologicalMappingOps *)sofa_ops(object, SOFA_TOPOLOGICAL_MAPPING);
  SOFA_TRY(resolve(mapping, &mapping->input, "@../", "input", &mapping->from));
  SOFA_TRY(resolve(mapping, &mapping->output, "@./", "output", &mapping->to));
  if (mapping->from == mapping->to)
    return sofa_object_fail(object, SOFA_ERR_ARGUMENT, "input and output are the same topology");
  if (ops && ops->check) SOFA_TRY(ops->check(mapping));
  if (ops && ops->keeps_output) return ops->map(mapping);
  SofaTopology *to = mapping->to;
  const SofaTopologyOps *to_ops = sofa_topology_ops(to);
  SOFA_TRY(sofa_topology_clear(to, to->container == SOFA_CONTAINER_MESH));
  to->n_points = mapping->from->n_points;
  if (ops && ops->map) SOFA_TRY(ops->map(mapping));
  // a list filled here no longer follows a data link
  for (int kind = SOFA_ELEMENT_EDGE; kind < SOFA_N_ELEMENT_KINDS; kind++)
    if (sofa_mesh_elements(&to->mesh, (SofaElementKind)kind).n)
      sofa_topology_cut_link(to, (SofaElementKind)kind);
  if (to_ops && to_ops->refresh) SOFA_TRY(to_ops->refresh(to));
  sofa_topology_touch(to, UINT32_MAX);
  return SOFA_OK;
}

/* ---- topological changes ---- */

/* Does the mapping remove and insert points of the state with points or elements? */
static bool moves(const SofaObject *object, const SofaState *state) {
  if (!sofa_valid(object) || !sofa_implements(object, SOFA_MAPPING)) return false;
  const SofaTopologyListenerOps *ops = sofa_ops(object, SOFA_TOPOLOGY_LISTENER);
  return ops && (ops->moves_output || ops->maps_elements) &&
         ((const SofaMapping *)object)->out == state;
}

SofaState *sofa_topology_moved_state(const SofaTopology *topology, const SofaTopology *from,
                                     const SofaTopologyEdit *edit) {
  const SofaNode *node = topology->object.node;
  SofaState *state = (SofaState *)sofa_node_find(node, SOFA_MECHANICAL_STATE, SOFA_SEARCH_LOCAL);
  const SofaTopologyModifier *modifier =
      (const SofaTopologyModifier *)sofa_node_find(node, SOFA_TOPOLOGY_MODIFIER, SOFA_SEARCH_LOCAL);
  if (!state || (modifier && !modifier->propagate_to_dof)) return NULL;
  if (from->object.node == node || state->position.n != topology->n_points) return NULL;
  for (size_t i = 0; i < edit->objects.n; i++)
    if (moves(edit->objects.data[i], state)) return NULL;
  return state;
}

SofaState *sofa_topological_mapping_state(const SofaTopologicalMapping *mapping,
                                          const SofaTopologyEdit *edit) {
  return sofa_topology_moved_state(mapping->to, mapping->from, edit);
}

SofaErr sofa_topological_mapping_remove_points(SofaTopologicalMapping *mapping,
                                               SofaTopologyEdit *edit, const uint32_t *ids,
                                               size_t n) {
  SofaState *state = sofa_topological_mapping_state(mapping, edit);
  return sofa_topology_remove_points_of(edit, mapping->to, state, ids, n);
}

SofaErr sofa_topological_mapping_add_points(SofaTopologicalMapping *mapping, SofaTopologyEdit *edit,
                                            size_t n, const SofaAncestors *ancestors) {
  SofaState *state = sofa_topological_mapping_state(mapping, edit);
  return sofa_topology_add_points_of(edit, mapping->to, state, n, ancestors);
}

const SofaClass sofa_topological_mapping_class = {
    .name = "TopologicalMapping",
    .module = "Sofa.Core",
    .category = "TopologicalMapping",
    .help = "Fills a topology with elements made from another's.",
    .base = &sofa_object_class,
    .size = sizeof(SofaTopologicalMapping),
    SOFA_FIELDS(mapping_fields),
    .abstract = true,
    .init = mapping_init,
};
