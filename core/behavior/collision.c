/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Interfaces of collision detection and the bases of intersection methods. */
#include "behavior/collision.h"

const SofaInterface sofa_intersection_interface = {
    .name = "intersection method",
    SOFA_REQUIRES(offsetof(SofaIntersectionOps, rules)),
    .ops_member = offsetof(SofaIntersection, ops)};
const SofaInterface sofa_broad_phase_interface = {.name = "broad phase",
                                                  SOFA_REQUIRES(offsetof(SofaBroadPhaseOps, find))};
const SofaInterface sofa_narrow_phase_interface = {
    .name = "narrow phase", SOFA_REQUIRES(offsetof(SofaNarrowPhaseOps, find))};
const SofaInterface sofa_contact_manager_interface = {
    .name = "contact manager",
    SOFA_REQUIRES(offsetof(SofaContactManagerOps, respond), offsetof(SofaContactManagerOps, clear)),
    .ops_member = offsetof(SofaContactManager, ops)};
const SofaInterface sofa_contact_interface = {.name = "contact response",
                                              SOFA_REQUIRES(offsetof(SofaContactOps, supports),
                                                            offsetof(SofaContactOps, connect),
                                                            offsetof(SofaContactOps, set))};
const SofaInterface sofa_collision_pipeline_interface = {
    .name = "collision pipeline", SOFA_REQUIRES(offsetof(SofaCollisionPipelineOps, collide))};

static const SofaField proximity_fields[] = {
    SOFA_FIELD(SofaIntersection, alarm_distance, "alarmDistance", "1", "m",
               "elements closer than this, and the skins of both models, are detected",
               .flags = SOFA_FIELD_REQUIRED, .range = SOFA_FINITE_AT_LEAST(0)),
    SOFA_FIELD(SofaIntersection, contact_distance, "contactDistance", "0.5", "m",
               "responses act at distances below this, and the skins of both models",
               .flags = SOFA_FIELD_REQUIRED, .range = SOFA_FINITE_AT_LEAST(0)),
};

/* ---- rules ---- */

static const SofaIntersectionRule *find_rule(const SofaIntersectionOps *ops,
                                             const SofaCollisionKind *first,
                                             const SofaCollisionKind *second) {
  for (; ops; ops = ops->base)
    for (const SofaIntersectionRule *r = ops->rules; r->first; r++)
      if (r->first == first && r->second == second) return r;
  return NULL;
}

const SofaIntersectionRule *sofa_intersection_rule(const SofaIntersection *method,
                                                   const SofaCollisionKind *first,
                                                   const SofaCollisionKind *second, bool *swapped) {
  const SofaIntersectionRule *rule = find_rule(method->ops, first, second);
  *swapped = !rule;
  return rule ? rule : find_rule(method->ops, second, first);
}

/* ---- classes ---- */

const SofaClass sofa_intersection_class = {
    .name = "Intersection",
    .module = "csofa",
    .category = "CollisionAlgorithm",
    .help = "How pairs of elements are tested for contact.",
    .base = &sofa_object_class,
    .size = sizeof(SofaIntersection),
    .abstract = true,
};

const SofaClass sofa_proximity_class = {
    .name = "BaseProximityIntersection",
    .module = "csofa",
    .category = "CollisionAlgorithm",
    .help = "Intersection methods with distances of detection and of contact.",
    .base = &sofa_intersection_class,
    .size = sizeof(SofaIntersection),
    SOFA_FIELDS(proximity_fields),
    .abstract = true,
};
