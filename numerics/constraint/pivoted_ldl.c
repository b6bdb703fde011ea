/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pivoted L D L^T factors of a small dense matrix. */
#include "numerics/constraint/pivoted_ldl_impl.h"

#include <float.h>
#include <math.h>

#include "base/bytes.h"

size_t sofa_pivoted_ldl_size(size_t n) {
  return n * n + n;
}

static void swap(double *a, double *b) {
  const double c = *a;
  *a = *b;
  *b = c;
}

/* Interchanges rows and columns j < k of the lower triangle. */
static void interchange(size_t n, double *f, size_t j, size_t k) {
  for (size_t c = 0; c < j; c++) swap(&f[j * n + c], &f[k * n + c]);
  for (size_t i = j + 1; i < k; i++) swap(&f[i * n + j], &f[k * n + i]);
  for (size_t i = k + 1; i < n; i++) swap(&f[i * n + j], &f[i * n + k]);
  swap(&f[j * n + j], &f[k * n + k]);
}

static size_t largest(size_t n, const double *f, size_t j) {
  size_t best = j;
  for (size_t k = j + 1; k < n; k++)
    if (fabs(f[k * n + k]) > fabs(f[best * n + best])) best = k;
  return best;
}

/* Subtracts the pivot's part from the rows below. */
static void eliminate(size_t n, double *f, size_t j) {
  const double pivot = f[j * n + j];
  for (size_t i = j + 1; i < n; i++) {
    const double l = f[i * n + j] / pivot;
    for (size_t k = j + 1; k <= i; k++) f[i * n + k] -= l * f[k * n + j];
  }
  for (size_t i = j + 1; i < n; i++) f[i * n + j] /= pivot;
}

static void leave_out(size_t n, double *f, size_t j) {
  for (size_t i = j; i < n; i++) f[i * n + j] = 0;
}

void sofa_pivoted_ldl(size_t n, const double *w, double *f) {
  double *const places = f + n * n;
  sofa_copy(f, w, n * n * sizeof *f);
  double limit = 0;
  for (size_t j = 0; j < n; j++) {
    const size_t k = largest(n, f, j);
    places[j] = (double)k;
    if (k != j) interchange(n, f, j, k);
    if (j == 0) limit = (double)n * DBL_EPSILON * fabs(f[0]);
    if (!(fabs(f[j * n + j]) > limit)) leave_out(n, f, j);
    else eliminate(n, f, j);
  }
}

void sofa_pivoted_ldl_solve(size_t n, const double *f, double *x) {
  const double *const places = f + n * n;
  for (size_t j = 0; j < n; j++) swap(&x[j], &x[(size_t)places[j]]);
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < i; k++) x[i] -= f[i * n + k] * x[k];
  for (size_t i = 0; i < n; i++) x[i] = f[i * n + i] == 0 ? 0 : x[i] / f[i * n + i];
  for (size_t i = n; i-- > 0;)
    for (size_t k = i + 1; k < n; k++) x[i] -= f[k * n + i] * x[k];
  for (size_t j = n; j-- > 0;) swap(&x[j], &x[(size_t)places[j]]);
}
