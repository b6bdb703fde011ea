/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DefaultAnimationLoop: the order of one step of a scene without Lagrangian constraints. */
#include "behavior/animation_loop.h"
#include "simulation/schedule.h"

typedef struct DefaultAnimationLoop {
  SofaAnimationLoop loop;
  bool compute_bounding_box, parallel_ode_solving;
  SofaLink target_node;
} DefaultAnimationLoop;

static const SofaField fields[] = {
    SOFA_FIELD(DefaultAnimationLoop, compute_bounding_box, "computeBoundingBox", "1", "",
               "keep the bounding boxes up to date for views", .flags = SOFA_FIELD_DISPLAY),
    SOFA_FIELD(DefaultAnimationLoop, parallel_ode_solving, "parallelODESolving", "0", "",
               "no effect on results: solvers run one after the other",
               .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_FIELD(DefaultAnimationLoop, target_node, "targetNode", NULL, "",
               "node to animate, with the nodes below; default: the root",
               .link = &sofa_target_node_rule),
};

static SofaErr step(SofaAnimationLoop *loop, SofaNode *root, double dt) {
  SofaNode *node = sofa_animation_loop_target(&((DefaultAnimationLoop *)loop)->target_node, root);
  SOFA_TRY(sofa_schedule_renew(&loop->schedule, node));
  SOFA_TRY(sofa_schedule_send(loop->schedule, SOFA_EVENT_ANIMATE_BEGIN, dt));
  SOFA_TRY(sofa_schedule_update_data(loop->schedule));
  SOFA_TRY(sofa_schedule_collide(&loop->schedule, node, dt));
  SOFA_TRY(sofa_schedule_integrate(loop->schedule, dt, dt));
  sofa_animation_loop_set_time(node, node->time + dt);
  SOFA_TRY(sofa_schedule_update_context(loop->schedule));
  return sofa_schedule_finish(loop->schedule, dt);
}

static const SofaAnimationLoopOps ops = {.step = step};

SOFA_CLASS(DefaultAnimationLoop) = {
    SOFA_NAMED(DefaultAnimationLoop),
    .module = "Sofa.Simulation.Core",
    .category = "AnimationLoop",
    .help = "One step: events, data, collisions, ODE solvers, projections, mappings, time. Scenes "
            "without an animation loop get one.",
    .base = &sofa_animation_loop_class,
    .divided = SOFA_DIVIDED_NEUTRAL,
    SOFA_FIELDS(fields),
    SOFA_IMPLEMENTS({SOFA_ANIMATION_LOOP, &ops}),
};
