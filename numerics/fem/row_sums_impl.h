/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Vectors of lanes as rows of three reals and back, for kernels that are compiled once per
 * instruction set. */
#ifndef NUMERICS_FEM_ROW_SUMS_IMPL_H
#define NUMERICS_FEM_ROW_SUMS_IMPL_H

#include "numerics/fem/three_impl.h"

/* x, y, z of a row of each lane. */
#ifdef __AVX512F__
ALWAYS void columns_of_rows(const Three *rows, Lanes *p) {
  __m512d r[4];
  for (int l = 0; l < 4; l++)
    r[l] = _mm512_insertf64x4(_mm512_castpd256_pd512(rows[l]), rows[l + 4], 1);
  columns_of(r, p);
}
#elif defined(__AVX2__)
ALWAYS void columns_of_rows(const Three *rows, Lanes *p) {
  columns_of(rows, p);
}
#else
ALWAYS void columns_of_rows(const Three *rows, Lanes *p) {
  for (int c = 0; c < 2; c++) p[c] = (Lanes){rows[0].xy[c], rows[1].xy[c]};
  p[2] = (Lanes){rows[0].z, rows[1].z};
}
#endif

/* Points of lanes as they are read, in ROW_PAIRS registers: r has the point of lane r, and with
 * AVX-512 that of lane r + 4, too. Differences take fewer registers before they go to lanes. */
#ifdef __AVX512F__
typedef Lanes RowPair;
enum { ROW_PAIRS = 4 };
/* Of points v, numbers of lanes `stride` apart. */
ALWAYS RowPair load_pair(const double *x, const uint32_t *v, size_t stride, size_t r) {
  const Three low = three_load(x + 3 * (size_t)v[stride * r]);
  const Three high = three_load(x + 3 * (size_t)v[stride * (r + 4)]);
  return _mm512_insertf64x4(_mm512_castpd256_pd512(low), high, 1);
}
ALWAYS RowPair pair_sub(RowPair a, RowPair b) {
  return a - b;
}
ALWAYS void columns_of_pairs(const RowPair *rows, Lanes *p) {
  columns_of(rows, p);
}
#else
typedef Three RowPair;
enum { ROW_PAIRS = LANES };
/* Of points v, numbers of lanes `stride` apart. */
ALWAYS RowPair load_pair(const double *x, const uint32_t *v, size_t stride, size_t r) {
  return three_load(x + 3 * (size_t)v[stride * r]);
}
ALWAYS RowPair pair_sub(RowPair a, RowPair b) {
  return three_sub(a, b);
}
ALWAYS void columns_of_pairs(const RowPair *rows, Lanes *p) {
  columns_of_rows(rows, p);
}
#endif

/* A row of each lane; their fourth reals are 0. */
#ifdef __AVX512F__
ALWAYS void rows_of(const Lanes *r, Three *rows) {
  const __m512i even = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13);
  const __m512i odd = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
  const __m512d zero = _mm512_setzero_pd();
  const __m512d xy[2] = {_mm512_unpacklo_pd(r[0], r[1]), _mm512_unpackhi_pd(r[0], r[1])};
  const __m512d z[2] = {_mm512_unpacklo_pd(r[2], zero), _mm512_unpackhi_pd(r[2], zero)};
  for (int l = 0; l < 4; l++) {
    const __m512d both = _mm512_permutex2var_pd(xy[l & 1], l & 2 ? odd : even, z[l & 1]);
    rows[l] = _mm512_castpd512_pd256(both);
    rows[l + 4] = _mm512_extractf64x4_pd(both, 1);
  }
}
#elif defined(__AVX2__)
ALWAYS void rows_of(const Lanes *r, Three *rows) {
  const Lanes four[4] = {r[0], r[1], r[2], _mm256_setzero_pd()};
  transpose_four(four, rows);
}
#else
ALWAYS void rows_of(const Lanes *r, Three *rows) {
  for (int l = 0; l < LANES; l++) rows[l] = (Three){{r[0][l], r[1][l]}, r[2][l]};
}
#endif

/* Takes off a point. */
ALWAYS void take_three(Two xy, double z, double *from) {
  *(Two *)(void *)from -= xy;
  from[2] -= z;
}
ALWAYS void three_take(Three a, double *from) {
#ifdef __AVX2__
  take_three((Two)_mm256_castpd256_pd128(a), _mm256_extractf128_pd(a, 1)[0], from);
#else
  take_three(a.xy, a.z, from);
#endif
}

/* Adds vectors of lanes to the first points of pairs and takes them from the second ones; the two
 * numbers of pairs are `stride` apart from those of the next lane. */
ALWAYS void add_opposite(size_t stride, const uint32_t *pairs, const Lanes *r, double *first,
                         double *second) {
  const Lanes even = even_pairs(r[0], r[1]), odd = odd_pairs(r[0], r[1]), z = odd_pairs(r[2], r[2]);
#pragma GCC unroll 8
  for (int l = 0; l < LANES; l++) {
    const uint32_t *pair = pairs + stride * (size_t)l;
    const Two xy = two_lanes(l & 1 ? odd : even, l & ~1);
    const double last = two_lanes(l & 1 ? z : r[2], l & ~1)[0];
    add_three(xy, last, first + 3 * (size_t)pair[0]);
    take_three(xy, last, second + 3 * (size_t)pair[1]);
  }
}

/* Puts the vectors of the first n lanes, one after the other. */
ALWAYS void put_lanes(const Lanes *r, size_t n, double *parts) {
  Three rows[LANES];
  rows_of(r, rows);
  for (size_t l = 0; l < n && l < LANES; l++) three_store(rows[l], parts + 3 * l);
}

#endif
