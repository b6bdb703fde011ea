/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Numeric kernels over long vectors, compiled once per instruction set.
 *
 * Within one instruction set a result never depends on alignment; avx2 and avx512 give the same
 * bits as each other (both fuse multiply-add, in the same places), and baseline gives the same bits
 * on every machine. Reductions run over 16 interleaved lanes within chunks of 1024 entries and add
 * the chunks pairwise. Nothing here allocates. Vectors may be empty. Unless a comment says
 * otherwise, vectors must not overlap. */
#ifndef SOFA_MATH_KERNELS_H
#define SOFA_MATH_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/api.h"

SOFA_BEGIN_DECLS

/* A sparse matrix of 3x3 blocks, row by row; borrowed by the kernels. Row i holds the blocks
 * row_ptr[i] .. row_ptr[i + 1] - 1, block k is in block column col[k] and its nine entries,
 * row-major, are values[9 k] .. values[9 k + 8]. Columns of a row may come in any order. */
typedef struct SofaBlockCsr3 {
  size_t n_rows; /* in blocks */
  const uint32_t *row_ptr, *col;
  const double *values;
} SofaBlockCsr3;

/* y = a_0 x_0 + a_1 x_1 + .., or y += that: 1 to 3 terms, added from left to right. */
typedef struct SofaLincomb {
  int n_terms;
  bool add;
  const double *a, *const *x;
} SofaLincomb;

/* The vectors of a step of conjugate gradients: x += a p, r -= a q. */
typedef struct SofaCgVectors {
  double *x, *r;
  const double *p, *q;
} SofaCgVectors;

/* What a product with the upper triangle of a symmetric matrix computes and where it goes. */
typedef struct SofaUpperRows {
  size_t begin, end; /* block rows */
  double *sums;      /* four reals (the fourth is garbage) for each block row from `begin` to the
                      * last column, added to */
  size_t direct;     /* rows from here on are written to y, those before stay in sums */
} SofaUpperRows;

/* Entries of rows in consecutive columns, row after row: those of the row at place p begin at
 * value[at + p n]. */
typedef struct SofaRowRun {
  uint32_t column, n;
  int64_t at;
} SofaRowRun;

/* Up to three sparse rows with the same runs. */
typedef struct SofaRunRows {
  const SofaRowRun *run;
  size_t n_runs;
  int n; /* rows */
  uint32_t place[3];
  const double *value;
} SofaRunRows;

/* Blocks of pairs of points, 3 x 3 or 6 x 6, row major, that are added to a matrix times a factor:
 * that of pair p at block (row[p] + first_row, column[p] + first_column), then, unless row[p] is
 * column[p], its transpose at (column[p] + first_row, row[p] + first_column). */
typedef struct SofaBlockPairs {
  size_t n;
  const uint32_t *row, *column;
  const double *blocks; /* 9 n or 36 n */
  uint32_t first_row, first_column;
  double factor;
  bool known; /* that the calls follow the record: they did, and it is the same one */
} SofaBlockPairs;

/* Where additions went before: number c by the call `blocks[c]` to a block of a matrix (see
 * SofaBlockCall), whose place is row, column and whose values begin at 9 or 36 times its number. */
typedef struct SofaBlockTrace {
  const uint32_t *blocks, *row, *column;
  size_t n, cursor; /* the next one */
  double *values;
} SofaBlockTrace;

static inline const double *sofa_run_values(const double *value, const SofaRowRun *run,
                                            uint32_t place) {
  return value + (run->at + (int64_t)place * run->n);
}

/* Instruction sets, by the names of their kernels. */
typedef enum SofaIsa { SOFA_ISA_baseline, SOFA_ISA_avx2, SOFA_ISA_avx512 } SofaIsa;

/* On one thread: pieces of vectors are jobs of the team. n counts doubles. */
typedef struct SofaKernels {
  const char *name; /* "baseline", "avx2", "avx512" */
  SofaIsa isa;
  void (*zero)(size_t n, double *x);
  void (*copy)(size_t n, const double *x, double *y);           /* y = x */
  void (*scale)(size_t n, double a, double *x);                 /* x = a x */
  void (*axpy)(size_t n, double a, const double *x, double *y); /* y += a x */
  void (*xpay)(size_t n, const double *x, double b, double *y); /* y = x + b y */
  /* z = x + a y; z may be x or y */
  void (*waxpy)(size_t n, const double *x, double a, const double *y, double *z);
  /* z = x y entry by entry; z may be x or y */
  void (*multiply)(size_t n, const double *x, const double *y, double *z);
  /* products and sums are rounded each, the same on all instruction sets; y may be one of the x */
  void (*lincomb)(size_t n, const SofaLincomb *sum, double *y);
  double (*dot)(size_t n, const double *x, const double *y); /* x may be y */
  double (*max_abs)(size_t n, const double *x);              /* 0 if empty, NaN if any is NaN */
  /* one step of conjugate gradients; returns r.r as dot does */
  double (*cg_update)(size_t n, double a, const SofaCgVectors *vectors);
  void (*dot_rows)(const SofaRunRows *rows, const double *x, double *out); /* out_i = row_i . x */
  /* x += a_0 row_0 + a_1 row_1 + .. */
  void (*axpy_rows)(const SofaRunRows *rows, const double *a, double *x);
  /* out_ik = row_i . row_k, n x n */
  void (*gram_rows)(const SofaRunRows *rows, double *out);
  void (*spmv3)(const SofaBlockCsr3 *a, const double *x, double *y); /* y = A x */
  /* Product with block rows of a symmetric matrix of which `a` holds the upper triangle, the
   * diagonal block first in each row; one thread. One real behind the last value and behind x is
   * read. See math/symmetric_operator.h. */
  void (*spmv3_upper)(const SofaUpperRows *rows, const SofaBlockCsr3 *a, const double *x,
                      double *y);
  /* Adds pairs from `begin` on as long as they follow the trace, and moves its cursor; returns the
   * first pair that was not added. Products and sums are rounded each. */
  size_t (*add_pairs3)(const SofaBlockPairs *pairs, size_t begin, SofaBlockTrace *trace);
  /* The same with blocks of 6 x 6, all of which follow the trace. */
  void (*add_pairs6)(const SofaBlockPairs *pairs, SofaBlockTrace *trace);
} SofaKernels;

/* The kernels of an instruction set: "baseline", "avx2", "avx512", or the best the processor has
 * (NULL, "auto"). NULL for a name that is unknown or that this processor cannot run. */
const SofaKernels *sofa_kernels_select(const char *isa);

/* Use sofa_kernels_select. The last two exist on x86-64 only. */
extern const SofaKernels sofa_kernels_baseline, sofa_kernels_avx2, sofa_kernels_avx512;

SOFA_END_DECLS

#endif
