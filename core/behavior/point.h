/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Evaluation points: where forces, tangents and Jacobians are evaluated.
 *
 * A function of the mechanics is a function of an explicit point and reads no state behind it. A
 * point is immutable: its arrays do not change as long as it is used. Its identity names the
 * values: equal identities mean equal values, so that data computed at a point (rotations,
 * contacts, ...) is kept with the identity and computed again when another point is asked for. */
#ifndef SOFA_BEHAVIOR_POINT_H
#define SOFA_BEHAVIOR_POINT_H

#include <stddef.h>
#include <stdint.h>

#include "base/context.h"

typedef struct SofaPoint {
  const double *const *x; /* positions of each state: of a force field's states, of a mapping's
                             inputs, in their order; n_points * coord reals, [m], world frame */
  const double *const *v; /* velocities, n_points * deriv reals */
  size_t n;               /* number of states */
  double time;            /* [s] */
  uint64_t id;            /* identity of the values; 0: none, equal to no other */
} SofaPoint;

/* The same of a whole plan (simulation/mechanics.h): x and v are vectors of the plan, whose mapped
 * parts follow from the main parts. */
typedef struct SofaMechPoint {
  const double *x, *v;
  const double *f; /* forces there, once sofa_mech_compute_force has run; what geometric stiffness
                      needs; NULL: computed where it is needed */
  const double *x_mass; /* where masses are taken, by a scheme that linearises at x but needs the
                           inertia of rigid bodies elsewhere in the step; NULL: x */
  double time;          /* s */
  uint64_t id;
} SofaMechPoint;

/* A new identity. */
static inline uint64_t sofa_point_id(SofaContext *ctx) {
  return ++ctx->n_points;
}

#endif
