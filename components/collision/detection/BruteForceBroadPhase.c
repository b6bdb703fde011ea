/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* BruteForceBroadPhase: the box of every model against that of every other one. */
#include "components/collision/detection/brute_force.h"
#include "numerics/spatial/bounding_tree.h"
#include "object/checkpoint.h"

enum { SWEEP_FROM = 48 }; /* bodies from which on a sweep is faster than all pairs */

static const SofaField fields[] = {
    BRUTE_FORCE_ROW_BOX(BruteForceBroadPhase),
};

static const double *root_box(const SofaCollisionBody *body) {
  return body->tree->cells[0].box;
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

static AcceptedBody accept(const SofaCollisionScene *scene, uint32_t i) {
  const SofaCollisionBody *body = &scene->bodies[i];
  const double margin = body->model->contact_distance + scene->method->alarm_distance / 2;
  AcceptedBody a = {.body = i, .simulated = body->model->simulated};
  for (int k = 0; k < 3; k++) {
    a.box[k] = root_box(body)[k] - margin;
    a.box[3 + k] = root_box(body)[3 + k] + margin;
  }
  return a;
}

/* With an earlier one. */
static SofaErr add_pair(SofaContext *ctx, const SofaCollisionScene *scene, const AcceptedBody *body,
                        const AcceptedBody *other, SofaModelPairs *out) {
  if (!sofa_boxes_are_close(body->box, other->box, 0)) return SOFA_OK;
  if (!body->simulated && !other->simulated) return SOFA_OK;
  if (!sofa_collision_may_meet(scene->bodies[body->body].model, scene->bodies[other->body].model))
    return SOFA_OK;
  return add(ctx, out, body->body, other->body);
}

/* Of body i with the earlier ones. */
static SofaErr add_pairs(SofaContext *ctx, const BruteForce *b, const SofaCollisionScene *scene,
                         bool swept, size_t i, SofaModelPairs *out) {
  const AcceptedBody *all = b->accepted.data;
  if (!swept) {
    for (size_t k = 0; k < i; k++) SOFA_TRY(add_pair(ctx, scene, &all[i], &all[k], out));
    return SOFA_OK;
  }
  for (uint32_t k = b->start.data[i]; k < b->start.data[i + 1]; k++)
    SOFA_TRY(add_pair(ctx, scene, &all[i], &all[b->sorted.data[k].second], out));
  return SOFA_OK;
}

static SofaErr add_self(SofaContext *ctx, const SofaCollisionScene *scene, uint32_t i,
                        SofaModelPairs *out) {
  return meets_itself(&scene->bodies[i]) ? add(ctx, out, i, i) : SOFA_OK;
}

SofaErr brute_force_find(SofaContext *ctx, BruteForce *b, const SofaCollisionScene *scene,
                         bool self_first, SofaModelPairs *out) {
  AcceptedBodies *accepted = &b->accepted;
  bool swept = false;
  accepted->n = 0;
  for (uint32_t i = 0; i < scene->n; i++) {
    if (!is_inside(b, &scene->bodies[i])) continue;
    const AcceptedBody body = accept(scene, i);
    if (self_first) SOFA_TRY(add_self(ctx, scene, i, out));
    SOFA_TRY(SOFA_APPEND(ctx, accepted, &body));
  }
  if (accepted->n >= SWEEP_FROM) SOFA_TRY(brute_force_sweep(ctx, b, &swept));
  for (size_t i = 0; i < accepted->n; i++) {
    if (!self_first) SOFA_TRY(add_self(ctx, scene, accepted->data[i].body, out));
    SOFA_TRY(add_pairs(ctx, b, scene, swept, i, out));
  }
  return SOFA_OK;
}

static SofaErr find(SofaObject *phase, const SofaCollisionScene *scene, SofaModelPairs *out) {
  return brute_force_find(phase->ctx, &((BruteForceBroadPhase *)phase)->brute, scene, false, out);
}

static void destroy(SofaObject *object) {
  brute_force_free(object->ctx, &((BruteForceBroadPhase *)object)->brute);
}

static const SofaBroadPhaseOps ops = {.find = find, .asks_models = true};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(BruteForceBroadPhase, brute.accepted),
};

SOFA_CLASS(BruteForceBroadPhase) = {
    SOFA_NAMED(BruteForceBroadPhase),
    .module = "Sofa.Component.Collision.Detection.Algorithm",
    .category = "CollisionAlgorithm",
    .help = "Finds pairs of models by the boxes around them: each with every other one.",
    .base = &sofa_object_class,
    SOFA_SPARES(spared),
    SOFA_FIELDS(fields),
    .destroy = destroy,
    SOFA_IMPLEMENTS({SOFA_BROAD_PHASE, &ops}),
};
