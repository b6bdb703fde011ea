/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Points brought to a final place between two times. */
#include "components/constraint/projective/final_motion.h"

#include <string.h>

SofaErr final_motion_init(FinalMotion *motion) {
  const SofaObject *object = &motion->indexed.constraint.object;
  motion->final.n = 0; /* computed again */
  if (motion->end > motion->begin) return SOFA_OK;
  const SofaErr err =
      sofa_field_fail(object, "endConstraintTime", SOFA_ERR_RANGE,
                      "%g s is not after beginConstraintTime = %g s", motion->end, motion->begin);
  return object->ctx->keep_going ? SOFA_OK : err;
}

/* The final places are computed again. */
static SofaErr final_follow(SofaObject *object, const SofaTopologyChange *change) {
  FinalMotion *motion = (FinalMotion *)object;
  if (sofa_change_moves(change, motion->indexed.constraint.state)) motion->final.n = 0;
  return SOFA_OK;
}

const SofaTopologyListenerOps final_motion_listener = {.listen = final_follow};

static SofaErr final_clear(SofaProjective *c, const SofaMechParams *params, double *dx) {
  (void)params;
  indexed_clear((IndexedConstraint *)c, NULL, dx);
  return SOFA_OK;
}

/* tb < t <= te: x0 (te - t) / (te - tb) + xf (t - tb) / (te - tb), the places only; later xf. */
static SofaErr final_position(SofaProjective *c, const SofaMechParams *params, double *x) {
  FinalMotion *motion = (FinalMotion *)c;
  const double t = params->time, tb = motion->begin, te = motion->end;
  SOFA_TRY(projective_capture(c, x, &motion->x0));
  if (motion->final.n != motion->x0.n) {
    SOFA_TRY(sofa_list_copy(c->object.ctx, &motion->final, &motion->x0, sizeof(double)));
    SOFA_TRY(motion->compute(motion));
  }
  if (!(t > tb)) return SOFA_OK;
  const size_t coord = constrained_kind(c)->coord, n = indexed_n(&motion->indexed);
  const unsigned dims = constrained_dims(c);
  for (size_t k = 0; k < n; k++) {
    const size_t at = indexed_at(&motion->indexed, k) * coord;
    const double *from = motion->x0.data + at, *to = motion->final.data + at;
    if (t > te) memcpy(x + at, to, coord * sizeof *x);
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
                                            .velocity = final_clear,
                                            .position = final_position,
                                            .discard = final_discard};
