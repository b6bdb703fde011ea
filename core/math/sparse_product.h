/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Products of sparse matrices with remembered patterns: chains of Jacobians, and J^T K J added to
 * a block matrix. Once the patterns are known no product searches or allocates. */
#ifndef SOFA_MATH_SPARSE_PRODUCT_H
#define SOFA_MATH_SPARSE_PRODUCT_H

#include "math/block_matrix.h"

SOFA_BEGIN_DECLS

/* A scalar matrix in compressed rows; columns of a row in any order, each once. Borrowed. */
typedef struct SofaCsr {
  size_t n_rows, n_columns;
  const uint32_t *start, *column; /* start: n_rows + 1 */
  const double *value;
} SofaCsr;

/* ---- C = A_1 B_1 + A_2 B_2 + ... ---- */

typedef struct SofaCsrSum SofaCsrSum; /* keeps the pattern and the result */
SofaErr sofa_csr_sum_create(SofaContext *ctx, SofaCsrSum **out);
void sofa_csr_sum_destroy(SofaCsrSum **sum);
/* b[t] NULL: the identity. All products have n_rows x n_columns entries. *out is borrowed, valid
 * until the next call; its columns ascend within a row. */
SofaErr sofa_csr_sum_compute(SofaCsrSum *sum, size_t n_terms, const SofaCsr *const *a,
                             const SofaCsr *const *b, SofaCsr *out);

/* ---- target += L^T K R ---- */

typedef struct SofaCongruence SofaCongruence; /* keeps patterns, work space, the last result */
SofaErr sofa_congruence_create(SofaContext *ctx, SofaCongruence **out);
void sofa_congruence_destroy(SofaCongruence **congruence);
/* factor L^T K R; left, right NULL: identity. */
typedef struct SofaCongruenceProduct {
  const SofaCsr *left, *right;
  const SofaBlockMatrix *k;
  double factor;
} SofaCongruenceProduct;
/* Adds a product to the target at its scalar row and column (row, column); the target must be in
 * assembly. Rows and columns that leave the target are dropped. */
SofaErr sofa_congruence_add(SofaCongruence *c, const SofaCongruenceProduct *product,
                            SofaBlockMatrix *target, size_t row, size_t column);
/* Adds the result of the last sofa_congruence_add once more, without computing it. */
void sofa_congruence_add_again(SofaCongruence *c, SofaBlockMatrix *target);

SOFA_END_DECLS

#endif
