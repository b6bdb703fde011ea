/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CubeCollisionModel: the boxes of SOFA's bounding trees, which csofa's pipelines keep themselves.
 */
#include "behavior/collision_model.h"

typedef struct CubeCollisionModel {
  SofaCollisionModel model;
} CubeCollisionModel;

static const SofaCollisionKind cube = {"box", "boxes", 0};

static SofaErr construct(SofaObject *object) {
  ((SofaCollisionModel *)object)->kind = &cube;
  return SOFA_OK;
}

static SofaErr init(SofaObject *object) {
  sofa_object_message(object, SOFA_WARNING,
                      "it has no elements and does not collide: the boxes around the elements of "
                      "other collision models are made by the pipeline");
  return SOFA_OK;
}

static bool changed(const SofaCollisionModel *model) {
  (void)model;
  return false;
}

static SofaErr update(SofaCollisionModel *model) {
  model->n = 0;
  return SOFA_OK;
}

static void contact_point(const SofaCollisionModel *model, uint32_t i, const double p[3],
                          SofaContactPoint *out) {
  (void)model;
  (void)p;
  *out = (SofaContactPoint){.n = 1, .index = {i}, .weight = {1}};
}

static const SofaCollisionModelOps ops = {
    .update = update, .changed = changed, .contact_point = contact_point};

SOFA_CLASS(CubeCollisionModel) = {
    SOFA_NAMED(CubeCollisionModel),
    .module = "Sofa.Component.Collision.Geometry",
    .category = "CollisionModel",
    .help = "Accepted for scenes that name it: it has no elements. Pipelines make the boxes around "
            "elements themselves.",
    .base = &sofa_collision_model_class,
    .construct = construct,
    .init = init,
    SOFA_IMPLEMENTS({SOFA_COLLISION_MODEL, &ops}),
};
