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
  }
  return SOFA_OK;
}

/* tb < t <= te: x0 (te - t) / (te - tb) + xf (t - tb) / (te - tb), the places only; later xf. */
static SofaErr final_position(SofaProjective *c, const SofaMechParams *params, double *x) {
  FinalMotion *motion = (FinalMotion *)c;
  const double t = imposed_time(c, params), tb = motion->begin, te = motion->end;
  SOFA_TRY(projective_capture(c, x, &motion->x0));
  SOFA_TRY(find_final(motion));
  if (!(t > tb)) return SOFA_OK;
  const size_t coord = constrained_kind(c)->coord, n = indexed_n(&motion->indexed);
  const unsigned dims = constrained_dims(c);
  for (size_t k = 0; k < n; k++) {
    const size_t at = indexed_at(&motion->indexed, k) * coord;
    const double *from = motion->x0.data + at, *to = motion->final.data + at;
    if (t > te) sofa_copy(x + at, to, coord * sizeof *x);
    else
      for (unsigned a = 0; a < dims; a++)
        x[at + a] = ((to[a] - from[a]) * t + from[a] * te - to[a] * tb) / (te - tb);
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
