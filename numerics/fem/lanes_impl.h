/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A register of doubles of the instruction set a source is compiled for, with the few operations
 * element kernels need. + - * / work on it directly (GCC and clang vector extensions). Fused
 * multiply-add only where madd is used, so avx2 and avx512 give the same bits. */
#ifndef SOFA_NUMERICS_FEM_LANES_H
#define SOFA_NUMERICS_FEM_LANES_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#if defined(__AVX512F__) || defined(__AVX2__)
#include <immintrin.h>
#endif

#if defined(__AVX512F__)
typedef __m512d Lanes;
typedef int64_t LaneBits __attribute__((vector_size(64)));
enum { LANES = 8 };
static inline Lanes lanes_madd(Lanes a, Lanes b, Lanes c) {
  return _mm512_fmadd_pd(a, b, c);
}
static inline Lanes lanes_sqrt(Lanes a) {
  return _mm512_sqrt_pd(a);
}
static inline Lanes lanes_load(const double *p) {
  return _mm512_loadu_pd(p);
}
static inline void lanes_store(double *p, Lanes a) {
  _mm512_storeu_pd(p, a);
}
static inline Lanes lanes_set(double a) {
  return _mm512_set1_pd(a);
}
#elif defined(__AVX2__)
typedef __m256d Lanes;
typedef int64_t LaneBits __attribute__((vector_size(32)));
enum { LANES = 4 };
static inline Lanes lanes_madd(Lanes a, Lanes b, Lanes c) {
  return _mm256_fmadd_pd(a, b, c);
}
static inline Lanes lanes_sqrt(Lanes a) {
  return _mm256_sqrt_pd(a);
}
static inline Lanes lanes_load(const double *p) {
  return _mm256_loadu_pd(p);
}
static inline void lanes_store(double *p, Lanes a) {
  _mm256_storeu_pd(p, a);
}
static inline Lanes lanes_set(double a) {
  return _mm256_set1_pd(a);
}
#else
typedef double Lanes __attribute__((vector_size(16)));
typedef int64_t LaneBits __attribute__((vector_size(16)));
enum { LANES = 2 };
static inline Lanes lanes_madd(Lanes a, Lanes b, Lanes c) {
  return a * b + c;
}
static inline Lanes lanes_sqrt(Lanes a) {
  return (Lanes){sqrt(a[0]), sqrt(a[1])};
}
static inline Lanes lanes_load(const double *p) {
  return (Lanes){p[0], p[1]};
}
static inline void lanes_store(double *p, Lanes a) {
  p[0] = a[0];
  p[1] = a[1];
}
static inline Lanes lanes_set(double a) {
  return (Lanes){a, a};
}
#endif

/* Lane by lane: all bits set where true. */
static inline LaneBits lanes_less(Lanes a, Lanes b) {
  return (LaneBits)(a < b);
}
static inline Lanes lanes_select(LaneBits mask, Lanes yes, Lanes no) {
  return (Lanes)((mask & (LaneBits)yes) | (~mask & (LaneBits)no));
}
static inline bool lanes_any(LaneBits mask) {
#if defined(__AVX512F__)
  return _mm512_test_epi64_mask((__m512i)mask, (__m512i)mask) != 0;
#elif defined(__AVX2__)
  return !_mm256_testz_si256((__m256i)mask, (__m256i)mask);
#else
  return (mask[0] | mask[1]) != 0;
#endif
}
static inline Lanes lanes_abs(Lanes a) {
  return (Lanes)((LaneBits)a & ~(LaneBits)lanes_set(-0.0));
}

/* ---- vectors of 3 and 3x3 matrices (row major) of lanes ---- */

static inline Lanes lanes_dot3(const Lanes *a, const Lanes *b) {
  return lanes_madd(a[2], b[2], lanes_madd(a[1], b[1], a[0] * b[0]));
}
static inline void lanes_cross(const Lanes *a, const Lanes *b, Lanes *r) {
  r[0] = lanes_madd(a[1], b[2], -(a[2] * b[1]));
  r[1] = lanes_madd(a[2], b[0], -(a[0] * b[2]));
  r[2] = lanes_madd(a[0], b[1], -(a[1] * b[0]));
}
/* r = M^T v */
static inline void lanes_apply_t(const Lanes *m, const Lanes *v, Lanes *r) {
  for (int i = 0; i < 3; i++)
    r[i] = lanes_madd(m[6 + i], v[2], lanes_madd(m[3 + i], v[1], m[i] * v[0]));
}
/* r = M v */
static inline void lanes_apply(const Lanes *m, const Lanes *v, Lanes *r) {
  for (int i = 0; i < 3; i++) r[i] = lanes_dot3(m + 3 * i, v);
}

/* Rows of R: x = u / |u|, z along u x w, y = z x x. */
static inline void lanes_frame(const Lanes *u, const Lanes *w, Lanes *r) {
  const Lanes one = lanes_set(1);
  const Lanes fx = one / lanes_sqrt(lanes_dot3(u, u));
  for (int i = 0; i < 3; i++) r[i] = u[i] * fx;
  Lanes *z = r + 6;
  lanes_cross(r, w, z);
  const Lanes fz = one / lanes_sqrt(lanes_dot3(z, z));
  for (int i = 0; i < 3; i++) z[i] = z[i] * fz;
  lanes_cross(z, r, r + 3);
}

/* Square of the Frobenius norm. */
static inline Lanes lanes_norm2(const Lanes *m) {
  return (lanes_dot3(m, m) + lanes_dot3(m + 3, m + 3)) + lanes_dot3(m + 6, m + 6);
}

/* Cofactors of M; their rows times those of M are det M. */
static inline void lanes_cofactors(const Lanes *m, Lanes *c) {
  lanes_cross(m + 3, m + 6, c);
  lanes_cross(m + 6, m, c + 3);
  lanes_cross(m, m + 3, c + 6);
}

/* M^-T */
static inline void lanes_inverse_transposed(const Lanes *m, Lanes *r) {
  lanes_cofactors(m, r);
  const Lanes scale = lanes_set(1) / lanes_dot3(m, r);
  for (int k = 0; k < 9; k++) r[k] = r[k] * scale;
}

/* M M^T */
static inline void lanes_left_square(const Lanes *m, Lanes *r) {
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) r[3 * i + k] = lanes_dot3(m + 3 * i, m + 3 * k);
  }
}

/* A matrix of the same orthogonal polar factor as A that is nearly the factor itself, in place, and
 * where: else A is kept. With the stretch S, C = A^T A, x = tr S and y = (x^2 - tr C) / 2 the
 * factor is the derivative of x by A,
 *   ((y + tr C) A - A C + x cof A) / (x y - det S),
 * and x the largest root of y^2 = |cof A|^2 + 2 x det S: up to three steps of Halley's from
 * sqrt(3 tr C), which is exact where nothing is sheared. A lane stops alone.
 * Any other x gives a function of A with the same singular vectors. */
static inline LaneBits lanes_near_polar(Lanes *m) {
  const Lanes half = lanes_set(0.5), zero = lanes_set(0), three = lanes_set(3);
  const Lanes tolerance2 = lanes_set(1e-6); /* cubic: a last change of 1e-3 leaves 1e-9 */
  Lanes c[9], square[9], q[9];
  lanes_cofactors(m, c);
  const Lanes det = lanes_dot3(m, c), stretch = lanes_abs(det);
  const Lanes norm2 = lanes_norm2(m), other2 = lanes_norm2(c);
  Lanes x = lanes_sqrt(three * norm2), y = half * (x * x - norm2);
  LaneBits active = lanes_less(zero, three);
  for (int step = 0; step < 3 && lanes_any(active); step++) {
    const Lanes value = y * y - other2 - (stretch + stretch) * x;
    const Lanes slope = lanes_madd(x, y, -stretch), bend = lanes_madd(x, x, y);
    const Lanes change = value * slope / lanes_madd(slope + slope, slope, -(half * value * bend));
    x = lanes_select(active, x - change, x);
    y = half * (x * x - norm2);
    active &= lanes_less(tolerance2 * x * x, change * change);
  }
  for (int i = 0; i < 3; i++) {
    for (int j = i; j < 3; j++) {
      const Lanes sum = lanes_madd(m[6 + i], m[6 + j], lanes_madd(m[3 + i], m[3 + j], m[i] * m[j]));
      square[3 * i + j] = square[3 * j + i] = sum;
    }
  }
  const Lanes size = lanes_madd(x, y, -stretch), scale = lanes_set(1) / size;
  const LaneBits good = lanes_less(lanes_set(0.01) * x * x * x, size);
  const Lanes fm = scale * (y + norm2), fc = scale * lanes_select(lanes_less(det, zero), -x, x);
  for (int i = 0; i < 9; i += 3) {
    lanes_apply(square, m + i, q + i);
    for (int j = i; j < i + 3; j++)
      q[j] = lanes_madd(fm, m[j], lanes_madd(fc, c[j], -(scale * q[j])));
  }
  for (int k = 0; k < 9; k++) m[k] = lanes_select(good, q[k], m[k]);
  return good;
}

/* Orthogonal polar factor of A, in place, by Newton iteration (Higham 1986), which is scaled (by
 * Frobenius norms; Kenney and Laub 1992) in lanes where it cannot begin near the factor. A lane
 * stops alone: its bits do not depend on the others. The sign of det A is kept; a singular lane
 * keeps its last iterate. */
static inline void lanes_polar(Lanes *m) {
  /* quadratic: a last change of 1e-8 leaves an error of 1e-16 */
  const Lanes half = lanes_set(0.5), tolerance2 = lanes_set(1e-16), zero = lanes_set(0);
  const Lanes one = lanes_set(1);
  const LaneBits far = ~lanes_near_polar(m);
  LaneBits active = lanes_less(zero, one);
  for (int iteration = 0; iteration < 100 && lanes_any(active); iteration++) {
    Lanes c[9], next[9], change[9], g = one;
    lanes_cofactors(m, c);
    const Lanes det = lanes_dot3(m, c), size = lanes_abs(det);
    active &= lanes_less(zero, size);
    if (lanes_any(far & active)) {
      g = lanes_sqrt(lanes_sqrt(lanes_norm2(c) / lanes_norm2(m)) / size);
      g = lanes_select(far, g, one);
    }
    const Lanes fm = half * g, fc = half / (g * det);
    for (int i = 0; i < 9; i++) {
      next[i] = lanes_madd(fm, m[i], fc * c[i]);
      change[i] = m[i] - next[i];
      m[i] = lanes_select(active, next[i], m[i]);
    }
    active &= lanes_less(tolerance2 * lanes_norm2(next), lanes_norm2(change));
  }
}

#endif
