/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The hot loops over polynomial springs that pull points of three reals to given places, compiled
 * once per instruction set. avx2 and avx512 give the same bits; lanes do not see each other. */
#ifndef SOFA_NUMERICS_FEM_HELD_KERNELS_H
#define SOFA_NUMERICS_FEM_HELD_KERNELS_H

#include "base/context.h"
#include "numerics/fem/lane_count.h"
#include "numerics/fem/polynomial_table.h"

SOFA_BEGIN_DECLS

/* Spring k pulls point held[k] to place at[k]. With d from there to the point, r = |d|,
 * E = exp(shift - scale r^2), w = d / sqrt(r^2 + E): f = -P(r / L) w. */
typedef struct SofaHeldPoints {
  const uint32_t *held, *at;
  size_t n;
  const double *places;
  SofaPolynomialTable polynomials;
  const double *lengths; /* L of each spring, or one for those from n_lengths on: the first */
  size_t n_lengths;      /* at least 1 */
  double shift, scale;
  bool diagonal; /* the tangent is a diagonal one */
} SofaHeldPoints;

enum { SOFA_HELD_ROWS = 5 }; /* reals that are kept of a spring */

/* kept: of each group of SOFA_LANES springs SOFA_HELD_ROWS rows of lanes, a, b and w. The tangent
 * of -f is T = a w w^T + b I, or only the diagonal of that. */
typedef struct SofaHeldKernels {
  const char *name; /* as of SofaKernels */
  /* Adds the forces and sets what is kept. */
  void (*force)(const SofaHeldPoints *points, const double *x, double *f, double *kept);
  /* Takes k T dx from df. */
  void (*product)(const SofaHeldPoints *points, double k, const double *kept, const double *dx,
                  double *df);
} SofaHeldKernels;

/* The kernels of the context's instruction set. */
const SofaHeldKernels *sofa_held_kernels(const SofaContext *ctx);

/* Use sofa_held_kernels. The last two exist on x86-64 only. */
extern const SofaHeldKernels sofa_held_kernels_baseline, sofa_held_kernels_avx2,
    sofa_held_kernels_avx512;

SOFA_END_DECLS

#endif
