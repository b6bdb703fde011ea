/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "numerics/fem/mirrored_kinds.h"

#include <math.h>

static const size_t axes[3][2] = {{0, 1}, {1, 2}, {2, 0}};

void sofa_mirror_order(uint8_t order[SOFA_MIRROR_PAIRS]) {
  size_t k = 0;
  for (size_t d = 0; d < SOFA_MIRROR_CLASSES; d++) {
    for (size_t m = 0; m < 8; m++) {
      const size_t n = sofa_mirror_corner(sofa_mirror_corner(m) ^ d);
      if (n >= m) order[k++] = (uint8_t)sofa_mirror_pair(m, n);
    }
  }
}

static double largest(double *const blocks[SOFA_MIRROR_PAIRS]) {
  double most = 0;
  for (size_t p = 0; p < SOFA_MIRROR_PAIRS; p++)
    for (size_t e = 0; e < 9; e++) most = fmax(most, fabs(blocks[p][e]));
  return most;
}

/* The block of class d with the symmetry of a transposed block. */
static void reference(double *const blocks[SOFA_MIRROR_PAIRS], size_t d, double *out) {
  const double *k = blocks[sofa_mirror_pair(0, sofa_mirror_corner(d))];
  for (size_t i = 0; i < 3; i++) {
    for (size_t j = 0; j < 3; j++) {
      const double other = k[3 * j + i];
      out[3 * i + j] = (k[3 * i + j] + (sofa_mirror_odd(d, i, j) ? -other : other)) / 2;
    }
  }
}

/* The block of the nodes m, n by that of its class. */
static void mirrored(const double *of_class, size_t m, double *out) {
  const size_t a = sofa_mirror_corner(m);
  for (size_t i = 0; i < 3; i++)
    for (size_t j = 0; j < 3; j++)
      out[3 * i + j] = sofa_mirror_odd(a, i, j) ? -of_class[3 * i + j] : of_class[3 * i + j];
}

static void fill_rows(double of_class[SOFA_MIRROR_CLASSES][9], double *rows) {
  for (size_t d = 0; d < SOFA_MIRROR_CLASSES; d++) {
    for (size_t r = 0; r < 3; r++) {
      const size_t i = axes[r][0], j = axes[r][1];
      const double entry = -of_class[d][3 * i + j];
      rows[SOFA_MIRROR_CLASSES * r + d] = -of_class[d][4 * r];
      rows[SOFA_MIRROR_CLASSES * (3 + r) + d] = entry;
      rows[SOFA_MIRROR_CLASSES * (6 + r) + d] = sofa_mirror_odd(d, i, j) ? 0 : entry;
    }
  }
}

bool sofa_mirror_kind(double *const blocks[SOFA_MIRROR_PAIRS], double rows[SOFA_MIRROR_SIZE]) {
  double of_class[SOFA_MIRROR_CLASSES][9], exact[SOFA_MIRROR_PAIRS][9];
  const double most = largest(blocks);
  for (size_t d = 0; d < SOFA_MIRROR_CLASSES; d++) reference(blocks, d, of_class[d]);
  for (size_t m = 0; m < 8; m++) {
    for (size_t n = m; n < 8; n++) {
      const size_t p = sofa_mirror_pair(m, n);
      mirrored(of_class[sofa_mirror_corner(m) ^ sofa_mirror_corner(n)], m, exact[p]);
      for (size_t e = 0; e < 9; e++)
        if (!(fabs(blocks[p][e] - exact[p][e]) <= 1e-12 * most)) return false;
    }
  }
  for (size_t p = 0; p < SOFA_MIRROR_PAIRS; p++)
    for (size_t e = 0; e < 9; e++) blocks[p][e] = exact[p][e];
  fill_rows(of_class, rows);
  return true;
}

/* (-1)^(a . b) of two corners */
static double parity_sign(size_t a, size_t b) {
  const size_t both = a & b;
  return (both ^ both >> 1 ^ both >> 2) & 1 ? -1 : 1;
}

void sofa_mirror_waves(const double *const blocks[SOFA_MIRROR_PAIRS],
                       double waves[SOFA_MIRROR_WAVES]) {
  static const size_t entries[SOFA_MIRROR_WAVE][2] = {{0, 0}, {1, 1}, {2, 2},
                                                      {0, 1}, {1, 2}, {2, 0}};
  for (size_t k = 0; k < SOFA_MIRROR_CLASSES; k++) {
    for (size_t e = 0; e < SOFA_MIRROR_WAVE; e++) {
      const size_t i = entries[e][0], j = entries[e][1];
      double sum = 0;
      for (size_t d = 0; d < SOFA_MIRROR_CLASSES; d++) {
        const double entry = blocks[sofa_mirror_pair(0, sofa_mirror_corner(d))][3 * i + j];
        sum += parity_sign(k ^ (size_t)1 << j, d) * entry;
      }
      // wave 0 of a component is its translation
      const bool translation = k == (size_t)1 << i || k == (size_t)1 << j;
      waves[SOFA_MIRROR_WAVE * k + e] = translation ? 0 : sum / SOFA_MIRROR_CLASSES;
    }
  }
}
