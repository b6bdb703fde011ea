/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Incomplete factors L L^T, by points or by scalars, and L D L^T with D of any sign, by scalars
 * (Meijerink and van der Vorst, 1977), with the pattern of the matrix or levels of fill, see fill.h
 * (the shift: Manteuffel, An incomplete factorization technique for positive definite linear
 * systems, Math. Comp. 34, 1980). */
#ifndef SOFA_NUMERICS_KRYLOV_INCOMPLETE_CHOLESKY_H
#define SOFA_NUMERICS_KRYLOV_INCOMPLETE_CHOLESKY_H

#include "behavior/linear_solver.h"
#include "math/scalar_columns.h"

SOFA_BEGIN_DECLS

struct SofaTriangle3;

/* The first four are given; the rest begins as zeros. */
typedef struct SofaIncompleteCholesky {
  bool by_blocks;            /* whole blocks of points, where all are of one size */
  bool any_sign;             /* L D L^T, not by blocks; a pivot must not be 0 */
  uint32_t level;            /* of fill; 0: the pattern of the matrix */
  double first_shift;        /* > 0, relative to the diagonal */
  double shift;              /* of the last factor */
  unsigned size;             /* of a block of the factor: 1, or that of the matrix */
  size_t n;                  /* rows of blocks */
  SofaIndices start, column; /* rows of the lower triangle, columns ascending, diagonal last */
  SofaIndices place;         /* of the entries of the matrix among those of the factor; level > 0 */
  SofaReals a, l;            /* blocks, row major: the matrix's, the factor's; on the diagonal of l
                                the inverse of the triangular block, or of D */
  SofaScalarColumns scalars; /* the matrix, when by scalars */
  SofaReals padded;          /* of blocks of 3: a vector with four reals for each */
  void (*solve)(const struct SofaTriangle3 *t, double *x); /* of the instruction set */
  const SofaBlockMatrix *matrix;
  uint64_t pattern_version, value_version; /* of the matrix; 0: none */
} SofaIncompleteCholesky;

void sofa_incomplete_cholesky_free(SofaContext *ctx, SofaIncompleteCholesky *f);
/* Factorises when the matrix of the owner's system changed (*anew); its lower triangle is read.
 * When a pivot is not positive, or is 0 where any sign will do, the diagonal is shifted by
 * first_shift, doubled until all are; failures are the owner's. *rows: of the matrix. */
SofaErr sofa_incomplete_cholesky_update(const SofaLinearSolver *owner, SofaIncompleteCholesky *f,
                                        SofaBlockRows *rows, bool *anew);
/* x = (L L^T)^-1 x or (L D L^T)^-1 x */
void sofa_incomplete_cholesky_apply(const SofaIncompleteCholesky *f, double *x);

SOFA_END_DECLS

#endif
