/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kernels of springs whose forces are linear, compiled once per instruction set with KERNELS_ISA
 * naming it: one spring after the other. */
#include "numerics/fem/linear_spring_kernels.h"

#include "numerics/fem/row_sums_impl.h"

#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)
#define TEXT_(a) #a
#define TEXT(a) TEXT_(a)

/* The vector from the first end to the second one. */
ALWAYS Three between(const SofaVectorSpring *s, const double *const *x) {
  return three_sub(three_load(x[1] + 3 * (size_t)s->m2), three_load(x[0] + 3 * (size_t)s->m1));
}

/* Gives the vector of spring k of a range. */
ALWAYS void give(const SofaVectorSpringRange *range, size_t k, Three r, double *const *f) {
  const SofaVectorSpring *s = range->springs + k;
  if (range->parts) {
    three_store(r, range->parts + 3 * (k - range->begin));
  } else {
    three_add(r, f[0] + 3 * (size_t)s->m1);
    three_take(r, f[1] + 3 * (size_t)s->m2);
  }
}

ALWAYS void vector_forces(SofaVectorSpringRange range, const SofaPoint *at, double *const *f) {
  const double *const x[2] = {at->x[0], at->x[1]}, *const v[2] = {at->v[0], at->v[1]};
  double *const to[2] = {range.parts ? NULL : f[0], range.parts ? NULL : f[1]};
  for (size_t k = range.begin; k < range.end; k++) {
    const SofaVectorSpring *s = range.springs + k;
    const Three d = three_sub(between(s, x), three_load(s->rest));
    give(&range, k, three_madd(s->damping, between(s, v), three_scale(s->stiffness, d)), to);
  }
}

static void vector_force(const SofaVectorSpringRange *range, const SofaPoint *at,
                         double *const *f) {
  if (range->parts) vector_forces(*range, at, f);
  else
    vector_forces((SofaVectorSpringRange){range->springs, range->begin, range->end, NULL}, at, f);
}

ALWAYS void vector_products(SofaVectorSpringRange range, double k, double b,
                            const double *const *dx, double *const *df) {
  const double *const from[2] = {dx[0], dx[1]};
  double *const to[2] = {range.parts ? NULL : df[0], range.parts ? NULL : df[1]};
  for (size_t i = range.begin; i < range.end; i++) {
    const SofaVectorSpring *s = range.springs + i;
    give(&range, i, three_scale(s->stiffness * k + s->damping * b, between(s, from)), to);
  }
}

static void vector_product(const SofaVectorSpringRange *range, double k, double b,
                           const double *const *dx, double *const *df) {
  if (range->parts) vector_products(*range, k, b, dx, df);
  else
    vector_products((SofaVectorSpringRange){range->springs, range->begin, range->end, NULL}, k, b,
                    dx, df);
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
