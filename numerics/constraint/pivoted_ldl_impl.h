/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Factors P^T L D L^T P of a small dense symmetric matrix that may be semidefinite: pivots of
 * rounding size are left out (Higham, Analysis of the Cholesky decomposition of a semi-definite
 * matrix, 1990). */
#ifndef NUMERICS_CONSTRAINT_PIVOTED_LDL_H
#define NUMERICS_CONSTRAINT_PIVOTED_LDL_H

#include <stddef.h>

/* f: n * n + n reals: L below the diagonal, D on it (0: left out), then the interchanges. Reads the
 * lower triangle of w (n x n, row major). */
size_t sofa_pivoted_ldl_size(size_t n);
void sofa_pivoted_ldl(size_t n, const double *w, double *f);
/* x = w^-1 x; rows of pivots that were left out get 0. */
void sofa_pivoted_ldl_solve(size_t n, const double *f, double *x);

#endif
