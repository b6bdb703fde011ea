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

/* Tetrahedra as they are stored: the same entries of a group side by side. Lanes beyond the last
 * element repeat it. */
typedef struct SofaHyperTetras {
  uint32_t v[4][SOFA_LANES];
  double f[9][SOFA_LANES], s[9][SOFA_LANES], volume[SOFA_LANES];
} SofaHyperTetras;

static inline size_t sofa_hyper_n_groups(size_t n) {
  return n / SOFA_LANES + (n % SOFA_LANES != 0);
}

/* Element e. */
static inline SofaHyperTetra sofa_hyper_tetra(const SofaHyperTetras *groups, size_t e) {
  const SofaHyperTetras *group = groups + e / SOFA_LANES;
  const size_t l = e % SOFA_LANES;
  SofaHyperTetra t;
  for (int n = 0; n < 4; n++) t.v[n] = group->v[n][l];
  for (int k = 0; k < 9; k++) t.f[k] = group->f[k][l];
  for (int k = 0; k < 9; k++) t.s[k / 3][k % 3] = group->s[k][l];
  t.volume = group->volume[l];
  return t;
}

/* Stores it. */
static inline void sofa_hyper_put_tetra(const SofaHyperTetra *t, SofaHyperTetras *groups,
                                        size_t e) {
  SofaHyperTetras *group = groups + e / SOFA_LANES;
  const size_t l = e % SOFA_LANES;
  for (int n = 0; n < 4; n++) group->v[n][l] = t->v[n];
  for (int k = 0; k < 9; k++) group->f[k][l] = t->f[k];
  for (int k = 0; k < 9; k++) group->s[k][l] = t->s[k / 3][k % 3];
  group->volume[l] = t->volume;
}

/* Entry by entry the elements of a group side by side. */
typedef struct SofaHyperGroup {
  double f[9][SOFA_LANES]; /* deformation gradients */
  double g[9][SOFA_LANES]; /* gradients of nodes 1, 2, 3 */
  double volume[SOFA_LANES];
  double s[6][SOFA_LANES];
  double d[21][SOFA_LANES]; /* rows of the upper triangle of D */
} SofaHyperGroup;

enum { SOFA_HYPER_EDGES = 6, SOFA_HYPER_PAIRS = 10 };

/* The edges among the local pairs (a, b), a <= b, of an element, ordered by a, then b. */
static const uint8_t sofa_hyper_edge_pairs[SOFA_HYPER_EDGES] = {1, 2, 3, 5, 6, 8};

/* Places of the blocks of a group, SOFA_LANES for each edge. */
enum { SOFA_HYPER_PLACES = SOFA_LANES * SOFA_HYPER_EDGES };

/* -K of the edges (a, b), a < b, of the elements of a group, 3 x 3 each. Rows of K sum up to 0. */
typedef double SofaHyperBlocks[SOFA_HYPER_EDGES][9][SOFA_LANES];

/* A material whose W is a function of the invariants: it has `derivatives`; or Ogden's or Costa's.
 */
typedef struct SofaHyperInvariants {
  const SofaHyperMaterial *material;
  const double *p;
  bool unscaled; /* Costa's: as sofa_costa_unscaled */
} SofaHyperInvariants;

typedef struct SofaHyperKernels {
  void (*general_blocks)(const SofaHyperGroup *group, SofaHyperBlocks out);
  /* Each returns the first element where the material is not defined, or n. */
  /* Gives the forces of n elements at x; keeps the deformation gradients. */
  size_t (*force)(const SofaHyperInvariants *law, SofaHyperTetras *groups, size_t n,
                  const double *x, SofaVectorsTo to);
  /* Adds the blocks of the first n elements of a group at the deformation gradients kept to those
   * at their places, of sofa_block_places_create. */
  size_t (*blocks)(const SofaHyperInvariants *law, const SofaHyperTetras *group, size_t n,
                   const uint32_t *place, double *blocks);
  /* Adds given ones. */
  void (*spread)(SofaHyperBlocks rows, const uint32_t *place, size_t n, double *blocks);
} SofaHyperKernels;

/* The kernels of the context's instruction set. */
const SofaHyperKernels *sofa_hyper_kernels(const SofaContext *ctx);

/* Use sofa_hyper_kernels. The last two exist on x86-64 only. */
extern const SofaHyperKernels sofa_hyper_kernels_baseline, sofa_hyper_kernels_avx2,
    sofa_hyper_kernels_avx512;

#endif
