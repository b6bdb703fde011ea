/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kernels of pairs of points, compiled once per instruction set with KERNELS_ISA naming it. The sum
 * of a row stays in registers; a row of a block fills one. */
#include "numerics/fem/pair_row_kernels.h"

#include "numerics/fem/lanes_impl.h"

#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)
#define TEXT_(a) #a
#define TEXT(a) TEXT_(a)

#ifdef __AVX2__
/* Keeps a value in its register: the compiler reads it from memory a second time otherwise. */
#define HOLD(v) __asm__("" : "+x"(v))

/* The fourth reals of registers are not looked at. */
typedef struct Block {
  __m256d row[3];
} Block;

static inline Block block_at(const double *m) {
  Block b;
  b.row[0] = _mm256_loadu_pd(m);
  b.row[1] = _mm256_loadu_pd(m + 3);
  // without the real behind the block
  b.row[2] = _mm256_permute4x64_pd(_mm256_loadu_pd(m + 5), 0x39);
  HOLD(b.row[0]);
  HOLD(b.row[1]);
  return b;
}

/* B^T x */
static inline __m256d turned(const Block *b, __m256d x) {
  const __m256d t = _mm256_mul_pd(b->row[0], _mm256_permute4x64_pd(x, 0x00));
  return _mm256_fmadd_pd(b->row[2], _mm256_permute4x64_pd(x, 0xaa),
                         _mm256_fmadd_pd(b->row[1], _mm256_permute4x64_pd(x, 0x55), t));
}

/* The sums of the first three reals of each row. */
static inline void store_sums(const __m256d *s, double *to) {
  const __m256d a = _mm256_unpacklo_pd(s[0], s[1]), b = _mm256_unpackhi_pd(s[0], s[1]);
  _mm_storeu_pd(to, _mm_add_pd(_mm_add_pd(_mm256_castpd256_pd128(a), _mm256_castpd256_pd128(b)),
                               _mm256_extractf128_pd(a, 1)));
  const __m128d z = _mm256_castpd256_pd128(s[2]);
  to[2] = (z[0] + z[1]) + _mm256_extractf128_pd(s[2], 1)[0];
}

static void rows(const SofaPairRows *pairs, size_t begin, size_t end, size_t limit) {
  const uint32_t *row = pairs->row, *column = pairs->column;
  const double *blocks = pairs->blocks, *x = pairs->x;
  double *columns = pairs->columns;
  for (size_t p = begin; p < end;) {
    const size_t i = row[p];
    const __m256d own = _mm256_loadu_pd(x + 4 * i);
    __m256d s[3] = {_mm256_setzero_pd(), _mm256_setzero_pd(), _mm256_setzero_pd()};
    for (; p < end && row[p] == i; p++) {
      const size_t j = column[p];
      const __m256d u = _mm256_loadu_pd(x + 4 * j);
      const Block b = block_at(blocks + 9 * p);
      for (int k = 0; k < 3; k++) s[k] = _mm256_fmadd_pd(b.row[k], u, s[k]);
      if (i == j || j >= limit) continue;
      double *to = columns + 4 * j;
      _mm256_storeu_pd(to, _mm256_add_pd(_mm256_loadu_pd(to), turned(&b, own)));
    }
    store_sums(s, pairs->own + 3 * i);
  }
}

static void put(const SofaPairRows *pairs, const uint32_t *list, size_t n, double *part) {
  for (size_t k = 0; k < n; k++, part += 3) {
    const Block b = block_at(pairs->blocks + 9 * (size_t)list[k]);
    const __m256d t = turned(&b, _mm256_loadu_pd(pairs->x + 4 * (size_t)pairs->row[list[k]]));
    _mm_storeu_pd(part, _mm256_castpd256_pd128(t));
    part[2] = _mm256_extractf128_pd(t, 1)[0];
  }
}
#else
/* B^T x */
static inline void turned(const double *b, const double *x, double *t) {
  t[0] = b[0] * x[0] + b[3] * x[1] + b[6] * x[2];
  t[1] = b[1] * x[0] + b[4] * x[1] + b[7] * x[2];
  t[2] = b[2] * x[0] + b[5] * x[1] + b[8] * x[2];
}

static void rows(const SofaPairRows *pairs, size_t begin, size_t end, size_t limit) {
  for (size_t p = begin; p < end;) {
    const size_t i = pairs->row[p];
    double s0 = 0, s1 = 0, s2 = 0;
    for (; p < end && pairs->row[p] == i; p++) {
      const size_t j = pairs->column[p];
      const double *b = pairs->blocks + 9 * p, *u = pairs->x + 4 * j;
      s0 += b[0] * u[0] + b[1] * u[1] + b[2] * u[2];
      s1 += b[3] * u[0] + b[4] * u[1] + b[5] * u[2];
      s2 += b[6] * u[0] + b[7] * u[1] + b[8] * u[2];
      if (i == j || j >= limit) continue;
      double t[3], *to = pairs->columns + 4 * j;
      turned(b, pairs->x + 4 * i, t);
      for (int k = 0; k < 3; k++) to[k] += t[k];
    }
    double *to = pairs->own + 3 * i;
    to[0] = s0, to[1] = s1, to[2] = s2;
  }
}

static void put(const SofaPairRows *pairs, const uint32_t *list, size_t n, double *part) {
  for (size_t k = 0; k < n; k++)
    turned(pairs->blocks + 9 * (size_t)list[k], pairs->x + 4 * (size_t)pairs->row[list[k]],
           part + 3 * k);
}
#endif

/* ---- blocks of points with themselves ---- */

#ifdef __AVX2__
/* The first eight reals of a block. */
enum { HEAD = 8 / LANES };
typedef struct Head {
  Lanes part[HEAD];
} Head;

static inline Head head_at(const double *block) {
  Head h;
  for (int k = 0; k < HEAD; k++) h.part[k] = lanes_load(block + LANES * k);
  return h;
}
static inline void head_store(const Head *h, double *block) {
  for (int k = 0; k < HEAD; k++) lanes_store(block + LANES * k, h->part[k]);
}
static inline void head_subtract(const Head *b, Head *a) {
  for (int k = 0; k < HEAD; k++) a->part[k] = a->part[k] - b->part[k];
}
static inline Head head_turned(const Head *a) {
#ifdef __AVX512F__
  const __m512i from = _mm512_setr_epi64(0, 3, 6, 1, 4, 7, 2, 5);
  return (Head){{_mm512_permutexvar_pd(from, a->part[0])}};
#else
  return (Head){{_mm256_permute4x64_pd(_mm256_blend_pd(a->part[0], a->part[1], 4), 0x6c),
                 _mm256_permute4x64_pd(_mm256_blend_pd(a->part[1], a->part[0], 4), 0x6c)}};
#endif
}
#else
typedef struct Head {
  double part[8];
} Head;

static inline Head head_at(const double *block) {
  Head h;
  for (int k = 0; k < 8; k++) h.part[k] = block[k];
  return h;
}
static inline void head_store(const Head *h, double *block) {
  for (int k = 0; k < 8; k++) block[k] = h->part[k];
}
static inline void head_subtract(const Head *b, Head *a) {
  for (int k = 0; k < 8; k++) a->part[k] -= b->part[k];
}
static inline Head head_turned(const Head *a) {
  Head t;
  for (int k = 0; k < 8; k++) t.part[k] = a->part[3 * (k % 3) + k / 3];
  return t;
}
#endif

static void close(const SofaPairClosing *pairs, size_t begin, size_t end, size_t limit) {
  const uint32_t *row = pairs->row, *column = pairs->column;
  double *blocks = pairs->blocks;
  for (size_t p = begin; p < end;) {
    const size_t i = row[p];
    double *diagonal = blocks + 9 * (size_t)pairs->own[i];
    Head sum = head_at(diagonal);
    double last = diagonal[8];
    for (; p < end && row[p] == i; p++) {
      const double *block = blocks + 9 * p;
      if (column[p] == i) continue;
      const Head b = head_at(block);
      head_subtract(&b, &sum);
      last -= block[8];
      if (column[p] >= limit) continue;
      double *to = blocks + 9 * (size_t)pairs->own[column[p]];
      const Head t = head_turned(&b);
      Head other = head_at(to);
      head_subtract(&t, &other);
      head_store(&other, to);
      to[8] -= block[8];
    }
    head_store(&sum, diagonal);
    diagonal[8] = last;
  }
}

/* ---- blocks of 6 x 6 ---- */

/* A row of a block; the reals behind it, in the last part, are not looked at. */
enum { PARTS = (6 + LANES - 1) / LANES };

/* t = B^T x; s += B u by columns: the sums of their reals are those of rows. s NULL: not. */
static inline __attribute__((always_inline)) void
times6(const double *b, const Lanes *x, const Lanes *u, Lanes (*s)[PARTS], Lanes *t) {
#pragma GCC unroll 6
  for (size_t r = 0; r < 6; r++) {
#pragma GCC unroll 3
    for (size_t k = 0; k < PARTS; k++) {
      const Lanes entry = lanes_load(b + 6 * r + LANES * k);
      if (r == 0) t[k] = entry * x[r];
      else t[k] = lanes_madd(entry, x[r], t[k]);
      if (s) s[r][k] = lanes_madd(entry, u[k], s[r][k]);
    }
  }
}

static inline void store_sums6(Lanes (*s)[PARTS], double *to) {
  for (int r = 0; r < 6; r++) {
    double a[PARTS * LANES];
    for (int k = 0; k < PARTS; k++) lanes_store(a + LANES * k, s[r][k]);
    to[r] = ((a[0] + a[1]) + (a[2] + a[3])) + (a[4] + a[5]);
  }
}

static void rows6(const SofaPairRows *pairs, size_t begin, size_t end, size_t limit) {
  const uint32_t *row = pairs->row, *column = pairs->column;
  for (size_t p = begin; p < end;) {
    const size_t i = row[p];
    Lanes own[6], s[6][PARTS];
    for (size_t r = 0; r < 6; r++) {
      own[r] = lanes_set(pairs->x[8 * i + r]);
      for (int k = 0; k < PARTS; k++) s[r][k] = lanes_set(0);
    }
    for (; p < end && row[p] == i; p++) {
      const size_t j = column[p];
      double *to = pairs->columns + 8 * j;
      Lanes u[PARTS], t[PARTS];
      for (int k = 0; k < PARTS; k++) u[k] = lanes_load(pairs->x + 8 * j + LANES * k);
      times6(pairs->blocks + 36 * p, own, u, s, t);
      if (i == j || j >= limit) continue;
      for (int k = 0; k < PARTS; k++)
        lanes_store(to + LANES * k, lanes_load(to + LANES * k) + t[k]);
    }
    store_sums6(s, pairs->own + 6 * i);
  }
}

static void put6(const SofaPairRows *pairs, const uint32_t *list, size_t n, double *part) {
  for (size_t k = 0; k < n; k++, part += 6) {
    const double *x = pairs->x + 8 * (size_t)pairs->row[list[k]];
    double a[PARTS * LANES];
    Lanes own[6], t[PARTS];
    for (int r = 0; r < 6; r++) own[r] = lanes_set(x[r]);
    times6(pairs->blocks + 36 * (size_t)list[k], own, own, NULL, t);
    for (int i = 0; i < PARTS; i++) lanes_store(a + LANES * i, t[i]);
    for (int r = 0; r < 6; r++) part[r] = a[r];
  }
}

extern const SofaPairRowKernels CAT(sofa_pair_row_kernels_, KERNELS_ISA);
const SofaPairRowKernels CAT(sofa_pair_row_kernels_, KERNELS_ISA) = {.name = TEXT(KERNELS_ISA),
                                                                     .rows = rows,
                                                                     .put = put,
                                                                     .close = close,
                                                                     .rows6 = rows6,
                                                                     .put6 = put6};
