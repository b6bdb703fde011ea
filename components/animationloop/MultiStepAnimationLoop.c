/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* MultiStepAnimationLoop: steps that consist of several collision detections and integrations. */
#include "behavior/animation_loop.h"
#include "simulation/schedule.h"

enum { QUIRK_MULTI_STEP_CLOCK = 1 };
static const SofaQuirk quirks[] = {
    {QUIRK_MULTI_STEP_CLOCK, "multi-step-clock",
     "MultiStepAnimationLoop starts the time over in each collision step",
     "test_animation_loops.the_clock_of_quirks_starts_over"},
};

typedef struct MultiStepAnimationLoop {
  SofaAnimationLoop loop;
  bool compute_bounding_box;
  int collision_steps, integration_steps;
  SofaLink target_node;
} MultiStepAnimationLoop;

typedef MultiStepAnimationLoop SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW(compute_bounding_box, "computeBoundingBox", "1", "",
             "keep the bounding boxes up to date for views", .flags = SOFA_FIELD_DISPLAY),
    SOFA_ROW(collision_steps, "collisionSteps", "1", "", "collision detections per step",
             .range = SOFA_AT_LEAST(1), .on_bad = SOFA_BAD_CLAMP),
    SOFA_ROW(integration_steps, "integrationSteps", "1", "",
             "integrations after each of them, by dt / (collisionSteps integrationSteps)",
             .range = SOFA_AT_LEAST(1), .on_bad = SOFA_BAD_CLAMP),
    SOFA_ROW(target_node, "targetNode", NULL, "",
             "node to animate, with the nodes below; default: the root",
             .link = &sofa_target_node_rule),
};

static double integration_dt(const SofaAnimationLoop *loop, double dt) {
  const MultiStepAnimationLoop *m = (const MultiStepAnimationLoop *)loop;
  return dt / (m->collision_steps * m->integration_steps);
}

static SofaErr step(SofaAnimationLoop *loop, SofaNode *root, double dt) {
  const MultiStepAnimationLoop *m = (const MultiStepAnimationLoop *)loop;
  SofaNode *node = sofa_animation_loop_target(&m->target_node, root);
  const bool starts_over = sofa_quirk(&loop->object, QUIRK_MULTI_STEP_CLOCK);
  const double start = node->time, share = integration_dt(loop, dt);
  SOFA_TRY(sofa_schedule_renew(&loop->schedule, node));
  SOFA_TRY(sofa_schedule_send(loop->schedule, SOFA_EVENT_ANIMATE_BEGIN, dt));
  SOFA_TRY(sofa_schedule_update_data(loop->schedule));
  for (int c = 0; c < m->collision_steps; c++) {
    SOFA_TRY(sofa_schedule_collide(&loop->schedule, node, dt));
    for (int i = 0; i < m->integration_steps; i++) {
      const int done = (starts_over ? 0 : c * m->integration_steps) + i + 1;
      SOFA_TRY(sofa_schedule_integrate(loop->schedule, share, starts_over ? dt : share));
      sofa_animation_loop_set_time(node, start + done * share);
      SOFA_TRY(sofa_schedule_update_context(loop->schedule));
    }
  }
  return sofa_schedule_finish(loop->schedule, dt);
}

static const SofaAnimationLoopOps ops = {.step = step, .integration_dt = integration_dt};

SOFA_CLASS(MultiStepAnimationLoop) = {
    SOFA_NAMED(MultiStepAnimationLoop),
    .module = "Sofa.Component.AnimationLoop",
    .category = "AnimationLoop",
    .help = "Divides each step into several collision detections, and these into several "
            "integrations by an equal share of dt.",
    .base = &sofa_animation_loop_class,
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(fields),
    SOFA_IMPLEMENTS({SOFA_ANIMATION_LOOP, &ops}),
};
