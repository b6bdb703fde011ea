/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Block-sparse matrices, assembled again and again with the same pattern: the first assembly
 * records the block of each call, later ones replay the record without a search. */
#ifndef SOFA_MATH_BLOCK_MATRIX_H
#define SOFA_MATH_BLOCK_MATRIX_H

#include "base/array.h"
#include "base/context.h"

SOFA_BEGIN_DECLS

typedef struct SofaBlockMatrix SofaBlockMatrix;

/* Rows and columns are cut into blocks of given sizes (1 to 6 reals), e.g. one per point of a
 * state. row_blocks[i] is the size of block row i; columns likewise. The matrix keeps copies. When
 * rows and columns are cut alike the diagonal blocks always exist. */
SofaErr sofa_block_matrix_create(SofaContext *ctx, size_t n_rows, const uint8_t *row_blocks,
                                 size_t n_columns, const uint8_t *column_blocks,
                                 SofaBlockMatrix **out);
void sofa_block_matrix_destroy(SofaBlockMatrix **matrix);

/* The context that it was created in. */
SofaContext *sofa_block_matrix_context(const SofaBlockMatrix *matrix);

/* An assembly: begin (values become 0, see SofaBlockCall), any number of adds, end. When the calls
 * differ from the recorded ones the pattern is rebuilt at the end, from the calls of this assembly
 * alone; pattern_version grows when it is another pattern. `end` reports memory failures and
 * indices out of range that happened in add; the values are then undefined and the record is
 * dropped. */
void sofa_block_matrix_begin(SofaBlockMatrix *matrix);
void sofa_block_matrix_add_slow(SofaBlockMatrix *matrix, uint32_t row, uint32_t column,
                                const double *block, double factor);
SofaErr sofa_block_matrix_end(SofaBlockMatrix *matrix);

/* A recorded call: the number of its block, with a bit for the first call of that block. Begin
 * leaves the values of an earlier assembly where calls of the record will write: the first call
 * adds to 0, whatever is there. An assembly that leaves the record sets the rest to 0. */
enum SofaBlockCall { SOFA_BLOCK_NUMBER = 0x7fffffff };
static inline bool sofa_block_call_first(uint32_t call) {
  return call > SOFA_BLOCK_NUMBER;
}
/* to += factor block, or 0 + factor block of a first call: n reals. */
static inline void sofa_block_put(uint32_t call, size_t n, const double *block, double factor,
                                  double *to) {
  if (sofa_block_call_first(call)) {
    for (size_t e = 0; e < n; e++) to[e] = 0 + factor * block[e];
  } else {
    for (size_t e = 0; e < n; e++) to[e] += factor * block[e];
  }
}

/* The parts of the struct that the inline replay needs; the rest is private. */
typedef struct SofaBlockReplay {
  const uint32_t *blocks;       /* the recorded calls */
  size_t n, cursor;             /* recorded calls; next one */
  const uint32_t *row, *column; /* of each block */
  double *values;               /* row major blocks, see SofaBlockRows */
  unsigned uniform;             /* see SofaBlockRows */
} SofaBlockReplay;
static inline SofaBlockReplay *sofa_block_matrix_replay(SofaBlockMatrix *matrix) {
  return (SofaBlockReplay *)matrix; /* first member */
}

/* Adds factor * block (row major) at block (row, column). */
static inline void sofa_block_matrix_add(SofaBlockMatrix *matrix, uint32_t row, uint32_t column,
                                         const double *block, double factor) {
  SofaBlockReplay *r = sofa_block_matrix_replay(matrix);
  if (r->cursor < r->n && r->uniform == 3) {
    const uint32_t call = r->blocks[r->cursor], k = call & SOFA_BLOCK_NUMBER;
    if (r->row[k] == row && r->column[k] == column) {
      r->cursor++;
      sofa_block_put(call, 9, block, factor, r->values + 9 * (size_t)k);
      return;
    }
  }
  sofa_block_matrix_add_slow(matrix, row, column, block, factor);
}

/* The next n calls of an assembly that follows its record, for several threads: each makes some of
 * them, by their numbers from 0, when `expects` holds for all of them, and no two may go to the
 * same block. Then `end_run` counts them as made. begin_run returns false where the assembly has to
 * go on with `add`: blocks are not size x size, or the record has no such calls. */
typedef struct SofaBlockRun {
  const uint32_t *blocks, *row, *column;
  double *values;
} SofaBlockRun;
bool sofa_block_matrix_begin_run(SofaBlockMatrix *matrix, unsigned size, size_t n,
                                 SofaBlockRun *run);
void sofa_block_matrix_end_run(SofaBlockMatrix *matrix, size_t n);
static inline bool sofa_block_run_expects(const SofaBlockRun *run, size_t call, uint32_t row,
                                          uint32_t column) {
  const uint32_t k = run->blocks[call] & SOFA_BLOCK_NUMBER;
  return run->row[k] == row && run->column[k] == column;
}
/* Of blocks of 3 x 3. */
static inline void sofa_block_run_add(const SofaBlockRun *run, size_t call, const double *block,
                                      double factor) {
  const uint32_t k = run->blocks[call] & SOFA_BLOCK_NUMBER;
  sofa_block_put(run->blocks[call], 9, block, factor, run->values + 9 * (size_t)k);
}

/* The same of a block that is `scalar` times the identity. */
static inline void sofa_block_run_add_scalar(const SofaBlockRun *run, size_t call, double scalar) {
  const uint32_t k = run->blocks[call] & SOFA_BLOCK_NUMBER;
  double *to = run->values + 9 * (size_t)k;
  if (sofa_block_call_first(run->blocks[call])) {
    for (int e = 0; e < 9; e++) to[e] = e % 4 == 0 ? scalar : 0;
  } else {
    for (int e = 0; e < 9; e += 4) to[e] += scalar;
  }
}

/* Where an assembly stands in its record of calls, among those of all matrices of a context. A
 * list of calls that followed the record from there follows it whenever an assembly stands there
 * again. pattern 0: it does not follow its record, or blocks are not all 3 x 3 or all 6 x 6. */
typedef struct SofaBlockStand {
  uint64_t pattern, record;
  size_t cursor;
} SofaBlockStand;
SofaBlockStand sofa_block_matrix_stand(const SofaBlockMatrix *matrix);

/* Adds blocks of 3 x 3 and their transposes: the calls of sofa_block_matrix_add that SofaBlockPairs
 * describes, in its order, to the bit. */
struct SofaBlockPairs; /* math/kernels.h */
void sofa_block_matrix_add_pairs(SofaBlockMatrix *matrix, const struct SofaBlockPairs *pairs);

/* Compressed block rows, columns ascending within a row. Borrowed. Block k (start[i] <= k <
 * start[i + 1] for block row i) is in block column column[k] and its values begin at values +
 * value_offset[k], row major; when uniform, at values + uniform^2 k and value_offset is NULL. One
 * real behind the last value may be read. */
typedef struct SofaBlockRows {
  size_t n_rows, n_columns; /* block rows and columns */
  size_t n_scalar_rows, n_scalar_columns;
  const uint32_t *start, *column; /* block pattern */
  const uint32_t *diagonal; /* block of each diagonal; NULL unless rows and columns are alike */
  const double *values;
  const size_t *value_offset;
  const uint32_t *row_scalar, *column_scalar; /* first scalar of each block row / column, n + 1 */
  unsigned uniform; /* block size when all blocks are square of that size, else 0 */
  uint64_t pattern_version, value_version;
} SofaBlockRows;
void sofa_block_matrix_rows(const SofaBlockMatrix *matrix, SofaBlockRows *out);
static inline const double *sofa_block_values(const SofaBlockRows *rows, size_t k) {
  return rows->values + (rows->uniform ? rows->uniform * rows->uniform * k : rows->value_offset[k]);
}

/* Zeroes the rows and columns of the scalar dofs marked in mask (n_scalar_rows entries) and sets
 * their diagonal to 1. Rows and columns must be cut alike. */
void sofa_block_matrix_discard(SofaBlockMatrix *matrix, const uint8_t *mask);
/* An orthogonal projection of the first `size` scalars of a block row. */
typedef struct SofaBlockProjection {
  uint32_t row;
  unsigned size; /* <= that of the row's blocks */
  double p[36];  /* size x size, symmetric, p p = p */
} SofaBlockProjection;
SOFA_LIST(SofaBlockProjection, SofaBlockProjections);
/* A := P A P + I - P, the operator that keeps solutions in the range of P when the right-hand side
 * is there; P is the identity but for the listed rows, one after the other. Rows and columns must
 * be cut alike. */
SofaErr sofa_block_matrix_project(SofaBlockMatrix *matrix, const SofaBlockProjections *projections);
/* y = A x; bitwise the same for any thread count. One real behind the end of x may be read. */
void sofa_block_matrix_multiply(const SofaBlockMatrix *matrix, const double *x, double *y,
                                int threads);
/* Entry (i, j) of the scalar matrix; 0 outside the pattern. Searches: not for inner loops. */
double sofa_block_matrix_entry(const SofaBlockMatrix *matrix, size_t i, size_t j);

SOFA_END_DECLS

#endif
