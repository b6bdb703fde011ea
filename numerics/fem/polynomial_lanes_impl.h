/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Polynomials of springs in lanes, for kernels that are compiled once per instruction set. */
#ifndef NUMERICS_FEM_POLYNOMIAL_LANES_IMPL_H
#define NUMERICS_FEM_POLYNOMIAL_LANES_IMPL_H

#include "numerics/fem/lanes_impl.h"
#include "numerics/fem/polynomial_table.h"

/* Value and derivative at e. */
typedef struct LaneValue {
  Lanes value, slope;
} LaneValue;

/* A further coefficient c of the power k + 1, from the highest power on. */
static inline void next_power(Lanes e, Lanes c, uint32_t k, LaneValue *at) {
  at->value = (at->value + c) * e;
  at->slope = lanes_madd(at->slope, e, lanes_set(k + 1) * c);
}

/* Of the polynomials of the springs from k on; lanes behind the last one repeat it. */
static inline LaneValue polynomials_of_each(const SofaPolynomialTable *t, size_t k, Lanes e) {
  LaneValue at = {lanes_set(0), lanes_set(0)};
  const double *c[LANES];
  uint32_t degree[LANES], most = 0;
  for (size_t l = 0; l < LANES; l++) {
    const size_t i = k + l < t->n ? k + l : t->n - 1;
    c[l] = t->coefficients + t->start[i];
    degree[l] = t->degrees[i];
    if (most < degree[l]) most = degree[l];
  }
  for (uint32_t power = most; power-- > 0;) {
    double row[LANES];
    for (size_t l = 0; l < LANES; l++) row[l] = power < degree[l] ? c[l][power] : 0;
    next_power(e, lanes_load(row), power, &at);
  }
  return at;
}

static inline LaneValue polynomials_at(const SofaPolynomialTable *t, size_t k, Lanes e) {
  if (t->n > 1) return polynomials_of_each(t, k, e);
  LaneValue at = {lanes_set(0), lanes_set(0)};
  const double *c = t->coefficients + t->start[0];
  for (uint32_t power = t->degrees[0]; power-- > 0;) next_power(e, lanes_set(c[power]), power, &at);
  return at;
}

#endif
