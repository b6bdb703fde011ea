/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A point gets the sum of the transposed blocks of its column, ordered by row, and that of its
 * row, ordered by column. A thread goes over the rows of its share and adds to the columns ahead in
 * it; those in later shares were put aside before, and begin the sums there. */
#include "numerics/fem/pair_product.h"

#include "base/bytes.h"
#include "base/team.h"
#include "math/vec.h"
#include "numerics/fem/pair_row_kernels.h"

/* ---- shares ---- */

/* As many pairs in each, whole rows. */
static void share_rows(const SofaElementPairs *pairs, size_t n_points, SofaPairProduct *out) {
  for (size_t s = 0; s < out->n_shares; s++) {
    size_t p = (s + 1) * pairs->n / out->n_shares;
    while (p > 0 && p < pairs->n && pairs->row[p] == pairs->row[p - 1]) p--;
    out->shares[s].end_pair = p;
    out->shares[s].end = p < pairs->n ? pairs->row[p] : n_points;
  }
}

/* Lists the pairs that are put aside; put NULL: counts them. */
static size_t list_put(const SofaElementPairs *pairs, SofaPairProduct *out) {
  size_t n = 0, p = 0;
  for (size_t s = 0; s < out->n_shares; s++) {
    SofaPairShare *share = &out->shares[s];
    for (; p < share->end_pair; p++) {
      if (pairs->column[p] < share->end) continue;
      if (out->put) out->put[n] = (uint32_t)p;
      n++;
    }
    share->end_put = n;
  }
  return n;
}

static void order_by_column(const SofaElementPairs *pairs, size_t n_points, size_t n_put,
                            SofaPairProduct *out) {
  // two ahead, so that filling leaves the starts in place
  for (size_t k = 0; k < n_put; k++) {
    const size_t j = pairs->column[out->put[k]];
    if (j + 2 <= n_points) out->start[j + 2]++;
  }
  for (size_t i = 1; i <= n_points; i++) out->start[i] += out->start[i - 1];
  for (size_t k = 0; k < n_put; k++)
    out->by_column[out->start[pairs->column[out->put[k]] + 1]++] = (uint32_t)k;
}

static SofaErr make_lists(SofaContext *ctx, const SofaElementPairs *pairs, size_t n_points,
                          SofaPairProduct *out) {
  out->n_shares = (size_t)ctx->threads;
  if (!(out->shares = sofa_alloc(ctx, out->n_shares, sizeof *out->shares))) return SOFA_ERR_MEMORY;
  share_rows(pairs, n_points, out);
  const size_t n_put = list_put(pairs, out);
  out->put = sofa_alloc(ctx, n_put + 1, sizeof *out->put);
  out->start = sofa_alloc(ctx, n_points + 2, sizeof *out->start);
  out->by_column = sofa_alloc(ctx, n_put + 1, sizeof *out->by_column);
  out->part = sofa_alloc(ctx, 3 * n_put + 1, sizeof *out->part);
  out->work = sofa_alloc(ctx, 11 * n_points + 1, sizeof *out->work);
  if (!out->put || !out->start || !out->by_column || !out->part || !out->work)
    return SOFA_ERR_MEMORY;
  list_put(pairs, out);
  order_by_column(pairs, n_points, n_put, out);
  return SOFA_OK;
}

SofaErr sofa_pair_product_create(SofaContext *ctx, const SofaElementPairs *pairs, size_t n_points,
                                 SofaPairProduct *out) {
  *out = (SofaPairProduct){0};
  const SofaErr err = make_lists(ctx, pairs, n_points, out);
  if (err != SOFA_OK) sofa_pair_product_free(ctx, out);
  return err;
}

void sofa_pair_product_free(SofaContext *ctx, SofaPairProduct *product) {
  sofa_free(ctx, product->shares);
  sofa_free(ctx, product->put);
  sofa_free(ctx, product->start);
  sofa_free(ctx, product->by_column);
  sofa_free(ctx, product->part);
  sofa_free(ctx, product->work);
  *product = (SofaPairProduct){0};
}

/* ---- products ---- */

/* With `work` of 11 reals per point. */
typedef struct Product {
  const SofaPairProduct *shared;
  const SofaPairRowKernels *kernels;
  SofaPairRows rows;
  double factor;
  const double *x;
  double *wide, *columns, *own, *y; /* of 4, 4, 3 and 3 reals per point */
} Product;

/* Points begin .. end - 1 with four reals each: one instruction reads a point. Sums become 0. */
static void begin_points(const Product *c, size_t begin, size_t end) {
  for (size_t i = begin; i < end; i++) {
    const double *x = c->x + 3 * i;
    double *to = c->wide + 4 * i;
    to[0] = x[0], to[1] = x[1], to[2] = x[2], to[3] = 0;
  }
  sofa_zero(c->columns + 4 * begin, 4 * (end - begin) * sizeof(double));
  sofa_zero(c->own + 3 * begin, 3 * (end - begin) * sizeof(double));
}

/* y += factor (columns + row) */
static void end_points(const Product *c, size_t begin, size_t end) {
  for (size_t i = begin; i < end; i++) {
    const double *columns = c->columns + 4 * i, *row = c->own + 3 * i;
    double *y = c->y + 3 * i;
    y[0] += c->factor * (columns[0] + row[0]);
    y[1] += c->factor * (columns[1] + row[1]);
    y[2] += c->factor * (columns[2] + row[2]);
  }
}

static SofaPairShare share_before(const SofaPairProduct *p, size_t s) {
  return s > 0 ? p->shares[s - 1] : (SofaPairShare){0};
}

static void put_aside(void *user, size_t begin, size_t end) {
  const Product *c = user;
  const SofaPairProduct *p = c->shared;
  for (size_t s = begin; s < end; s++) {
    const SofaPairShare first = share_before(p, s), last = p->shares[s];
    begin_points(c, first.end, last.end);
    c->kernels->put(&c->rows, p->put + first.end_put, last.end_put - first.end_put,
                    p->part + 3 * first.end_put);
  }
}

static void multiply_shares(void *user, size_t begin, size_t end) {
  const Product *c = user;
  const SofaPairProduct *p = c->shared;
  for (size_t s = begin; s < end; s++) {
    const SofaPairShare first = share_before(p, s), last = p->shares[s];
    for (size_t i = first.end; i < last.end; i++) {
      for (uint32_t k = p->start[i]; k < p->start[i + 1]; k++)
        sofa_vec3_add(c->columns + 4 * i, p->part + 3 * (size_t)p->by_column[k],
                      c->columns + 4 * i);
    }
    c->kernels->rows(&c->rows, first.end_pair, last.end_pair, last.end);
    end_points(c, first.end, last.end);
  }
}

static void multiply(SofaContext *ctx, const SofaPairMatrix *matrix, double factor, const double *x,
                     double *work, double *y) {
  const size_t n = matrix->n_points;
  double *columns = work + 4 * n, *own = work + 8 * n;
  const SofaPairRows rows = {
      matrix->pairs->row, matrix->pairs->column, matrix->blocks, work, own, columns};
  Product c = {matrix->product, sofa_pair_row_kernels(ctx), rows, factor, x, work, columns, own, y};
  if (c.shared && c.shared->n_shares) {
    sofa_team_for(ctx, c.shared->n_shares, 1, put_aside, &c);
    sofa_team_for(ctx, c.shared->n_shares, 1, multiply_shares, &c);
    return;
  }
  begin_points(&c, 0, n);
  c.kernels->rows(&rows, 0, matrix->pairs->n, n);
  end_points(&c, 0, n);
}

SofaErr sofa_pair_product_add(SofaContext *ctx, const SofaPairMatrix *matrix, double factor,
                              const double *x, double *y) {
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  double *work = matrix->product && matrix->product->work
                     ? matrix->product->work
                     : SOFA_SCRATCH(ctx, double, 11 * matrix->n_points + 1);
  if (work) multiply(ctx, matrix, factor, x, work, y);
  sofa_scratch_release(ctx, mark);
  return work ? SOFA_OK : SOFA_ERR_MEMORY;
}

/* ---- blocks of points with themselves ---- */

typedef struct Closing {
  const SofaPairMatrix *matrix;
  const SofaPairRowKernels *kernels;
  SofaPairClosing pairs;
} Closing;

static void clear_own(const SofaPairClosing *pairs, size_t begin, size_t end) {
  for (size_t i = begin; i < end; i++)
    if (pairs->own[i] < UINT32_MAX)
      sofa_zero(pairs->blocks + 9 * (size_t)pairs->own[i], 9 * sizeof *pairs->blocks);
}

/* First what rows of earlier shares have in the columns of this one, in the order of the rows. */
static void close_shares(void *user, size_t begin, size_t end) {
  const Closing *c = user;
  const SofaPairProduct *p = c->matrix->product;
  for (size_t s = begin; s < end; s++) {
    const SofaPairShare first = share_before(p, s), last = p->shares[s];
    clear_own(&c->pairs, first.end, last.end);
    for (size_t i = first.end; i < last.end; i++) {
      for (uint32_t k = p->start[i]; k < p->start[i + 1]; k++) {
        double turned[9], *to = c->pairs.blocks + 9 * (size_t)c->pairs.own[i];
        sofa_mat3_transpose(c->pairs.blocks + 9 * (size_t)p->put[p->by_column[k]], turned);
        for (int r = 0; r < 9; r++) to[r] -= turned[r];
      }
    }
    c->kernels->close(&c->pairs, first.end_pair, last.end_pair, last.end);
  }
}

void sofa_pair_product_close(SofaContext *ctx, const SofaPairMatrix *matrix, const uint32_t *own,
                             double *blocks) {
  const SofaElementPairs *pairs = matrix->pairs;
  Closing c = {matrix, sofa_pair_row_kernels(ctx), {pairs->row, pairs->column, own, blocks}};
  if (matrix->product && matrix->product->n_shares) {
    sofa_team_for(ctx, matrix->product->n_shares, 1, close_shares, &c);
    return;
  }
  clear_own(&c.pairs, 0, matrix->n_points);
  c.kernels->close(&c.pairs, 0, pairs->n, matrix->n_points);
}
