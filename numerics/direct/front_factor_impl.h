/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Numeric Cholesky factorization by fronts (Duff and Reid, 1983) of a matrix that CHOLMOD has
 * analysed: its supernodes, its layout of L. Fronts of small and middle size are worth more to us
 * than what a call of BLAS costs, and subtrees of the elimination tree are independent: they run on
 * threads. The bits depend neither on the number of threads nor on BLAS. */
#ifndef SOFA_NUMERICS_DIRECT_FRONT_FACTOR_H
#define SOFA_NUMERICS_DIRECT_FRONT_FACTOR_H

#include <stddef.h>

#include "base/context.h"
#include "math/scalar_columns.h"

typedef struct SofaFronts SofaFronts;

/* Supernodes of L: node k has columns super[k] to super[k + 1], rows row[row_start[k]] to
 * row[row_start[k + 1]], which begin with the columns, and values from value_start[k] on. */
typedef struct SofaSupernodes {
  size_t n; /* nodes */
  const int *super, *row_start, *value_start, *row;
} SofaSupernodes;

/* lower: the pattern of the lower triangle of the reordered matrix. *fronts: NULL, or those of an
 * earlier pattern, whose memory is used again; NULL after an error. */
SofaErr sofa_fronts_plan(SofaContext *ctx, const SofaSupernodes *nodes,
                         const SofaScalarColumns *lower, SofaFronts **fronts);
void sofa_fronts_destroy(SofaContext *ctx, SofaFronts **fronts);
/* Plans for so many threads and a precision, before they factorise. */
SofaErr sofa_fronts_reserve(SofaFronts *fronts, int threads, bool single);
/* l = the factor of the matrix with these values, of the entries of `lower`. *minor: the first
 * column whose pivot is not positive, or the number of columns. */
void sofa_fronts_factorise(SofaFronts *fronts, const double *values, double *l, size_t *minor);

/* Solutions with L, on the threads of the context; the bits do not depend on their number. */
typedef struct SofaSupernodeSolver SofaSupernodeSolver;

/* nodes: of a factor that lives as long as the plan is used, children before parents. *solver:
 * NULL, or one of an earlier pattern, whose memory is used again; NULL after an error. */
SofaErr sofa_supernode_solver_plan(SofaContext *ctx, const SofaSupernodes *nodes,
                                   SofaSupernodeSolver **solver);
void sofa_supernode_solver_destroy(SofaContext *ctx, SofaSupernodeSolver **solver);
/* L L^T y = y */
void sofa_supernode_solver_apply(const SofaSupernodeSolver *solver, const double *l, double *y);

/* ---- in single precision; numbers below its range are taken to be 0 ---- */

/* The factor of scale times the matrix. */
void sofa_fronts_factorise_single(SofaFronts *fronts, const double *values, double scale, float *l,
                                  size_t *minor);
void sofa_supernode_solver_apply_single(const SofaSupernodeSolver *solver, const float *l,
                                        float *y);

#endif
