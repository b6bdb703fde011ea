/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CompositeCollisionPipeline: runs several sub-pipelines, each phase of all of them after the
 * other.
 */
#include "components/collision/detection/pipeline.h"

typedef struct CompositeCollisionPipeline {
  CompositePipeline composite;
} CompositeCollisionPipeline;

static const SofaLinkRule sub_rule = {.klass = &sofa_SubCollisionPipeline_class,
                                      .search = SOFA_SEARCH_NONE};

static const SofaField fields[] = {
    SOFA_FIELD(CompositePipeline, n_threads, "nbThreads", "0", "",
               "no effect: the program's threads are used", .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_FIELD(CompositePipeline, scheduler, "taskSchedulerType", "_default", "", "no effect",
               .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_FIELD(CompositePipeline, parallel, "parallelDetection", "0", "",
               "no effect on results: sub-pipelines run one after the other",
               .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_FIELD(CompositePipeline, sub_pipelines, "subCollisionPipelines", NULL, "",
               "the SubCollisionPipelines to run, in this order", .link = &sub_rule),
};

const SofaClass composite_pipeline_class = {
    .name = "CompositePipeline",
    .module = "csofa",
    .category = "CollisionAlgorithm",
    .help = "The fields of pipelines.",
    .base = &sofa_object_class,
    .size = sizeof(CompositePipeline),
    SOFA_FIELDS(fields),
    .abstract = true,
};

/* ---- class ---- */

static SubPipeline *sub_of(const SofaObject *object, size_t i) {
  SofaObject *target = ((const CompositePipeline *)object)->sub_pipelines.data[i].target;
  return target && sofa_valid(target) ? &((SubCollisionPipeline *)target)->sub : NULL;
}

static SofaErr init(SofaObject *object) {
  if (!((CompositePipeline *)object)->sub_pipelines.n)
    sofa_object_message(object, SOFA_WARNING,
                        "there is no sub-pipeline: nothing is detected, and no body collides");
  return SOFA_OK;
}

static bool handles(const SofaObject *object, const SofaCollisionModel *model) {
  for (size_t i = 0; i < ((const CompositePipeline *)object)->sub_pipelines.n; i++) {
    const SubPipeline *p = sub_of(object, i);
    for (size_t k = 0; p && k < p->models.n; k++)
      if (p->models.data[k].model == model) return true;
  }
  return false;
}

static SofaVisit warn_of_others(SofaNode *node, void *user) {
  for (size_t i = 0; i < node->objects.n; i++) {
    const SofaObject *object = node->objects.data[i];
    if (!sofa_implements(object, SOFA_COLLISION_MODEL)) continue;
    if (!handles(user, (const SofaCollisionModel *)object))
      sofa_object_message(object, SOFA_WARNING,
                          "no sub-pipeline names this collision model: it does not collide");
  }
  return SOFA_CONTINUE;
}

static SofaErr bwd_init(SofaObject *object) {
  const SofaVisitor visitor = {.down = warn_of_others, .user = object};
  if (!((CompositePipeline *)object)->sub_pipelines.n) return SOFA_OK;
  return sofa_visit(sofa_node_root(object->node), &visitor);
}

static SofaErr collide(SofaObject *object, double dt) {
  const size_t n = ((CompositePipeline *)object)->sub_pipelines.n;
  for (size_t i = 0; i < n; i++)
    if (sub_of(object, i)) SOFA_TRY(sub_pipeline_detect(sub_of(object, i), dt));
  for (size_t i = 0; i < n; i++)
    if (sub_of(object, i)) SOFA_TRY(sub_pipeline_respond(sub_of(object, i)));
  return SOFA_OK;
}

static const SofaCollisionPipelineOps ops = {.collide = collide};

SOFA_CLASS(CompositeCollisionPipeline) = {
    SOFA_NAMED(CompositeCollisionPipeline),
    .module = "Sofa.Component.Collision.Detection.Algorithm",
    .category = "CollisionAlgorithm",
    .help = "Runs sub-pipelines: the detection of all of them, then the response of all of them.",
    .base = &composite_pipeline_class,
    .init = init,
    .bwd_init = bwd_init,
    SOFA_IMPLEMENTS({SOFA_COLLISION_PIPELINE, &ops}),
};
