/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Points brought to a final place between two times. */
#include "behavior/checks.h"
#include "components/constraint/projective/final_motion.h"

SofaErr final_motion_init(FinalMotion *motion) {
  const SofaObject *object = &motion->indexed.constraint.object;
  motion->final.n = 0; /* computed again */
  if (motion->end > motion->begin) return SOFA_OK;
  return sofa_keep_going(object, sofa_field_fail(object, "endConstraintTime", SOFA_ERR_RANGE,
                                                 "%g s is not after beginConstraintTime = %g s",
                                                 motion->end, motion->begin));
}

/* The final places are computed again. */
static SofaErr final_done(SofaObject *object) {
  ((FinalMotion *)object)->final.n = 0;
  return SOFA_OK;
}

const SofaTopologyListenerOps final_motion_listener = {.done = final_done};

static SofaErr final_clear(SofaProjective *c, const SofaMechParams *params, double *dx) {
  (void)params;
  indexed_clear((IndexedConstraint *)c, NULL, dx);
  return SOFA_OK;
}

/* The final places of the start places. */
static SofaErr find_final(FinalMotion *motion) {
  if (motion->final.n == motion->x0.n) return SOFA_OK;
  SOFA_TRY(sofa_list_copy(motion->indexed.constraint.object.ctx, &motion->final, &motion->x0,
                          sizeof(double)));
  return motion->compute(motion);
}

/* The angular velocity of a frame that turns all along the movement. */
static void spin(const FinalMotion *motion, const double *x0, double *v) {
  const SofaStateKindInfo *kind = constrained_kind(&motion->indexed.constraint);
  double move[6] = {0};
  if (!motion->move || !kind->rigid) return;
  motion->move(motion, x0, move);
  for (unsigned i = kind->space; i < kind->deriv; i++)
    v[i] = move[i] / (motion->end - motion->begin);
}

/* The slope of the movement ahead; SOFA has moving points at rest. */
static SofaErr final_velocity(SofaProjective *c, const SofaMechParams *params, double *v) {
  FinalMotion *motion = (FinalMotion *)c;
  const double t = imposed_time(c, params), margin = 1e-6 * params->dt;
  const size_t coord = constrained_kind(c)->coord, deriv = constrained_kind(c)->deriv;
  const unsigned dims = constrained_dims(c);
  indexed_clear(&motion->indexed, NULL, v);
  if (sofa_quirk(&c->object, QUIRK_LATE_MOVEMENT) || !motion->x0.n || t < motion->begin - margin ||
      t > motion->end - margin)
    return SOFA_OK;
  SOFA_TRY(find_final(motion));
  for (size_t k = 0; k < indexed_n(&motion->indexed); k++) {
    const size_t point = indexed_at(&motion->indexed, k), at = point * coord;
    for (unsigned a = 0; a < dims; a++)
      v[point * deriv + a] =
          (motion->final.data[at + a] - motion->x0.data[at + a]) / (motion->end - motion->begin);
    spin(motion, motion->x0.data + at, v + point * deriv);
  }
  return SOFA_OK;
}

/* The orientation after a share s of the movement; SOFA has none until the end. */
static void turn(const FinalMotion *motion, const double *x0, double s, double *x) {
  const SofaProjective *c = &motion->indexed.constraint;
  const SofaStateKindInfo *kind = constrained_kind(c);
  double move[6] = {0}, turned[7] = {0, 0, 0, 0, 0, 0, 1};
  if (!motion->move || !kind->rigid) return;
  if (!sofa_quirk(&c->object, QUIRK_PATCH_FRAMES)) {
    motion->move(motion, x0, move);
    sofa_copy(turned, x0, kind->coord * sizeof *turned);
    sofa_state_integrate(c->state->object.kind, 1, s, move, turned);
  }
  sofa_copy(x + kind->space, turned + kind->space, (kind->coord - kind->space) * sizeof *x);
}

/* The places on the line from x0 to xf at the time t. */
static void place(const FinalMotion *motion, size_t at, double t, double *x) {
  const double *from = motion->x0.data + at, *to = motion->final.data + at;
  const double tb = motion->begin, te = motion->end;
  const unsigned dims = constrained_dims(&motion->indexed.constraint);
  for (unsigned a = 0; a < dims; a++)
    x[at + a] = ((to[a] - from[a]) * t + from[a] * te - to[a] * tb) / (te - tb);
  turn(motion, from, (t - tb) / (te - tb), x + at);
}

/* tb < t <= te: x0 (te - t) / (te - tb) + xf (t - tb) / (te - tb); later xf. */
static SofaErr final_position(SofaProjective *c, const SofaMechParams *params, double *x) {
  FinalMotion *motion = (FinalMotion *)c;
  const double t = imposed_time(c, params);
  SOFA_TRY(projective_capture(c, x, &motion->x0));
  SOFA_TRY(find_final(motion));
  if (!(t > motion->begin)) return SOFA_OK;
  const size_t coord = constrained_kind(c)->coord, n = indexed_n(&motion->indexed);
  for (size_t k = 0; k < n; k++) {
    const size_t at = indexed_at(&motion->indexed, k) * coord;
    if (t > motion->end) sofa_copy(x + at, motion->final.data + at, coord * sizeof *x);
    else place(motion, at, t, x);
  }
  return SOFA_OK;
}

static SofaErr final_discard(SofaProjective *c, const SofaMechParams *params,
                             SofaDiscard *discard) {
  (void)params;
  indexed_discard_forgotten((IndexedConstraint *)c, discard);
  return SOFA_OK;
}

const SofaProjectiveOps final_motion_ops = {.response = final_clear,
                                            .velocity = final_velocity,
                                            .position = final_position,
                                            .discard = final_discard};
