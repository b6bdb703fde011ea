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

static void bending(const SofaBendingEdge *edges, size_t n, double factor, const double *x,
                    SofaVectorsTo to) {
  double *parts = to.parts;
  for (size_t k = 0; k < n; k++) {
    const SofaBendingEdge *e = edges + k;
    Three r = three_scale(e->a[0], three_load(x + 3 * (size_t)e->v[0]));
    for (int i = 1; i < 4; i++) r = three_madd(e->a[i], three_load(x + 3 * (size_t)e->v[i]), r);
    const double scale = -factor * e->lambda;
    for (int i = 0; !parts && i < 4; i++)
      three_add(three_scale(scale * e->a[i], r), to.f + 3 * (size_t)e->v[i]);
    for (int i = 0; parts && i < 4; i++, parts += 3)
      three_store(three_scale(scale * e->a[i], r), parts);
  }
}

const SofaLinearSpringKernels CAT(sofa_linear_spring_kernels_, KERNELS_ISA) = {
    .name = TEXT(KERNELS_ISA),
    .vector_force = vector_force,
    .vector_product = vector_product,
    .bending = bending,
};
