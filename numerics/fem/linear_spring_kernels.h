/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The hot loops over springs whose forces are linear in the places of their points, of three reals
 * each; compiled once per instruction set. avx2 and avx512 give the same bits. */
#ifndef SOFA_NUMERICS_FEM_LINEAR_SPRING_KERNELS_H
#define SOFA_NUMERICS_FEM_LINEAR_SPRING_KERNELS_H

#include "behavior/force_field.h"

SOFA_BEGIN_DECLS

/* f1 = ks (x2 - x1 - rest) + kd (v2 - v1), f2 = -f1. */
typedef struct SofaVectorSpring {
  uint32_t m1, m2;           /* points of the first and the second state */
  double stiffness, damping; /* ks, N/m; kd, N s/m */
  double rest[3];            /* m */
} SofaVectorSpring;

/* Springs begin .. end - 1 of a list. */
typedef struct SofaVectorSpringRange {
  const SofaVectorSpring *springs;
  size_t begin, end;
  double *parts; /* 3 for each spring of the range: the vectors for the first ends are put there;
                    NULL: they are added to these and taken from the second ones */
} SofaVectorSpringRange;

/* Springs without length between points, listed for each of both: the forces on point i are sum_k
 * scale[k] (x_j - x_i), j = column[k], start[i] <= k < start[i + 1]. */
typedef struct SofaPointSprings {
  const uint32_t *start, *column;
  const double *scale; /* N/m */
} SofaPointSprings;

typedef struct SofaLinearSpringKernels {
  const char *name; /* as of SofaKernels */
  /* Gives the forces of springs. */
  void (*vector_force)(const SofaVectorSpringRange *range, const SofaPoint *at, double *const *f);
  /* Gives (k ks + b kd) (dx2 - dx1). */
  void (*vector_product)(const SofaVectorSpringRange *range, double k, double b,
                         const double *const *dx, double *const *df);
  /* f += factor times the forces on points begin .. end - 1. */
  void (*point_forces)(const SofaPointSprings *springs, size_t begin, size_t end, double factor,
                       const double *x, double *f);
} SofaLinearSpringKernels;

/* The kernels of the context's instruction set. */
const SofaLinearSpringKernels *sofa_linear_spring_kernels(const SofaContext *ctx);

/* Use sofa_linear_spring_kernels. The last two exist on x86-64 only. */
extern const SofaLinearSpringKernels sofa_linear_spring_kernels_baseline,
    sofa_linear_spring_kernels_avx2, sofa_linear_spring_kernels_avx512;

SOFA_END_DECLS

#endif
