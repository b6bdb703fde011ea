/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests of groups of boxes, compiled once per instruction set with KERNELS_ISA naming it. */
#include <math.h>

#include "numerics/spatial/bounding_tree.h"
#include "numerics/spatial/box_batch_impl.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)
#define TEXT_(a) #a
#define TEXT(a) TEXT_(a)

/* Bit i: box i of the group is close to the box. A coordinate that is not a number separates
 * nothing. */
#if defined(__AVX2__)
static inline uint32_t close_of(const BoxGroup *g, const double low[3], const double high[3],
                                double distance) {
  const __m256d d = _mm256_set1_pd(distance);
  __m256d far = _mm256_setzero_pd();
  for (int k = 0; k < 3; k++) {
    const __m256d reach = _mm256_add_pd(_mm256_loadu_pd(g->high[k]), d);
    const __m256d end = _mm256_set1_pd(high[k] + distance);
    far = _mm256_or_pd(far, _mm256_cmp_pd(_mm256_set1_pd(low[k]), reach, _CMP_GT_OQ));
    far = _mm256_or_pd(far, _mm256_cmp_pd(_mm256_loadu_pd(g->low[k]), end, _CMP_GT_OQ));
  }
  return (uint32_t)_mm256_movemask_pd(far) ^ 15u;
}
#else
static inline uint32_t close_of(const BoxGroup *g, const double low[3], const double high[3],
                                double distance) {
  uint32_t close = 0;
  for (int i = 0; i < BOX_GROUP; i++) {
    int far = 0;
    for (int k = 0; k < 3; k++)
      far |= (low[k] > g->high[k][i] + distance) | (g->low[k][i] > high[k] + distance);
    close |= (uint32_t)!far << i;
  }
  return close;
}
#endif

static uint32_t close_boxes(const BoxGroup *groups, size_t n, const double box[6],
                            double distance) {
  uint32_t all = 0;
  for (size_t i = 0; i < n; i++)
    all |= close_of(&groups[i], box, box + 3, distance) << (BOX_GROUP * i);
  return all;
}

static uint32_t meet(const BoxGroup *a, uint32_t rows, const BoxGroup *b, double distance) {
  uint32_t all = 0;
  for (unsigned i = 0; i < BOX_GROUP; i++) {
    const double low[3] = {a->low[0][i], a->low[1][i], a->low[2][i]};
    const double high[3] = {a->high[0][i], a->high[1][i], a->high[2][i]};
    if (rows >> i & 1) all |= close_of(b, low, high, distance) << (BOX_GROUP * i);
  }
  return all;
}

/* ---- pairs ---- */

/* Without a branch: which pairs are close cannot be guessed. */
static size_t close_pairs(const double *a, const double *b, double distance,
                          const SofaElementPair *in, size_t n, SofaElementPair *out) {
  size_t left = 0;
#if defined(__AVX2__)
  const __m256i three = _mm256_setr_epi64x(-1, -1, -1, 0);
  const __m256d d = _mm256_set1_pd(distance);
  for (size_t i = 0; i < n; i++) {
    const double *p = a + 6 * (size_t)in[i].first, *q = b + 6 * (size_t)in[i].second;
    const __m256d p_end = _mm256_add_pd(_mm256_maskload_pd(p + 3, three), d);
    const __m256d q_end = _mm256_add_pd(_mm256_maskload_pd(q + 3, three), d);
    const __m256d far =
        _mm256_or_pd(_mm256_cmp_pd(_mm256_maskload_pd(p, three), q_end, _CMP_GT_OQ),
                     _mm256_cmp_pd(_mm256_maskload_pd(q, three), p_end, _CMP_GT_OQ));
    out[left] = in[i];
    left += (_mm256_movemask_pd(far) & 7) == 0;
  }
#else
  for (size_t i = 0; i < n; i++) {
    const SofaElementPair pair = in[i];
    out[left] = pair;
    left += sofa_boxes_are_close(a + 6 * (size_t)pair.first, b + 6 * (size_t)pair.second, distance);
  }
#endif
  return left;
}

/* ---- motion ---- */

enum { TWO_BOXES = 12 }; /* reals of two boxes, a multiple of those of a register */

/* Of each real of two boxes. */
typedef struct Extremes {
  double low[TWO_BOXES], high[TWO_BOXES];         /* of the change */
  double smallest[TWO_BOXES], largest[TWO_BOXES]; /* of the coordinate */
  double sum[TWO_BOXES];
} Extremes;

static inline void take(Extremes *e, const double *now, const double *before, int n) {
  for (int k = 0; k < n; k++) {
    const double change = now[k] - before[k];
    e->low[k] = change < e->low[k] ? change : e->low[k];
    e->high[k] = change > e->high[k] ? change : e->high[k];
    e->smallest[k] = now[k] < e->smallest[k] ? now[k] : e->smallest[k];
    e->largest[k] = now[k] > e->largest[k] ? now[k] : e->largest[k];
    e->sum[k] += fabs(change);
  }
}

static void join_extremes(const Extremes *e, BoxMotion *out) {
  *out = (BoxMotion){.sum = 0};
  for (int k = 0; k < 3; k++) {
    out->low[k] = out->box[k] = INFINITY;
    out->high[k] = out->box[3 + k] = -INFINITY;
  }
  for (int k = 0; k < TWO_BOXES; k++) {
    const int axis = k % 3;
    out->low[axis] = e->low[k] < out->low[axis] ? e->low[k] : out->low[axis];
    out->high[axis] = e->high[k] > out->high[axis] ? e->high[k] : out->high[axis];
    double *low = &out->box[axis], *high = &out->box[3 + axis];
    if (k % 6 < 3) *low = e->smallest[k] < *low ? e->smallest[k] : *low;
    else *high = e->largest[k] > *high ? e->largest[k] : *high;
    out->sum += e->sum[k];
  }
}

static void move(const double *boxes, const double *before, size_t n, BoxMotion *out) {
  Extremes e;
  for (int k = 0; k < TWO_BOXES; k++) {
    e.low[k] = e.smallest[k] = INFINITY;
    e.high[k] = e.largest[k] = -INFINITY;
    e.sum[k] = 0;
  }
  size_t i = 0;
  for (; i + 2 <= n; i += 2) take(&e, boxes + 6 * i, before + 6 * i, TWO_BOXES);
  if (i < n) take(&e, boxes + 6 * i, before + 6 * i, TWO_BOXES / 2);
  join_extremes(&e, out);
}

const BoxKernels CAT(box_kernels_, KERNELS_ISA) = {.name = TEXT(KERNELS_ISA),
                                                   .close = close_boxes,
                                                   .meet = meet,
                                                   .close_pairs = close_pairs,
                                                   .move = move};
