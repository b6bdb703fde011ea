/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Data links from positions to what was divided. */
#include "behavior/state_division.h"

#include "behavior/loader.h"

static const SofaDivision *of_position(const SofaObject *object) {
  const SofaField *field = sofa_class_field(object->klass, "position");
  return field ? sofa_field_division(object, field) : NULL;
}

const SofaDivision *sofa_topology_division(const SofaTopology *topology) {
  if (!topology->object.ctx->processes) return NULL;
  return topology->division ? topology->division : of_position(&topology->object);
}

const SofaDivision *sofa_state_division(const SofaState *state) {
  if (!state->object.ctx->processes) return NULL;
  const SofaDivision *division = state->division ? state->division : of_position(&state->object);
  return division && division->n == state->position.n ? division : NULL;
}

const SofaDivision *sofa_field_division(const SofaObject *object, const SofaField *field) {
  const SofaFieldState *state = sofa_field_state(object, field);
  const SofaObject *source = state ? state->source : NULL;
  if (!object->ctx->processes || !source || source == object) return NULL;
  if (sofa_class_is_a(source->klass, &sofa_mesh_loader_class))
    return ((const SofaMeshLoader *)source)->division;
  if (sofa_implements(source, SOFA_TOPOLOGY)) {
    const SofaTopology *topology = (const SofaTopology *)source;
    return topology->division ? topology->division
                              : sofa_field_division(source, state->source_field);
  }
  return sofa_implements(source, SOFA_STATE) ? sofa_state_division((const SofaState *)source)
                                             : NULL;
}

const SofaDivision *sofa_topology_list_division(const SofaTopology *t, SofaElementKind kind) {
  const SofaField *field = sofa_class_field(t->object.klass, sofa_element_kind_info(kind)->field);
  if (t->derived & 1u << kind) return NULL;
  // of elements that it was not made for it has none
  if (t->division && !t->division->n_whole_elements[kind]) return NULL;
  if (t->division) return t->division;
  return field ? sofa_field_division(&t->object, field) : NULL;
}

size_t sofa_topology_n_whole(const SofaTopology *topology, SofaElementKind kind) {
  const SofaDivision *division = sofa_topology_list_division(topology, kind);
  return division ? division->n_whole_elements[kind] : sofa_mesh_elements(&topology->mesh, kind).n;
}

size_t sofa_state_n_whole(const SofaState *state) {
  const SofaDivision *division = sofa_state_division(state);
  return division ? division->n_whole : state->position.n;
}

size_t sofa_state_n_owned(const SofaState *state) {
  const SofaDivision *division = sofa_state_division(state);
  return division ? division->n_owned : state->position.n;
}
