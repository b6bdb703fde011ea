/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Operations of diagonal masses, compiled once per instruction set with KERNELS_ISA naming it. */
#include "numerics/mass/diagonal_kernels_impl.h"

#include "math/point_register_impl.h"

static void add(double factor, const double *x, size_t n, double *y) {
  for (size_t i = 0; i < n; i++) y[i] += factor * x[i];
}

static inline double quotient(double f, double mass) {
  return mass != 0 || f != 0 ? f / mass : 0;
}

static void divide(double mass, const double *f, size_t n, double *a) {
  if (mass != 0) {
    for (size_t i = 0; i < n; i++) a[i] = f[i] / mass;
    return;
  }
  for (size_t i = 0; i < n; i++) a[i] = quotient(f[i], mass);
}

static void add_weight(const double weight[3], size_t n, double *f) {
  const Quad w = POINT(weight);
  for (size_t i = 0; i < n; i++, f += 3) {
    const Quad sum = POINT(f) + w;
    PUT(sum, f);
  }
}

static void add_points(const SofaRigidMass *m, double factor, const double *x, size_t n,
                       double *y) {
  for (size_t i = 0; i < n; i++, x += 3, y += 3) {
    const double own = factor * m[i].mass;
    const Quad sum = POINT(y) + own * POINT(x);
    PUT(sum, y);
  }
}

static void add_weights(const SofaRigidMass *m, const double gravity[3], size_t n, double *f) {
  const Quad g = POINT(gravity);
  for (size_t i = 0; i < n; i++, f += 3) {
    const Quad sum = POINT(f) + m[i].mass * g;
    PUT(sum, f);
  }
}

static void divide_points(const SofaRigidMass *m, const double *f, size_t n, double *a) {
  for (size_t i = 0; i < n; i++, f += 3, a += 3) {
    const double mass = m[i].mass;
    if (mass == 0) {
      for (int c = 0; c < 3; c++) a[c] = quotient(f[c], mass);
      continue;
    }
    const Quad one = POINT(f) / mass;
    PUT(one, a);
  }
}

const SofaDiagonalKernels CAT(sofa_diagonal_kernels_,
                              KERNELS_ISA) = {.add = add,
                                              .divide = divide,
                                              .add_weight = add_weight,
                                              .add_points = add_points,
                                              .add_weights = add_weights,
                                              .divide_points = divide_points};
