/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Operations of diagonal masses over many points, in registers of the instruction set. */
#ifndef SOFA_NUMERICS_MASS_DIAGONAL_KERNELS_H
#define SOFA_NUMERICS_MASS_DIAGONAL_KERNELS_H

#include "object/type.h"

SOFA_BEGIN_DECLS

/* Vectors of points have 3 reals for each of n points. The vectors of a call are one or apart. A
 * massless dof without force stays at rest; one with force gets an infinite acceleration. */
typedef struct SofaDiagonalKernels {
  /* y += factor x, n reals */
  void (*add)(double factor, const double *x, size_t n, double *y);
  /* a = f / mass, n reals */
  void (*divide)(double mass, const double *f, size_t n, double *a);
  /* f += weight at each point */
  void (*add_weight)(const double weight[3], size_t n, double *f);
  /* the same with a mass for each point: y += (factor m) x, f += m g, a = f / m */
  void (*add_points)(const SofaRigidMass *m, double factor, const double *x, size_t n, double *y);
  void (*add_weights)(const SofaRigidMass *m, const double gravity[3], size_t n, double *f);
  void (*divide_points)(const SofaRigidMass *m, const double *f, size_t n, double *a);
} SofaDiagonalKernels;

const SofaDiagonalKernels *sofa_diagonal_kernels_of(const SofaContext *ctx);

SOFA_END_DECLS

#endif
