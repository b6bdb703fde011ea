/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Small dense matrices, elimination and random numbers, to check sparse code against. */
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

/* Solves A x = b by elimination with partial pivoting, on a copy of A. False: singular. */
static inline bool dense_solve(const Dense *a, const double *b, double *x) {
  const size_t n = a->rows;
  bool regular = true;
  Dense f = dense_new(n, n);
  memcpy(f.a, a->a, n * n * sizeof *f.a);
  memcpy(x, b, n * sizeof *x);
  for (size_t k = 0; k < n && regular; k++) {
    size_t pivot = k;
    for (size_t i = k + 1; i < n; i++)
      if (fabs(*dense_at(&f, i, k)) > fabs(*dense_at(&f, pivot, k))) pivot = i;
    regular = *dense_at(&f, pivot, k) != 0;
    for (size_t j = 0; j < n && pivot != k; j++) {
      const double swap = *dense_at(&f, k, j);
      *dense_at(&f, k, j) = *dense_at(&f, pivot, j);
      *dense_at(&f, pivot, j) = swap;
    }
    const double swap = x[k];
    x[k] = x[pivot];
    x[pivot] = swap;
    for (size_t i = k + 1; i < n; i++) {
      const double factor = *dense_at(&f, i, k) / *dense_at(&f, k, k);
      if (factor == 0) continue;
      for (size_t j = k; j < n; j++) *dense_at(&f, i, j) -= factor * *dense_at(&f, k, j);
      x[i] -= factor * x[k];
    }
  }
  for (size_t k = n; k-- > 0 && regular;) {
    for (size_t j = k + 1; j < n; j++) x[k] -= *dense_at(&f, k, j) * x[j];
    x[k] /= *dense_at(&f, k, k);
  }
  free(f.a);
  return regular;
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
