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
} SofaAnimationLoopOps;

/* The node that a loop steps: its link, or the root of the scene. */
static inline SofaNode *sofa_loop_node(const SofaLink *link, SofaNode *root) {
  return link->target ? (SofaNode *)link->target : root;
}
/* The clock of the scene goes with the node that was stepped by dt. */
static inline void sofa_loop_sync(const SofaNode *node, SofaNode *root, double dt) {
  if (node != root) root->time += dt;
}

#endif
