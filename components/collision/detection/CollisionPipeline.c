/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CollisionPipeline: detection and response for all collision models below its node. */
#include "components/collision/detection/pipeline.h"
#include "object/checkpoint.h"

typedef struct CollisionPipeline {
  CompositePipeline composite;
  bool verbose, draw;
  int depth;
  SubPipeline sub;
} CollisionPipeline;

typedef CollisionPipeline SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_NO_EFFECT(verbose, "verbose", "0", "no effect: see the timers of the phases"),
    SOFA_ROW_NO_EFFECT(draw, "draw", "0", "no effect: a contact draws itself"),
    SOFA_ROW(depth, "depth", "6", "1",
             "levels of the bounding trees below the root: a cell with more than 4 elements is "
             "split in two until then",
             .range = SOFA_AT_LEAST(0), .on_bad = SOFA_BAD_DEFAULT),
};

static SofaVisit collect(SofaNode *node, void *user) {
  PipelineSearch *search = user;
  SubPipeline *p = search->pipeline;
  for (size_t i = 0; i < node->objects.n && search->err == SOFA_OK; i++) {
    SofaObject *object = node->objects.data[i];
    if (sofa_implements(object, SOFA_COLLISION_MODEL))
      search->err = sub_pipeline_add_model(p, (SofaCollisionModel *)object);
    if (!p->method && sofa_implements(object, SOFA_INTERSECTION))
      p->method = (SofaIntersection *)object;
    if (!p->broad && sofa_implements(object, SOFA_BROAD_PHASE)) p->broad = object;
    if (!p->narrow && sofa_implements(object, SOFA_NARROW_PHASE)) p->narrow = object;
    if (!p->manager && sofa_implements(object, SOFA_CONTACT_MANAGER))
      p->manager = (SofaContactManager *)object;
  }
  return search->err == SOFA_OK ? SOFA_CONTINUE : SOFA_STOP;
}

/* The list of models stays as it is now for the whole run. */
static SofaErr init(SofaObject *object) {
  CollisionPipeline *c = (CollisionPipeline *)object;
  PipelineSearch search = {.pipeline = &c->sub};
  const SofaVisitor visitor = {.down = collect, .user = &search, .inactive_too = true};
  c->sub.owner = object;
  c->sub.depth = (unsigned)c->depth;
  SOFA_TRY(sofa_visit(object->node, &visitor));
  SOFA_TRY(search.err);
  sub_pipeline_check(&c->sub);
  return SOFA_OK;
}

static SofaErr bwd_init(SofaObject *object) {
  return sub_pipeline_explain(&((CollisionPipeline *)object)->sub);
}

static SofaErr collide(SofaObject *object, double dt) {
  SubPipeline *p = &((CollisionPipeline *)object)->sub;
  SOFA_TRY(sub_pipeline_detect(p, dt));
  return sub_pipeline_respond(p);
}

static SofaErr reset(SofaObject *object) {
  sub_pipeline_reset(&((CollisionPipeline *)object)->sub);
  return SOFA_OK;
}

static SofaErr save(const SofaObject *object, SofaCheckpointWriter *to) {
  sub_pipeline_save(&((const CollisionPipeline *)object)->sub, to);
  return SOFA_OK;
}

static SofaErr restore(SofaObject *object, SofaCheckpointReader *from) {
  return sub_pipeline_restore(&((CollisionPipeline *)object)->sub, from);
}

static const SofaCheckpointOps checkpoint = {.save = save, .restore = restore};

static void destroy(SofaObject *object) {
  sub_pipeline_free(&((CollisionPipeline *)object)->sub);
}

static const SofaCollisionPipelineOps ops = {.collide = collide};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(CollisionPipeline, sub.models),   SOFA_REMADE(CollisionPipeline, sub.graph_version),
    SOFA_REMADE(CollisionPipeline, sub.bodies),   SOFA_REMADE(CollisionPipeline, sub.pairs),
    SOFA_REMADE(CollisionPipeline, sub.contacts), SOFA_REMADE(CollisionPipeline, sub.ends),
};

SOFA_CLASS(CollisionPipeline) = {
    SOFA_NAMED(CollisionPipeline),
    .module = "Sofa.Component.Collision.Detection.Algorithm",
    .category = "CollisionAlgorithm",
    .help = "Detects the contacts of all collision models in its node and below, at the start of "
            "each step, and lets the contact manager respond. It uses the first intersection "
            "method, broad phase, narrow phase and contact manager there.",
    .base = &composite_pipeline_class,
    SOFA_SPARES(spared),
    SOFA_FIELDS(fields),
    .init = init,
    .bwd_init = bwd_init,
    .reset = reset,
    .destroy = destroy,
    .checkpoint = &checkpoint,
    SOFA_IMPLEMENTS({SOFA_COLLISION_PIPELINE, &ops}),
};
