/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Animation loops: what one step of a scene is. */
#ifndef SOFA_BEHAVIOR_ANIMATION_LOOP_H
#define SOFA_BEHAVIOR_ANIMATION_LOOP_H

#include "object/node.h"

typedef struct SofaAnimationLoop {
  SofaObject object;
  double stored_time;            /* of the last store_reset */
  struct SofaSchedule *schedule; /* of the graph, kept from step to step; owned */
} SofaAnimationLoop;

extern const SofaClass sofa_animation_loop_class; /* abstract */

typedef struct SofaAnimationLoopOps {
  SofaErr (*step)(SofaAnimationLoop *loop, SofaNode *root, double dt); /* required; dt > 0 */
  /* optional: the step of each integration in a step of dt; default: dt */
  double (*integration_dt)(const SofaAnimationLoop *loop, double dt);
} SofaAnimationLoopOps;

#endif
