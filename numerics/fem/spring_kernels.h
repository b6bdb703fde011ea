/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The hot loops over linear springs between points of three reals, compiled once per instruction
 * set. avx2 and avx512 give the same bits; lanes do not see each other. */
#ifndef SOFA_NUMERICS_FEM_SPRING_KERNELS_H
#define SOFA_NUMERICS_FEM_SPRING_KERNELS_H

#include "behavior/force_field.h"
#include "numerics/fem/lane_count.h"
#include "numerics/fem/polynomial_table.h"

SOFA_BEGIN_DECLS

typedef struct SofaSpring {
  uint32_t m1, m2;  /* points of the first and the second state */
  double stiffness; /* ks, N/m */
  double damping;   /* kd, N s/m */
  double length;    /* L, m */
  bool elongation_only, compression_only, enabled;
  uint8_t none[5]; /* 0: no gap */
} SofaSpring;

/* The factors of dF/dx and dF/dv of springs in a product; see SofaMechParams.descends. */
typedef struct SofaSpringFactors {
  double k, b;
  bool descends;
} SofaSpringFactors;

/* With the length l of a spring and e = |l - L| / L: the tension is s P(e), s = 1 when stretched;
 * compressed, -1 if `compressible`, else 0. */
typedef struct SofaTension {
  SofaPolynomialTable polynomials;
  bool compressible;
  bool idle_tangent; /* compressed springs have the tangent of the tension P(e) */
} SofaTension;

enum { SOFA_SPRING_ROWS = 5 }; /* reals that are kept of a spring in three dimensions */

/* Springs begin .. end - 1 of a list, begin a multiple of SOFA_LANES. */
typedef struct SofaSpringRange {
  const SofaSpring *springs; /* the list; `kept` is of the whole of it */
  size_t begin, end;
  double *parts; /* 3 for each spring of the range: the vectors for the first ends are put there;
                    NULL: they are added to these and taken from the second ones */
} SofaSpringRange;

/* The formulas are in components/solidmechanics/spring/spring_set.h. kept: of each group of
 * SOFA_LANES springs SOFA_SPRING_ROWS rows of lanes, ks - t / d, t / d and u. x, v, dx: of the
 * first and of the second ends' state, which may be one; f, df the same. */
typedef struct SofaSpringKernels {
  const char *name; /* as of SofaKernels */
  /* Gives the forces of springs and sets what is kept. */
  void (*force)(const SofaSpringRange *range, double shortest, const SofaPoint *at,
                double *const *f, double *kept);
  /* The same of springs of polynomial tension, of which m1, m2 and length are read. Those without
   * a length, or at rest without one, do not act. */
  void (*polynomial_force)(const SofaSpringRange *range, const SofaTension *tension,
                           const double *const *x, double *const *f, double *kept);
  /* Gives (k T + b kd u u^T) (dx2 - dx1). */
  void (*product)(const SofaSpringRange *range, SofaSpringFactors by, const double *const *dx,
                  double *const *df, const double *kept);
  /* k T + b kd u u^T of springs, 9 reals each one after the other; those behind the end that fill
   * up a register have some, too. */
  void (*blocks)(const SofaSpringRange *range, SofaSpringFactors by, const double *kept,
                 double *blocks);
} SofaSpringKernels;

/* The kernels of the context's instruction set. */
const SofaSpringKernels *sofa_spring_kernels(const SofaContext *ctx);

/* Use sofa_spring_kernels. The last two exist on x86-64 only. */
extern const SofaSpringKernels sofa_spring_kernels_baseline, sofa_spring_kernels_avx2,
    sofa_spring_kernels_avx512;

SOFA_END_DECLS

#endif
