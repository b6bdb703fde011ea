/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The abstract animation loop: remembers the time of reset, owns the schedule. */
#include "behavior/animation_loop.h"

#include "simulation/schedule.h"
#include "object/checkpoint.h"

static SofaErr store_reset(SofaObject *object) {
  ((SofaAnimationLoop *)object)->stored_time = object->node->time;
  return SOFA_OK;
}

static void destroy(SofaObject *object) {
  sofa_schedule_destroy(&((SofaAnimationLoop *)object)->schedule);
}

static const SofaSparedMember spared[] = {
    SOFA_REMADE(SofaAnimationLoop, schedule),
};

const SofaClass sofa_animation_loop_class = {
    .name = "AnimationLoop",
    .module = "csofa",
    .category = "AnimationLoop",
    .help = "Defines one step of a scene.",
    .base = &sofa_object_class,
    .divided = SOFA_DIVIDED_NEUTRAL,
    SOFA_SPARES(spared),
    .size = sizeof(SofaAnimationLoop),
    .abstract = true,
    .store_reset = store_reset,
    .destroy = destroy,
    SOFA_IMPLEMENTS({SOFA_ANIMATION_LOOP, SOFA_NO_OPS}),
};
