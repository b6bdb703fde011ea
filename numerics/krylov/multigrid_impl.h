/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The levels of a multigrid method; private to multigrid*.c. */
#ifndef SOFA_NUMERICS_KRYLOV_MULTIGRID_IMPL_H
#define SOFA_NUMERICS_KRYLOV_MULTIGRID_IMPL_H

#include "math/kernels.h"
#include "numerics/krylov/multigrid.h"

enum { MODES = 6, FINE = 3, BLOCK_MAX = 36 }; /* rigid-body modes; size of a point; reals */

/* A matrix of blocks in compressed rows: block k of row i (start[i] <= k < start[i + 1]) is in
 * block column column[k], height x width reals from value[height width k] on, row major. */
typedef struct Blocks {
  size_t n_rows, n_columns;
  unsigned height, width;
  SofaIndices start, column;
  SofaReals value;
} Blocks;

/* The square matrix of a level: borrowed pointers into the block matrix, or into `own`, whose
 * blocks are stored column by column. */
typedef struct LevelMatrix {
  size_t n; /* block rows */
  unsigned size;
  const uint32_t *start, *column;
  const double *value;
} LevelMatrix;

typedef struct Level {
  LevelMatrix a;
  Blocks own;               /* of all levels but the first */
  SofaReals near;           /* a.n size x MODES: the modes */
  SofaReals inverse;        /* a.n x size^2: D^-1 */
  double largest;           /* eigenvalue of D^-1 A, a bound to a few percent */
  Blocks p;                 /* to the next level; no rows on the last */
  SofaIndices from, entry;  /* blocks of p by column: from[j] <= k < from[j + 1], entry[k] of p, */
  SofaIndices row;          /* in row row[k], ascending */
  SofaReals x, b, r, d, ad; /* a.n size: the cycle's vectors */
} Level;

enum { LEVELS_MAX = 20 };

struct SofaMultigrid {
  SofaContext *ctx;
  const SofaBlockMatrix *matrix;
  SofaMultigridOptions options;
  Level level[LEVELS_MAX];
  size_t n_levels;
  SofaReals factor; /* L of the last level, dense rows of the lower triangle, n^2 */
};

void sofa_blocks_free(SofaContext *ctx, Blocks *b);

/* The aggregate of each block row, SOFA_NO_AGGREGATE for rows without coupling; their number. */
#define SOFA_NO_AGGREGATE UINT32_MAX
SofaErr sofa_multigrid_aggregate(SofaContext *ctx, const LevelMatrix *a, double strength,
                                 SofaIndices *aggregate, size_t *n_aggregates);
/* P0: the modes of each aggregate made orthonormal; `coarse`: the modes of the next level. */
SofaErr sofa_multigrid_tentative(SofaContext *ctx, const Level *fine, const SofaIndices *aggregate,
                                 size_t n_aggregates, Blocks *p0, SofaReals *coarse);
/* P = (I - omega D^-1 A) P0 */
SofaErr sofa_multigrid_smooth(SofaContext *ctx, const Level *fine, double omega, const Blocks *p0,
                              Blocks *p);
/* The blocks of p by column. */
SofaErr sofa_multigrid_transpose(SofaContext *ctx, Level *fine);
/* P^T A P, its blocks by columns; unknowns without a mode get 1 on the diagonal. */
SofaErr sofa_multigrid_product(SofaContext *ctx, const Level *fine, Blocks *out);
/* y = A x of a level. */
void sofa_multigrid_multiply(const SofaMultigrid *mg, const Level *level, const double *x,
                             double *y);
/* D^-1 of a level; *row: a scalar row whose block is not positive definite. */
SofaErr sofa_multigrid_invert(SofaContext *ctx, Level *level, size_t *row);

/* Two reals in one register of every machine. */
typedef double Pair __attribute__((vector_size(16), aligned(8), may_alias));
enum { PAIRS = MODES / 2 };

/* c += sum_m x[m] times row m of a; c, rows of a: MODES reals. k is a constant where it is called,
 * as the sizes below. */
static inline __attribute__((always_inline)) void sofa_add_rows(unsigned k, const double *a,
                                                                const double *x, double *c) {
  Pair *sum = (Pair *)c;
  for (unsigned m = 0; m < k; m++) {
    const Pair f = {x[m], x[m]}, *row = (const Pair *)(a + MODES * m);
    for (int j = 0; j < PAIRS; j++) sum[j] += f * row[j];
  }
}

/* c += a b; a: h x k, row major; b: k x MODES. */
static inline __attribute__((always_inline)) void
sofa_add_product(unsigned h, unsigned k, const double *a, const double *b, double *c) {
  for (unsigned i = 0; i < h; i++) sofa_add_rows(k, b, a + k * i, c + MODES * i);
}

/* c += a^T b; a: k x h, row major; b: k x MODES. */
static inline __attribute__((always_inline)) void
sofa_add_product_t(unsigned h, unsigned k, const double *a, const double *b, double *c) {
  for (unsigned i = 0; i < h; i++) {
    double column[MODES];
    for (unsigned m = 0; m < k; m++) column[m] = a[h * m + i];
    sofa_add_rows(k, b, column, c + MODES * i);
  }
}

#endif
