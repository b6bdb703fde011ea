/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Dense kernels of a multifrontal Cholesky factorization, compiled once per instruction set. Every
 * entry is a sum over the columns in ascending order, whatever the vectors' length: avx2 and avx512
 * give the same bits. Use front_factor_impl.h. */
#ifndef SOFA_NUMERICS_DIRECT_FRONT_KERNELS_H
#define SOFA_NUMERICS_DIRECT_FRONT_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "numerics/direct/front_real_impl.h"

enum {
  FRONT_ROWS = 16,  /* of a group */
  FRONT_WIDTH = 8,  /* columns of a tile */
  FRONT_BLOCK = 64, /* columns that are factorised together */
};

/* The columns of a supernode (the panel) and what they subtract from later ones (the update).
 *
 * Row r of the panel is at place r + pad. Groups of 16 places are stored one behind the other, a
 * group column by column: place p of column k is at (p / 16 * columns + k) * 16 + p % 16. `pad`
 * makes the first row of the update begin a group. */
typedef struct Front {
  int columns, rows, pad, n_groups;
  FrontReal *panel;
  FrontReal *inverse; /* of the diagonal of L, per column */
  FrontReal *update;  /* rows - columns squared, see front_update_place */
  size_t ld;          /* its rows, a multiple of 16 */
  bool fresh;         /* no child adds to the update: it is taken to be zero */
} Front;

/* Of a symmetric update the groups of 16 columns are stored one behind the other, each column by
 * column from the first row of the diagonal's block on: its columns are this far apart. */
static inline size_t front_update_ld(size_t ld, size_t column) {
  return ld - column / FRONT_ROWS * FRONT_ROWS;
}
/* Reals of the groups before. */
static inline size_t front_update_group(size_t ld, size_t group) {
  return FRONT_ROWS * group * ld - FRONT_ROWS * FRONT_ROWS / 2 * (group * (group - 1));
}
/* Where row `row` of a column is. */
static inline size_t front_update_place(size_t ld, size_t column, size_t row) {
  const size_t group = column / FRONT_ROWS, first = group * FRONT_ROWS;
  return front_update_group(ld, group) + (column - first) * (ld - first) + (row - first);
}

/* A range of consecutive rows of a child's update in its parent. */
typedef struct FrontRun {
  int from, to, n; /* rows of the update; rows of the parent's panel */
} FrontRun;

/* An update and where its rows go in the parent. */
typedef struct FrontChild {
  const FrontReal *update;
  size_t ld;
  int rows;
  const int *to;       /* row of the parent's panel of each */
  const FrontRun *run; /* all rows, ascending */
} FrontChild;

typedef struct FrontKernels {
  /* Factorises the groups of rows that have the diagonal of columns begin .. end - 1; -1, or the
   * column whose pivot is not positive. Blocks begin where the place of the diagonal is a multiple
   * of FRONT_BLOCK, or at 0. */
  int (*diagonal)(const Front *f, int begin, int end);
  /* Then the same columns of other groups below. */
  void (*below)(const Front *f, int begin, int end, int group, int group_end);
  /* Subtracts L L^T from a group of columns of the update. */
  void (*update)(const Front *f, int column_group);
  /* Adds columns begin .. end - 1 of a child's update. */
  void (*add)(const Front *f, const FrontChild *child, int begin, int end);
  /* l = the panel column by column, as CHOLMOD has it: columns begin .. end - 1. */
  void (*store)(const Front *f, FrontReal *l, int begin, int end);
  /* With a supernode's columns of L, which are ld apart: L w = w, and what they subtract from the
   * rows below; then L^T w = w for the columns, w of the rows below given. */
  void (*forward)(int columns, int rows, int ld, const FrontReal *l, FrontReal *w);
  void (*backward)(int columns, int rows, int ld, const FrontReal *l, FrontReal *w);
  /* The part of them of rows below the triangle: to -= L w, and x -= L^T w. */
  void (*subtract)(int columns, int rows, int ld, const FrontReal *l, const FrontReal *w,
                   FrontReal *to);
  void (*products)(int columns, int rows, int ld, const FrontReal *l, const FrontReal *w,
                   FrontReal *x);
} FrontKernels;

/* The last two exist on x86-64 only. */
extern const FrontKernels FRONT_NAME(baseline), FRONT_NAME(avx2), FRONT_NAME(avx512);

#endif
