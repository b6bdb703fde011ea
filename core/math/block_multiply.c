/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Products of block matrices with vectors. */
#include "base/team.h"
#include "math/block_matrix_impl.h"
#include "math/kernels.h"

enum { ROWS_GRAIN = 256 };

/* y = row i of A times x, blocks of nr x nc reals; inlined with constants for the common sizes. */
static inline void row_times(const SofaBlockRows *a, size_t i, unsigned nr, unsigned nc,
                             const double *x, double *y) {
  double sum[6] = {0};
  for (uint32_t k = a->start[i]; k < a->start[i + 1]; k++) {
    const double *block = a->values + (size_t)(nr * nc) * k;
    const double *v = x + (size_t)nc * a->column[k];
    for (unsigned r = 0; r < nr; r++)
      for (unsigned c = 0; c < nc; c++) sum[r] += block[r * nc + c] * v[c];
  }
  for (unsigned r = 0; r < nr; r++) y[(size_t)nr * i + r] = sum[r];
}

/* The same for 2 x 2, with sums that stay in registers. */
static void row_times_two(const SofaBlockRows *a, size_t i, const double *x, double *y) {
  double s = 0, t = 0;
  for (uint32_t k = a->start[i]; k < a->start[i + 1]; k++) {
    const double *block = a->values + 4 * (size_t)k, *v = x + 2 * (size_t)a->column[k];
    s += block[0] * v[0];
    t += block[2] * v[0];
    s += block[1] * v[1];
    t += block[3] * v[1];
  }
  y[2 * i] = s;
  y[2 * i + 1] = t;
}

/* The same for blocks of any size. */
static void mixed_row_times(const SofaBlockRows *a, size_t i, const double *x, double *y) {
  double sum[6] = {0};
  const unsigned nr = a->row_scalar[i + 1] - a->row_scalar[i];
  for (uint32_t k = a->start[i]; k < a->start[i + 1]; k++) {
    const uint32_t first = a->column_scalar[a->column[k]];
    const unsigned nc = a->column_scalar[a->column[k] + 1] - first;
    const double *block = a->values + a->value_offset[k];
    for (unsigned r = 0; r < nr; r++)
      for (unsigned c = 0; c < nc; c++) sum[r] += block[r * nc + c] * x[first + c];
  }
  for (unsigned r = 0; r < nr; r++) y[a->row_scalar[i] + r] = sum[r];
}

static void any_row_times(const SofaBlockRows *a, size_t i, const double *x, double *y) {
  switch (a->uniform) {
  case 1:
    row_times(a, i, 1, 1, x, y);
    break;
  case 2:
    row_times_two(a, i, x, y);
    break;
  case 6:
    row_times(a, i, 6, 6, x, y);
    break;
  case 0:
    mixed_row_times(a, i, x, y);
    break;
  default:
    row_times(a, i, a->uniform, a->uniform, x, y);
    break;
  }
}

typedef struct Product {
  const SofaBlockMatrix *m;
  const SofaBlockRows *a;
  const double *x;
  double *y;
} Product;

static void multiply_rows(void *user, size_t begin, size_t end) {
  const Product *p = user;
  const SofaBlockRows *a = p->a;
  if (a->uniform == 3) {
    const SofaBlockCsr3 csr = {end - begin, a->start + begin, a->column, a->values};
    p->m->ctx->kernels->spmv3(&csr, p->x, p->y + 3 * begin);
    return;
  }
  for (size_t i = begin; i < end; i++) any_row_times(a, i, p->x, p->y);
}

void sofa_block_matrix_multiply(const SofaBlockMatrix *m, const double *x, double *y, int threads) {
  SofaBlockRows a;
  sofa_block_matrix_rows(m, &a);
  Product product = {m, &a, x, y};
  if (threads <= 1) multiply_rows(&product, 0, a.n_rows);
  else sofa_team_for(m->ctx, a.n_rows, ROWS_GRAIN, multiply_rows, &product);
}
