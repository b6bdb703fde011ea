/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* BruteForceBroadPhase: the box of every model against that of every other one. */
#include "components/collision/detection/brute_force.h"
#include "numerics/spatial/bounding_tree.h"

static const SofaField fields[] = {
    BRUTE_FORCE_ROW_BOX(BruteForceBroadPhase),
};

static const double *root_box(const SofaCollisionBody *body) {
  return body->tree->cells[0].box;
}

/* Do the boxes of the two bodies come as close as the method looks? */
static bool are_close(const SofaCollisionScene *scene, const SofaCollisionBody *a,
                      const SofaCollisionBody *b) {
  return sofa_boxes_are_close(root_box(a), root_box(b),
                              sofa_alarm_distance(scene->method, a->model, b->model));
}

static bool is_inside(const BruteForce *b, const SofaCollisionBody *body) {
  double box[6];
  if (!sofa_bounding_tree_is_built(body->tree)) return false;
  if (!(b->box.min[0] < b->box.max[0])) return true;
  for (int k = 0; k < 3; k++) {
    box[k] = b->box.min[k];
    box[3 + k] = b->box.max[k];
  }
  return sofa_boxes_are_close(root_box(body), box, 0);
}

static SofaErr add(SofaContext *ctx, SofaModelPairs *out, uint32_t first, uint32_t second) {
  const SofaModelPair pair = {first, second};
  return SOFA_APPEND(ctx, out, &pair);
}

static bool meets_itself(const SofaCollisionBody *body) {
  return body->model->simulated && sofa_collision_may_meet(body->model, body->model);
}

static bool meet(const SofaCollisionScene *scene, uint32_t i, uint32_t k) {
  const SofaCollisionBody *a = &scene->bodies[i], *b = &scene->bodies[k];
  return (a->model->simulated || b->model->simulated) &&
         sofa_collision_may_meet(a->model, b->model) && are_close(scene, a, b);
}

SofaErr brute_force_find(SofaContext *ctx, BruteForce *b, const SofaCollisionScene *scene,
                         bool self_first, SofaModelPairs *out) {
  SofaIndices *accepted = &b->accepted;
  accepted->n = 0;
  for (uint32_t i = 0; i < scene->n; i++) {
    if (!is_inside(b, &scene->bodies[i])) continue;
    if (meets_itself(&scene->bodies[i])) SOFA_TRY(add(ctx, out, i, i));
    for (size_t k = 0; !self_first && k < accepted->n; k++)
      if (meet(scene, i, accepted->data[k])) SOFA_TRY(add(ctx, out, i, accepted->data[k]));
    SOFA_TRY(SOFA_APPEND(ctx, accepted, &i));
  }
  for (size_t i = 0; self_first && i < accepted->n; i++)
    for (size_t k = 0; k < i; k++)
      if (meet(scene, accepted->data[i], accepted->data[k]))
        SOFA_TRY(add(ctx, out, accepted->data[i], accepted->data[k]));
  return SOFA_OK;
}

static SofaErr find(SofaObject *phase, const SofaCollisionScene *scene, SofaModelPairs *out) {
  return brute_force_find(phase->ctx, &((BruteForceBroadPhase *)phase)->brute, scene, false, out);
}

static void destroy(SofaObject *object) {
  sofa_list_free(object->ctx, &((BruteForceBroadPhase *)object)->brute.accepted);
}

static const SofaBroadPhaseOps ops = {.find = find};

SOFA_CLASS(BruteForceBroadPhase) = {
    SOFA_NAMED(BruteForceBroadPhase),
    .module = "Sofa.Component.Collision.Detection.Algorithm",
    .category = "CollisionAlgorithm",
    .help = "Finds pairs of models by the boxes around them: each with every other one.",
    .base = &sofa_object_class,
    SOFA_FIELDS(fields),
    .destroy = destroy,
    SOFA_IMPLEMENTS({SOFA_BROAD_PHASE, &ops}),
};
