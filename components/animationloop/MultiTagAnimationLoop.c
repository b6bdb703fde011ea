/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* MultiTagAnimationLoop: integrates what has the first tag, then what has the second, and so on. */
#include "behavior/animation_loop.h"
#include "simulation/schedule.h"

typedef struct MultiTagAnimationLoop {
  SofaAnimationLoop loop;
  bool compute_bounding_box;
  SofaLink target_node;
} MultiTagAnimationLoop;

static const SofaField fields[] = {
    SOFA_FIELD(MultiTagAnimationLoop, compute_bounding_box, "computeBoundingBox", "1", "",
               "keep the bounding boxes up to date for views", .flags = SOFA_FIELD_DISPLAY),
    SOFA_FIELD(MultiTagAnimationLoop, target_node, "targetNode", NULL, "",
               "node to step, with the nodes below; default: the root. Other nodes do not move",
               .link = &sofa_target_node_rule),
};

static SofaErr init(SofaObject *object) {
  if (!object->tags.words.n)
    sofa_object_message(object, SOFA_WARNING, "it has no 'tags': nothing will be integrated");
  return SOFA_OK;
}

static SofaErr step(SofaAnimationLoop *loop, SofaNode *root, double dt) {
  SofaNode *node = sofa_animation_loop_target(&((MultiTagAnimationLoop *)loop)->target_node, root);
  const SofaStrings *tags = &loop->object.tags.words;
  SOFA_TRY(sofa_schedule_renew(&loop->schedule, node));
  SOFA_TRY(sofa_schedule_send(loop->schedule, SOFA_EVENT_ANIMATE_BEGIN, dt));
  SOFA_TRY(sofa_schedule_update_data(loop->schedule));
  for (size_t i = 0; i < tags->n; i++) {
    SOFA_TRY(sofa_schedule_collide(&loop->schedule, node, dt));
    SOFA_TRY(sofa_schedule_integrate_tagged(loop->schedule, dt, dt, tags->data[i]));
  }
  sofa_animation_loop_set_time(node, node->time + dt);
  SOFA_TRY(sofa_schedule_update_context(loop->schedule));
  return sofa_schedule_finish(loop->schedule, dt);
}

static const SofaAnimationLoopOps ops = {.step = step};

SOFA_CLASS(MultiTagAnimationLoop) = {
    SOFA_NAMED(MultiTagAnimationLoop),
    .module = "Sofa.Component.AnimationLoop",
    .category = "AnimationLoop",
    .help = "Integrates in each step the objects with its first tag, then those with its second, "
            "and so on; objects without any of its `tags` do not move.",
    .base = &sofa_animation_loop_class,
    SOFA_FIELDS(fields),
    .init = init,
    SOFA_IMPLEMENTS({SOFA_ANIMATION_LOOP, &ops}),
};
