/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rotation of an element and its derivative, in lanes. With M = P S, P a rotation and S
 * symmetric, dP = P [t]x with (tr S - S) t = axial vector of P^T dM - (P^T dM)^T. */
#ifndef SOFA_NUMERICS_FEM_LANE_TURN_H
#define SOFA_NUMERICS_FEM_LANE_TURN_H

#include "numerics/fem/lanes_impl.h"
#include "math/polar.h"

/* The closest rotation, in place: the polar factor where the determinant is clearly positive, by
 * singular values elsewhere. */
static inline void lanes_rotation(Lanes *m) {
  Lanes c[9], q[9];
  lanes_cross(m + 3, m + 6, c);
  lanes_cross(m + 6, m, c + 3);
  lanes_cross(m, m + 3, c + 6);
  const Lanes det = lanes_dot3(m, c), norm2 = lanes_norm2(m);
  const Lanes least = lanes_set(1e-6) * norm2 * lanes_sqrt(norm2);
  for (int k = 0; k < 9; k++) q[k] = m[k];
  lanes_polar(q);
  double turned[9][LANES], from[9][LANES], margin[LANES];
  lanes_store(margin, det - least);
  for (int k = 0; k < 9; k++) {
    lanes_store(from[k], m[k]);
    lanes_store(turned[k], q[k]);
  }
  for (int l = 0; l < LANES; l++) {
    double one[9];
    if (margin[l] > 0) continue;
    for (int k = 0; k < 9; k++) one[k] = from[k][l];
    sofa_polar_stable(one, one, NULL);
    for (int k = 0; k < 9; k++) turned[k][l] = one[k];
  }
  for (int k = 0; k < 9; k++) m[k] = lanes_load(turned[k]);
}

/* (tr S - S)^-1 with the symmetric part of S. The result: the lanes where P has a derivative, that
 * is, no two stretches cancel; the inverse is 0 in the others. */
static inline LaneBits lanes_turn_inverse(const Lanes *s, Lanes *inverse) {
  const Lanes half = lanes_set(0.5), zero = lanes_set(0), trace = (s[0] + s[4]) + s[8];
  Lanes a[9], c[9];
  for (int k = 0; k < 9; k++)
    a[k] = (k % 4 == 0 ? trace : zero) - half * (s[k] + s[3 * (k % 3) + k / 3]);
  lanes_cross(a + 3, a + 6, c);
  lanes_cross(a + 6, a, c + 3);
  lanes_cross(a, a + 3, c + 6);
  const Lanes det = lanes_dot3(a, c), norm2 = lanes_norm2(a);
  const LaneBits regular = lanes_less(lanes_set(1e-6) * norm2 * lanes_sqrt(norm2), lanes_abs(det));
  for (int k = 0; k < 9; k++) inverse[k] = lanes_select(regular, c[k] / det, zero);
  return regular;
}

#endif
