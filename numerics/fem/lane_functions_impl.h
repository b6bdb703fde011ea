/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Logarithms, exponentials, angles and eigenvalues of lanes. A lane's bits do not depend on the
 * others. */
#ifndef SOFA_NUMERICS_FEM_LANE_FUNCTIONS_H
#define SOFA_NUMERICS_FEM_LANE_FUNCTIONS_H

#include "numerics/fem/lanes_impl.h"

/* Bits whose sums wrap around. */
typedef uint64_t LaneWords __attribute__((vector_size(sizeof(LaneBits))));

/* All lanes the same bits. */
static inline LaneBits lanes_bits(int64_t bits) {
  return (LaneBits)lanes_set(0) + bits;
}

/* sum c_k z^k, 9 <= n <= 16 numbers: sums of two, four, eight terms (Estrin 1960), whose chains of
 * dependent operations are half as long as Horner's and shorter. */
static inline Lanes lanes_polynomial(Lanes z, const double *c, int n) {
  const Lanes z2 = z * z, z4 = z2 * z2;
  Lanes sum[8];
  for (int k = 0; k < 8; k++) {
    const Lanes low = lanes_set(2 * k < n ? c[2 * k] : 0);
    sum[k] = 2 * k + 1 < n ? lanes_madd(z, lanes_set(c[2 * k + 1]), low) : low;
  }
  for (int k = 0; k < 4; k++)
    sum[k] = 4 * k + 2 < n ? lanes_madd(z2, sum[2 * k + 1], sum[2 * k]) : sum[2 * k];
  for (int k = 0; k < 2; k++)
    sum[k] = 8 * k + 4 < n ? lanes_madd(z4, sum[2 * k + 1], sum[2 * k]) : sum[2 * k];
  return lanes_madd(z4 * z4, sum[1], sum[0]);
}

/* (atanh(h) / h - 1) / z from z = h^2 <= 0.0295, to rounding */
static inline Lanes lanes_atanh_tail(Lanes z) {
  static const double c[11] = {1.0 / 3,  1.0 / 5,  1.0 / 7,  1.0 / 9,  1.0 / 11, 1.0 / 13,
                               1.0 / 15, 1.0 / 17, 1.0 / 19, 1.0 / 21, 1.0 / 23};
  return lanes_polynomial(z, c, 11);
}
/* atanh(h) / h */
static inline Lanes lanes_atanh_ratio(Lanes z) {
  return lanes_madd(z, lanes_atanh_tail(z), lanes_set(1));
}

/* ln a of normal a > 0 within one unit in the last place: a = 2^k m, 1/sqrt 2 < m <= sqrt 2, and
 * with f = m - 1, h = f / (2 + f) and q = f^2 / 2,
 *   ln m = 2 atanh(h) = f - q + h (q + 2 (atanh(h) / h - 1)). */
static inline Lanes lanes_log(Lanes a) {
  const Lanes one = lanes_set(1), high = lanes_set(0x1.62e42fefa38p-1),
              low = lanes_set(0x1.ef35793c7673p-45); // ln 2
  const LaneBits bits = (LaneBits)a, fraction = bits & ((INT64_C(1) << 52) - 1);
  const LaneBits exponent = (bits >> 52) & 0x7ff;
  // 2^52 with the exponent as its last bits
  Lanes k = (Lanes)(exponent | INT64_C(0x4330000000000000)) - lanes_set(0x1p52 + 1023);
  Lanes m = (Lanes)(fraction | (LaneBits)one);
  const LaneBits large = lanes_less(lanes_set(1.4142135623730951), m);
  m = lanes_select(large, lanes_set(0.5) * m, m);
  k = lanes_select(large, k + one, k);
  const Lanes f = m - one, h = f / (lanes_set(2) + f), q = lanes_set(0.5) * f * f, z = h * h;
  const Lanes rest = lanes_madd(z + z, lanes_atanh_tail(z), q);
  return lanes_madd(k, high, f - (q - lanes_madd(h, rest, k * low)));
}

/* 1/13!, 1/12!, ..., 1/0! */
static const double lanes_inverse_factorials[14] = {1.0 / 6227020800,
                                                    1.0 / 479001600,
                                                    1.0 / 39916800,
                                                    1.0 / 3628800,
                                                    1.0 / 362880,
                                                    1.0 / 40320,
                                                    1.0 / 5040,
                                                    1.0 / 720,
                                                    1.0 / 120,
                                                    1.0 / 24,
                                                    1.0 / 6,
                                                    0.5,
                                                    1,
                                                    1};

/* 1/2!, 1/3!, ..., 1/13! */
static const double lanes_late_factorials[12] = {
    0.5,         1.0 / 6,      1.0 / 24,      1.0 / 120,      1.0 / 720,       1.0 / 5040,
    1.0 / 40320, 1.0 / 362880, 1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800};

/* e^a within two units in the last place; 0 below -708, infinity above 709.7. a = n ln 2 + r. */
static inline Lanes lanes_exp(Lanes a) {
  const Lanes shift = lanes_set(0x1.8p52), high = lanes_set(0x1.62e42fefa38p-1),
              low = lanes_set(0x1.ef35793c7673p-45); // ln 2
  const Lanes shifted = lanes_madd(a, lanes_set(1.4426950408889634), shift), n = shifted - shift;
  const Lanes r = lanes_madd(n, -low, lanes_madd(n, -high, a));
  const Lanes late = lanes_polynomial(r, lanes_late_factorials, 12);
  const Lanes sum = lanes_set(1) + lanes_madd(r * r, late, r);
  const Lanes power = (Lanes)((LaneWords)sum + ((LaneWords)shifted << 52)); // times 2^n
  const LaneBits above = lanes_less(lanes_set(709.7), a), below = lanes_less(a, lanes_set(-708));
  const LaneBits unknown = ~(lanes_less(a, a + lanes_set(1)) | above | below);
  return lanes_select(
      unknown, a,
      lanes_select(above, lanes_set((double)INFINITY), lanes_select(below, lanes_set(0), power)));
}

/* (e^u - 1) / u, 1 for u = 0. */
static inline Lanes lanes_expm1_ratio(Lanes u) {
  const Lanes one = lanes_set(1);
  const LaneBits small = lanes_less(lanes_abs(u), lanes_set(0.35));
  Lanes sum = lanes_set(1.0 / 87178291200), divisor = lanes_select(small, one, u);
  for (int k = 0; k < 13; k++) sum = lanes_madd(u, sum, lanes_set(lanes_inverse_factorials[k]));
  return lanes_select(small, sum, (lanes_exp(u) - one) / divisor);
}

/* (ln a - ln b) / (a - b) from the numbers and their logarithms, without cancellation; 1 / a for
 * a = b. */
static inline Lanes lanes_log_slope(Lanes a, Lanes b, Lanes log_a, Lanes log_b) {
  const Lanes one = lanes_set(1), sum = a + b, difference = a - b, h = difference / sum, z = h * h;
  const LaneBits near = lanes_less(z, lanes_set(0.029));
  const Lanes divisor = lanes_select(near, one, difference);
  return lanes_select(near, (lanes_set(2) / sum) * lanes_atanh_ratio(z), (log_a - log_b) / divisor);
}

/* atan(t) / t from z = t^2 <= tan^2(pi/8), to rounding: interpolated at Chebyshev's points. */
static inline Lanes lanes_atan_ratio(Lanes z) {
  static const double c[12] = {-0x1.23b2f43074332p-6, 0x1.370013502ce8bp-5,  -0x1.9c78a5c178b3ep-5,
                               0x1.def9aedb3ab13p-5,  -0x1.10ea18e041aa8p-4, 0x1.3b10f097ffd10p-4,
                               -0x1.745cf64894f5fp-4, 0x1.c71c70cb492c4p-4,  -0x1.24924922593d1p-3,
                               0x1.9999999994656p-3,  -0x1.555555555552fp-2, 1};
  Lanes sum = lanes_set(c[0]);
  for (int k = 1; k < 12; k++) sum = lanes_madd(z, sum, lanes_set(c[k]));
  return sum;
}

/* atan(t) / t from z = t^2 <= 1, within two units in the last place: interpolated at Chebyshev's
 * points, even and odd powers side by side. */
static inline Lanes lanes_atan_unit(Lanes z) {
  static const double c[21] = {
      -0x1.156d8b1441eeep-17, 0x1.a2865ec94274cp-14, -0x1.2c4eeb1fa7a5bp-11, 0x1.12060552e1b82p-9,
      -0x1.6773524f49226p-8,  0x1.6c7238a2d8193p-7,  -0x1.2d3ffbb3d4964p-6,  0x1.a91e0c9b2881ep-6,
      -0x1.0b657ae92d3e9p-5,  0x1.385c01bcb507ap-5,  -0x1.5eda2e1403e06p-5,  0x1.849ab97c0d9e6p-5,
      -0x1.aed3667a4693ap-5,  0x1.e1d315290f292p-5,  -0x1.1110151cb4f09p-4,  0x1.3b1398601e89dp-4,
      -0x1.745d1586bfed2p-4,  0x1.c71c71b1fed92p-4,  -0x1.2492492443a94p-3,  0x1.999999999861ep-3,
      -0x1.5555555555546p-2};
  const Lanes z2 = z * z;
  Lanes even = lanes_set(c[0]), odd = lanes_set(c[1]);
  for (int k = 2; k < 20; k += 2) {
    even = lanes_madd(z2, even, lanes_set(c[k]));
    odd = lanes_madd(z2, odd, lanes_set(c[k + 1]));
  }
  even = lanes_madd(z2, even, lanes_set(c[20]));
  return lanes_madd(z, lanes_madd(z, odd, even), lanes_set(1));
}

/* The angle of (x, y), -pi to pi, from its length > 0, within a few units in the last place. The
 * tangent of half of it or of its supplement is |y| / (length + |x|) <= 1; beyond tan(pi/8) that of
 * the difference from pi/4 is taken. */
static inline Lanes lanes_angle(Lanes x, Lanes y, Lanes length) {
  const Lanes zero = lanes_set(0), above = lanes_abs(y), below = length + lanes_abs(x);
  const LaneBits wide = lanes_less(lanes_set(0.41421356237309503) * below, above);
  const Lanes t =
      lanes_select(wide, above - below, above) / (below + lanes_select(wide, above, zero));
  const Lanes eighth = lanes_select(wide, lanes_set(M_PI / 4), zero);
  const Lanes half = lanes_madd(t, lanes_atan_ratio(t * t), eighth), whole = half + half;
  const Lanes size = lanes_select(lanes_less(x, zero), lanes_set(M_PI) - whole, whole);
  return (Lanes)((LaneBits)size | ((LaneBits)y & (LaneBits)lanes_set(-0.0)));
}

/* Eigenvalues of a symmetric matrix: mean + gap and mean +- half, half >= 0, |gap| >= 3 half. They
 * are the roots of a polynomial that is the characteristic one to rounding: those near each other
 * may err by more, functions that interpolate at them do not. */
typedef struct LaneSpectrum {
  Lanes mean, gap, half;
} LaneSpectrum;

/* The root in [sqrt 3, 2] of x^3 - 3 x = 2 r, 0 <= r <= 1: a cubic, a step of Halley's, one of
 * Newton's. */
static inline Lanes lanes_outer_root(Lanes r) {
  const Lanes three = lanes_set(3), six = lanes_set(6), twice = r + r;
  Lanes x = lanes_madd(r, lanes_set(0.0238918), lanes_set(-0.0892759));
  x = lanes_madd(r, lanes_madd(r, x, lanes_set(1.0 / 3)), lanes_set(1.7320508));
  Lanes value = lanes_madd(x, lanes_madd(x, x, -three), -twice);
  Lanes slope = lanes_madd(three * x, x, -three);
  const Lanes bend = six * x;
  x = x - (value + value) * slope / lanes_madd(slope + slope, slope, -(value * bend));
  value = lanes_madd(x, lanes_madd(x, x, -three), -twice);
  slope = lanes_madd(three * x, x, -three);
  return x - value / slope;
}

/* With q = tr A / 3 and 6 p^2 = |A - q I|^2, the eigenvalues of (A - q I) / p are the roots of
 * x^3 - 3 x - det. a: xx yy zz xy yz zx. */
static inline LaneSpectrum lanes_spectrum(const Lanes *a) {
  const Lanes zero = lanes_set(0), one = lanes_set(1), half = lanes_set(0.5);
  const Lanes q = lanes_set(1.0 / 3) * (a[0] + a[1] + a[2]);
  Lanes b[6];
  for (int k = 0; k < 3; k++) {
    b[k] = a[k] - q;
    b[3 + k] = a[3 + k];
  }
  const Lanes off = lanes_dot3(b + 3, b + 3);
  const Lanes p2 = lanes_set(1.0 / 6) * (lanes_dot3(b, b) + off + off);
  // a difference of rounding size is none
  const LaneBits apart = lanes_less(lanes_set(1e-33) * q * q, p2);
  const Lanes p = lanes_select(apart, lanes_sqrt(p2), zero);
  const Lanes scale = lanes_select(apart, one / lanes_select(apart, p, one), zero);
  for (int k = 0; k < 6; k++) b[k] = scale * b[k];
  const Lanes x = lanes_madd(b[1], b[2], -(b[4] * b[4])),
              y = lanes_madd(b[4], b[5], -(b[3] * b[2])),
              z = lanes_madd(b[3], b[4], -(b[1] * b[5]));
  const Lanes det = half * lanes_madd(b[0], x, lanes_madd(b[3], y, b[5] * z));
  const Lanes size = lanes_abs(det),
              root = lanes_outer_root(lanes_select(lanes_less(one, size), one, size));
  const Lanes outer = lanes_select(lanes_less(det, zero), -root, root);
  const Lanes square = lanes_madd(lanes_set(-0.75) * root, root, lanes_set(3));
  const Lanes inner = lanes_sqrt(lanes_select(lanes_less(zero, square), square, zero));
  return (LaneSpectrum){q - half * p * outer, lanes_set(1.5) * p * outer, p * inner};
}

#endif
