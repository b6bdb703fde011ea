/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kernels of edges, compiled once per instruction set with KERNELS_ISA naming it. In products the
 * sum of a row stays in registers, columns are added to ahead; a row of a block fills a register.
 */
#include "numerics/fem/edge_kernels.h"

#include "numerics/fem/lanes_impl.h"

#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)
#define TEXT_(a) #a
#define TEXT(a) TEXT_(a)

#ifdef __AVX2__
/* Keeps a value in its register: the compiler reads it from memory a second time otherwise. */
#define HOLD(v) __asm__("" : "+x"(v))

/* y += factor (the sums of three rows' reals - columns) */
static inline void add_row(double factor, const __m256d *s, __m256d columns, double *y) {
  const __m256d a = _mm256_unpacklo_pd(s[0], s[1]), b = _mm256_unpackhi_pd(s[0], s[1]);
  const __m128d xy = _mm_add_pd(_mm_add_pd(_mm256_castpd256_pd128(a), _mm256_castpd256_pd128(b)),
                                _mm256_extractf128_pd(a, 1));
  const __m128d z = _mm256_castpd256_pd128(s[2]);
  const double sum = (z[0] + z[1]) + _mm256_extractf128_pd(s[2], 1)[0];
  const __m128d first = _mm_sub_pd(xy, _mm256_castpd256_pd128(columns));
  _mm_storeu_pd(y, _mm_fmadd_pd(_mm_set1_pd(factor), first, _mm_loadu_pd(y)));
  y[2] += factor * (sum - _mm256_extractf128_pd(columns, 1)[0]);
}

/* The fourth reals of registers are not looked at. */
static void product(const SofaEdgeRows *rows, double factor, const double *x, double *sums,
                    double *y) {
  const uint32_t *column = rows->column;
  const double *blocks = rows->blocks;
  for (size_t i = 0; i < rows->n_points; i++) {
    const __m256d own = _mm256_loadu_pd(x + 4 * i);
    const size_t end = rows->start[i + 1];
    __m256d s[3] = {_mm256_setzero_pd(), _mm256_setzero_pd(), _mm256_setzero_pd()};
    for (size_t p = (size_t)rows->start[i] + 1; p < end; p++) {
      const double *block = blocks + 9 * p;
      double *to = sums + 4 * (size_t)column[p];
      const __m256d u = _mm256_sub_pd(_mm256_loadu_pd(x + 4 * (size_t)column[p]), own);
      __m256d r0 = _mm256_loadu_pd(block), r1 = _mm256_loadu_pd(block + 3),
              r2 = _mm256_loadu_pd(block + 6);
      HOLD(r0);
      HOLD(r1);
      HOLD(r2);
      __m256d t = _mm256_fmadd_pd(r0, _mm256_permute4x64_pd(u, 0x00), _mm256_loadu_pd(to));
      t = _mm256_fmadd_pd(r1, _mm256_permute4x64_pd(u, 0x55), t);
      _mm256_storeu_pd(to, _mm256_fmadd_pd(r2, _mm256_permute4x64_pd(u, 0xaa), t));
      s[0] = _mm256_fmadd_pd(r0, u, s[0]);
      s[1] = _mm256_fmadd_pd(r1, u, s[1]);
      s[2] = _mm256_fmadd_pd(r2, u, s[2]);
    }
    add_row(factor, s, _mm256_loadu_pd(sums + 4 * i), y + 3 * i);
  }
}
#else
static void product(const SofaEdgeRows *rows, double factor, const double *x, double *sums,
                    double *y) {
  for (size_t i = 0; i < rows->n_points; i++) {
    double s[3] = {0, 0, 0};
    for (size_t p = (size_t)rows->start[i] + 1; p < rows->start[i + 1]; p++) {
      const size_t j = rows->column[p];
      const double *m = rows->blocks + 9 * p, *own = x + 4 * i, *other = x + 4 * j;
      const double u[3] = {other[0] - own[0], other[1] - own[1], other[2] - own[2]};
      double *to = sums + 4 * j;
      for (int k = 0; k < 3; k++) {
        s[k] += m[3 * k] * u[0] + m[3 * k + 1] * u[1] + m[3 * k + 2] * u[2];
        to[k] += m[k] * u[0] + m[3 + k] * u[1] + m[6 + k] * u[2];
      }
    }
    for (size_t k = 0; k < 3; k++) y[3 * i + k] += factor * (s[k] - sums[4 * i + k]);
  }
}
#endif

/* ---- sums of blocks ---- */

/* A block of 3 x 3 in registers. */
#if defined(__AVX512F__)
typedef struct Block {
  __m512d most;
  double last;
} Block;
static inline void block_add(const double *from, Block *b) {
  b->most = _mm512_add_pd(b->most, _mm512_loadu_pd(from));
  b->last += from[8];
}
static inline void block_add_turned(const Block *from, Block *b) {
  const __m512i turned = _mm512_setr_epi64(0, 3, 6, 1, 4, 7, 2, 5);
  b->most = _mm512_add_pd(b->most, _mm512_permutexvar_pd(turned, from->most));
  b->last += from->last;
}
static inline void block_store(double sign, const Block *b, double *to) {
  _mm512_storeu_pd(to, _mm512_mul_pd(_mm512_set1_pd(sign), b->most));
  to[8] = sign * b->last;
}
#elif defined(__AVX2__)
typedef struct Block {
  __m256d low, high;
  double last;
} Block;
static inline void block_add(const double *from, Block *b) {
  b->low = _mm256_add_pd(b->low, _mm256_loadu_pd(from));
  b->high = _mm256_add_pd(b->high, _mm256_loadu_pd(from + 4));
  b->last += from[8];
}
static inline void block_add_turned(const Block *from, Block *b) {
  const __m256d low = from->low, high = from->high; // to 0 3 6 1, 4 7 2 5
  b->low += _mm256_blend_pd(_mm256_permute4x64_pd(low, 0x4c), _mm256_permute4x64_pd(high, 0xa0), 4);
  b->high +=
      _mm256_blend_pd(_mm256_permute4x64_pd(high, 0x4c), _mm256_permute4x64_pd(low, 0xa0), 4);
  b->last += from->last;
}
static inline void block_store(double sign, const Block *b, double *to) {
  const __m256d s = _mm256_set1_pd(sign);
  _mm256_storeu_pd(to, _mm256_mul_pd(s, b->low));
  _mm256_storeu_pd(to + 4, _mm256_mul_pd(s, b->high));
  to[8] = sign * b->last;
}
#else
typedef struct Block {
  double e[9];
} Block;
static inline void block_add(const double *from, Block *b) {
  for (int k = 0; k < 9; k++) b->e[k] += from[k];
}
static inline void block_add_turned(const Block *from, Block *b) {
  for (int k = 0; k < 9; k++) b->e[k] += from->e[3 * (k % 3) + k / 3];
}
static inline void block_store(double sign, const Block *b, double *to) {
  for (int k = 0; k < 9; k++) to[k] = sign * b->e[k];
}
#endif

static inline Block sum_of(const uint32_t *edge, const uint32_t *end, const double *blocks) {
  Block sum = {0};
  for (; edge < end; edge++) block_add(blocks + 9 * (size_t)*edge, &sum);
  return sum;
}

static void sums(const SofaEdgeParts *parts, size_t begin, size_t end, const double *edges,
                 double *blocks) {
  const uint32_t *edge = parts->edge;
  for (size_t p = begin; p < end; p++, blocks += 9) {
    const uint32_t *bound = parts->bound + 2 * p;
    Block sum = sum_of(edge + bound[0], edge + bound[1], edges);
    if (bound[1] < bound[2]) {
      const Block turned = sum_of(edge + bound[1], edge + bound[2], edges);
      block_add_turned(&turned, &sum);
    }
    block_store(parts->row[p] == parts->column[p] ? -1 : 1, &sum, blocks);
  }
}

const SofaEdgeKernels CAT(sofa_edge_kernels_, KERNELS_ISA) = {
    .name = TEXT(KERNELS_ISA),
    .product = product,
    .sums = sums,
};
