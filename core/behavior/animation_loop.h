/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Animation loops: they define one step of a scene. */
#ifndef SOFA_BEHAVIOR_ANIMATION_LOOP_H
#define SOFA_BEHAVIOR_ANIMATION_LOOP_H

#include "object/node.h"

SOFA_BEGIN_DECLS

extern const SofaInterface sofa_animation_loop_interface, sofa_visual_loop_interface;
#define SOFA_ANIMATION_LOOP (&sofa_animation_loop_interface)
#define SOFA_VISUAL_LOOP (&sofa_visual_loop_interface)

typedef struct SofaAnimationLoop {
  SofaObject object;
  double stored_time;            /* of the last store_reset */
  struct SofaSchedule *schedule; /* of the graph, kept from step to step; owned */
} SofaAnimationLoop;

/* For fields `targetNode`. */
extern const SofaLinkRule sofa_target_node_rule;
/* The node whose graph the loop animates: that of the link, else the root. */
SofaNode *sofa_animation_loop_target(const SofaLink *link, SofaNode *root);
/* Sets the time of the animated node and of the root. */
void sofa_animation_loop_set_time(SofaNode *target, double time);

extern const SofaClass sofa_animation_loop_class; /* abstract */

typedef struct SofaAnimationLoopOps {
  SofaErr (*step)(SofaAnimationLoop *loop, SofaNode *root, double dt); /* required; dt > 0 */
  /* optional: the step of each integration in a step of dt; default: dt */
  double (*integration_dt)(const SofaAnimationLoop *loop, double dt);
  bool constrains; /* it solves Lagrangian constraints */
} SofaAnimationLoopOps;

SOFA_END_DECLS

#endif
