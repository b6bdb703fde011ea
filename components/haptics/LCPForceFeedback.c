/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* LCPForceFeedback: the constraint forces on a tool, scaled for the hand.
 *
 * A device would solve the last constraint problem again for its own position, at its own rate.
 * Without a device the tool is where the simulation has it, and the force is forceCoef J^T lambda
 * of the step. */
#include "components/haptics/ForceFeedback.h"
#include "object/event.h"

typedef struct LCPForceFeedback {
  ForceFeedback base;
  double force_coef, solver_timeout;
  int solver_max_it;
  bool deriv_rotations, all_frames;
  SofaCoords force;
} LCPForceFeedback;

typedef LCPForceFeedback SofaSelf; /* of SOFA_ROW */

enum { FORCE = 5 }; /* its row */
static const SofaField fields[] = {
    SOFA_ROW(force_coef, "forceCoef", "0.03", "1/s",
             "factor from the impulses of a step to the forces in the hand"),
    SOFA_ROW(solver_timeout, "solverTimeout", "0.0008", "s",
             "no effect: there is no device that waits", .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_ROW(solver_max_it, "solverMaxIt", "100", "",
             "no effect: the problem is not solved again for a device",
             .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_ROW(deriv_rotations, "derivRotations", "0", "",
             "no effect: the problem is not solved again for a device",
             .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_ROW(all_frames, "localHapticConstraintAllFrames", "0", "",
             "no effect: the problem is not solved again for a device",
             .flags = SOFA_FIELD_NO_EFFECT),
    [FORCE] = SOFA_ROW(
        force, "force", NULL, "N",
        "forces in the hand, one per point of the state; zero unless `activate` (addition of "
        "csofa)",
        .flags = SOFA_FIELD_OUTPUT | SOFA_FIELD_DERIV),
};

static SofaErr update(LCPForceFeedback *f, double dt) {
  const SofaState *s = f->base.state;
  const SofaCoords *from = &s->constraint_force;
  f->force.width = s->force.width;
  SOFA_TRY(sofa_coords_resize(f->base.object.ctx, &f->force, sofa_state_size(s)));
  const bool acts = f->base.activate && from->n == f->force.n;
  for (size_t i = 0; i < f->force.n * f->force.width; i++)
    f->force.data[i] = acts ? f->force_coef * dt * from->data[i] : 0;
  sofa_field_touch(&f->base.object, &fields[FORCE]);
  return SOFA_OK;
}

static SofaErr handle_event(SofaObject *object, const SofaEvent *event) {
  LCPForceFeedback *f = (LCPForceFeedback *)object;
  return event->type == SOFA_EVENT_ANIMATE_END ? update(f, event->dt) : SOFA_OK;
}

static SofaErr reset(SofaObject *object) {
  ((LCPForceFeedback *)object)->force.n = 0;
  return SOFA_OK;
}

static const char *const templates[] = {"Rigid3d", "Vec1d", NULL};

SOFA_CLASS(LCPForceFeedback) = {
    SOFA_NAMED(LCPForceFeedback),
    .module = "Sofa.Component.Haptics",
    .category = "Controller",
    .help = "The forces that constraints exert on the state of its node, for a haptic device.",
    .base = &force_feedback_class,
    .templates = templates,
    .listening = true,
    SOFA_FIELDS(fields),
    .init = force_feedback_find_state,
    .reset = reset,
    .handle_event = handle_event,
};
