/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Products with the stiffness of a box: mirrored_kinds.h has the formulas. */
#ifndef SOFA_NUMERICS_FEM_MIRRORED_PRODUCT_H
#define SOFA_NUMERICS_FEM_MIRRORED_PRODUCT_H

#include "numerics/fem/lane_points_impl.h"
#include "numerics/fem/mirrored_kinds.h"

/* Sums and differences of the corners' components along one axis. */
ALWAYS void mirrored_halves(Lanes (*w)[3], size_t axis) {
  for (size_t pair = 0; pair < 4; pair++) {
    const size_t low = (1u << axis) - 1, a = (pair & ~low) << 1 | (pair & low), b = a | 1u << axis;
    for (size_t i = 0; i < 3; i++) {
      const Lanes difference = w[a][i] - w[b][i];
      w[a][i] = w[a][i] + w[b][i];
      w[b][i] = difference;
    }
  }
}

/* Wave k of the displacements becomes that of the forces. */
ALWAYS void mirrored_wave(const double *waves, size_t k, Lanes (*w)[3]) {
  const double *c = waves + SOFA_MIRROR_WAVE * k;
  const Lanes x = w[k ^ 1][0], y = w[k ^ 2][1], z = w[k ^ 4][2];
  const Lanes xy = lanes_set(c[3]), yz = lanes_set(c[4]), zx = lanes_set(c[5]);
  w[k ^ 1][0] = lanes_madd(zx, z, lanes_madd(xy, y, lanes_set(c[0]) * x));
  w[k ^ 2][1] = lanes_madd(yz, z, lanes_madd(lanes_set(c[1]), y, xy * x));
  w[k ^ 4][2] = lanes_madd(lanes_set(c[2]), z, lanes_madd(yz, y, zx * x));
}

/* f = K d, 8 x 3 rows of lanes. */
ALWAYS void mirrored_product(const double *waves, const Lanes *d, Lanes *f) {
  Lanes w[8][3];
  for (size_t n = 0; n < 8; n++)
    for (size_t i = 0; i < 3; i++) w[sofa_mirror_corner(n)][i] = d[3 * n + i];
  mirrored_halves(w, 0);
  mirrored_halves(w, 1);
  mirrored_halves(w, 2);
  mirrored_wave(waves, 0, w);
  mirrored_wave(waves, 1, w);
  mirrored_wave(waves, 2, w);
  mirrored_wave(waves, 3, w);
  mirrored_wave(waves, 4, w);
  mirrored_wave(waves, 5, w);
  mirrored_wave(waves, 6, w);
  mirrored_wave(waves, 7, w);
  mirrored_halves(w, 0);
  mirrored_halves(w, 1);
  mirrored_halves(w, 2);
  for (size_t n = 0; n < 8; n++)
    for (size_t i = 0; i < 3; i++) f[3 * n + i] = w[sofa_mirror_corner(n)][i];
}

#endif
