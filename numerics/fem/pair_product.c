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

static size_t work_size(size_t n_points, bool twists) {
  return (twists ? 22 : 11) * n_points + 1;
}

static SofaErr make_lists(SofaContext *ctx, const SofaElementPairs *pairs, size_t n_points,
                          bool twists, SofaPairProduct *out) {
  out->n_shares = (size_t)ctx->threads;
  if (!(out->shares = sofa_alloc(ctx, out->n_shares, sizeof *out->shares))) return SOFA_ERR_MEMORY;
  share_rows(pairs, n_points, out);
  const size_t n_put = list_put(pairs, out);
  out->put = sofa_alloc(ctx, n_put + 1, sizeof *out->put);
  out->start = sofa_alloc(ctx, n_points + 2, sizeof *out->start);
  out->by_column = sofa_alloc(ctx, n_put + 1, sizeof *out->by_column);
  out->part = sofa_alloc(ctx, (twists ? 6 : 3) * n_put + 1, sizeof *out->part);
  out->work = sofa_alloc(ctx, work_size(n_points, twists), sizeof *out->work);
  if (!out->put || !out->start || !out->by_column || !out->part || !out->work)
    return SOFA_ERR_MEMORY;
  list_put(pairs, out);
  order_by_column(pairs, n_points, n_put, out);
  return SOFA_OK;
}

static SofaErr create(SofaContext *ctx, const SofaElementPairs *pairs, size_t n_points, bool twists,
                      SofaPairProduct *out) {
  *out = (SofaPairProduct){0};
  const SofaErr err = make_lists(ctx, pairs, n_points, twists, out);
  if (err != SOFA_OK) sofa_pair_product_free(ctx, out);
  return err;
}

SofaErr sofa_pair_product_create(SofaContext *ctx, const SofaElementPairs *pairs, size_t n_points,
                                 SofaPairProduct *out) {
  return create(ctx, pairs, n_points, false, out);
}

SofaErr sofa_pair_product_create6(SofaContext *ctx, const SofaElementPairs *pairs, size_t n_points,
                                  SofaPairProduct *out) {
  return create(ctx, pairs, n_points, true, out);
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

/* With `work` of 11 or 22 reals per point. */
typedef struct Product {
  const SofaPairProduct *shared;
  const SofaPairRowKernels *kernels;
  SofaPairRows rows;
  double factor;
  const double *x;
  double *wide, *columns, *own, *y; /* of 4, 4, 3 and 3 reals per point; or 8, 8, 6, 6 */
  bool twists;
} Product;

/* Points begin .. end - 1 with `wide` reals each: few instructions read a point. Sums become 0. */
static inline void begin_points_of(size_t dim, size_t wide, const Product *c, size_t begin,
                                   size_t end) {
  for (size_t i = begin; i < end; i++)
    for (size_t k = 0; k < wide; k++) c->wide[wide * i + k] = k < dim ? c->x[dim * i + k] : 0;
  sofa_zero(c->columns + wide * begin, wide * (end - begin) * sizeof(double));
  sofa_zero(c->own + dim * begin, dim * (end - begin) * sizeof(double));
}

static void begin_points(const Product *c, size_t begin, size_t end) {
  if (c->twists) begin_points_of(6, 8, c, begin, end);
  else begin_points_of(3, 4, c, begin, end);
}

/* y += factor (columns + row) */
static inline void end_points_of(size_t dim, size_t wide, const Product *c, size_t begin,
                                 size_t end) {
  for (size_t i = begin; i < end; i++)
    for (size_t k = 0; k < dim; k++)
      c->y[dim * i + k] += c->factor * (c->columns[wide * i + k] + c->own[dim * i + k]);
}

static void end_points(const Product *c, size_t begin, size_t end) {
  if (c->twists) end_points_of(6, 8, c, begin, end);
  else end_points_of(3, 4, c, begin, end);
}

static SofaPairShare share_before(const SofaPairProduct *p, size_t s) {
  return s > 0 ? p->shares[s - 1] : (SofaPairShare){0};
}

static void put_aside(void *user, size_t begin, size_t end) {
  const Product *c = user;
  const SofaPairProduct *p = c->shared;
  for (size_t s = begin; s < end; s++) {
    const SofaPairShare first = share_before(p, s), last = p->shares[s];
    const size_t n = last.end_put - first.end_put;
    begin_points(c, first.end, last.end);
    if (c->twists)
      c->kernels->put6(&c->rows, p->put + first.end_put, n, p->part + 6 * first.end_put);
    else c->kernels->put(&c->rows, p->put + first.end_put, n, p->part + 3 * first.end_put);
  }
}

/* Adds what is put aside for the columns begin .. end - 1. */
static inline void take_parts(size_t dim, size_t wide, const Product *c, size_t begin, size_t end) {
  const SofaPairProduct *p = c->shared;
  for (size_t i = begin; i < end; i++)
    for (uint32_t k = p->start[i]; k < p->start[i + 1]; k++)
      for (size_t a = 0; a < dim; a++)
        c->columns[wide * i + a] += p->part[dim * p->by_column[k] + a];
}

static void multiply_shares(void *user, size_t begin, size_t end) {
  const Product *c = user;
  const SofaPairProduct *p = c->shared;
  for (size_t s = begin; s < end; s++) {
    const SofaPairShare first = share_before(p, s), last = p->shares[s];
    if (c->twists) {
      take_parts(6, 8, c, first.end, last.end);
      c->kernels->rows6(&c->rows, first.end_pair, last.end_pair, last.end);
    } else {
      take_parts(3, 4, c, first.end, last.end);
      c->kernels->rows(&c->rows, first.end_pair, last.end_pair, last.end);
    }
    end_points(c, first.end, last.end);
  }
}

static void multiply(SofaContext *ctx, const SofaPairMatrix *matrix, Product *c) {
  const size_t n = matrix->n_points, wide = c->twists ? 8 : 4;
  c->kernels = sofa_pair_row_kernels(ctx);
  c->columns = c->wide + wide * n;
  c->own = c->columns + wide * n;
  c->rows = (SofaPairRows){
      matrix->pairs->row, matrix->pairs->column, matrix->blocks, c->wide, c->own, c->columns};
  if (c->shared && c->shared->n_shares) {
    sofa_team_for(ctx, c->shared->n_shares, 1, put_aside, c);
    sofa_team_for(ctx, c->shared->n_shares, 1, multiply_shares, c);
    return;
  }
  begin_points(c, 0, n);
  if (c->twists) c->kernels->rows6(&c->rows, 0, matrix->pairs->n, n);
  else c->kernels->rows(&c->rows, 0, matrix->pairs->n, n);
  end_points(c, 0, n);
}

/* c: what is given, and which blocks. */
static SofaErr add(SofaContext *ctx, const SofaPairMatrix *matrix, Product *c) {
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  c->shared = matrix->product;
  c->wide = matrix->product && matrix->product->work
                ? matrix->product->work
                : SOFA_SCRATCH(ctx, double, work_size(matrix->n_points, c->twists));
  if (c->wide) multiply(ctx, matrix, c);
  sofa_scratch_release(ctx, mark);
  return c->wide ? SOFA_OK : SOFA_ERR_MEMORY;
}

SofaErr sofa_pair_product_add(SofaContext *ctx, const SofaPairMatrix *matrix, double factor,
                              const double *x, double *y) {
  return add(ctx, matrix, &(Product){.factor = factor, .x = x, .y = y});
}

SofaErr sofa_pair_product_add6(SofaContext *ctx, const SofaPairMatrix *matrix, double factor,
                               const double *x, double *y) {
  return add(ctx, matrix, &(Product){.factor = factor, .x = x, .y = y, .twists = true});
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
