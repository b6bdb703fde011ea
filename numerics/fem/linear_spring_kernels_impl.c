/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kernels of springs whose forces are linear, compiled once per instruction set with KERNELS_ISA
 * naming it: one spring after the other. */
#include "numerics/fem/linear_spring_kernels.h"

#include "numerics/fem/three_impl.h"

#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)
#define TEXT_(a) #a
#define TEXT(a) TEXT_(a)

/* The vector from the first end to the second one. */
ALWAYS Three between(const SofaVectorSpring *s, const double *const *x) {
  return three_sub(three_load(x[1] + 3 * (size_t)s->m2), three_load(x[0] + 3 * (size_t)s->m1));
}

/* Adds a vector to the first end and takes it from the second one. */
ALWAYS void pull(const SofaVectorSpring *s, Three r, double *const *f) {
  three_add(r, f[0] + 3 * (size_t)s->m1);
  three_add(three_scale(-1, r), f[1] + 3 * (size_t)s->m2);
}

static void vector_force(const SofaVectorSpring *springs, size_t n, const SofaPoint *at,
                         double *const *f) {
  const double *const x[2] = {at->x[0], at->x[1]}, *const v[2] = {at->v[0], at->v[1]};
  double *const to[2] = {f[0], f[1]};
  for (size_t k = 0; k < n; k++) {
    const SofaVectorSpring *s = springs + k;
    const Three d = three_sub(between(s, x), three_load(s->rest));
    pull(s, three_madd(s->damping, between(s, v), three_scale(s->stiffness, d)), to);
  }
}

static void vector_product(const SofaVectorSpring *springs, size_t n, double k, double b,
                           const double *const *dx, double *const *df) {
  const double *const from[2] = {dx[0], dx[1]};
  double *const to[2] = {df[0], df[1]};
  for (size_t i = 0; i < n; i++) {
    const SofaVectorSpring *s = springs + i;
    pull(s, three_scale(s->stiffness * k + s->damping * b, between(s, from)), to);
  }
}

/* A point's springs in two sums: chains of dependent additions are half as long. */
static void point_forces(const SofaPointSprings *springs, size_t begin, size_t end, double factor,
                         const double *x, double *f) {
  const uint32_t *column = springs->column;
  const double *scale = springs->scale;
  for (size_t i = begin; i < end; i++) {
    uint32_t k = springs->start[i];
    const uint32_t last = springs->start[i + 1];
    if (k == last) continue;
    const Three here = three_load(x + 3 * i);
    Three sum = three_sub(here, here), odd = sum;
    for (; k + 1 < last; k += 2) {
      const Three one = three_sub(three_load(x + 3 * (size_t)column[k]), here);
      const Three next = three_sub(three_load(x + 3 * (size_t)column[k + 1]), here);
      sum = three_madd(scale[k], one, sum);
      odd = three_madd(scale[k + 1], next, odd);
    }
    if (k < last)
      sum = three_madd(scale[k], three_sub(three_load(x + 3 * (size_t)column[k]), here), sum);
    three_add(three_scale(factor, three_madd(1, odd, sum)), f + 3 * i);
  }
}

const SofaLinearSpringKernels CAT(sofa_linear_spring_kernels_, KERNELS_ISA) = {
    .name = TEXT(KERNELS_ISA),
    .vector_force = vector_force,
    .vector_product = vector_product,
    .point_forces = point_forces,
};
