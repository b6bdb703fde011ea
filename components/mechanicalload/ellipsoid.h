/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The law of an ellipsoid: repels points from inside or attracts them from outside. */
#ifndef SOFA_COMPONENTS_MECHANICALLOAD_ELLIPSOID_H
#define SOFA_COMPONENTS_MECHANICALLOAD_ELLIPSOID_H

#include "base/context.h"

/* s^2 = sum (d_j / r_j)^2 of a point d from the centre; < 1 inside. */
double ellipsoid_level2(unsigned dims, const double *radius, const double *d);

/* With v = s - 1, g_j = d_j / r_j^2, G = |g|:  F = -|k| v/G g - c |v| vel, where (s^2 - 1) k < 0
 * (k > 0: inside, k < 0: outside). Adds F and sets block = dF/dx (dims x dims); false: no force.
 * The centre has no direction: no force there. */
bool ellipsoid_law(SofaContext *ctx, unsigned dims, const double *radius, double stiffness,
                   double damping, const double *d, const double *velocity, double *force,
                   double *block);

#endif
