/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* AnimationLoopParallelScheduler: steps the parts of a scene that have animation loops of their
 * own, then lets them exchange data. */
#include "behavior/animation_loop.h"
#include "components/multithreading/parallel.h"
#include "simulation/schedule.h"

typedef struct AnimationLoopParallelScheduler {
  SofaAnimationLoop loop;
  bool compute_bounding_box;
  ParallelFields parallel;
  SofaLink target_node;
} AnimationLoopParallelScheduler;

static const SofaLinkRule node_rule = {.node = true};

static const SofaField fields[] = {
    SOFA_FIELD(AnimationLoopParallelScheduler, compute_bounding_box, "computeBoundingBox", "1", "",
               "keep the bounding boxes up to date for views", .flags = SOFA_FIELD_DISPLAY),
    PARALLEL_ROWS(AnimationLoopParallelScheduler, parallel),
    SOFA_FIELD(AnimationLoopParallelScheduler, target_node, "targetNode", NULL, "",
               "node whose children are animated; default: the root",
               .flags = SOFA_FIELD_UNSUPPORTED, .link = &node_rule),
};

static SofaAnimationLoop *loop_of(const SofaNode *node) {
  return (SofaAnimationLoop *)sofa_node_slot(node, SOFA_ANIMATION_LOOP);
}

static SofaErr init(SofaObject *object) {
  const SofaNode *node = object->node;
  for (size_t i = 0; i < node->children.n; i++)
    if (loop_of(node->children.data[i])) return SOFA_OK;
  sofa_object_message(object, SOFA_WARNING,
                      "no child node has an animation loop: nothing will move");
  return SOFA_OK;
}

/* The parts know nothing of each other, so that their order does not matter. */
static SofaErr step(SofaAnimationLoop *loop, SofaNode *root, double dt) {
  for (size_t i = 0; i < root->children.n; i++) {
    SofaNode *child = root->children.data[i];
    SofaAnimationLoop *own = child->activated ? loop_of(child) : NULL;
    if (!own) continue;
    const SofaAnimationLoopOps *ops = sofa_ops(&own->object, SOFA_ANIMATION_LOOP);
    SOFA_TRY(ops->step(own, child, dt));
  }
  root->time += dt;
  SOFA_TRY(sofa_schedule_renew(&loop->schedule, root));
  return sofa_schedule_send(loop->schedule, SOFA_EVENT_DATA_EXCHANGE, dt);
}

/* Reset puts the time of the root back; here are the others. */
static SofaErr reset(SofaObject *object) {
  const SofaNode *node = object->node;
  for (size_t i = 0; i < node->children.n; i++) {
    const SofaAnimationLoop *own = loop_of(node->children.data[i]);
    if (own) node->children.data[i]->time = own->stored_time;
  }
  return SOFA_OK;
}

static const SofaAnimationLoopOps ops = {.step = step};

SOFA_CLASS(AnimationLoopParallelScheduler) = {
    SOFA_NAMED(AnimationLoopParallelScheduler),
    .module = "MultiThreading",
    .category = "AnimationLoop",
    .help =
        "Steps each child node that has an animation loop of its own, then lets DataExchange copy "
        "between them.",
    .base = &sofa_animation_loop_class,
    SOFA_FIELDS(fields),
    .init = init,
    .reset = reset,
    SOFA_IMPLEMENTS({SOFA_ANIMATION_LOOP, &ops}),
};
