/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Decompositions of 3x3 matrices: polar (two ways), singular values, symmetric eigenvalues. All
 * matrices are row-major; a result may be the argument. */
#ifndef SOFA_MATH_POLAR_H
#define SOFA_MATH_POLAR_H

#include <stdbool.h>
#include "base/api.h"

SOFA_BEGIN_DECLS

/* A = Q S with Q orthogonal and S symmetric, by scaled Newton iteration (Higham 1986; the scaling
 * of Shoemake and Duff 1992). det Q has the sign of det A: an inverted element gives a reflection.
 * s may be NULL. false when A is singular (or not finite); q then holds the last iterate. */
bool sofa_polar(const double *a, double *q, double *s);

/* F = Q S with Q the rotation closest to F, det Q = 1 always: for an inverted element the direction
 * of the smallest stretch is turned over (Irving, Teran, Fedkiw 2004). Of a matrix of rank 2 it is
 * unique; of rank 1 one of many, of zero the identity. s may be NULL. F must be finite. */
void sofa_polar_stable(const double *f, double *q, double *s);

/* F = U diag(s) V^T with rotations U and V, s[0] >= s[1] >= |s[2]|; s[2] has the sign of det F.
 * One-sided Jacobi rotations: accurate to rounding, small singular values too. */
void sofa_svd3(const double *f, double *u, double *s, double *v);

/* Symmetric A = V diag(values) V^T, values ascending, column i of the rotation V belonging to
 * values[i] (Jacobi). Only the upper triangle of A is read. */
void sofa_eigen3(const double *a, double *values, double *v);

SOFA_END_DECLS

#endif
