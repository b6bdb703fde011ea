/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Points that follow a curve within a time window: begin <= t <= end. */
#include "components/constraint/projective/curve_motion.h"

#include "math/vec.h"

static bool active(const CurveMotion *motion, const SofaMechParams *params) {
  return motion->end > motion->begin && motion->begin <= params->time &&
         params->time <= motion->end;
}

static SofaErr curve_response(SofaProjective *c, const SofaMechParams *params, double *dx) {
  if (active((CurveMotion *)c, params)) indexed_clear((IndexedConstraint *)c, NULL, dx);
  return SOFA_OK;
}

static SofaErr curve_position(SofaProjective *c, const SofaMechParams *params, double *x) {
  const CurveMotion *motion = (CurveMotion *)c;
  const size_t coord = constrained_kind(c)->coord, n = indexed_n(&motion->indexed);
  double place[3];
  if (!active(motion, params)) return SOFA_OK;
  motion->place(motion, params->time, place);
  for (size_t k = 0; k < n; k++) sofa_vec3_copy(place, x + indexed_at(&motion->indexed, k) * coord);
  return SOFA_OK;
}

static SofaErr curve_velocity(SofaProjective *c, const SofaMechParams *params, double *v) {
  const CurveMotion *motion = (CurveMotion *)c;
  const size_t deriv = constrained_kind(c)->deriv, n = indexed_n(&motion->indexed);
  double velocity[3];
  if (!active(motion, params)) return SOFA_OK;
  motion->velocity(motion, params->time, params->dt, velocity);
  for (size_t k = 0; k < n; k++) {
    if (k == 1 && motion->first_only) sofa_vec3_set(velocity, 0, 0, 0);
    sofa_vec3_copy(velocity, v + indexed_at(&motion->indexed, k) * deriv);
  }
  return SOFA_OK;
}

static SofaErr curve_discard(SofaProjective *c, const SofaMechParams *params,
                             SofaDiscard *discard) {
  if (active((CurveMotion *)c, params)) indexed_discard_forgotten((IndexedConstraint *)c, discard);
  return SOFA_OK;
}

const SofaProjectiveOps curve_motion_ops = {.response = curve_response,
                                            .velocity = curve_velocity,
                                            .position = curve_position,
                                            .discard = curve_discard};
