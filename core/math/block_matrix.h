/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Block-sparse matrices, assembled again and again with the same pattern: the first assembly
 * records the slot of each call, later ones replay the slots without a search. */
#ifndef SOFA_MATH_BLOCK_MATRIX_H
#define SOFA_MATH_BLOCK_MATRIX_H

#include "base/context.h"

typedef struct SofaBlockMatrix SofaBlockMatrix;

/* Rows and columns are cut into blocks of given sizes (1, 2, 3 or 6 reals), e.g. one per point of a
 * state. row_blocks[i] is the size of block row i; columns likewise. The matrix keeps copies. */
SofaErr sofa_block_matrix_create(SofaContext *ctx, size_t n_rows, const uint8_t *row_blocks,
                                 size_t n_columns, const uint8_t *column_blocks,
                                 SofaBlockMatrix **out);
void sofa_block_matrix_destroy(SofaBlockMatrix **matrix);

/* An assembly: begin (values become 0), any number of adds, end. When the calls differ from the
 * recorded ones the pattern is rebuilt at the end and pattern_version grows. `end` reports memory
 * failures that happened in add. */
SofaErr sofa_block_matrix_begin(SofaBlockMatrix *matrix);
void sofa_block_matrix_add_slow(SofaBlockMatrix *matrix, uint32_t row, uint32_t column,
                                const double *block, double factor);
SofaErr sofa_block_matrix_end(SofaBlockMatrix *matrix);

/* The parts of the struct that the inline replay needs; the rest is private. */
typedef struct SofaBlockReplay {
  const uint64_t *keys;  /* row << 32 | column of recorded call c */
  double *const *slots;  /* where its values go (row major, ld = column block size) */
  size_t n, cursor;      /* recorded calls; next one */
  const uint8_t *rows, *columns; /* block sizes */
} SofaBlockReplay;
static inline SofaBlockReplay *sofa_block_matrix_replay(SofaBlockMatrix *matrix) {
  return (SofaBlockReplay *)matrix; /* first member */
}

/* Adds factor * block (row major) at block (row, column). */
static inline void sofa_block_matrix_add(SofaBlockMatrix *matrix, uint32_t row, uint32_t column,
                                         const double *block, double factor) {
  SofaBlockReplay *r = sofa_block_matrix_replay(matrix);
  if (r->cursor < r->n && r->keys[r->cursor] == ((uint64_t)row << 32 | column)) {
    double *to = r->slots[r->cursor++];
    const unsigned size = (unsigned)r->rows[row] * r->columns[column];
    if (size == 9) {
      for (int k = 0; k < 9; k++) to[k] += factor * block[k];
    } else {
      for (unsigned k = 0; k < size; k++) to[k] += factor * block[k];
    }
  } else {
    sofa_block_matrix_add_slow(matrix, row, column, block, factor);
  }
}

/* Compressed block rows, columns ascending within a row. Borrowed. value[start[i]..] are blocks of
 * row i; blocks of equal sizes are contiguous: block k begins at values + value_offset[k] (uniform
 * 3x3: 9 k, then value_offset is NULL). */
typedef struct SofaBlockRows {
  size_t n_rows, n_columns;       /* block rows and columns */
  size_t n_scalar_rows, n_scalar_columns;
  const uint32_t *start, *column; /* block pattern */
  const double *values;
  const size_t *value_offset;
  const uint32_t *row_scalar, *column_scalar; /* first scalar of each block row / column, n + 1 */
  unsigned uniform;               /* block size when all blocks are square of that size, else 0 */
  uint64_t pattern_version, value_version;
} SofaBlockRows;
void sofa_block_matrix_rows(const SofaBlockMatrix *matrix, SofaBlockRows *out);

/* Zeroes the rows and columns of the scalar dofs marked in mask (n_scalar_rows entries) and sets
 * their diagonal to 1. The diagonal blocks exist always (square matrices). */
SofaErr sofa_block_matrix_discard(SofaBlockMatrix *matrix, const uint8_t *mask);
/* y = A x; bitwise the same for any thread count. */
void sofa_block_matrix_multiply(const SofaBlockMatrix *matrix, const double *x, double *y,
                                int threads);

/* Scalar compressed columns of the lower triangle (lower true; for symmetric solvers) or of the
 * whole matrix; built once per pattern, values refreshed on each call. Borrowed until the next. */
typedef struct SofaScalarColumns {
  size_t n;
  const int *start, *row; /* int: what CHOLMOD and UMFPACK read */
  const double *value;
  uint64_t pattern_version;
} SofaScalarColumns;
SofaErr sofa_block_matrix_columns(SofaBlockMatrix *matrix, bool lower, SofaScalarColumns *out);

#endif
