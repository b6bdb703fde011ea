/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The law of an ellipsoid: repels points from inside or attracts them from outside. */
#ifndef SOFA_COMPONENTS_MECHANICALLOAD_ELLIPSOID_H
#define SOFA_COMPONENTS_MECHANICALLOAD_ELLIPSOID_H

#include "base/quirks.h"

/* Quirk of the classes that list its row. */
enum { QUIRK_ELLIPSOID_TANGENT = 1 << 21 };
#define QUIRK_ELLIPSOID_TANGENT_ROW                                                                \
  {                                                                                                \
    QUIRK_ELLIPSOID_TANGENT, "ellipsoid-tangent",                                                  \
        "the tangent of ellipsoid loads has a term of wrong sign and size",                        \
        "test_quirks_motion.loads"                                                                 \
  }

/* s^2 = sum (d_j / r_j)^2 of a point d from the centre; < 1 inside. */
double ellipsoid_level2(unsigned dims, const double *radius, const double *d);

/* The factor k v / G^3 of a term of the derivative; SOFA's has the wrong sign and size. */
typedef double (*EllipsoidTerm)(double kv, double g2);
double ellipsoid_term(double kv, double g2);
double ellipsoid_term_of_sofa(double kv, double g2);

typedef struct EllipsoidLaw {
  unsigned dims;
  const double *radius; /* dims */
  double stiffness, damping;
  EllipsoidTerm term;
} EllipsoidLaw;

/* With v = s - 1, g_j = d_j / r_j^2, G = |g|:  F = -|k| v/G g - c |v| vel, where (s^2 - 1) k < 0
 * (k > 0: inside, k < 0: outside). Adds F and sets blocks = dF/dx, dF/dv (dims x dims each); false:
 * no force.
 * The centre has no direction: no force there. */
bool ellipsoid_law(const EllipsoidLaw *law, const double *d, const double *velocity, double *force,
                   double *blocks);

#endif
