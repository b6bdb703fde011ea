/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Products with a symmetric matrix given by the blocks of its pairs of points. */
#ifndef SOFA_NUMERICS_FEM_PAIR_PRODUCT_H
#define SOFA_NUMERICS_FEM_PAIR_PRODUCT_H

#include "numerics/fem/element_pairs.h"

SOFA_BEGIN_DECLS

/* What several threads need. All arrays are owned. All-zero: one thread computes. */
typedef struct SofaPairProduct {
  uint32_t *first;     /* n_points + 1: pairs of a row */
  uint32_t *start;     /* n_points + 1: entries of by_column */
  uint32_t *by_column; /* pairs of two points, ordered by column, then row */
  double *part;        /* 3 per pair: transposed block times the row's point */
  double *own;         /* 3 per point: its row's sum */
} SofaPairProduct;

/* 3 x 3 blocks of the pairs, which stand for their transposes, too. */
typedef struct SofaPairMatrix {
  const SofaElementPairs *pairs;
  const SofaPairProduct *product;
  const double *blocks;
  size_t n_points;
} SofaPairMatrix;

SofaErr sofa_pair_product_create(SofaContext *ctx, const SofaElementPairs *pairs, size_t n_points,
                                 SofaPairProduct *out);
void sofa_pair_product_free(SofaContext *ctx, SofaPairProduct *product);

/* y += factor times the product with x; 3 reals per point. The same bits on any number of threads.
 */
SofaErr sofa_pair_product_add(SofaContext *ctx, const SofaPairMatrix *matrix, double factor,
                              const double *x, double *y);

SOFA_END_DECLS

#endif
