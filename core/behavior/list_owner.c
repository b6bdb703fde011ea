/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whose points and elements the lists of objects belong to. */
#include "behavior/list_owner.h"

#include <string.h>
#include "behavior/lagrangian.h"
#include "behavior/mapping.h"
#include "behavior/projective.h"

const SofaState *sofa_state_of_role(const SofaObject *object, SofaStateRole role) {
  if (sofa_implements(object, SOFA_STATE)) return (const SofaState *)object;
  if (sofa_implements(object, SOFA_FORCE_FIELD))
    return ((const SofaForceField *)object)->state[role == SOFA_STATE_SECOND];
  if (sofa_implements(object, SOFA_PROJECTIVE)) {
    const SofaProjective *c = (const SofaProjective *)object;
    return role == SOFA_STATE_SECOND ? c->second : c->state;
  }
  if (sofa_implements(object, SOFA_LAGRANGIAN))
    return ((const SofaLagrangian *)object)->state[role == SOFA_STATE_SECOND];
  if (sofa_implements(object, SOFA_MAPPING)) {
    const SofaMapping *map = (const SofaMapping *)object;
    if (role == SOFA_STATE_OUTPUT) return map->out;
    return (size_t)role < map->n_inputs ? map->inputs[role] : NULL;
  }
  return sofa_node_state(object->node);
}

const SofaObject *sofa_link_target(const SofaObject *object, const char *name) {
  const SofaField *field = name ? sofa_class_field(object->klass, name) : NULL;
  return field && field->type == &sofa_type_link
             ? ((const SofaLink *)sofa_field_value(object, field))->target
             : NULL;
}

const SofaTopology *sofa_topology_of_link(const SofaObject *object, const char *link) {
  const SofaObject *target = sofa_link_target(object, link ? link : "topology");
  if (sofa_implements(target, SOFA_TOPOLOGY)) return (const SofaTopology *)target;
  return sofa_node_topology(object->node);
}

/* ---- for the checks of lists ---- */

static bool points_of(const SofaObject *object, const SofaBelongs *b, SofaListOwner *out) {
  static const char *const inputs[] = {"the input", "the second input", "the output"};
  static const char *const states[] = {"the state", "the second state", "the output"};
  const SofaStateRole role = b->role == SOFA_ROLE_TABLE ? b->ends[0] : b->state;
  const SofaObject *target = sofa_link_target(object, b->link);
  const SofaState *state = sofa_implements(target, SOFA_STATE) ? (const SofaState *)target
                                                               : sofa_state_of_role(object, role);
  if (!state) return false;
  *out =
      (SofaListOwner){.n = sofa_state_size(state),
                      .one = "point",
                      .many = "points",
                      .whose = sofa_implements(object, SOFA_MAPPING) ? inputs[role] : states[role]};
  return true;
}

bool sofa_list_owner(const SofaObject *object, const SofaBelongs *b, SofaListOwner *out) {
  SofaElementKind kind = b->kind;
  if (b->kind_at) memcpy(&kind, (const char *)object + b->kind_at, sizeof kind);
  if (b->role == SOFA_ROLE_TABLE || (kind == SOFA_ELEMENT_POINT && !b->of_topology))
    return !b->kind_at && points_of(object, b, out);
  SofaTopology *t = (SofaTopology *)(uintptr_t)sofa_topology_of_link(object, b->link);
  if (!t) return false;
  const size_t n_elements = sofa_topology_elements(t, kind).n;
  if (t->failure != SOFA_OK) return false;
  const SofaElementKindInfo *info = sofa_element_kind_info(kind);
  *out = (SofaListOwner){.n = b->of_topology ? t->n_points : n_elements,
                         .one = info->name,
                         .many = info->field,
                         .whose = "the topology"};
  return true;
}
