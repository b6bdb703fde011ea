/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Points to lanes and back, and blocks to pairs: the steps of element kernels before and after
 * their arithmetic. */
#ifndef SOFA_NUMERICS_FEM_LANE_POINTS_H
#define SOFA_NUMERICS_FEM_LANE_POINTS_H

#include <string.h>

#include "numerics/fem/element_batch.h"
#include "numerics/fem/lanes_impl.h"

/* Inlined with constant numbers of nodes and dimensions where it matters. */
#define ALWAYS static inline __attribute__((always_inline))

/* Asks for the lines of an array's next part while this one is computed: a group has more
 * instructions than a processor looks ahead. Arrays may end before. */
ALWAYS void ask_for(const void *from, size_t bytes) {
  for (size_t k = 0; k < bytes; k += 64) __builtin_prefetch((const char *)from + k);
}

/* A pair of reals and the third one of a point: two stores that later loads of the same widths can
 * take over before they are in the cache. */
typedef double Two __attribute__((vector_size(16), aligned(8), may_alias));

ALWAYS void add_three(Two xy, double z, double *to) {
  *(Two *)(void *)to += xy;
  to[2] += z;
}

#ifdef __AVX2__
/* Adds lanes 4 h .. 4 h + 3 of a group in 3 dimensions, element by element. */
ALWAYS void scatter_four(size_t nodes, const uint32_t (*v)[SOFA_LANES],
                         const double (*force)[SOFA_LANES], size_t begin, size_t end, double *f) {
  __m256d even[SOFA_SHAPE_MAX_NODES], odd[SOFA_SHAPE_MAX_NODES]; // x y of lanes 0 and 2, 1 and 3
  for (size_t n = 0; n < nodes; n++) {
    const __m256d x = _mm256_loadu_pd(force[3 * n] + begin);
    const __m256d y = _mm256_loadu_pd(force[3 * n + 1] + begin);
    even[n] = _mm256_unpacklo_pd(x, y);
    odd[n] = _mm256_unpackhi_pd(x, y);
  }
  for (size_t l = begin; l < end; l++) {
    for (size_t n = 0; n < nodes; n++) {
      const __m256d from = l & 1 ? odd[n] : even[n];
      const __m128d xy = l & 2 ? _mm256_extractf128_pd(from, 1) : _mm256_castpd256_pd128(from);
      add_three((Two)xy, force[3 * n + 2][l], f + 3 * (size_t)v[n][l]);
    }
  }
}
#endif

/* Adds the forces of a group, nodes x dim rows of lanes, to their points; `count` lanes count. */
ALWAYS void scatter(size_t nodes, size_t dim, const uint32_t (*v)[SOFA_LANES],
                    const double (*force)[SOFA_LANES], size_t count, double *f) {
#ifdef __AVX2__
  if (dim == 3 && count == SOFA_LANES) {
    scatter_four(nodes, v, force, 0, 4, f);
    scatter_four(nodes, v, force, 4, 8, f);
    return;
  }
#endif
  for (size_t l = 0; l < count; l++) {
    for (size_t n = 0; n < nodes; n++) {
      double *to = f + dim * v[n][l];
      for (size_t c = 0; c < dim; c++) to[c] += force[dim * n + c][l];
    }
  }
}

/* Puts them one after the other. */
ALWAYS void put_vectors(size_t reals, const double (*force)[SOFA_LANES], size_t count,
                        double *parts) {
  for (size_t l = 0; l < count; l++, parts += reals)
    for (size_t k = 0; k < reals; k++) parts[k] = force[k][l];
}

static inline size_t lanes_in_group(size_t n, size_t group) {
  const size_t left = n - group * SOFA_LANES;
  return left < SOFA_LANES ? left : SOFA_LANES;
}

#if defined(__AVX512F__)
static inline __m256d load_three(const double *p) {
  return _mm256_maskz_loadu_pd(7, p);
}
/* x, y, z of 8 rows of x, y, z and anything: l and l + 4 in r[l]. */
static inline void columns_of(const __m512d *r, Lanes *p) {
  const __m512i xs = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13);
  const __m512i zs = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
  const __m512d low = _mm512_unpacklo_pd(r[0], r[1]), next = _mm512_unpacklo_pd(r[2], r[3]);
  p[0] = _mm512_permutex2var_pd(low, xs, next);
  p[1] = _mm512_permutex2var_pd(_mm512_unpackhi_pd(r[0], r[1]), xs, _mm512_unpackhi_pd(r[2], r[3]));
  p[2] = _mm512_permutex2var_pd(low, zs, next);
}
/* x, y, z of the points of 8 lanes. */
static inline void load_three_lanes(const uint32_t *v, const double *x, Lanes *p) {
  __m512d r[4];
  for (int l = 0; l < 4; l++)
    r[l] = _mm512_insertf64x4(_mm512_castpd256_pd512(load_three(x + 3 * (size_t)v[l])),
                              load_three(x + 3 * (size_t)v[l + 4]), 1);
  columns_of(r, p);
}
/* Differences of points of lanes, those q of b less those p of a; numbers of lanes are `stride`
 * apart. */
ALWAYS void load_differences(size_t stride, const uint32_t *p, const double *a, const uint32_t *q,
                             const double *b, Lanes *d) {
#define OF(l)                                                                                      \
  _mm256_sub_pd(load_three(b + 3 * (size_t)q[stride * (size_t)(l)]),                               \
                load_three(a + 3 * (size_t)p[stride * (size_t)(l)]))
  __m512d r[4];
  for (int l = 0; l < 4; l++)
    r[l] = _mm512_insertf64x4(_mm512_castpd256_pd512(OF(l)), OF(l + 4), 1);
#undef OF
  columns_of(r, d);
}
#elif defined(__AVX2__)
static inline __m256d load_three(const double *p) {
  return _mm256_maskload_pd(p, _mm256_setr_epi64x(-1, -1, -1, 0));
}
/* x, y, z of 4 rows of x, y, z and anything. */
static inline void columns_of(const __m256d *r, Lanes *p) {
  const __m256d low = _mm256_unpacklo_pd(r[0], r[1]), next = _mm256_unpacklo_pd(r[2], r[3]);
  p[0] = _mm256_permute2f128_pd(low, next, 0x20);
  p[1] =
      _mm256_permute2f128_pd(_mm256_unpackhi_pd(r[0], r[1]), _mm256_unpackhi_pd(r[2], r[3]), 0x20);
  p[2] = _mm256_permute2f128_pd(low, next, 0x31);
}
/* x, y, z of the points of 4 lanes. */
static inline void load_three_lanes(const uint32_t *v, const double *x, Lanes *p) {
  __m256d r[4];
  for (int l = 0; l < 4; l++) r[l] = load_three(x + 3 * (size_t)v[l]);
  columns_of(r, p);
}
/* Differences of points of lanes, those q of b less those p of a; numbers of lanes are `stride`
 * apart. */
ALWAYS void load_differences(size_t stride, const uint32_t *p, const double *a, const uint32_t *q,
                             const double *b, Lanes *d) {
  __m256d r[4];
  for (size_t l = 0; l < 4; l++)
    r[l] = _mm256_sub_pd(load_three(b + 3 * (size_t)q[stride * l]),
                         load_three(a + 3 * (size_t)p[stride * l]));
  columns_of(r, d);
}
#else
static inline void load_three_lanes(const uint32_t *v, const double *x, Lanes *p) {
  const double *a = x + 3 * (size_t)v[0], *b = x + 3 * (size_t)v[1];
  for (int c = 0; c < 3; c++) p[c] = (Lanes){a[c], b[c]};
}
/* Differences of points of lanes, those q of b less those p of a; numbers of lanes are `stride`
 * apart. */
ALWAYS void load_differences(size_t stride, const uint32_t *p, const double *a, const uint32_t *q,
                             const double *b, Lanes *d) {
  const double *a0 = a + 3 * (size_t)p[0], *a1 = a + 3 * (size_t)p[stride];
  const double *b0 = b + 3 * (size_t)q[0], *b1 = b + 3 * (size_t)q[stride];
  for (int c = 0; c < 3; c++) d[c] = (Lanes){b0[c] - a0[c], b1[c] - a1[c]};
}
#endif

#if defined(__AVX2__) && !defined(__AVX512F__)
/* Four rows of lanes become a row of each lane. */
static inline void transpose_four(const Lanes *a, Lanes *t) {
  const Lanes low = _mm256_unpacklo_pd(a[0], a[1]), low2 = _mm256_unpacklo_pd(a[2], a[3]);
  const Lanes high = _mm256_unpackhi_pd(a[0], a[1]), high2 = _mm256_unpackhi_pd(a[2], a[3]);
  t[0] = _mm256_permute2f128_pd(low, low2, 0x20);
  t[1] = _mm256_permute2f128_pd(high, high2, 0x20);
  t[2] = _mm256_permute2f128_pd(low, low2, 0x31);
  t[3] = _mm256_permute2f128_pd(high, high2, 0x31);
}
#endif

#if defined(__AVX512F__)
/* Four rows of four reals of lane l and of lane l + 4 become those of all lanes: the first n. */
ALWAYS void transpose_halves(int n, const Lanes *a, Lanes *t) {
  const __m512i even = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13);
  const __m512i odd = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
  const __m512d low = _mm512_unpacklo_pd(a[0], a[1]), low2 = _mm512_unpacklo_pd(a[2], a[3]);
  const __m512d high = _mm512_unpackhi_pd(a[0], a[1]), high2 = _mm512_unpackhi_pd(a[2], a[3]);
  t[0] = _mm512_permutex2var_pd(low, even, low2);
  if (n > 1) t[1] = _mm512_permutex2var_pd(high, even, high2);
  if (n > 2) t[2] = _mm512_permutex2var_pd(low, odd, low2);
  if (n > 3) t[3] = _mm512_permutex2var_pd(high, odd, high2);
}
#endif

/* Four reals of each lane from a place of its own. */
static inline void load_four_lanes(const char *const *from, Lanes *out) {
#define FROM(l) ((const double *)(const void *)from[l])
#if defined(__AVX512F__)
  __m512d r[4];
  for (int l = 0; l < 4; l++)
    r[l] = _mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_loadu_pd(FROM(l))),
                              _mm256_loadu_pd(FROM(l + 4)), 1);
  transpose_halves(4, r, out);
#elif defined(__AVX2__)
  Lanes r[4];
  for (int l = 0; l < 4; l++) r[l] = _mm256_loadu_pd(FROM(l));
  transpose_four(r, out);
#else
  double a[4], b[4];
  memcpy(a, from[0], sizeof a);
  memcpy(b, from[1], sizeof b);
  for (int k = 0; k < 4; k++) out[k] = (Lanes){a[k], b[k]};
#endif
#undef FROM
}

/* x y of even lanes and of odd ones. */
static inline Lanes even_pairs(Lanes x, Lanes y) {
#if defined(__AVX512F__)
  return _mm512_unpacklo_pd(x, y);
#elif defined(__AVX2__)
  return _mm256_unpacklo_pd(x, y);
#else
  return (Lanes){x[0], y[0]};
#endif
}
static inline Lanes odd_pairs(Lanes x, Lanes y) {
#if defined(__AVX512F__)
  return _mm512_unpackhi_pd(x, y);
#elif defined(__AVX2__)
  return _mm256_unpackhi_pd(x, y);
#else
  return (Lanes){x[1], y[1]};
#endif
}

/* Those of lane l at l & ~1. */
static inline void split_pairs(Lanes x, Lanes y, double *even, double *odd) {
  lanes_store(even, even_pairs(x, y));
  lanes_store(odd, odd_pairs(x, y));
}

/* Lanes l and l + 1, l even and known to the compiler. */
ALWAYS Two two_lanes(Lanes a, int l) {
#if defined(__AVX512F__)
  switch (l) {
  case 0:
    return (Two)_mm512_castpd512_pd128(a);
  case 2:
    return (Two)_mm512_extractf64x2_pd(a, 1);
  case 4:
    return (Two)_mm512_extractf64x2_pd(a, 2);
  default:
    return (Two)_mm512_extractf64x2_pd(a, 3);
  }
#elif defined(__AVX2__)
  return (Two)(l ? _mm256_extractf128_pd(a, 1) : _mm256_castpd256_pd128(a));
#else
  (void)l;
  return (Two)a;
#endif
}

enum { REGISTER_NODES = 8 }; /* of elements whose vectors stay in registers */

/* Adds x, y, z of the nodes of LANES elements to their points, element by element; numbers of nodes
 * are SOFA_LANES apart. Stores of whole registers would be read again in parts, and must be in the
 * cache first; rows of x, y, z and 0 take two more shuffles of a register for four nodes, and 5 to
 * 13 % longer. */
ALWAYS void add_lanes(size_t nodes, const uint32_t *v, const Lanes *force, double *f) {
  Lanes even[REGISTER_NODES], odd[REGISTER_NODES], z[REGISTER_NODES];
  for (size_t n = 0; n < nodes; n++) {
    even[n] = even_pairs(force[3 * n], force[3 * n + 1]);
    odd[n] = odd_pairs(force[3 * n], force[3 * n + 1]);
    z[n] = odd_pairs(force[3 * n + 2], force[3 * n + 2]);
  }
#pragma GCC unroll 8
  for (int l = 0; l < LANES; l++) {
#pragma GCC unroll 8
    for (size_t n = 0; n < nodes; n++) {
      const Two xy = two_lanes(l & 1 ? odd[n] : even[n], l & ~1);
      const Two last = two_lanes(l & 1 ? z[n] : force[3 * n + 2], l & ~1);
      add_three(xy, last[0], f + 3 * (size_t)v[SOFA_LANES * n + (size_t)l]);
    }
  }
}

/* Gives the vectors of the nodes of the first `count` of LANES elements: as add_lanes, or, unless
 * parts is NULL, puts them there, one element after the other. */
ALWAYS void give_lanes(size_t nodes, const uint32_t *v, const Lanes *force, size_t count,
                       SofaVectorsTo to) {
  double rows[3 * REGISTER_NODES][LANES];
  if (!to.parts && count >= LANES) {
    add_lanes(nodes, v, force, to.f);
    return;
  }
  for (size_t k = 0; k < 3 * nodes; k++) lanes_store(rows[k], force[k]);
  for (size_t l = 0; l < count && l < LANES; l++) {
    for (size_t k = 0; k < 3 * nodes; k++) {
      if (to.parts) to.parts[3 * nodes * l + k] = rows[k][l];
      else to.f[3 * (size_t)v[SOFA_LANES * (k / 3) + l] + k % 3] += rows[k][l];
    }
  }
}

/* Coordinates of a node of the elements in lanes s .. s + LANES - 1. */
ALWAYS void load_point(size_t dim, const uint32_t *v, const double *x, Lanes *p) {
  double t[3][LANES];
  if (dim == 3) {
    load_three_lanes(v, x, p);
    return;
  }
  for (int l = 0; l < LANES; l++) {
    const double *from = x + dim * v[l];
    for (size_t c = 0; c < dim; c++) t[c][l] = from[c];
  }
  for (size_t c = 0; c < dim; c++) p[c] = lanes_load(t[c]);
}
static inline void load_node(const uint32_t *v, const double *x, Lanes *p) {
  load_point(3, v, x, p);
}

/* Adds block (or its transpose, or both) of lane l to a pair's block. */
ALWAYS void add_turned(size_t dim, const double (*block)[SOFA_LANES], size_t l, unsigned turn,
                       double *to) {
  if (turn != SOFA_PAIR_TRANSPOSED) {
    for (size_t i = 0; i < dim * dim; i++) to[i] += block[i][l];
  }
  if (turn != SOFA_PAIR_STRAIGHT) {
    for (size_t i = 0; i < dim * dim; i++) to[i] += block[dim * (i % dim) + i / dim][l];
  }
}

#if defined(__AVX512F__)
/* Eight rows of lanes become a row of each lane: the first n of them. */
ALWAYS void transpose_first(int n, const Lanes *a, Lanes *t) {
  Lanes b[8], c[8];
  for (int k = 0; k < 8; k += 2) {
    b[k] = _mm512_unpacklo_pd(a[k], a[k + 1]);
    b[k + 1] = _mm512_unpackhi_pd(a[k], a[k + 1]);
  }
  for (int k = 0; k < 8; k += 4) {
    for (int o = 0; o < 2; o++) {
      c[k + o] = _mm512_shuffle_f64x2(b[k + o], b[k + o + 2], 0x88);
      c[k + o + 2] = _mm512_shuffle_f64x2(b[k + o], b[k + o + 2], 0xdd);
    }
  }
  for (int o = 0; o < 4; o++) {
    if (o < n) t[o] = _mm512_shuffle_f64x2(c[o], c[o + 4], 0x88);
    if (o + 4 < n) t[o + 4] = _mm512_shuffle_f64x2(c[o], c[o + 4], 0xdd);
  }
}
static inline void transpose_eight(const Lanes *a, Lanes *t) {
  transpose_first(8, a, t);
}
#endif

/* Nine rows of lanes to those of each lane, `stride` reals from one lane's to the next one's. */
ALWAYS void put_nine(const Lanes *rows, size_t stride, double *to) {
#if defined(__AVX512F__)
  Lanes t[8];
  double last[LANES];
  transpose_eight(rows, t);
  lanes_store(last, rows[8]);
  for (size_t l = 0; l < LANES; l++, to += stride) {
    lanes_store(to, t[l]);
    to[8] = last[l];
  }
#elif defined(__AVX2__)
  for (int k = 0; k < 8; k += 4) {
    Lanes t[4];
    transpose_four(rows + k, t);
    for (size_t l = 0; l < LANES; l++) lanes_store(to + stride * l + k, t[l]);
  }
  for (size_t l = 0; l < LANES; l++) to[stride * l + 8] = rows[8][l];
#else
  for (int e = 0; e < 9; e++)
    for (size_t l = 0; l < LANES; l++) to[stride * l + (size_t)e] = rows[e][l];
#endif
}

/* Where blocks go: to those of their pairs, or, of pairs of other chunks, to `late`, which moves
 * on.
 */
typedef struct LanePlaces {
  double *blocks; /* of pair p at p & mask */
  size_t mask;
  const uint8_t *owner; /* NULL: all pairs are ours */
  uint8_t chunk;
  double *late;
} LanePlaces;

/* The place of a slot's block. A late one is set to 0 before. */
ALWAYS double *place_of(LanePlaces *places, uint32_t slot) {
  const size_t pair = slot >> 2;
  if (!places->owner || places->owner[pair] == places->chunk)
    return places->blocks + 9 * (pair & places->mask);
  double *to = places->late;
  places->late += 9;
  for (int k = 0; k < 9; k++) to[k] = 0;
  return to;
}

/* Adds 3 x 3 blocks, 9 rows of lanes, to those of their slots: n lanes of them. */
ALWAYS void add_lane_blocks(const Lanes *block, const uint32_t *slot, size_t stride, size_t n,
                            LanePlaces *places) {
#if defined(__AVX512F__)
  const __m512i turned = _mm512_setr_epi64(0, 3, 6, 1, 4, 7, 2, 5);
  Lanes t[8];
  transpose_eight(block, t);
  for (size_t l = 0; l < n; l++, slot += stride) {
    double *to = place_of(places, *slot);
    const unsigned turn = *slot & 3;
    if (turn != SOFA_PAIR_TRANSPOSED) {
      lanes_store(to, lanes_load(to) + t[l]);
      to[8] += block[8][l];
    }
    if (turn != SOFA_PAIR_STRAIGHT) {
      lanes_store(to, lanes_load(to) + _mm512_permutexvar_pd(turned, t[l]));
      to[8] += block[8][l];
    }
  }
#else
  double stored[9][SOFA_LANES];
  for (int k = 0; k < 9; k++) lanes_store(stored[k], block[k]);
  for (size_t l = 0; l < n; l++, slot += stride)
    add_turned(3, (const double(*)[SOFA_LANES])stored, l, *slot & 3, place_of(places, *slot));
#endif
}

#endif
