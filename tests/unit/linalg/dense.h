/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Small dense matrices, random numbers and LAPACK's solvers, to check sparse code against. */
#ifndef TESTS_DENSE_H
#define TESTS_DENSE_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "math/block_matrix.h"

typedef struct Dense {
  size_t rows, columns;
  double *a; /* row major */
} Dense;

static inline Dense dense_new(size_t rows, size_t columns) {
  return (Dense){rows, columns, calloc(rows * columns + 1, sizeof(double))};
}
static inline double *dense_at(Dense *d, size_t i, size_t j) {
  return &d->a[i * d->columns + j];
}

static inline Dense dense_of(const SofaBlockMatrix *m) {
  SofaBlockRows r;
  sofa_block_matrix_rows(m, &r);
  Dense d = dense_new(r.n_scalar_rows, r.n_scalar_columns);
  for (size_t i = 0; i < d.rows; i++)
    for (size_t j = 0; j < d.columns; j++) *dense_at(&d, i, j) = sofa_block_matrix_entry(m, i, j);
  return d;
}

static inline double dense_difference(const Dense *a, const Dense *b) {
  double worst = a->rows == b->rows && a->columns == b->columns ? 0 : INFINITY;
  for (size_t k = 0; k < a->rows * a->columns && worst < INFINITY; k++)
    worst = fmax(worst, fabs(a->a[k] - b->a[k]));
  return worst;
}

static inline void dense_times(const Dense *a, const double *x, double *y) {
  for (size_t i = 0; i < a->rows; i++) {
    y[i] = 0;
    for (size_t j = 0; j < a->columns; j++) y[i] += a->a[i * a->columns + j] * x[j];
  }
}

/* Solves A x = b with partial pivoting; a copy of A is factored. False: singular. */
extern void dgesv_(const int *n, const int *nrhs, double *a, const int *lda, int *ipiv, double *b,
                   const int *ldb, int *info);
static inline int dense_solve(const Dense *a, const double *b, double *x) {
  const int n = (int)a->rows, one = 1;
  int info = 0, *pivots = calloc(a->rows, sizeof *pivots);
  double *f = malloc(a->rows * a->rows * sizeof *f);
  for (size_t i = 0; i < a->rows; i++)
    for (size_t j = 0; j < a->rows; j++) f[j * a->rows + i] = a->a[i * a->rows + j];
  memcpy(x, b, a->rows * sizeof *x);
  dgesv_(&n, &one, f, &n, pivots, x, &n, &info);
  free(f);
  free(pivots);
  return info == 0;
}

/* xorshift64*: the same numbers on every machine */
static inline double random_real(uint64_t *state) {
  *state ^= *state >> 12;
  *state ^= *state << 25;
  *state ^= *state >> 27;
  return (double)((*state * 2685821657736338717u) >> 11) / 9007199254740992.0 * 2 - 1;
}
static inline uint32_t random_below(uint64_t *state, uint32_t n) {
  return (uint32_t)((random_real(state) + 1) / 2 * n) % n;
}

#endif
