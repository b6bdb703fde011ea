/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A point gets the sum of the transposed blocks of its column, ordered by row, and that of its
 * row, ordered by column. One thread goes over the rows and adds to columns ahead; several keep
 * the products of the columns, then sum them up point by point. */
#include "numerics/fem/pair_product.h"

#include "base/bytes.h"
#include "base/team.h"
#include "math/vec.h"

enum { ROWS_GRAIN = 256 }; /* points */

/* ---- lists ---- */

/* Where the pairs of each row begin, and how many pairs of two points each column has. */
static void count(const SofaElementPairs *pairs, size_t n_points, SofaPairProduct *out) {
  for (size_t p = 0; p < pairs->n; p++) {
    out->first[pairs->row[p] + 1]++;
    // two rows ahead, so that filling leaves the starts in place
    if (pairs->row[p] != pairs->column[p]) out->start[pairs->column[p] + 2]++;
  }
  for (size_t i = 0; i < n_points; i++) {
    out->first[i + 1] += out->first[i];
    out->start[i + 2] += out->start[i + 1];
  }
}

SofaErr sofa_pair_product_create(SofaContext *ctx, const SofaElementPairs *pairs, size_t n_points,
                                 SofaPairProduct *out) {
  *out = (SofaPairProduct){.first = sofa_alloc(ctx, n_points + 1, sizeof *out->first),
                           .start = sofa_alloc(ctx, n_points + 2, sizeof *out->start),
                           .by_column = sofa_alloc(ctx, pairs->n + 1, sizeof *out->by_column),
                           .part = sofa_alloc(ctx, 3 * pairs->n + 1, sizeof *out->part),
                           .own = sofa_alloc(ctx, 3 * n_points + 1, sizeof *out->own)};
  if (!out->first || !out->start || !out->by_column || !out->part || !out->own) {
    sofa_pair_product_free(ctx, out);
    return SOFA_ERR_MEMORY;
  }
  count(pairs, n_points, out);
  for (size_t p = 0; p < pairs->n; p++)
    if (pairs->row[p] != pairs->column[p])
      out->by_column[out->start[pairs->column[p] + 1]++] = (uint32_t)p;
  return SOFA_OK;
}

void sofa_pair_product_free(SofaContext *ctx, SofaPairProduct *product) {
  sofa_free(ctx, product->first);
  sofa_free(ctx, product->start);
  sofa_free(ctx, product->by_column);
  sofa_free(ctx, product->part);
  sofa_free(ctx, product->own);
  *product = (SofaPairProduct){0};
}

/* ---- products ---- */

typedef struct Product {
  const SofaPairMatrix *matrix;
  double factor;
  const double *x;
  double *y;
} Product;

/* sum += block x of a pair's column. */
static inline void add_row(const double *block, const double *x, double *sum) {
  double r[3];
  sofa_mat3_apply(block, x, r);
  sofa_vec3_add(sum, r, sum);
}

/* y += factor (columns + row) */
static inline void add_sums(double factor, const double *columns, const double *row, double *y) {
  double sum[3];
  sofa_vec3_add(columns, row, sum);
  sofa_vec3_axpy(factor, sum, y);
}

static void multiply_rows(void *user, size_t begin, size_t end) {
  const Product *c = user;
  const SofaPairProduct *to = c->matrix->product;
  const uint32_t *column = c->matrix->pairs->column;
  for (size_t i = begin; i < end; i++) {
    double sum[3] = {0, 0, 0};
    for (uint32_t p = to->first[i]; p < to->first[i + 1]; p++) {
      const double *block = c->matrix->blocks + 9 * (size_t)p;
      add_row(block, c->x + 3 * (size_t)column[p], sum);
      if (column[p] != i) sofa_mat3_apply_t(block, c->x + 3 * i, to->part + 3 * (size_t)p);
    }
    sofa_vec3_copy(sum, to->own + 3 * i);
  }
}

static void sum_columns(void *user, size_t begin, size_t end) {
  const Product *c = user;
  const SofaPairProduct *from = c->matrix->product;
  for (size_t i = begin; i < end; i++) {
    double sum[3] = {0, 0, 0};
    for (uint32_t k = from->start[i]; k < from->start[i + 1]; k++)
      sofa_vec3_add(sum, from->part + 3 * (size_t)from->by_column[k], sum);
    add_sums(c->factor, sum, from->own + 3 * i, c->y + 3 * i);
  }
}

/* columns: 3 zeros per point. A row's sum of columns is whole when the row comes. */
static void multiply_alone(const Product *c, double *columns) {
  const SofaElementPairs *pairs = c->matrix->pairs;
  size_t p = 0;
  for (size_t i = 0; i < c->matrix->n_points; i++) {
    double sum[3] = {0, 0, 0};
    for (; p < pairs->n && pairs->row[p] == i; p++) {
      const size_t j = pairs->column[p];
      const double *block = c->matrix->blocks + 9 * p;
      double r[3];
      add_row(block, c->x + 3 * j, sum);
      if (i == j) continue;
      sofa_mat3_apply_t(block, c->x + 3 * i, r);
      sofa_vec3_add(columns + 3 * j, r, columns + 3 * j);
    }
    add_sums(c->factor, columns + 3 * i, sum, c->y + 3 * i);
  }
}

SofaErr sofa_pair_product_add(SofaContext *ctx, const SofaPairMatrix *matrix, double factor,
                              const double *x, double *y) {
  Product product = {matrix, factor, x, y};
  if (matrix->product && matrix->product->first && ctx->threads > 1) {
    sofa_team_for(ctx, matrix->n_points, ROWS_GRAIN, multiply_rows, &product);
    sofa_team_for(ctx, matrix->n_points, ROWS_GRAIN, sum_columns, &product);
    return SOFA_OK;
  }
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  double *columns = SOFA_SCRATCH(ctx, double, 3 * matrix->n_points + 1);
  if (columns) {
    sofa_zero(columns, 3 * matrix->n_points * sizeof *columns);
    multiply_alone(&product, columns);
  }
  sofa_scratch_release(ctx, mark);
  return columns ? SOFA_OK : SOFA_ERR_MEMORY;
}
