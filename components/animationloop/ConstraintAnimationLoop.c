/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ConstraintAnimationLoop: a step with Lagrangian constraints and a solver of its own.
 *
 * As FreeMotionAnimationLoop, but that free positions of mapped states are the mapped ones and that
 * collisions may be detected before the free motion. */
#include <stdio.h>

#include "behavior/animation_loop.h"
#include "object/factory.h"
#include "simulation/constraint_step.h"

typedef struct ConstraintAnimationLoop {
  SofaAnimationLoop loop;
  bool display_time, collisions_first, double_buffer, scale_tolerance, all_verified;
  bool scheme_correction, real_time, compute_bounding_box;
  double tolerance, sor;
  int max_iterations;
  SofaLink target_node;
  SofaReals graphs[3]; /* of the solver */
  SofaObject *solver;
} ConstraintAnimationLoop;

typedef ConstraintAnimationLoop SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW(display_time, "displayTime", "0", "", "no effect: --timer shows times",
             .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_ROW(tolerance, "tolerance", "1e-5", "m",
             "the solver stops when the sum of the changes of violations of an iteration is below",
             .range = SOFA_AT_LEAST(0), .on_bad = SOFA_BAD_DEFAULT),
    SOFA_ROW(max_iterations, "maxIterations", "1000", "", "largest number of iterations",
             .range = SOFA_AT_LEAST(0), .on_bad = SOFA_BAD_DEFAULT),
    SOFA_ROW(collisions_first, "doCollisionsFirst", "0", "",
             "detect collisions before the free motion instead of after it"),
    SOFA_ROW(double_buffer, "doubleBuffer", "0", "", "no effect: there is no haptic device",
             .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_ROW(scale_tolerance, "scaleTolerance", "1", "",
             "the tolerance is multiplied by the number of rows"),
    SOFA_ROW(all_verified, "allVerified", "0", "", "each row has to be below the tolerance"),
    SOFA_ROW(sor, "sor", "1", "1", "successive over-relaxation: weight of the new forces"),
    SOFA_ROW(scheme_correction, "schemeCorrection", "0", "", "no effect, as in SOFA",
             .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_ROW(real_time, "realTimeCompensation", "0", "",
             "no effect: steps are not tied to the clock", .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_ROW_OUTPUT(graphs[0], "graphErrors", "", "error after each iteration of the last solve"),
    SOFA_ROW_OUTPUT(graphs[1], "graphConstraints", "",
                    "errors of the blocks, iteration by iteration"),
    SOFA_ROW_OUTPUT(graphs[2], "graphForces", "", "forces of all rows, iteration by iteration"),
    SOFA_ROW(compute_bounding_box, "computeBoundingBox", "1", "",
             "keep the bounding boxes up to date for views", .flags = SOFA_FIELD_DISPLAY),
    SOFA_ROW(target_node, "targetNode", NULL, "",
             "node to animate, with the nodes below; default: the root",
             .link = &sofa_target_node_rule),
};

static SofaErr set(SofaObject *solver, const char *field, double value) {
  char text[40];
  snprintf(text, sizeof text, "%.17g", value);
  return sofa_field_set_text(solver, field, text, solver->line);
}

static SofaErr init(SofaObject *object) {
  ConstraintAnimationLoop *loop = (ConstraintAnimationLoop *)object;
  const SofaClass *klass = sofa_factory_find(object->ctx, "BlockGaussSeidelConstraintSolver", NULL);
  if (!klass)
    return sofa_object_fail(object, SOFA_ERR_NOT_FOUND,
                            "there is no BlockGaussSeidelConstraintSolver to solve with");
  SOFA_TRY(sofa_object_create_for(object, klass, "solver", NULL, &loop->solver));
  SOFA_TRY(set(loop->solver, "tolerance", loop->tolerance));
  SOFA_TRY(set(loop->solver, "maxIterations", loop->max_iterations));
  SOFA_TRY(set(loop->solver, "scaleTolerance", loop->scale_tolerance));
  SOFA_TRY(set(loop->solver, "allVerified", loop->all_verified));
  SOFA_TRY(set(loop->solver, "computeGraphs", 1));
  return set(loop->solver, "sor", loop->sor);
}

/* The outputs are those of the solver. */
static SofaErr show_graphs(ConstraintAnimationLoop *loop) {
  static const char *const names[] = {"graphErrors", "graphConstraints", "graphForces"};
  SofaObject *object = &loop->loop.object;
  for (int k = 0; k < 3; k++) {
    const SofaField *field = sofa_class_field(loop->solver->klass, names[k]);
    const SofaReals *from = sofa_field_value(loop->solver, field);
    SOFA_TRY(SOFA_RESIZE(object->ctx, &loop->graphs[k], from->n));
    for (size_t i = 0; i < from->n; i++) loop->graphs[k].data[i] = from->data[i];
    sofa_field_touch_name(object, names[k]);
  }
  return SOFA_OK;
}

static SofaErr reset(SofaObject *object) {
  for (int k = 0; k < 3; k++) ((ConstraintAnimationLoop *)object)->graphs[k].n = 0;
  return SOFA_OK;
}

static SofaErr step(SofaAnimationLoop *base, SofaNode *root, double dt) {
  ConstraintAnimationLoop *loop = (ConstraintAnimationLoop *)base;
  SofaNode *node = sofa_animation_loop_target(&loop->target_node, root);
  const SofaConstrainedStep one = {.dt = dt, .by_mappings = true};
  SOFA_TRY(sofa_schedule_renew(&base->schedule, node));
  SOFA_TRY(sofa_schedule_send(base->schedule, SOFA_EVENT_ANIMATE_BEGIN, dt));
  SOFA_TRY(sofa_schedule_update_data(base->schedule));
  if (loop->collisions_first) SOFA_TRY(sofa_schedule_collide(&base->schedule, node, dt));
  SOFA_TRY(sofa_schedule_free_motion(base->schedule, &one));
  if (!loop->collisions_first) SOFA_TRY(sofa_schedule_collide(&base->schedule, node, dt));
  SOFA_TRY(sofa_schedule_constrain(base->schedule, (SofaConstraintSolver *)loop->solver, &one));
  SOFA_TRY(show_graphs(loop));
  SOFA_TRY(sofa_schedule_end_constrained(base->schedule, &one));
  sofa_animation_loop_set_time(node, node->time + dt);
  SOFA_TRY(sofa_schedule_update_context(base->schedule));
  return sofa_schedule_finish(base->schedule, dt);
}

static const SofaAnimationLoopOps ops = {.step = step, .constrains = true};

SOFA_CLASS(ConstraintAnimationLoop) = {
    SOFA_NAMED(ConstraintAnimationLoop),
    .module = "Sofa.Component.AnimationLoop",
    .category = "AnimationLoop",
    .help = "One step with Lagrangian constraints, solved by Gauss-Seidel sweeps. "
            "FreeMotionAnimationLoop is its successor, with any constraint solver.",
    .base = &sofa_animation_loop_class,
    SOFA_FIELDS(fields),
    .init = init,
    .reset = reset,
    SOFA_IMPLEMENTS({SOFA_ANIMATION_LOOP, &ops}),
};
