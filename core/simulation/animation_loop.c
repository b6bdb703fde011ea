/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The abstract animation loop: remembers the time of reset, owns the schedule. */
#include "behavior/animation_loop.h"

#include "simulation/schedule.h"

const SofaInterface sofa_animation_loop_interface = {
    .name = "animation loop", SOFA_REQUIRES(offsetof(SofaAnimationLoopOps, step)), .slot = true};
const SofaInterface sofa_visual_loop_interface = {.name = "visual loop", .slot = true};

const SofaLinkRule sofa_target_node_rule = {.node = true};

SofaNode *sofa_animation_loop_target(const SofaLink *link, SofaNode *root) {
  return link->target ? (SofaNode *)link->target : root;
}

void sofa_animation_loop_set_time(SofaNode *target, double time) {
  target->time = time;
  sofa_node_root(target)->time = time;
}

static SofaErr store_reset(SofaObject *object) {
  ((SofaAnimationLoop *)object)->stored_time = object->node->time;
  return SOFA_OK;
}

static void destroy(SofaObject *object) {
  sofa_schedule_destroy(&((SofaAnimationLoop *)object)->schedule);
}

const SofaClass sofa_animation_loop_class = {
    .name = "AnimationLoop",
    .module = "csofa",
    .category = "AnimationLoop",
    .help = "Defines one step of a scene.",
    .base = &sofa_object_class,
    .size = sizeof(SofaAnimationLoop),
    .abstract = true,
    .store_reset = store_reset,
    .destroy = destroy,
    SOFA_IMPLEMENTS({SOFA_ANIMATION_LOOP, SOFA_NO_OPS}),
};
