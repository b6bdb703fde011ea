/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Frames in lanes: reals from a place of each lane and back, quaternions (x y z w) and rotation
 * vectors, sums of twists. */
#ifndef SOFA_NUMERICS_FEM_LANE_FRAMES_H
#define SOFA_NUMERICS_FEM_LANE_FRAMES_H

#include "numerics/fem/lane_functions_impl.h"
#include "numerics/fem/lane_points_impl.h"

/* ---- places ---- */

#if defined(__AVX512F__)
/* `n` reals, at most 8, from a place of each lane. */
ALWAYS void load_reals(size_t n, const double *const *from, Lanes *out) {
  const __mmask8 mask = (__mmask8)((1u << n) - 1);
  Lanes rows[8];
  if (n <= 4) {
    for (int l = 0; l < 4; l++)
      rows[l] = _mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_maskz_loadu_pd(mask, from[l])),
                                   _mm256_maskz_loadu_pd(mask, from[l + 4]), 1);
    transpose_halves((int)n, rows, out);
    return;
  }
  for (int l = 0; l < 8; l++) rows[l] = _mm512_maskz_loadu_pd(mask, from[l]);
  transpose_first((int)n, rows, out);
}
/* Eight reals of each lane to its place. */
ALWAYS void store_eight(const Lanes *rows, double *const *to) {
  Lanes columns[8];
  transpose_eight(rows, columns);
  for (int l = 0; l < 8; l++) lanes_store(to[l], columns[l]);
}
#elif defined(__AVX2__)
/* `n` reals, at most 8, from a place of each lane. */
ALWAYS void load_reals(size_t n, const double *const *from, Lanes *out) {
  for (size_t h = 0; h < n; h += 4) {
    const size_t left = n - h < 4 ? n - h : 4;
    const __m256i mask = _mm256_setr_epi64x(-1, -(left > 1), -(left > 2), 0);
    Lanes rows[4], columns[4];
    for (int l = 0; l < 4; l++)
      rows[l] = left == 4 ? lanes_load(from[l] + h) : _mm256_maskload_pd(from[l] + h, mask);
    transpose_four(rows, columns);
    for (size_t k = 0; k < left; k++) out[h + k] = columns[k];
  }
}
/* Eight reals of each lane to its place. */
ALWAYS void store_eight(const Lanes *rows, double *const *to) {
  for (int h = 0; h < 8; h += 4) {
    Lanes columns[4];
    transpose_four(rows + h, columns);
    for (int l = 0; l < 4; l++) lanes_store(to[l] + h, columns[l]);
  }
}
#else
/* `n` reals, at most 8, from a place of each lane. */
ALWAYS void load_reals(size_t n, const double *const *from, Lanes *out) {
  for (size_t k = 0; k < n; k++) out[k] = (Lanes){from[0][k], from[1][k]};
}
/* Eight reals of each lane to its place. */
ALWAYS void store_eight(const Lanes *rows, double *const *to) {
  for (size_t l = 0; l < LANES; l++)
    for (int k = 0; k < 8; k++) to[l][k] = rows[k][l];
}
#endif

/* `width` reals (6 or 7) of the points of lanes. */
ALWAYS void load_wide(size_t width, const uint32_t *v, const double *x, Lanes *out) {
  const double *from[LANES];
  for (int l = 0; l < LANES; l++) from[l] = x + width * v[l];
  load_reals(width, from, out);
}

/* ---- twists ---- */

enum { TWIST_ROW = 8 }; /* reals from one twist to the next one in rows: two are not looked at */

/* n twists of lanes to rows of each lane, n TWIST_ROW reals from one lane to the next one. */
ALWAYS void twist_rows(size_t n, const Lanes *f, double *out) {
  for (size_t k = 0; k < n; k++) {
    const Lanes *t = f + 6 * k;
    const Lanes rows[8] = {t[0], t[1], t[2], t[3], t[4], t[5], t[0], t[0]};
    double *to[LANES];
    for (size_t l = 0; l < LANES; l++) to[l] = out + TWIST_ROW * (n * l + k);
    store_eight(rows, to);
  }
}
ALWAYS void add_twist(const double *from, double *to) {
  for (size_t k = 0; k < 6; k += 2)
    *(Two *)(void *)(to + k) += *(const Two *)(const void *)(from + k);
}
ALWAYS void take_twist(const double *from, double *to) {
  for (size_t k = 0; k < 6; k += 2)
    *(Two *)(void *)(to + k) -= *(const Two *)(const void *)(from + k);
}

/* ---- rotations ---- */

ALWAYS void quat_multiply(const Lanes *p, const Lanes *q, Lanes *r) {
  r[0] = lanes_madd(p[3], q[0], lanes_madd(p[0], q[3], lanes_madd(p[1], q[2], -(p[2] * q[1]))));
  r[1] = lanes_madd(p[3], q[1], lanes_madd(p[1], q[3], lanes_madd(p[2], q[0], -(p[0] * q[2]))));
  r[2] = lanes_madd(p[3], q[2], lanes_madd(p[2], q[3], lanes_madd(p[0], q[1], -(p[1] * q[0]))));
  r[3] = lanes_madd(p[3], q[3], -lanes_dot3(p, q));
}
/* p x q, 0 to the bit of equal vectors: not fused */
ALWAYS void exact_cross(const Lanes *p, const Lanes *q, Lanes *r) {
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    r[i] = p[j] * q[k] - p[k] * q[j];
  }
}
/* From p to q: q p^-1, or p^-1 q in the axes of p, but for the length. Without rotation to the bit
 * where both are equal. */
ALWAYS void quat_between(const Lanes *p, const Lanes *q, bool inside, Lanes *r) {
  Lanes c[3];
  exact_cross(p, q, c);
  for (int i = 0; i < 3; i++) {
    const Lanes straight = p[3] * q[i] - p[i] * q[3];
    r[i] = inside ? straight - c[i] : straight + c[i];
  }
  r[3] = lanes_madd(p[3], q[3], lanes_dot3(p, q));
}

/* 1 / |q|, 1 of a quaternion without length */
ALWAYS void quat_unit(Lanes *q) {
  const Lanes one = lanes_set(1), n2 = lanes_madd(q[3], q[3], lanes_dot3(q, q));
  const LaneBits some = lanes_less(lanes_set(0), n2);
  const Lanes inverse = one / lanes_sqrt(lanes_select(some, n2, one));
  for (int k = 0; k < 4; k++) q[k] = q[k] * inverse;
}

/* Its matrix, row major. */
ALWAYS void quat_matrix(const Lanes *q, Lanes *m) {
  const Lanes one = lanes_set(1), two = lanes_set(2);
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    m[4 * i] = one - two * lanes_madd(q[j], q[j], q[k] * q[k]);
    m[3 * i + j] = two * lanes_madd(q[i], q[j], -(q[k] * q[3]));
    m[3 * j + i] = two * lanes_madd(q[i], q[j], q[k] * q[3]);
  }
}

/* The rotation vector, at most pi long, of a quaternion of any length: a factor times its first
 * three. With its length N, the tangent of a quarter of the angle is |xyz| / (N + |w|). */
ALWAYS Lanes quat_turn(const Lanes *q) {
  const Lanes zero = lanes_set(0), one = lanes_set(1), s2 = lanes_dot3(q, q);
  const Lanes below = lanes_sqrt(lanes_madd(q[3], q[3], s2)) + lanes_abs(q[3]);
  const Lanes h = one / lanes_select(lanes_less(zero, below), below, one);
  const Lanes factor = lanes_set(4) * h * lanes_atan_unit(s2 * h * h);
  return lanes_select(lanes_less(q[3], zero), -factor, factor);
}

/* The angle of two vectors by the length of their cross product, from the square of this one and
 * their dot product; 0 where they are opposite. */
ALWAYS Lanes angle_by_sine(Lanes sine2, Lanes cosine) {
  const Lanes zero = lanes_set(0), one = lanes_set(1);
  const LaneBits wide = lanes_less(cosine, zero);
  const Lanes below = lanes_sqrt(lanes_madd(cosine, cosine, sine2)) + lanes_abs(cosine);
  const Lanes h = one / lanes_select(lanes_less(zero, below), below, one);
  const Lanes near = lanes_set(2) * h * lanes_atan_unit(sine2 * h * h);
  if (!lanes_any(wide)) return near;
  const Lanes sine = lanes_sqrt(sine2);
  const LaneBits some = lanes_less(zero, sine);
  const Lanes far = lanes_set(M_PI) / lanes_select(some, sine, one) - near;
  return lanes_select(wide, lanes_select(some, far, zero), near);
}

#endif
