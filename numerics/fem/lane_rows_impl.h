/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Points that lie one behind the other to lanes and back; for kernels that are compiled once per
 * instruction set. */
#ifndef SOFA_NUMERICS_FEM_LANE_ROWS_H
#define SOFA_NUMERICS_FEM_LANE_ROWS_H

#include "numerics/fem/lanes_impl.h"

/* x, y, z of LANES points of three reals each. */
static inline void load_row(const double *from, Lanes *p) {
  const Lanes a = lanes_load(from), b = lanes_load(from + LANES), c = lanes_load(from + 2 * LANES);
#if defined(__AVX512F__)
#define PICK(s, t, ...) _mm512_permutex2var_pd(s, _mm512_setr_epi64(__VA_ARGS__), t)
  p[0] = PICK(PICK(a, b, 0, 3, 6, 9, 12, 15, 0, 0), c, 0, 1, 2, 3, 4, 5, 10, 13);
  p[1] = PICK(PICK(a, b, 1, 4, 7, 10, 13, 0, 0, 0), c, 0, 1, 2, 3, 4, 8, 11, 14);
  p[2] = PICK(PICK(a, b, 2, 5, 8, 11, 14, 0, 0, 0), c, 0, 1, 2, 3, 4, 9, 12, 15);
#elif defined(__AVX2__)
  const Lanes s = _mm256_blend_pd(a, b, 12), t = _mm256_permute2f128_pd(a, c, 0x21),
              u = _mm256_blend_pd(b, c, 12); // x0 y0 x2 y2, z0 x1 z2 x3, y1 z1 y3 z3
  p[0] = _mm256_shuffle_pd(s, t, 10);
  p[1] = _mm256_shuffle_pd(s, u, 5);
  p[2] = _mm256_shuffle_pd(t, u, 10);
#else
  p[0] = (Lanes){a[0], b[1]};
  p[1] = (Lanes){a[1], c[0]};
  p[2] = (Lanes){b[0], c[1]};
#endif
}

/* Adds x, y, z to LANES points of three reals each. */
static inline void add_row(const Lanes *p, double *to) {
#if defined(__AVX512F__)
  const Lanes a = PICK(PICK(p[0], p[1], 0, 8, 0, 1, 9, 0, 2, 10), p[2], 0, 1, 8, 3, 4, 9, 6, 7);
  const Lanes b = PICK(PICK(p[0], p[1], 0, 3, 11, 0, 4, 12, 0, 5), p[2], 10, 1, 2, 11, 4, 5, 12, 7);
  const Lanes c =
      PICK(PICK(p[0], p[1], 13, 0, 6, 14, 0, 7, 15, 0), p[2], 0, 13, 2, 3, 14, 5, 6, 15);
#undef PICK
#elif defined(__AVX2__)
  const Lanes s = _mm256_unpacklo_pd(p[0], p[1]), t = _mm256_shuffle_pd(p[2], p[0], 10),
              u = _mm256_unpackhi_pd(p[1], p[2]); // x0 y0 x2 y2, z0 x1 z2 x3, y1 z1 y3 z3
  const Lanes a = _mm256_permute2f128_pd(s, t, 0x20), b = _mm256_blend_pd(u, s, 12),
              c = _mm256_permute2f128_pd(t, u, 0x31);
#else
  const Lanes a = {p[0][0], p[1][0]}, b = {p[2][0], p[0][1]}, c = {p[1][1], p[2][1]};
#endif
  lanes_store(to, lanes_load(to) + a);
  lanes_store(to + LANES, lanes_load(to + LANES) + b);
  lanes_store(to + 2 * LANES, lanes_load(to + 2 * LANES) + c);
}

#endif
