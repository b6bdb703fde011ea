/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sparse symmetric matrices of a plan: made of assembled ones, added, multiplied, factorised with
 * the signs of the pivots. */
#ifndef SOFA_NUMERICS_MODES_SYMMETRIC_H
#define SOFA_NUMERICS_MODES_SYMMETRIC_H

#include "math/block_matrix.h"

SOFA_BEGIN_DECLS

typedef struct SofaSymmetric SofaSymmetric;
typedef struct SofaSymmetricFactor SofaSymmetricFactor;

/* (A + A^T) / 2. *asymmetry: largest |a_ij - a_ji| / largest |a_ij|; may be NULL. */
SofaErr sofa_symmetric_create(SofaContext *ctx, const SofaBlockMatrix *matrix, double *asymmetry,
                              SofaSymmetric **out);
/* a A + b B, of equal sizes. */
SofaErr sofa_symmetric_sum(double a, const SofaSymmetric *x, double b, const SofaSymmetric *y,
                           SofaSymmetric **out);
void sofa_symmetric_destroy(SofaSymmetric **matrix);

size_t sofa_symmetric_size(const SofaSymmetric *matrix);
/* y = A x */
void sofa_symmetric_multiply(const SofaSymmetric *matrix, const double *x, double *y);
double sofa_symmetric_diagonal(const SofaSymmetric *matrix, size_t i);
/* Sum of the absolute values of each row. */
void sofa_symmetric_row_sums(const SofaSymmetric *matrix, double *sums);

typedef enum SofaSymmetricKind {
  SOFA_SYMMETRIC_POSITIVE,  /* L L^T by supernodes where that pays; for matrices that are positive
                               definite */
  SOFA_SYMMETRIC_INDEFINITE /* L D L^T */
} SofaSymmetricKind;
/* Factor with a sparse order. *negative: the number of negative eigenvalues; of a positive kind at
 * least one where there are any. SOFA_ERR_SINGULAR, not reported: a pivot is zero to rounding;
 * *row: of which row. */
SofaErr sofa_symmetric_factorise(const SofaSymmetric *matrix, SofaSymmetricKind kind,
                                 SofaSymmetricFactor **out, size_t *negative, size_t *row);
void sofa_symmetric_factor_destroy(SofaSymmetricFactor **factor);
/* x = A^-1 b; b is not x. */
SofaErr sofa_symmetric_solve(SofaSymmetricFactor *factor, const double *b, double *x);

SOFA_END_DECLS

#endif
