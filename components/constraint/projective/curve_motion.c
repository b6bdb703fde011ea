/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Points that follow a curve within a time window: begin <= t <= end. */
#include "components/constraint/projective/curve_motion.h"

#include <math.h>

#include "math/vec.h"

/* The time on the curve; false: the step does not act on the points. A part of it is enough. */
static bool active(const CurveMotion *motion, const SofaMechParams *params, double *t) {
  const double margin = 1e-6 * params->dt;
  *t = imposed_time(&motion->indexed.constraint, params);
  if (!(motion->end > motion->begin)) return false;
  if (!(*t > params->from)) return motion->begin <= *t && *t <= motion->end;
  if (params->from > motion->end - margin || *t < motion->begin + margin) return false;
  *t = fmin(*t, motion->end);
  return true;
}

static SofaErr curve_response(SofaProjective *c, const SofaMechParams *params, double *dx) {
  double t;
  if (active((CurveMotion *)c, params, &t)) indexed_clear((IndexedConstraint *)c, NULL, dx);
  return SOFA_OK;
}

static SofaErr curve_position(SofaProjective *c, const SofaMechParams *params, double *x) {
  const CurveMotion *motion = (CurveMotion *)c;
  const size_t coord = constrained_kind(c)->coord, n = indexed_n(&motion->indexed);
  double place[3], t;
  if (!active(motion, params, &t)) return SOFA_OK;
  motion->place(motion, t, place);
  for (size_t k = 0; k < n; k++) sofa_vec3_copy(place, x + indexed_at(&motion->indexed, k) * coord);
  return SOFA_OK;
}

static SofaErr curve_velocity(SofaProjective *c, const SofaMechParams *params, double *v) {
  const CurveMotion *motion = (CurveMotion *)c;
  const size_t deriv = constrained_kind(c)->deriv, n = indexed_n(&motion->indexed);
  double velocity[3], t;
  if (!active(motion, params, &t)) return SOFA_OK;
  motion->velocity(motion, t, params->dt, velocity);
  for (size_t k = 0; k < n; k++) {
    if (k == 1 && motion->first_only) sofa_vec3_set(velocity, 0, 0, 0);
    sofa_vec3_copy(velocity, v + indexed_at(&motion->indexed, k) * deriv);
  }
  return SOFA_OK;
}

static SofaErr curve_discard(SofaProjective *c, const SofaMechParams *params,
                             SofaDiscard *discard) {
  double t;
  if (active((CurveMotion *)c, params, &t))
    indexed_discard_forgotten((IndexedConstraint *)c, discard);
  return SOFA_OK;
}

const SofaProjectiveOps curve_motion_ops = {.response = curve_response,
                                            .velocity = curve_velocity,
                                            .position = curve_position,
                                            .discard = curve_discard};
