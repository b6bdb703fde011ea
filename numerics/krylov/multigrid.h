/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Multigrid by smoothed aggregation for elasticity (Vanek, Mandel, Brezina: Algebraic multigrid by
 * smoothed aggregation for second and fourth order elliptic problems, Computing 56, 1996).
 *
 * Points that are coupled form aggregates. The rigid-body modes of an aggregate, made orthonormal,
 * are the columns of P0, six unknowns of the next level; with D the block diagonal of A,
 *   P = (I - w D^-1 A) P0,  w = 4 / (3 lambda),  A' = P^T A P,
 * lambda the largest eigenvalue of D^-1 A. A cycle smooths with Chebyshev polynomials in D^-1 A
 * before and after the correction of the next level; on the last one it solves. One cycle from zero
 * is a symmetric positive definite operator. All sums have a fixed order: results do not depend on
 * the number of threads. */
#ifndef SOFA_NUMERICS_KRYLOV_MULTIGRID_H
#define SOFA_NUMERICS_KRYLOV_MULTIGRID_H

#include "math/block_matrix.h"

SOFA_BEGIN_DECLS

typedef struct SofaMultigridOptions {
  double strength; /* points i, j are coupled when |A_ij|^2 > strength^2 |A_ii| |A_jj|; >= 0 */
  unsigned degree; /* of the polynomials; >= 1 */
  size_t coarsest; /* unknowns that are solved directly; >= 6 */
} SofaMultigridOptions;

typedef struct SofaMultigrid SofaMultigrid;

SofaErr sofa_multigrid_create(SofaContext *ctx, SofaMultigrid **out);
void sofa_multigrid_destroy(SofaMultigrid **multigrid);

/* All levels for a symmetric positive definite matrix of 3x3 blocks, of which one is at each of its
 * points (3 reals for each row of blocks). The matrix is borrowed until the next build. A matrix
 * that is not positive definite: SOFA_ERR_SINGULAR, *row is a scalar row of it where it shows. */
SofaErr sofa_multigrid_build(SofaMultigrid *multigrid, const SofaBlockMatrix *matrix,
                             const double *points, const SofaMultigridOptions *options,
                             size_t *row);
/* x = one cycle for A x = b from zero. Both have the matrix's scalar rows. */
void sofa_multigrid_apply(SofaMultigrid *multigrid, const double *b, double *x);

size_t sofa_multigrid_n_levels(const SofaMultigrid *multigrid);
/* Stored entries of all levels over those of the matrix. */
double sofa_multigrid_complexity(const SofaMultigrid *multigrid);

SOFA_END_DECLS

#endif
