/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Coefficients of backward differentiation formulas over any time samples. */
#include "numerics/time/bdf.h"

/* Derivative at t[order] of the Lagrange basis polynomial of sample j. */
static double basis_derivative(int order, const double *t, int j) {
  double sum = 0;
  for (int i = 0; i <= order; i++) {
    if (i == j) continue;
    double product = 1 / (t[j] - t[i]);
    for (int m = 0; m <= order; m++)
      if (m != i && m != j) product *= (t[order] - t[m]) / (t[j] - t[m]);
    sum += product;
  }
  return sum;
}

void sofa_bdf_coefficients(int order, const double *t, double *a, double *b) {
  const double h = t[order] - t[order - 1];
  const double last = h * basis_derivative(order, t, order);
  for (int j = 0; j <= order; j++) a[j] = h * basis_derivative(order, t, j) / last;
  *b = 1 / last;
}
