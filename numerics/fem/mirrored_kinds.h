/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Stiffness of hexahedra that have the symmetry of a box: mirrors along each axis of the frame.
 *
 * With the corners a, b of a box as bits along the axes and d = a ^ b, the block is
 *   K_ab[i][j] = (-1)^(a_i + a_j) K_0d[i][j],  K_0d[j][i] = (-1)^(d_i + d_j) K_0d[i][j].
 * The 36 blocks are those of eight classes d: its diagonal, and three other entries with the signs
 * of a. So are the rotated ones: R^T K_ab R is the sum of the entries times products of rows of R.
 * The blocks of an element are met class by class, in a class by their first node.
 *
 * Products: with C_d[i][j] = (-1)^(d_j) K_0d[i][j] and v_a[i] = (-1)^(a_i) u_a[i], those of u with
 * K are convolutions over the corners, (-1)^(a_i) f_a[i] = sum_dj C_d[i][j] v_(a^d)[j]. Walsh
 * functions separate them: with the sums X_k = sum_a (-1)^(k . a) x_a of u, f and C, and e_i the
 * corner on axis i,
 *   F_(k ^ e_i)[i] = sum_j C_k[i][j] U_(k ^ e_j)[j],
 * eight symmetric 3 x 3 matrices, the waves, and f_a = 1/8 sum_k (-1)^(k . a) F_k. */
#ifndef SOFA_NUMERICS_FEM_MIRRORED_KINDS_H
#define SOFA_NUMERICS_FEM_MIRRORED_KINDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/api.h"

SOFA_BEGIN_DECLS

enum {
  SOFA_MIRROR_CLASSES = 8,
  SOFA_MIRROR_PAIRS = 36,
  /* rows of the classes' entries, times -1: the diagonal 00 11 22; 01 12 20; then the latter again,
   * but 0 where the entry is that of an antisymmetric block */
  SOFA_MIRROR_ROWS = 9,
  SOFA_MIRROR_SIZE = SOFA_MIRROR_ROWS * SOFA_MIRROR_CLASSES,
  /* entries of a wave: 00 11 22 01 12 20 */
  SOFA_MIRROR_WAVE = 6,
  SOFA_MIRROR_WAVES = SOFA_MIRROR_WAVE * SOFA_MIRROR_CLASSES
};

/* The corner's bits of a node, and the node of the bits. */
static inline size_t sofa_mirror_corner(size_t node) {
  return node ^ (node >> 1 & 1);
}
/* The place of the nodes m <= n among the pairs of an element. */
static inline size_t sofa_mirror_pair(size_t m, size_t n) {
  return SOFA_MIRROR_PAIRS - (8 - m) * (9 - m) / 2 + n - m;
}
/* Which of the four signs the blocks of a class have with corner a: (-1)^(a_0 + a_1), then
 * (-1)^(a_1 + a_2). */
static inline size_t sofa_mirror_sign(size_t a) {
  return 2 * ((a ^ a >> 1) & 1) + ((a >> 1 ^ a >> 2) & 1);
}
/* Is the entry (i, j) of the blocks of class d opposite to (j, i)? */
static inline bool sofa_mirror_odd(size_t d, size_t i, size_t j) {
  return (d >> i ^ d >> j) & 1;
}

/* The pairs in the order in which they are met. */
void sofa_mirror_order(uint8_t order[SOFA_MIRROR_PAIRS]);
/* Has K the symmetry, but for rounding (1e-12 of the largest entry)? Then it becomes exact, and
 * rows are filled. blocks: of all pairs, 9 reals each. */
bool sofa_mirror_kind(double *const blocks[SOFA_MIRROR_PAIRS], double rows[SOFA_MIRROR_SIZE]);
/* The waves / 8 of a stiffness that has it. Translations have no forces. */
void sofa_mirror_waves(const double *const blocks[SOFA_MIRROR_PAIRS],
                       double waves[SOFA_MIRROR_WAVES]);

SOFA_END_DECLS

#endif
