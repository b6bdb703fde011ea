/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The numeric kernels, compiled once per instruction set with KERNELS_ISA naming it. Contraction
 * is off everywhere: a multiply-add is fused exactly where madd stands, and where the set has it.
 */
#include "math/kernels.h"

#include <math.h>
#include <string.h>
#ifdef __AVX2__
#include <immintrin.h>
#endif
#include "math/block_matrix.h"

#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)
#define TEXT_(a) #a
#define TEXT(a) TEXT_(a)

enum {
  PREFETCH_MIN = 40000, /* blocks of a matrix that is larger than the caches of a core */
  LANES = 16,
  CHUNK = 1024,      /* entries summed lane by lane */
  MAX_SEGMENTS = 256 /* parts of a sum; their bounds depend on n alone */
};

static inline double madd(double a, double b, double c) {
#ifdef __FMA__
  return __builtin_fma(a, b, c);
#else
  return a * b + c;
#endif
}

/* ---- entry by entry ---- */

static void zero(size_t n, double *x) {
  for (size_t i = 0; i < n; i++) x[i] = 0;
}

static void copy(size_t n, const double *restrict x, double *restrict y) {
  for (size_t i = 0; i < n; i++) y[i] = x[i];
}

static void scale(size_t n, double a, double *x) {
  for (size_t i = 0; i < n; i++) x[i] = a * x[i];
}

static void axpy(size_t n, double a, const double *restrict x, double *restrict y) {
  for (size_t i = 0; i < n; i++) y[i] = madd(a, x[i], y[i]);
}

static void xpay(size_t n, const double *restrict x, double b, double *restrict y) {
  for (size_t i = 0; i < n; i++) y[i] = madd(b, y[i], x[i]);
}

static void waxpy(size_t n, const double *x, double a, const double *y, double *z) {
  for (size_t i = 0; i < n; i++) z[i] = madd(a, y[i], x[i]);
}

static void multiply(size_t n, const double *x, const double *y, double *z) {
  for (size_t i = 0; i < n; i++) z[i] = x[i] * y[i];
}

/* The loops differ in their sums alone. */
#define LINCOMB(n, value)                                                                          \
  do {                                                                                             \
    if (sum->add) {                                                                                \
      for (size_t i = 0; i < n; i++) y[i] = y[i] + (value);                                        \
    } else {                                                                                       \
      for (size_t i = 0; i < n; i++) y[i] = (value);                                               \
    }                                                                                              \
  } while (0)

static void lincomb(size_t n, const SofaLincomb *sum, double *y) {
  const int terms = sum->n_terms;
  const double a = sum->a[0], b = terms > 1 ? sum->a[1] : 0, c = terms > 2 ? sum->a[2] : 0;
  const double *u = sum->x[0], *v = terms > 1 ? sum->x[1] : NULL, *w = terms > 2 ? sum->x[2] : NULL;
  if (terms == 1) LINCOMB(n, a * u[i]);
  else if (terms == 2) LINCOMB(n, a * u[i] + b * v[i]);
  else LINCOMB(n, a * u[i] + b * v[i] + c * w[i]);
}

/* ---- reductions ---- */

/* Pairwise sum of a stream of numbers whose shape depends on their count alone: like a binary
 * counter, partial[k] holds the sum of 2^k numbers when bit k of count is set. */
typedef struct PairSum {
  double partial[48];
  size_t count;
} PairSum;

static inline void pair_add(PairSum *s, double x) {
  int k = 0;
  for (size_t bits = s->count; bits & 1; bits >>= 1) x = s->partial[k++] + x;
  s->partial[k] = x;
  s->count++;
}

static double pair_total(const PairSum *s) {
  double total = 0;
  int k = 0;
  for (size_t bits = s->count; bits; bits >>= 1, k++) {
    if (bits & 1) total = s->partial[k] + total;
  }
  return total;
}

/* One register of the instruction set. Entry i of a chunk goes to lane i mod LANES whatever its
 * width, so that all sets add in the same order. */
#if defined(__AVX512F__)
#define WIDTH 8
#elif defined(__AVX2__)
#define WIDTH 4
#else
#define WIDTH 2
#endif
typedef double Register __attribute__((vector_size(WIDTH * sizeof(double))));
enum { REGISTERS = LANES / WIDTH };

static inline Register load(const double *p) {
  Register r;
  memcpy(&r, p, sizeof r);
  return r;
}

static inline void store(double *p, Register r) {
  memcpy(p, &r, sizeof r);
}

static inline Register madd_register(Register a, Register b, Register c) {
#if defined(__AVX512F__)
  return _mm512_fmadd_pd(a, b, c);
#elif defined(__AVX2__)
  return _mm256_fmadd_pd(a, b, c);
#else
  return a * b + c;
#endif
}

static inline Register fill(double a) {
  return a - (Register){0};
}

static inline double add_lanes(double *lane) {
  for (int width = LANES / 2; width > 0; width /= 2) {
    for (int l = 0; l < width; l++) lane[l] += lane[l + width];
  }
  return lane[0];
}

/* The arrays of a reduction; cg_update uses all, dot only the first two. */
typedef struct Operands {
  const double *p, *q;
  double *x, *r;
  double a;
} Operands;

static double dot_chunk(const Operands *o, size_t begin, size_t end) {
  const double *x = o->p, *y = o->q;
  Register sum[REGISTERS] = {{0}};
  double lane[LANES];
  size_t i = begin;
  for (; i + LANES <= end; i += LANES) {
    for (int k = 0; k < REGISTERS; k++) {
      const size_t at = i + (size_t)k * WIDTH;
      sum[k] = madd_register(load(x + at), load(y + at), sum[k]);
    }
  }
  for (int k = 0; k < REGISTERS; k++) store(lane + k * WIDTH, sum[k]);
  for (int l = 0; i < end; i++, l++) lane[l] = madd(x[i], y[i], lane[l]);
  return add_lanes(lane);
}

static double cg_chunk(const Operands *o, size_t begin, size_t end) {
  const double *p = o->p, *q = o->q;
  double *x = o->x, *r = o->r, lane[LANES];
  const Register plus = fill(o->a), minus = fill(-o->a);
  Register sum[REGISTERS] = {{0}};
  size_t i = begin;
  for (; i + LANES <= end; i += LANES) {
    for (int k = 0; k < REGISTERS; k++) {
      const size_t at = i + (size_t)k * WIDTH;
      const Register residual = madd_register(minus, load(q + at), load(r + at));
      store(x + at, madd_register(plus, load(p + at), load(x + at)));
      store(r + at, residual);
      sum[k] = madd_register(residual, residual, sum[k]);
    }
  }
  for (int k = 0; k < REGISTERS; k++) store(lane + k * WIDTH, sum[k]);
  for (int l = 0; i < end; i++, l++) {
    x[i] = madd(o->a, p[i], x[i]);
    r[i] = madd(-o->a, q[i], r[i]);
    lane[l] = madd(r[i], r[i], lane[l]);
  }
  return add_lanes(lane);
}

typedef double (*ChunkSum)(const Operands *o, size_t begin, size_t end);

static inline double segment_sum(ChunkSum chunk, const Operands *o, size_t begin, size_t end) {
  PairSum sum = {.count = 0};
  for (size_t i = begin; i < end; i += CHUNK) {
    pair_add(&sum, chunk(o, i, i + CHUNK < end ? i + CHUNK : end));
  }
  return pair_total(&sum);
}

/* Segments are whole chunks, as many as needed to have at most MAX_SEGMENTS of them. */
static inline double reduce(size_t n, ChunkSum chunk, const Operands *o) {
  const size_t n_chunks = (n + CHUNK - 1) / CHUNK;
  const size_t length = (n_chunks + MAX_SEGMENTS - 1) / MAX_SEGMENTS * CHUNK;
  PairSum total = {.count = 0};
  for (size_t begin = 0; begin < n; begin += length)
    pair_add(&total, segment_sum(chunk, o, begin, n - begin < length ? n : begin + length));
  return pair_total(&total);
}

static double dot(size_t n, const double *x, const double *y) {
  const Operands o = {.p = x, .q = y};
  return reduce(n, dot_chunk, &o);
}

/* ---- rows of runs ---- */

#define UNROLLED static inline __attribute__((always_inline)) void
enum { ROW_LANES = 8, ROW_REGISTERS = ROW_LANES / WIDTH };

/* n is a constant where this is called: the loops over the rows are unrolled. */
UNROLLED dot_run(int n, const double *const *row, size_t m, const double *x,
                 Register sum[3][ROW_REGISTERS], double rest[3]) {
  size_t i = 0;
  for (; i + ROW_LANES <= m; i += ROW_LANES) {
    for (int k = 0; k < ROW_REGISTERS; k++) {
      const size_t at = i + (size_t)k * WIDTH;
      const Register a = load(x + at);
      for (int r = 0; r < n; r++) sum[r][k] = madd_register(load(row[r] + at), a, sum[r][k]);
    }
  }
  for (; i < m; i++)
    for (int r = 0; r < n; r++) rest[r] = madd(row[r][i], x[i], rest[r]);
}

/* Adds up the lanes, then the entries that are left. */
static double sum_lanes(const Register sum[ROW_REGISTERS], double rest) {
  double lane[ROW_LANES];
  for (int k = 0; k < ROW_REGISTERS; k++) store(lane + k * WIDTH, sum[k]);
  for (int l = 0; l < ROW_LANES; l++) rest += lane[l];
  return rest;
}

UNROLLED take_run(int n, const SofaRunRows *rows, const SofaRowRun *run, const double *row[3]) {
  for (int r = 0; r < n; r++) row[r] = sofa_run_values(rows->value, run, rows->place[r]);
}

UNROLLED dot_n_rows(int n, const SofaRunRows *rows, const double *x, double *out) {
  Register sum[3][ROW_REGISTERS] = {{{0}}};
  double rest[3] = {0};
  const double *row[3];
  for (size_t k = 0; k < rows->n_runs; k++) {
    take_run(n, rows, &rows->run[k], row);
    dot_run(n, row, rows->run[k].n, x + rows->run[k].column, sum, rest);
  }
  for (int r = 0; r < n; r++) out[r] = sum_lanes(sum[r], rest[r]);
}

static void dot_rows(const SofaRunRows *rows, const double *x, double *out) {
  if (rows->n == 3) dot_n_rows(3, rows, x, out);
  else if (rows->n == 2) dot_n_rows(2, rows, x, out);
  else dot_n_rows(1, rows, x, out);
}

UNROLLED axpy_n_rows(int n, const SofaRunRows *rows, const double *a, double *x) {
  const double *row[3];
  Register by[3];
  for (int r = 0; r < n; r++) by[r] = fill(a[r]);
  for (size_t k = 0; k < rows->n_runs; k++) {
    const size_t m = rows->run[k].n;
    double *to = x + rows->run[k].column;
    size_t i = 0;
    take_run(n, rows, &rows->run[k], row);
    for (; i + WIDTH <= m; i += WIDTH) {
      Register sum = load(to + i);
      for (int r = 0; r < n; r++) sum = madd_register(by[r], load(row[r] + i), sum);
      store(to + i, sum);
    }
    for (; i < m; i++)
      for (int r = 0; r < n; r++) to[i] = madd(a[r], row[r][i], to[i]);
  }
}

static void axpy_rows(const SofaRunRows *rows, const double *a, double *x) {
  if (rows->n == 3) axpy_n_rows(3, rows, a, x);
  else if (rows->n == 2) axpy_n_rows(2, rows, a, x);
  else axpy_n_rows(1, rows, a, x);
}

/* One product of each pair of rows: of row i with the rows from i on. */
UNROLLED gram_n_rows(int n, const SofaRunRows *rows, double *out) {
  Register sum[3][3][ROW_REGISTERS] = {{{{0}}}};
  double rest[3][3] = {{0}};
  const double *row[3];
  for (size_t k = 0; k < rows->n_runs; k++) {
    take_run(n, rows, &rows->run[k], row);
    for (int i = 0; i < n; i++) dot_run(n - i, row + i, rows->run[k].n, row[i], sum[i], rest[i]);
  }
  for (int i = 0; i < n; i++)
    for (int k = i; k < n; k++)
      out[i * n + k] = out[k * n + i] = sum_lanes(sum[i][k - i], rest[i][k - i]);
}

static void gram_rows(const SofaRunRows *rows, double *out) {
  if (rows->n == 3) gram_n_rows(3, rows, out);
  else if (rows->n == 2) gram_n_rows(2, rows, out);
  else gram_n_rows(1, rows, out);
}

static double cg_update(size_t n, double a, const SofaCgVectors *v) {
  const Operands o = {.p = v->p, .q = v->q, .x = v->x, .r = v->r, .a = a};
  return reduce(n, cg_chunk, &o);
}

/* The bits of |x| order as |x| does, with every NaN above infinity; a maximum of integers is the
 * same in any order. */
static double max_abs(size_t n, const double *x) {
  int64_t m = 0;
  for (size_t i = 0; i < n; i++) {
    int64_t bits;
    memcpy(&bits, &x[i], sizeof bits);
    bits &= INT64_MAX;
    m = bits > m ? bits : m;
  }
  double result;
  memcpy(&result, &m, sizeof result);
  return result;
}

/* ---- 3x3 block rows ---- */

/* The three sums of a block row. Products with the entries 0, 1, 2 of the x blocks are added in
 * lanes of their own, and with AVX2 those of even and odd blocks too. */
#ifdef __AVX2__
static inline void row_times(const SofaBlockCsr3 *a, size_t row, const double *x, double *sum) {
  const __m256i three = _mm256_setr_epi64x(-1, -1, -1, 0);
  const size_t begin = a->row_ptr[row], end = a->row_ptr[row + 1];
  __m256d even[3], odd[3];
  for (int i = 0; i < 3; i++) even[i] = odd[i] = _mm256_setzero_pd();
    // the fourth lane holds what comes next in memory times 0 and is not used
#define ADD_BLOCK(to, k, load_last)                                                                \
  do {                                                                                             \
    const double *m = a->values + 9 * (k);                                                         \
    const __m256d v = _mm256_maskload_pd(x + 3 * (size_t)a->col[k], three);                        \
    (to)[0] = _mm256_fmadd_pd(_mm256_loadu_pd(m), v, (to)[0]);                                     \
    (to)[1] = _mm256_fmadd_pd(_mm256_loadu_pd(m + 3), v, (to)[1]);                                 \
    (to)[2] = _mm256_fmadd_pd(load_last, v, (to)[2]);                                              \
  } while (0)
  size_t k = begin;
  for (; k + 2 < end; k += 2) {
    ADD_BLOCK(even, k, _mm256_loadu_pd(m + 6));
    ADD_BLOCK(odd, k + 1, _mm256_loadu_pd(m + 6));
  }
  // behind the last block of a row there may be no memory
  if (k < end) ADD_BLOCK(even, k, _mm256_maskload_pd(m + 6, three));
  if (k + 1 < end) ADD_BLOCK(odd, k + 1, _mm256_maskload_pd(m + 6, three));
#undef ADD_BLOCK
  for (int i = 0; i < 3; i++) {
    double s[4];
    _mm256_storeu_pd(s, _mm256_add_pd(even[i], odd[i]));
    sum[i] = (s[0] + s[1]) + s[2];
  }
}
#else
static inline void row_times(const SofaBlockCsr3 *a, size_t row, const double *x, double *sum) {
  double s[3][3] = {{0}};
  for (size_t k = a->row_ptr[row]; k < a->row_ptr[row + 1]; k++) {
    const double *m = a->values + 9 * k, *v = x + 3 * (size_t)a->col[k];
    for (int i = 0; i < 3; i++) {
      for (int j = 0; j < 3; j++) s[i][j] += m[3 * i + j] * v[j];
    }
  }
  for (int i = 0; i < 3; i++) sum[i] = (s[i][0] + s[i][1]) + s[i][2];
}
#endif

static void spmv3(const SofaBlockCsr3 *a, const double *x, double *y) {
  for (size_t row = 0; row < a->n_rows; row++) row_times(a, row, x, y + 3 * row);
}

/* Each block above the diagonal is read once: its rows times x go to the sums of its own block row,
 * its columns times x are added at its block column. */
#ifdef __AVX2__
/* Keeps the compiler from loading the same numbers once more instead of holding them. */
#define HOLD(v) __asm__("" : "+x"(v))

/* (s[0] + s[1]) + s[2] of three vectors, added to three reals of `sums`. */
static inline void add_rows(__m256d s0, __m256d s1, __m256d s2, const double *sums, double *to) {
  const __m256d even = _mm256_unpacklo_pd(s0, s1), odd = _mm256_unpackhi_pd(s0, s1);
  const __m128d first =
      _mm_add_pd(_mm_add_pd(_mm256_castpd256_pd128(even), _mm256_castpd256_pd128(odd)),
                 _mm256_extractf128_pd(even, 1));
  const __m128d low = _mm256_castpd256_pd128(s2);
  const __m128d last =
      _mm_add_sd(_mm_add_sd(low, _mm_unpackhi_pd(low, low)), _mm256_extractf128_pd(s2, 1));
  _mm_storeu_pd(to, _mm_add_pd(first, _mm_loadu_pd(sums)));
  _mm_store_sd(to + 2, _mm_add_sd(last, _mm_load_sd(sums + 2)));
}

static inline void upper_rows(const SofaUpperRows *rows, const SofaBlockCsr3 *a, const double *x,
                              double *y, int ahead) {
  const size_t begin = rows->begin, end = rows->end, direct = rows->direct;
  double *sums = rows->sums;
  const uint32_t *start = a->row_ptr, *column = a->col;
  const double *values = a->values;
  for (size_t i = begin; i < end; i++) {
    const size_t last = start[i + 1];
    size_t k = start[i];
    const double *m = values + 9 * k;
    __m256d v = _mm256_loadu_pd(x + 3 * i);
    const __m256d x0 = _mm256_broadcast_sd(x + 3 * i), x1 = _mm256_broadcast_sd(x + 3 * i + 1),
                  x2 = _mm256_broadcast_sd(x + 3 * i + 2);
    __m256d s0 = _mm256_mul_pd(_mm256_loadu_pd(m), v);
    __m256d s1 = _mm256_mul_pd(_mm256_loadu_pd(m + 3), v);
    __m256d s2 = _mm256_mul_pd(_mm256_loadu_pd(m + 6), v);
    for (k++; k < last; k++) {
      const size_t j = column[k];
      double *to = sums + 4 * (j - begin);
      m = values + 9 * k;
      __m256d r0 = _mm256_loadu_pd(m), r1 = _mm256_loadu_pd(m + 3), r2 = _mm256_loadu_pd(m + 6);
      HOLD(r0);
      HOLD(r1);
      HOLD(r2);
      if (ahead) _mm_prefetch((const char *)(m + ahead), _MM_HINT_T0);
      v = _mm256_loadu_pd(x + 3 * j);
      s0 = _mm256_fmadd_pd(r0, v, s0);
      s1 = _mm256_fmadd_pd(r1, v, s1);
      s2 = _mm256_fmadd_pd(r2, v, s2);
      __m256d t = _mm256_fmadd_pd(r0, x0, _mm256_loadu_pd(to));
      t = _mm256_fmadd_pd(r1, x1, t);
      _mm256_storeu_pd(to, _mm256_fmadd_pd(r2, x2, t));
    }
    double *own = sums + 4 * (i - begin);
    add_rows(s0, s1, s2, own, i < direct ? own : y + 3 * i);
  }
}

/* The scattered sums keep the processor from running ahead in the values by itself: a matrix that
 * comes from memory is asked for 2 KB ahead, one that stays in the caches need not be. */
static void spmv3_upper(const SofaUpperRows *rows, const SofaBlockCsr3 *a, const double *x,
                        double *y) {
  if (a->row_ptr[a->n_rows] > PREFETCH_MIN) upper_rows(rows, a, x, y, 256);
  else upper_rows(rows, a, x, y, 0);
}
#else
static void spmv3_upper(const SofaUpperRows *rows, const SofaBlockCsr3 *a, const double *x,
                        double *y) {
  const size_t begin = rows->begin, end = rows->end, direct = rows->direct;
  double *sums = rows->sums;
  for (size_t i = begin; i < end; i++) {
    double s[3][3] = {{0}};
    for (size_t k = a->row_ptr[i]; k < a->row_ptr[i + 1]; k++) {
      const double *m = a->values + 9 * k, *v = x + 3 * (size_t)a->col[k];
      double *to = sums + 4 * (a->col[k] - begin);
      const int above = k > a->row_ptr[i];
      for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
          s[r][c] += m[3 * r + c] * v[c];
          if (above) to[c] += m[3 * r + c] * x[3 * i + (size_t)r];
        }
      }
    }
    double *own = sums + 4 * (i - begin), *to = i < direct ? own : y + 3 * i;
    for (int r = 0; r < 3; r++) to[r] = own[r] + ((s[r][0] + s[r][1]) + s[r][2]);
  }
}
#endif

/* ---- assembly ---- */

/* A block of 9 reals in registers: times a factor, its transpose, and added to another one
 * (`first`: to 0, whatever is there). */
#if defined(__AVX512F__)
typedef struct Block {
  __m512d most;
  double last;
} Block;
static inline Block block_times(const double *block, double factor) {
  return (Block){_mm512_mul_pd(_mm512_set1_pd(factor), _mm512_loadu_pd(block)), factor * block[8]};
}
static inline Block block_transposed(Block b) {
  b.most = _mm512_permutexvar_pd(_mm512_setr_epi64(0, 3, 6, 1, 4, 7, 2, 5), b.most);
  return b;
}
static inline void block_add(Block b, bool first, double *to) {
  const __m512d sum = _mm512_add_pd(first ? _mm512_setzero_pd() : _mm512_loadu_pd(to), b.most);
  to[8] = (first ? 0 : to[8]) + b.last;
  _mm512_storeu_pd(to, sum);
}
#elif defined(__AVX2__)
typedef struct Block {
  __m256d low, high;
  double last;
} Block;
static inline Block block_times(const double *block, double factor) {
  const __m256d f = _mm256_set1_pd(factor);
  return (Block){_mm256_mul_pd(f, _mm256_loadu_pd(block)),
                 _mm256_mul_pd(f, _mm256_loadu_pd(block + 4)), factor * block[8]};
}
static inline Block block_transposed(Block b) {
  const __m256d low = b.low; // 0 3 6 1, 4 7 2 5
  b.low = _mm256_blend_pd(_mm256_permute4x64_pd(low, 0x4c), _mm256_permute4x64_pd(b.high, 0xa0), 4);
  b.high =
      _mm256_blend_pd(_mm256_permute4x64_pd(b.high, 0x4c), _mm256_permute4x64_pd(low, 0xa0), 4);
  return b;
}
static inline void block_add(Block b, bool first, double *to) {
  const __m256d zero = _mm256_setzero_pd();
  const __m256d low = _mm256_add_pd(first ? zero : _mm256_loadu_pd(to), b.low);
  const __m256d high = _mm256_add_pd(first ? zero : _mm256_loadu_pd(to + 4), b.high);
  to[8] = (first ? 0 : to[8]) + b.last;
  _mm256_storeu_pd(to, low);
  _mm256_storeu_pd(to + 4, high);
}
#else
typedef struct Block {
  double e[9];
} Block;
static inline Block block_times(const double *block, double factor) {
  Block b;
  for (int e = 0; e < 9; e++) b.e[e] = factor * block[e];
  return b;
}
static inline Block block_transposed(Block b) {
  return (Block){{b.e[0], b.e[3], b.e[6], b.e[1], b.e[4], b.e[7], b.e[2], b.e[5], b.e[8]}};
}
static inline void block_add(Block b, bool first, double *to) {
  for (int e = 0; e < 9; e++) to[e] = (first ? 0 : to[e]) + b.e[e];
}
#endif

static inline bool follows(const SofaBlockTrace *t, size_t call, uint32_t row, uint32_t column) {
  if (call >= t->n) return false;
  const uint32_t k = t->blocks[call] & SOFA_BLOCK_NUMBER;
  return t->row[k] == row && t->column[k] == column;
}

static bool pair_follows(const SofaBlockPairs *pairs, size_t p, const SofaBlockTrace *t,
                         size_t call) {
  const uint32_t i = pairs->row[p], j = pairs->column[p];
  return follows(t, call, i + pairs->first_row, j + pairs->first_column) &&
         (i == j || follows(t, call + 1, j + pairs->first_row, i + pairs->first_column));
}

static inline void add_call(uint32_t call, Block b, double *values) {
  double *to = values + 9 * (size_t)(call & SOFA_BLOCK_NUMBER);
  // twice, since most matrices have long runs of either kind
  if (sofa_block_call_first(call)) block_add(b, true, to);
  else block_add(b, false, to);
}

/* The lines that the additions some calls ahead change. */
static inline void ask_for_blocks(const uint32_t *calls, size_t left, double *values) {
  enum { AHEAD = 24 };
  if (left < AHEAD + 2) return;
  for (size_t c = AHEAD; c < AHEAD + 2; c++) {
    const double *to = values + 9 * (size_t)(calls[c] & SOFA_BLOCK_NUMBER);
    __builtin_prefetch(to, 1);
    __builtin_prefetch(to + 8, 1);
  }
}

/* Pairs from `begin` to `end`, all of which follow; returns how many calls they are. */
static size_t add_following(const SofaBlockPairs *pairs, size_t begin, size_t end,
                            const SofaBlockTrace *trace) {
  const uint32_t *row = pairs->row, *column = pairs->column, *calls = trace->blocks + trace->cursor;
  const double *blocks = pairs->blocks, factor = pairs->factor;
  double *values = trace->values;
  const size_t left = trace->n - trace->cursor;
  size_t call = 0;
  for (size_t p = begin; p < end; p++) {
    const Block b = block_times(blocks + 9 * p, factor);
    ask_for_blocks(calls + call, left - call, values);
    add_call(calls[call++], b, values);
    if (row[p] != column[p]) add_call(calls[call++], block_transposed(b), values);
  }
  return call;
}

static size_t add_pairs3(const SofaBlockPairs *pairs, size_t begin, SofaBlockTrace *trace) {
  size_t p = pairs->known ? pairs->n : begin;
  for (size_t call = trace->cursor; p < pairs->n && pair_follows(pairs, p, trace, call); p++)
    call += pairs->row[p] == pairs->column[p] ? 1 : 2;
  trace->cursor += add_following(pairs, begin, p, trace);
  return p;
}

static inline void add_six(uint32_t call, const double *restrict block, double factor,
                           double *restrict to) {
  if (sofa_block_call_first(call)) {
    for (int e = 0; e < 36; e++) to[e] = 0 + factor * block[e];
  } else {
    for (int e = 0; e < 36; e++) to[e] += factor * block[e];
  }
}

/* The lines of the block that a call some calls ahead changes. */
static inline __attribute__((always_inline)) void ask_for_six(const uint32_t *calls,
                                                              const uint32_t *end, double *values) {
  enum { AHEAD = 6 };
  if (end - calls < AHEAD + 1) return;
  const double *to = values + 36 * (size_t)(calls[AHEAD] & SOFA_BLOCK_NUMBER);
  for (int e = 0; e < 36; e += 8) __builtin_prefetch(to + e, 1);
}

static void add_pairs6(const SofaBlockPairs *pairs, SofaBlockTrace *trace) {
  const uint32_t *calls = trace->blocks + trace->cursor, *end = trace->blocks + trace->n;
  for (size_t p = 0; p < pairs->n; p++) {
    ask_for_six(calls, end, trace->values);
    ask_for_six(calls + 1, end, trace->values);
    const double *block = pairs->blocks + 36 * p;
    double turned[36];
    add_six(*calls, block, pairs->factor,
            trace->values + 36 * (size_t)(*calls & SOFA_BLOCK_NUMBER));
    calls++;
    if (pairs->row[p] == pairs->column[p]) continue;
    for (int e = 0; e < 36; e++) turned[e] = block[6 * (e % 6) + e / 6];
    add_six(*calls, turned, pairs->factor,
            trace->values + 36 * (size_t)(*calls & SOFA_BLOCK_NUMBER));
    calls++;
  }
  trace->cursor = (size_t)(calls - trace->blocks);
}

const SofaKernels CAT(sofa_kernels_, KERNELS_ISA) = {
    .name = TEXT(KERNELS_ISA),
    .isa = CAT(SOFA_ISA_, KERNELS_ISA),
    .zero = zero,
    .copy = copy,
    .scale = scale,
    .axpy = axpy,
    .xpay = xpay,
    .waxpy = waxpy,
    .multiply = multiply,
    .lincomb = lincomb,
    .dot = dot,
    .dot_rows = dot_rows,
    .axpy_rows = axpy_rows,
    .gram_rows = gram_rows,
    .max_abs = max_abs,
    .cg_update = cg_update,
    .spmv3 = spmv3,
    .spmv3_upper = spmv3_upper,
    .add_pairs3 = add_pairs3,
    .add_pairs6 = add_pairs6,
};
