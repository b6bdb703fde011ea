/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Products with a symmetric matrix given by the blocks of its pairs of points. */
#ifndef SOFA_NUMERICS_FEM_PAIR_PRODUCT_H
#define SOFA_NUMERICS_FEM_PAIR_PRODUCT_H

#include "numerics/fem/element_pairs.h"

SOFA_BEGIN_DECLS

/* Rows of consecutive points up to end, those of the pairs up to end_pair; from those of the share
 * before on. Of `put` up to end_put. */
typedef struct SofaPairShare {
  size_t end, end_pair, end_put;
} SofaPairShare;

/* What several threads need, each of which has a share of the points. All arrays are owned.
 * All-zero: one thread computes. */
typedef struct SofaPairProduct {
  size_t n_shares;
  SofaPairShare *shares;
  uint32_t *put;       /* pairs whose column is in a later share than their row */
  uint32_t *start;     /* n_points + 2: entries of by_column */
  uint32_t *by_column; /* places in put, ordered by column, then row */
  double *part;        /* 3 or 6 per entry of put: transposed block times the row's point */
  double *work;        /* 11 or 22 per point */
} SofaPairProduct;

/* 3 x 3 blocks of the pairs, which stand for their transposes, too; or 6 x 6, and two more reals
 * behind all blocks. */
typedef struct SofaPairMatrix {
  const SofaElementPairs *pairs;
  const SofaPairProduct *product;
  const double *blocks;
  size_t n_points;
} SofaPairMatrix;

SofaErr sofa_pair_product_create(SofaContext *ctx, const SofaElementPairs *pairs, size_t n_points,
                                 SofaPairProduct *out);
/* For blocks of 6 x 6. */
SofaErr sofa_pair_product_create6(SofaContext *ctx, const SofaElementPairs *pairs, size_t n_points,
                                  SofaPairProduct *out);
void sofa_pair_product_free(SofaContext *ctx, SofaPairProduct *product);

/* y += factor times the product with x; 3 reals per point. The same bits on any number of
 * threads.
 */
SofaErr sofa_pair_product_add(SofaContext *ctx, const SofaPairMatrix *matrix, double factor,
                              const double *x, double *y);
/* The same with blocks of 6 x 6, and 6 reals per point. */
SofaErr sofa_pair_product_add6(SofaContext *ctx, const SofaPairMatrix *matrix, double factor,
                               const double *x, double *y);

/* The blocks of points with themselves become minus the sums of the others of their rows and
 * columns. own: the pair of each point with itself, UINT32_MAX: it has none; blocks: those of the
 * matrix. The same bits on any number of threads. */
void sofa_pair_product_close(SofaContext *ctx, const SofaPairMatrix *matrix, const uint32_t *own,
                             double *blocks);

SOFA_END_DECLS

#endif
