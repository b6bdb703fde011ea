/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Collision detection and response: the interfaces that the phases of a pipeline are made of.
 *
 *   pipeline  ->  broad phase       pairs of models whose boxes are close
 *             ->  narrow phase      pairs of elements whose boxes are close,
 *                 intersection      and the detections of those that are
 *             ->  contact manager   a contact object for each pair of models with detections
 *
 * A contact object is the response: a force field or a constraint that implements SOFA_CONTACT as
 * well. The manager makes it at the first contact of two models and gives it the detections of
 * each step. Each interface is a table of functions; a plugin can replace any of them. */
#ifndef SOFA_BEHAVIOR_COLLISION_H
#define SOFA_BEHAVIOR_COLLISION_H

#include "behavior/collision_model.h"

SOFA_BEGIN_DECLS

extern const SofaInterface sofa_intersection_interface, sofa_broad_phase_interface,
    sofa_narrow_phase_interface, sofa_contact_manager_interface, sofa_contact_interface,
    sofa_collision_pipeline_interface;
#define SOFA_INTERSECTION (&sofa_intersection_interface)
#define SOFA_BROAD_PHASE (&sofa_broad_phase_interface)
#define SOFA_NARROW_PHASE (&sofa_narrow_phase_interface)
#define SOFA_CONTACT_MANAGER (&sofa_contact_manager_interface)
#define SOFA_CONTACT (&sofa_contact_interface)
#define SOFA_COLLISION_PIPELINE (&sofa_collision_pipeline_interface)

/* ---- detections ---- */

/* Two elements that are close. */
typedef struct SofaDetection {
  uint32_t element[2]; /* of the first and of the second model */
  double point[2][3];  /* m, world frame: on the first, on the second */
  double normal[3];    /* unit, from the first to the second */
  double value;        /* m: distance minus contact distance */
  int64_t id;          /* names the place: a response keeps the smallest value of equal ids */
} SofaDetection;
SOFA_LIST(SofaDetection, SofaDetections);

/* The detections of two models; they stay valid until the next detection. */
typedef struct SofaModelContact {
  SofaCollisionModel *model[2];
  SofaDetections detections;
} SofaModelContact;
SOFA_LIST(SofaModelContact *, SofaModelContacts); /* borrowed entries */

/* ---- intersection methods ---- */

typedef struct SofaElementPair {
  uint32_t first, second;
} SofaElementPair;
SOFA_LIST(SofaElementPair, SofaElementPairs);

typedef struct SofaIntersection {
  SofaObject object;
  const struct SofaIntersectionOps *ops;   /* of the class */
  double alarm_distance, contact_distance; /* m; 0 in classes without the fields */
} SofaIntersection;

/* How elements of two kinds are tested. `find` appends the detections of n pairs of elements, in
 * their order; the detections of a pair do not depend on the other pairs. Called by several threads
 * at once, each with other pairs and another list, after a call with n = 0, which brings up to date
 * what `find` reads (a topology); what allocates is between
 * sofa_team_lock and sofa_team_unlock. NULL: such pairs are
 * ignored on purpose. */
typedef SofaErr (*SofaFindDetections)(const SofaIntersection *method,
                                      const SofaCollisionModel *first,
                                      const SofaCollisionModel *second,
                                      const SofaElementPair *pairs, size_t n, SofaDetections *out);
typedef struct SofaIntersectionRule {
  const SofaCollisionKind *first, *second;
  SofaFindDetections find;
} SofaIntersectionRule;

/* A quick test of many pairs: may[i] becomes false where `find` finds nothing of pair i for
 * certain. Called by several threads at once, each with other pairs. */
typedef void (*SofaSiftPairs)(const SofaIntersection *method, const SofaCollisionModel *first,
                              const SofaCollisionModel *second, const SofaElementPair *pairs,
                              size_t n, bool *may);

typedef struct SofaIntersectionOps {
  const SofaIntersectionRule *rules;      /* required; ended by a row without kinds */
  const struct SofaIntersectionOps *base; /* the rules of pairs that are not in `rules`; or NULL */
  /* optional: does the object ignore pairs of this rule, as its fields say? */
  bool (*ignores)(const SofaIntersection *method, const SofaIntersectionRule *rule);
  /* optional: the positions at the end of a step of dt that continuous detection takes for a state
   * (n points, its layout), into x_end; false: detection is not continuous. Called before the
   * rules' functions, at least once per detection. */
  bool (*end)(SofaIntersection *method, const SofaState *state, double dt, double *x_end);
  /* optional: the quick test of a rule, or NULL */
  SofaSiftPairs (*sift)(const SofaIntersection *method, const SofaIntersectionRule *rule);
} SofaIntersectionOps;

extern const SofaClass sofa_intersection_class; /* abstract, without fields */
extern const SofaClass sofa_proximity_class;    /* abstract: alarmDistance, contactDistance */

/* The rule of a pair of kinds; *swapped: it is for (second, first). NULL: there is none. */
const SofaIntersectionRule *sofa_intersection_rule(const SofaIntersection *method,
                                                   const SofaCollisionKind *first,
                                                   const SofaCollisionKind *second, bool *swapped);
/* Does the method look for detections of this rule? */
static inline bool sofa_intersection_uses(const SofaIntersection *method,
                                          const SofaIntersectionRule *rule) {
  return rule->find && !(method->ops->ignores && method->ops->ignores(method, rule));
}
static inline SofaSiftPairs sofa_intersection_sift(const SofaIntersection *method,
                                                   const SofaIntersectionRule *rule) {
  return method->ops->sift ? method->ops->sift(method, rule) : NULL;
}
/* alarmDistance and contactDistance with the skins of two models. */
static inline double sofa_alarm_distance(const SofaIntersection *method,
                                         const SofaCollisionModel *a, const SofaCollisionModel *b) {
  return method->alarm_distance + a->contact_distance + b->contact_distance;
}
static inline double sofa_contact_distance(const SofaIntersection *method,
                                           const SofaCollisionModel *a,
                                           const SofaCollisionModel *b) {
  return method->contact_distance + a->contact_distance + b->contact_distance;
}

/* ---- phases ---- */

/* A model in a detection. */
typedef struct SofaCollisionBody {
  SofaCollisionModel *model;
  struct SofaBoundingTree *tree; /* numerics/spatial/bounding_tree.h; empty: not considered */
} SofaCollisionBody;
SOFA_LIST(SofaCollisionBody, SofaCollisionBodies);

/* The models of one pipeline that are active in this detection, in the pipeline's order. */
typedef struct SofaCollisionScene {
  const SofaCollisionBody *bodies;
  size_t n;
  const SofaIntersection *method;
} SofaCollisionScene;

typedef struct SofaModelPair {
  uint32_t first, second; /* indices of bodies */
} SofaModelPair;
SOFA_LIST(SofaModelPair, SofaModelPairs);

/* Any object may implement one of the phases, or both. */
typedef struct SofaBroadPhaseOps {
  /* required: appends the pairs of models that may touch */
  SofaErr (*find)(SofaObject *phase, const SofaCollisionScene *scene, SofaModelPairs *out);
  bool deep_trees; /* wants trees of the pipeline's depth, not only their root boxes */
  /* pairs models by sofa_collision_may_meet, one of them simulated: trees of others may be old */
  bool asks_models;
} SofaBroadPhaseOps;
static inline const SofaBroadPhaseOps *sofa_broad_phase_ops(const SofaObject *phase) {
  return (const SofaBroadPhaseOps *)sofa_ops(phase, SOFA_BROAD_PHASE);
}

typedef struct SofaNarrowPhaseOps {
  /* required: appends the pairs of models with detections; the entries are the phase's */
  SofaErr (*find)(SofaObject *phase, const SofaCollisionScene *scene, const SofaModelPairs *pairs,
                  SofaModelContacts *out);
  bool deep_trees;
  bool only_pairs; /* looks at no other models than those of pairs: their trees may be old */
  bool own_tests;  /* of elements: the rules of the intersection method do not count */
} SofaNarrowPhaseOps;
static inline const SofaNarrowPhaseOps *sofa_narrow_phase_ops(const SofaObject *phase) {
  return (const SofaNarrowPhaseOps *)sofa_ops(phase, SOFA_NARROW_PHASE);
}

/* ---- response ---- */

typedef struct SofaContactManager {
  SofaObject object;
  const struct SofaContactManagerOps *ops;
} SofaContactManager;
typedef struct SofaContactManagerOps {
  /* required: takes the detections of a step, makes contact objects where pairs are new, and tells
   * every contact object its detections. node: of the pipeline; contacts between two simulated
   * models are made in it, others in the node of the simulated model. */
  SofaErr (*respond)(SofaContactManager *manager, SofaNode *node, const SofaIntersection *method,
                     const SofaModelContacts *contacts);
  /* required: destroys all contact objects: before a reset, when models are removed */
  void (*clear)(SofaContactManager *manager);
} SofaContactManagerOps;

/* A contact between two elements, at the positions as they are now. */
typedef struct SofaContactReport {
  const SofaCollisionModel *model[2];
  uint32_t element[2];
  double point[2][3]; /* m, world frame */
  double normal[3];   /* unit, from the first to the second */
  double gap;         /* m: distance minus the distance at which the response begins to act */
  double force[3];    /* N, on the second; the first has the opposite */
} SofaContactReport;
SOFA_LIST(SofaContactReport, SofaContactReports);

/* Of contact objects. */
typedef struct SofaContactOps {
  /* required: is there a response between elements of these kinds? */
  bool (*supports)(const SofaCollisionKind *first, const SofaCollisionKind *second);
  /* required: after creation and before init: takes the models */
  SofaErr (*connect)(SofaObject *contact, SofaCollisionModel *first, SofaCollisionModel *second);
  /* required: the detections of this step; n 0: the models do not touch. Allocates only when n is
   * larger than ever before. */
  SofaErr (*set)(SofaObject *contact, const SofaIntersection *method, const SofaDetection *all,
                 size_t n);
  /* optional: appends the contacts that the object keeps */
  SofaErr (*report)(const SofaObject *contact, SofaContactReports *out);
} SofaContactOps;

/* Called by the schedule, once per collision step. */
typedef struct SofaCollisionPipelineOps {
  SofaErr (*collide)(SofaObject *pipeline, double dt);
} SofaCollisionPipelineOps;

SOFA_END_DECLS

#endif
