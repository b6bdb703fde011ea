/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The interfaces of animation loops, and what loops do with their node. */
#include "behavior/animation_loop.h"

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
