/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The base of projective constraints: its state, its time window, its indices. */
#include "behavior/projective.h"

#include "behavior/constrained_state.h"
#include "behavior/list_division.h"
#include "behavior/list_owner.h"

const SofaInterface sofa_projective_interface = {.name = "projective constraint",
                                                 .keeps_topology = true,
                                                 .ops_member = offsetof(SofaProjective, ops)};

#define END_TIME_ROW                                                                               \
  SOFA_FIELD(SofaProjective, end_time, "endTime", "-1", "s",                                       \
             "the constraint acts until this time; negative: always")
#define GROUP_ROW                                                                                  \
  SOFA_FIELD(SofaProjective, group, "group", "0", "", "number of a group; not used",               \
             .flags = SOFA_FIELD_NO_EFFECT)

#define REACTION_ROW(member, xml, whose)                                                           \
  SOFA_FIELD(SofaProjective, member, xml, NULL, "N",                                               \
             "forces by which the constraint holds the points of " whose                           \
             " (N; torques of frames: N m), M a - f in the directions it takes; computed when it " \
             "is read (addition of csofa)",                                                        \
             .flags = SOFA_FIELD_OUTPUT | SOFA_FIELD_LAZY | SOFA_FIELD_DERIV)

static const SofaField projective_fields[] = {
    SOFA_FIELD(SofaProjective, mstate, "mstate", NULL, "",
               "constrained mechanical state; default: the node's, else the nearest ancestor's",
               .link = &sofa_constrained_state_rule),
    END_TIME_ROW,
    GROUP_ROW,
    REACTION_ROW(reactions, "reactions", "its state"),
};

static const SofaField pair_fields[] = {
    SOFA_FIELD(SofaProjective, object1, "object1", NULL, "",
               "first mechanical state; default: the node's, else the nearest ancestor's",
               .link = &sofa_constrained_state_rule),
    SOFA_FIELD(SofaProjective, object2, "object2", NULL, "",
               "second mechanical state; default: the node's, else the nearest ancestor's",
               .link = &sofa_constrained_state_rule),
    END_TIME_ROW,
    GROUP_ROW,
    REACTION_ROW(reactions, "reactions", "object1"),
    REACTION_ROW(second_reactions, "reactions2", "object2"),
};

/* ---- states ---- */

static SofaErr projective_construct(SofaObject *object) {
  SofaProjective *c = (SofaProjective *)object;
  c->state = sofa_node_state(object->node);
  return SOFA_OK;
}

static SofaErr projective_init(SofaObject *object) {
  SofaProjective *c = (SofaProjective *)object;
  if (c->mstate.target) c->state = (SofaState *)c->mstate.target;
  SOFA_TRY(sofa_constrained_state_check(&c->object, &c->state));
  return sofa_object_settle_lists(object);
}

static SofaErr pair_construct(SofaObject *object) {
  SofaProjective *c = (SofaProjective *)object;
  c->state = c->second = sofa_node_state(object->node);
  return SOFA_OK;
}

static SofaErr pair_init(SofaObject *object) {
  SofaProjective *c = (SofaProjective *)object;
  if (c->object1.target) c->state = (SofaState *)c->object1.target;
  if (c->object2.target) c->second = (SofaState *)c->object2.target;
  SOFA_TRY(sofa_constrained_state_check(&c->object, &c->state));
  return sofa_constrained_state_check(&c->object, &c->second);
}

/* Both lists, and both fields, at once. */
static SofaErr compute_output(SofaObject *object, const SofaField *field) {
  SofaProjective *c = (SofaProjective *)object;
  if (!(field->flags & SOFA_FIELD_LAZY) || !c->find_reactions || !c->state || !c->state->mechanics)
    return SOFA_OK;
  SOFA_TRY(c->find_reactions(c));
  sofa_field_touch(object, field);
  return SOFA_OK;
}

const SofaClass sofa_projective_class = {
    .name = "ProjectiveConstraintSet",
    .module = "csofa",
    .category = "ProjectiveConstraintSet",
    .help = "A constraint that acts by projecting positions, velocities and responses.",
    .base = &sofa_object_class,
    .size = sizeof(SofaProjective),
    SOFA_FIELDS(projective_fields),
    .compute_output = compute_output,
    .can_create = sofa_constraint_can_create,
    .construct = projective_construct,
    .init = projective_init,
    .reinit = sofa_object_settle_lists,
    .list_owner = sofa_list_owner,
    .abstract = true,
};

const SofaClass sofa_pair_projective_class = {
    .name = "PairProjectiveConstraint",
    .module = "csofa",
    .category = "ProjectiveConstraintSet",
    .help = "A projective constraint between two states, which may be the same.",
    .base = &sofa_object_class,
    .size = sizeof(SofaProjective),
    SOFA_FIELDS(pair_fields),
    .compute_output = compute_output,
    .can_create = sofa_pair_constraint_can_create,
    .construct = pair_construct,
    .init = pair_init,
    .bwd_init = sofa_object_settle_lists, /* states of nodes below have their sizes then */
    .reinit = sofa_object_settle_lists,
    .list_owner = sofa_list_owner,
    .abstract = true,
};

/* ---- projections ---- */

static SofaErr apply_pair(SofaProjective *c, SofaProjection which, const SofaMechParams *params,
                          double *first, double *second) {
  const SofaPairProjectiveOps *ops = sofa_projective_ops(c)->pair;
  SofaErr (*const all[])(SofaProjective *, const SofaMechParams *, double *,
                         double *) = {ops->response, ops->velocity, ops->position};
  return all[which] && c->second ? all[which](c, params, first, second) : SOFA_OK;
}

SofaErr sofa_projective_apply(SofaProjective *c, SofaProjection which, const SofaMechParams *params,
                              double *first, double *second) {
  const SofaProjectiveOps *ops = sofa_projective_ops(c);
  if (!c->state || (c->end_time >= 0 && c->end_time <= params->from)) return SOFA_OK;
  if (ops->pair) return apply_pair(c, which, params, first, second);
  SofaErr (*const all[])(SofaProjective *, const SofaMechParams *,
                         double *) = {ops->response, ops->velocity, ops->position};
  return all[which] ? all[which](c, params, first) : SOFA_OK;
}
