/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DefaultAnimationLoop: the order of one step of a scene without Lagrangian constraints. */
#include "base/profiler.h"
#include "behavior/animation_loop.h"
#include "simulation/schedule.h"

typedef struct DefaultAnimationLoop {
  SofaAnimationLoop loop;
  bool compute_bounding_box, parallel_ode_solving;
  SofaLink target_node;
} DefaultAnimationLoop;

static const SofaLinkRule node_rule = {.interface = -1, .node = true};

static const SofaField fields[] = {
    SOFA_FIELD(DefaultAnimationLoop, compute_bounding_box, "computeBoundingBox", "1", "",
               "keep the bounding boxes up to date for views", .flags = SOFA_FIELD_DISPLAY),
    SOFA_FIELD(DefaultAnimationLoop, parallel_ode_solving, "parallelODESolving", "0", "",
               "no effect on results: solvers run one after the other",
               .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_FIELD(DefaultAnimationLoop, target_node, "targetNode", NULL, "",
               "node to animate; default: the root", .flags = SOFA_FIELD_UNSUPPORTED,
               .link = &node_rule),
};

/* The schedule of the graph as it is now. */
static SofaErr current_schedule(SofaAnimationLoop *loop, SofaNode *root, SofaSchedule **out) {
  if (loop->schedule && sofa_schedule_is_stale(loop->schedule))
    sofa_schedule_destroy(&loop->schedule);
  if (!loop->schedule) SOFA_TRY(sofa_schedule_create(root, &loop->schedule));
  *out = loop->schedule;
  return SOFA_OK;
}

/* Collision detection has its place between the two events; there is no pipeline yet. */
static SofaErr step(SofaAnimationLoop *loop, SofaNode *root, double dt) {
  SofaContext *ctx = root->object.ctx;
  SofaErr err = SOFA_OK;
  SofaSchedule *s = NULL;
  SOFA_TRY(current_schedule(loop, root, &s));

  SOFA_TRY(sofa_schedule_send(s, SOFA_EVENT_ANIMATE_BEGIN, dt));
  SOFA_TRY(sofa_schedule_update_data(s));
  SOFA_TRY(sofa_schedule_send(s, SOFA_EVENT_COLLISION_BEGIN, dt));
  SOFA_TRY(sofa_schedule_send(s, SOFA_EVENT_COLLISION_END, dt));

  /* handlers and engines may have changed the graph */
  SOFA_TRY(current_schedule(loop, root, &s));
  SOFA_TRY(sofa_schedule_send(s, SOFA_EVENT_INTEGRATE_BEGIN, dt));
  sofa_timer_begin(ctx, "solve");
  err = sofa_schedule_solve(s, dt);
  sofa_timer_end(ctx);
  if (err != SOFA_OK) return err;
  SOFA_TRY(sofa_schedule_project(s, dt));
  sofa_schedule_clear_external_forces(s);
  SOFA_TRY(sofa_schedule_send(s, SOFA_EVENT_INTEGRATE_END, dt));

  root->time += dt;
  SOFA_TRY(sofa_schedule_update_context(s));
  SOFA_TRY(sofa_schedule_send(s, SOFA_EVENT_ANIMATE_END, dt));

  sofa_timer_begin(ctx, "visual mappings");
  err = sofa_schedule_update_visuals(s);
  sofa_timer_end(ctx);
  if (err != SOFA_OK) return err;
  return sofa_schedule_send(s, SOFA_EVENT_UPDATE_MAPPING_END, dt);
}

static const SofaAnimationLoopOps ops = {.step = step};

const SofaClass sofa_DefaultAnimationLoop_class = {
    .name = "DefaultAnimationLoop",
    .module = "Sofa.Simulation.Core",
    .category = "AnimationLoop",
    .help = "One step: events, data, ODE solvers, projections, mappings, time. Scenes without an "
            "animation loop get one.",
    .base = &sofa_animation_loop_class,
    .size = sizeof(DefaultAnimationLoop),
    .fields = fields,
    .n_fields = sizeof fields / sizeof *fields,
    .ops = {[SOFA_ANIMATION_LOOP] = &ops},
};
