/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Forces and stiffness blocks of hyperelastic tetrahedra, compiled once per instruction set. avx2
 * and avx512 give the same bits. */
#ifndef SOFA_HYPER_KERNELS_H
#define SOFA_HYPER_KERNELS_H

#include "base/context.h"
#include "numerics/fem/element_batch.h"
#include "numerics/material/material.h"

typedef struct SofaHyperTetra {
  uint32_t v[4];
  double f[9];    /* deformation gradient at the last force */
  double s[3][3]; /* of nodes 1, 2, 3, 1/m; node 0 has minus their sum */
  double volume;  /* at rest, m^3, positive */
} SofaHyperTetra;

/* Entry by entry the elements of a group side by side. */
typedef struct SofaHyperGroup {
  double f[9][SOFA_LANES]; /* deformation gradients */
  double g[9][SOFA_LANES]; /* gradients of nodes 1, 2, 3 */
  double volume[SOFA_LANES];
  double s[6][SOFA_LANES];
  double d[21][SOFA_LANES]; /* rows of the upper triangle of D */
} SofaHyperGroup;

/* -K of the local pairs (a, b) of elements, a <= b, ordered by a, then b; 3 x 3 each. */
typedef double SofaHyperBlocks[SOFA_LANES][90];

/* A material whose W is a function of the invariants: it has `derivatives`; or Ogden's or Costa's.
 */
typedef struct SofaHyperInvariants {
  const SofaHyperMaterial *material;
  const double *p;
  bool unscaled; /* Costa's: as sofa_costa_unscaled */
} SofaHyperInvariants;

typedef struct SofaHyperKernels {
  void (*blocks)(const SofaHyperGroup *group, SofaHyperBlocks out);
  /* Of n elements, at most SOFA_LANES. Each returns the first one where the material is not
   * defined, or n. The forces of nodes 0 .. 3 at x, and the deformation gradients, which are kept;
   * the blocks at those that are kept. */
  size_t (*invariant_force)(const SofaHyperInvariants *law, SofaHyperTetra *t, size_t n,
                            const double *x, double (*force)[12]);
  size_t (*invariant_blocks)(const SofaHyperInvariants *law, const SofaHyperTetra *t, size_t n,
                             SofaHyperBlocks out);
  /* Adds the blocks of an element to those of its pairs; keeps those of shared pairs instead, where
   * `shared` tells them. */
  void (*spread)(const double *element, const uint32_t *slot, const uint8_t *shared, double *kept,
                 double *blocks);
} SofaHyperKernels;

/* The kernels of the context's instruction set. */
const SofaHyperKernels *sofa_hyper_kernels(const SofaContext *ctx);

/* Use sofa_hyper_kernels. The last two exist on x86-64 only. */
extern const SofaHyperKernels sofa_hyper_kernels_baseline, sofa_hyper_kernels_avx2,
    sofa_hyper_kernels_avx512;

#endif
