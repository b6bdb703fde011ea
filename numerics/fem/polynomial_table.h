/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Polynomials without a constant term, as kernels read them. */
#ifndef SOFA_NUMERICS_FEM_POLYNOMIAL_TABLE_H
#define SOFA_NUMERICS_FEM_POLYNOMIAL_TABLE_H

#include <stddef.h>
#include <stdint.h>

/* Polynomial i has the coefficients start[i] .. start[i] + degrees[i] - 1, of e, e^2, ... */
typedef struct SofaPolynomialTable {
  const double *coefficients;
  const uint32_t *degrees, *start;
  size_t n; /* 1 for all springs, or one for each */
} SofaPolynomialTable;

#endif
