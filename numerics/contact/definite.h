/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The nearest positive semidefinite matrix of a small symmetric one. */
#ifndef SOFA_NUMERICS_CONTACT_DEFINITE_H
#define SOFA_NUMERICS_CONTACT_DEFINITE_H

#include <stdbool.h>
#include "base/api.h"

SOFA_BEGIN_DECLS

enum { SOFA_DEFINITE_MOST = 24 };

/* Eigenvalues of the symmetric n x n matrix a (row-major, n up to 24), in no order, and its unit
 * eigenvectors, the rows of q: reduction to tridiagonal form by reflections (Householder 1958),
 * QL iterations with implicit shifts (Martin and Wilkinson 1968). False: an entry is not finite. */
bool sofa_symmetric_eigen(int n, const double *a, double *values, double *q);

/* Replaces negative eigenvalues of a by 0: the nearest positive semidefinite matrix in the
 * Frobenius norm. A matrix without negative eigenvalues, up to 1e-14 of the largest, keeps its
 * bits. False: an entry is not finite, and a is unchanged. */
bool sofa_make_definite(int n, double *a);

SOFA_END_DECLS

#endif
