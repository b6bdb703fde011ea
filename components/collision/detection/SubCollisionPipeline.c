/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SubCollisionPipeline: detection and response for the models that it names. */
#include "components/collision/detection/pipeline.h"
#include "object/checkpoint.h"

static const SofaLinkRule model_rule = {.interface = SOFA_COLLISION_MODEL,
                                        .search = SOFA_SEARCH_NONE},
                          method_rule = {.interface = SOFA_INTERSECTION,
                                         .search = SOFA_SEARCH_NONE},
                          manager_rule = {.interface = SOFA_CONTACT_MANAGER,
                                          .search = SOFA_SEARCH_NONE},
                          broad_rule = {.interface = SOFA_BROAD_PHASE, .search = SOFA_SEARCH_NONE},
                          narrow_rule = {.interface = SOFA_NARROW_PHASE,
                                         .search = SOFA_SEARCH_NONE};

typedef SubCollisionPipeline SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW(depth, "depth", "6", "1", "levels of the bounding trees below the root",
             .range = SOFA_AT_LEAST(0), .on_bad = SOFA_BAD_DEFAULT),
    SOFA_ROW(models, "collisionModels", NULL, "", "the models that may collide with each other",
             .link = &model_rule),
    SOFA_ROW(method, "intersectionMethod", NULL, "", "how pairs of elements are tested",
             .link = &method_rule),
    SOFA_ROW(manager, "contactManager", NULL, "", "what responds to contacts",
             .link = &manager_rule),
    SOFA_ROW(broad, "broadPhaseDetection", NULL, "", "what finds pairs of models",
             .link = &broad_rule),
    SOFA_ROW(narrow, "narrowPhaseDetection", NULL, "", "what finds pairs of elements",
             .link = &narrow_rule),
};

static SofaErr init(SofaObject *object) {
  SubCollisionPipeline *c = (SubCollisionPipeline *)object;
  SubPipeline *p = &c->sub;
  p->owner = object;
  p->depth = c->depth;
  p->method = (SofaIntersection *)c->method.target;
  p->manager = (SofaContactManager *)c->manager.target;
  p->broad = c->broad.target;
  p->narrow = c->narrow.target;
  for (size_t i = 0; i < c->models.n; i++)
    if (c->models.data[i].target)
      SOFA_TRY(sub_pipeline_add_model(p, (SofaCollisionModel *)c->models.data[i].target));
  sub_pipeline_check(p);
  return SOFA_OK;
}

static SofaErr bwd_init(SofaObject *object) {
  return sub_pipeline_explain(&((SubCollisionPipeline *)object)->sub);
}

static SofaErr reset(SofaObject *object) {
  sub_pipeline_reset(&((SubCollisionPipeline *)object)->sub);
  return SOFA_OK;
}

static SofaErr save(const SofaObject *object, SofaCheckpointWriter *to) {
  sub_pipeline_save(&((const SubCollisionPipeline *)object)->sub, to);
  return SOFA_OK;
}

static SofaErr restore(SofaObject *object, SofaCheckpointReader *from) {
  return sub_pipeline_restore(&((SubCollisionPipeline *)object)->sub, from);
}

static const SofaCheckpointOps checkpoint = {.save = save, .restore = restore};

static void destroy(SofaObject *object) {
  sub_pipeline_free(&((SubCollisionPipeline *)object)->sub);
}

static const SofaSparedMember spared[] = {
    SOFA_REMADE(SubCollisionPipeline, sub.models),
    SOFA_REMADE(SubCollisionPipeline, sub.graph_version),
    SOFA_REMADE(SubCollisionPipeline, sub.bodies),
    SOFA_REMADE(SubCollisionPipeline, sub.pairs),
    SOFA_REMADE(SubCollisionPipeline, sub.contacts),
};

SOFA_CLASS(SubCollisionPipeline) = {
    SOFA_NAMED(SubCollisionPipeline),
    .module = "Sofa.Component.Collision.Detection.Algorithm",
    .category = "CollisionAlgorithm",
    .help = "Detection and response for the models that it names; a CompositeCollisionPipeline "
            "runs it.",
    .base = &sofa_object_class,
    SOFA_SPARES(spared),
    SOFA_FIELDS(fields),
    .init = init,
    .bwd_init = bwd_init,
    .reset = reset,
    .destroy = destroy,
    .checkpoint = &checkpoint,
};
