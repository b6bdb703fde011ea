/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The inside of a block matrix, shared by the files block_*.c only. */
#ifndef SOFA_MATH_BLOCK_MATRIX_IMPL_H
#define SOFA_MATH_BLOCK_MATRIX_IMPL_H

#include "base/array.h"
#include "math/block_matrix.h"

SOFA_LIST(uint64_t, SofaBlockKeys);
SOFA_LIST(size_t, SofaBlockPlaces);

/* Appends a variable of the type of the entries; without a call where there is room. */
#define PUSH(ctx, list, variable)                                                                  \
  ((list)->n < (list)->capacity ? ((list)->data[(list)->n++] = (variable), (SofaErr)SOFA_OK)       \
                                : SOFA_APPEND((ctx), (list), &(variable)))

/* The pattern: the blocks that exist and the places of their values. */
typedef struct SofaBlockPattern {
  size_t n_blocks, n_values;
  uint32_t *start;                       /* n_rows + 1 */
  uint32_t *row;                         /* n_blocks */
  uint32_t *column;                      /* n_blocks */
  size_t *offset;                        /* n_blocks; NULL when uniform */
  uint32_t *diagonal;                    /* n_rows when rows and columns are cut alike, else NULL */
  double *values;                        /* n_values + 1 */
  size_t block_capacity, value_capacity; /* entries of the arrays of blocks; of values */
} SofaBlockPattern;

/* What the pattern of a list of calls is made with. */
typedef struct SofaBlockBuilder {
  SofaIndices by_row;      /* calls grouped by row, in order within a row */
  SofaBlockPlaces row_end; /* n_rows + 1: end of each row's calls */
  SofaIndices mark;        /* n_columns: row + 1 that saw the column last; later its next call */
  SofaIndices columns;     /* of all rows, ascending within a row */
  SofaIndices calls;       /* the new record */
} SofaBlockBuilder;

/* Blocks outside the pattern, met during an assembly: a hash table with open addressing. */
typedef struct SofaFreshBlocks {
  SofaBlockKeys keys;     /* row << 32 | column, in order of appearance */
  SofaBlockPlaces places; /* of their values */
  SofaReals values;
  uint32_t *table;   /* index + 1 into keys; 0: free */
  size_t table_size; /* power of two, or 0 */
} SofaFreshBlocks;

struct SofaBlockMatrix {
  SofaBlockReplay replay; /* first; n is 0 while an assembly does not follow the record */
  SofaContext *ctx;
  size_t n_rows, n_columns;
  uint8_t *row_blocks, *column_blocks;
  uint32_t *row_scalar, *column_scalar;
  bool alike; /* rows and columns are cut alike */
  SofaBlockPattern pattern;
  SofaIndices calls; /* the record, see SofaBlockCall */
  bool lone_blocks;  /* the record has no call of some block */
  bool diverged;     /* this assembly does not follow the record: keys holds its calls */
  SofaBlockKeys keys;
  SofaFreshBlocks fresh;
  /* The memory of a rebuild is kept from the second change of the record on: a matrix whose calls
   * never change needs it once, one with contacts in every step. */
  unsigned rebuilds; /* counted up to the first one whose memory is kept */
  SofaBlockBuilder builder;
  SofaBlockPattern spare; /* the pattern before this one */
  SofaErr error;          /* of an add */
  uint8_t *touched;       /* one per block column: scratch of discard */
  uint32_t *projected;    /* one per block row: scratch of project; NULL until then */
  uint64_t record;        /* grows with every other record of calls; from 1 */
  uint64_t pattern_version, value_version;
  /* The versions of a matrix whose calls are the record, and the own record then; 0: of none. */
  uint64_t taken_pattern, taken_record, own_record;
};

static inline size_t sofa_block_place(const SofaBlockMatrix *m, size_t k) {
  const size_t u = m->replay.uniform;
  return u ? u * u * k : m->pattern.offset[k];
}
/* A new assembly, without values yet, from the first call of the record on. */
void sofa_block_follow(SofaBlockMatrix *m);
void sofa_block_drop_record(SofaBlockMatrix *m);
/* Block at (row, column), or pattern.n_blocks. */
size_t sofa_block_search(const SofaBlockMatrix *m, uint32_t row, uint32_t column);
/* Makes the pattern from the keys of a diverged assembly and moves the values there. */
SofaErr sofa_block_rebuild(SofaBlockMatrix *m);
void sofa_block_pattern_free(SofaContext *ctx, SofaBlockPattern *pattern);
/* The pattern of a matrix that is cut alike, without its values, which become 0. */
SofaErr sofa_block_pattern_copy(const SofaBlockMatrix *m, const SofaBlockPattern *from,
                                SofaBlockPattern *to);
/* The record of calls. */
SofaErr sofa_block_calls_copy(SofaBlockMatrix *m, const SofaIndices *from);
/* Forgets the calls of an assembly that diverged, and frees the memory that is not kept. */
void sofa_block_rebuild_end(SofaBlockMatrix *m);
void sofa_block_scratch_free(SofaBlockMatrix *m);

SofaErr sofa_fresh_add(SofaContext *ctx, SofaFreshBlocks *fresh, uint64_t key, size_t size,
                       const double *block, double factor);
void sofa_fresh_empty(SofaFreshBlocks *fresh); /* keeps the memory */
void sofa_fresh_free(SofaContext *ctx, SofaFreshBlocks *fresh);

#endif
