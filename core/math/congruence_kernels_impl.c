/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The values of L^T K R, compiled once per instruction set with KERNELS_ISA naming it. A row of a
 * block is one or two registers of four reals. Every entry is summed in ascending order of the
 * scalar columns of K, then of its rows; avx2 and avx512 give the same bits. */
#include "math/congruence_kernels_impl.h"
#include "math/quad_impl.h"

#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)

#define SPLAT(a) ((Quad){(a), (a), (a), (a)})

/* Sizes that a variant of the loops is compiled for; 0: of each block its own. */
typedef struct Sizes {
  unsigned k, target; /* of the blocks of K and of the target */
} Sizes;
#define INLINED static inline __attribute__((always_inline))

INLINED unsigned size_of(unsigned fixed, const uint32_t *scalar) {
  return fixed ? fixed : scalar[1] - scalar[0];
}
INLINED unsigned width_of(Sizes s, const SofaPaddedBlocks *blocks) {
  return s.target == 0 ? blocks->width : s.target > 4 ? 8 : 4;
}

/* A small matrix of rows x inner; entry (r, k) is at a[row_step r + step k]. */
typedef struct Small {
  const double *a;
  unsigned row_step, step, rows, inner;
} Small;

/* C += A B, B of inner rows and C of A's rows, `width` reals each. */
INLINED void add_product(Small m, unsigned width, const double *b, double *restrict c) {
  for (unsigned r = 0; r < m.rows; r++) {
    for (unsigned q = 0; q < width; q += 4) {
      Quad sum = LOAD(c + r * width + q);
      for (unsigned k = 0; k < m.inner; k++) {
        const double a = m.a[r * m.row_step + k * m.step];
        sum = MADD(SPLAT(a), LOAD(b + k * width + q), sum);
      }
      *(QuadAt *)(c + r * width + q) = sum;
    }
  }
}

INLINED void compute_t(const SofaCongruenceWork *w, Sizes s, size_t i) {
  const uint32_t *slots = w->t_slot + w->t_first[i];
  const SofaBlockRows *k = w->k;
  const SofaPaddedBlocks *right = &w->right;
  const unsigned d = size_of(s.k, k->row_scalar + i), width = width_of(s, right);
  double *const t = w->t.value + w->t.base[i];
  sofa_zero(t, (w->t.base[i + 1] - w->t.base[i]) * sizeof *t);
  for (uint32_t b = k->start[i]; b < k->start[i + 1]; b++) {
    const uint32_t j = k->column[b];
    const unsigned inner = size_of(s.k, k->column_scalar + j);
    const double *values = s.k ? k->values + (size_t)s.k * s.k * b : sofa_block_values(k, b);
    double scaled[36];
    for (unsigned e = 0; e < d * inner; e++) scaled[e] = w->factor * values[e];
    const Small m = {scaled, inner, 1, d, inner};
    const double *r = right->value + right->base[j];
    for (uint32_t n = right->start[j + 1] - right->start[j]; n > 0; n--, r += inner * width)
      add_product(m, width, r, t + (size_t)*slots++ * d * width);
  }
}

/* Block row p of the result, padded. */
INLINED void compute_row(const SofaCongruenceWork *w, Sizes s, size_t p, double *row) {
  const uint32_t *slots = w->slot + w->first[p];
  const SofaPaddedBlocks *left = &w->left, *t = &w->t;
  const unsigned size = size_of(s.target, w->target->row_scalar + w->first_row + p),
                 width = width_of(s, t), left_width = width_of(s, left);
  const size_t n_blocks = w->block_start[p + 1] - w->block_start[p];
  sofa_zero(row, n_blocks * size * width * sizeof *row);
  for (uint32_t l = w->lt_start[p]; l < w->lt_start[p + 1]; l++) {
    const uint32_t i = w->lt_row[l];
    const unsigned d = size_of(s.k, w->k->row_scalar + i);
    const size_t local = w->lt_block[l] - left->start[i];
    const Small m = {left->value + left->base[i] + local * d * left_width, 1, left_width, size, d};
    const double *from = t->value + t->base[i];
    for (uint32_t n = t->start[i + 1] - t->start[i]; n > 0; n--, from += d * width)
      add_product(m, width, from, row + (size_t)*slots++ * size * width);
  }
}

/* The blocks of row p without the zeros behind their columns. */
static void pack_row(const SofaCongruenceWork *w, size_t p, const double *from) {
  const unsigned size = size_of(0, w->target->row_scalar + w->first_row + p);
  double *to = w->value + w->value_at[p];
  for (uint32_t b = w->block_start[p]; b < w->block_start[p + 1]; b++) {
    const uint32_t j = w->block_column[b];
    const unsigned width = w->target->column_scalar[j + 1] - w->target->column_scalar[j];
    for (unsigned r = 0; r < size; r++, from += w->t.width, to += width)
      for (unsigned e = 0; e < width; e++) to[e] = from[e];
  }
}

INLINED void rows_of_t(const SofaCongruenceWork *w, Sizes s, size_t begin, size_t end) {
  for (size_t i = begin; i < end; i++) compute_t(w, s, i);
}

INLINED void rows_of_result(const SofaCongruenceWork *w, Sizes s, size_t begin, size_t end,
                            double *room) {
  for (size_t p = begin; p < end; p++) {
    compute_row(w, s, p, room);
    pack_row(w, p, room);
  }
}

/* Sizes of points, of frames, and of what a mapping makes of them; calls the function with them as
 * constants. */
#define FOR_SIZES(KNOWN) KNOWN(1, 3) KNOWN(1, 6) KNOWN(3, 3) KNOWN(3, 6) KNOWN(6, 6)

static void t_rows(const SofaCongruenceWork *w, size_t begin, size_t end) {
#define CASE(of_k, of_target)                                                                      \
  if (w->k->uniform == of_k && w->size == of_target) {                                             \
    rows_of_t(w, (Sizes){of_k, of_target}, begin, end);                                            \
    return;                                                                                        \
  }
  FOR_SIZES(CASE)
#undef CASE
  rows_of_t(w, (Sizes){0, 0}, begin, end);
}

static void result_rows(const SofaCongruenceWork *w, size_t begin, size_t end, double *room) {
#define CASE(of_k, of_target)                                                                      \
  if (w->k->uniform == of_k && w->size == of_target) {                                             \
    rows_of_result(w, (Sizes){of_k, of_target}, begin, end, room);                                 \
    return;                                                                                        \
  }
  FOR_SIZES(CASE)
#undef CASE
  rows_of_result(w, (Sizes){0, 0}, begin, end, room);
}

extern const SofaCongruenceKernels CAT(sofa_congruence_kernels_, KERNELS_ISA);
const SofaCongruenceKernels CAT(sofa_congruence_kernels_, KERNELS_ISA) = {t_rows, result_rows};
