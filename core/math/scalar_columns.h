/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Scalar compressed columns of a square block matrix, as CHOLMOD and UMFPACK read them. The pattern
 * is made once; later the values are fetched through a table, without a search. */
#ifndef SOFA_MATH_SCALAR_COLUMNS_H
#define SOFA_MATH_SCALAR_COLUMNS_H

#include "math/block_matrix.h"

SOFA_BEGIN_DECLS

typedef enum SofaColumnsPart {
  SOFA_COLUMNS_ALL,   /* the whole matrix */
  SOFA_COLUMNS_LOWER, /* a symmetric matrix, entries on and below the diagonal */
  SOFA_COLUMNS_UPPER  /* a symmetric matrix, entries on and above the diagonal */
} SofaColumnsPart;

/* All-zero: empty. Owned by the caller, freed with sofa_scalar_columns_free. */
typedef struct SofaScalarColumns {
  size_t n, n_entries;
  int *start, *row; /* n + 1; rows ascending within a column */
  double *value;
  uint32_t *source;                        /* index of each value in the block matrix */
  uint64_t pattern_version, value_version; /* of the block matrix */
  size_t capacity;                         /* entries there is memory for */
  unsigned builds;                         /* counted up to WARM_BUILDS */
} SofaScalarColumns;

/* Builds the pattern of the reordered matrix S: S(i, j) = A(order[i], order[j]); order NULL: as it
 * is. For the symmetric parts, rank (NULL: the scalar's own number) tells which of A(r, c), A(c, r)
 * is read: the one whose row has the higher rank. Values are fetched too. Rows and columns of the
 * block matrix must be cut alike; more than 2^31 entries are refused. `out` is empty or of an
 * earlier build, whose memory it takes. Builds that come again and again do not allocate. */
SofaErr sofa_scalar_columns_build(SofaContext *ctx, const SofaBlockMatrix *matrix,
                                  SofaColumnsPart part, const int *order, const int *rank,
                                  SofaScalarColumns *out);
/* Fetches the values again, each multiplied by factor; the pattern must be the one of the build. */
void sofa_scalar_columns_refresh(const SofaBlockMatrix *matrix, double factor,
                                 SofaScalarColumns *columns);
void sofa_scalar_columns_free(SofaContext *ctx, SofaScalarColumns *columns);

SOFA_END_DECLS

#endif
