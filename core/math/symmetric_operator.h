/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A symmetric matrix of 3x3 blocks made for being applied many times: half the memory traffic of
 * the block matrix it is taken from, rows renumbered when the given numbering scatters. */
#ifndef SOFA_MATH_SYMMETRIC_OPERATOR_H
#define SOFA_MATH_SYMMETRIC_OPERATOR_H

#include "math/block_matrix.h"

SOFA_BEGIN_DECLS

typedef struct SofaSymmetricOperator SofaSymmetricOperator;

SofaErr sofa_symmetric_operator_create(SofaContext *ctx, SofaSymmetricOperator **out);
void sofa_symmetric_operator_destroy(SofaSymmetricOperator **op);

/* Takes the values of the matrix. *usable is false when its blocks are not all 3x3 or when it is
 * not symmetric to rounding (relative to the diagonal): then the matrix itself must be applied.
 * Allocates only when the pattern changed. */
SofaErr sofa_symmetric_operator_update(SofaSymmetricOperator *op, const SofaBlockMatrix *matrix,
                                       bool *usable);
/* y = A x on the threads of the context; bitwise the same for any number of them. One real behind
 * the end of x may be read. */
void sofa_symmetric_operator_apply(SofaSymmetricOperator *op, const double *x, double *y);

SOFA_END_DECLS

#endif
