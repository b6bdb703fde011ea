/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compliances of single points: numbers for points of vectors, bodies by their masses. */
#ifndef LAGRANGIAN_CORRECTION_COMPLIANCE_H
#define LAGRANGIAN_CORRECTION_COMPLIANCE_H

#include "behavior/mass.h"
#include "behavior/state.h"

/* Of a body: of translations, then of rotations, xx xy xz yy yz zz. */
enum { BODY_COMPLIANCE = 7 };

/* c r, with r the deriv of a body */
static inline void body_compliance_apply(const double *c, const double *r, double *y) {
  for (int k = 0; k < 3; k++) y[k] = c[0] * r[k];
  y[3] = c[1] * r[3] + c[2] * r[4] + c[3] * r[5];
  y[4] = c[2] * r[3] + c[4] * r[4] + c[5] * r[5];
  y[5] = c[3] * r[3] + c[5] * r[4] + c[6] * r[5];
}

/* turned = c for a body of orientation q (x, y, z, w): R C R^T. */
void body_compliance_turn(const double *c, const double *q, double *turned);

/* Mass and inertia of all bodies of a Rigid3 state at the positions x, 10 reals each: the mass,
 * then the inertia in world axes, row major. NULL for `x`: all bodies in their own axes. */
SofaErr body_masses(const SofaState *state, SofaMass *const *masses, size_t n_masses,
                    const double *x, SofaReals *out);

#endif
