/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The derivative of the rotation of an element, in lanes. With M = P S, P a rotation and S
 * symmetric, dP = P [t]x with (tr S - S) t = axial vector of P^T dM - (P^T dM)^T. */
#ifndef SOFA_NUMERICS_FEM_LANE_TURN_H
#define SOFA_NUMERICS_FEM_LANE_TURN_H

#include "numerics/fem/lanes_impl.h"

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
