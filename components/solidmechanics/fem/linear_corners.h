/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The volume part of isotropic linear tetrahedra of 10 nodes with a pressure that is continuous:
 * displacements of second and pressures of first order (Taylor, Hood 1973).
 *
 * With N_a linear in the elements, 1 at corner a and 0 at the others, and displacements u, the
 * stationary value by p of
 *   int mu eps : eps + p tr eps dV - 1/2 sum_a c_a p_a^2, c_a = sum_e int_e N_a / lambda dV
 * is at p_a = d_a / c_a with d_a = int N_a tr eps dV = sum_i D_ai . u_i,
 * D_ai = int N_a grad N_i dV.
 * c_a is the lumped matrix of int p^2 / lambda dV. What remains is an energy of u alone:
 *   W = int mu eps : eps dV + 1/2 sum_a d_a^2 / c_a,
 *   f_i = ... - sum_a p_a D_ai, dF/dx has the blocks - sum_a D_ai D_aj^T / c_a. */
#ifndef SOFA_FEM_LINEAR_CORNERS_H
#define SOFA_FEM_LINEAR_CORNERS_H

#include "numerics/fem/corner_stars.h"
#include "numerics/fem/linear_fem.h"

/* All arrays are owned. All-zero: empty. */
typedef struct SofaLinearCorners {
  SofaCornerStars stars;
  double *rest;     /* 3 per point, m */
  double *row;      /* n_places x 3: D_ai */
  double *softness; /* c_a */
  double *factor;   /* -1 / c_a */
  double *pressure; /* p_a of the last product */
  double *blocks;   /* 9 per pair */
} SofaLinearCorners;

/* lambda: of each element, positive. */
SofaErr sofa_linear_corners_create(SofaContext *ctx, const SofaElementMesh *mesh,
                                   const double *lambda, SofaLinearCorners *out);
void sofa_linear_corners_free(SofaContext *ctx, SofaLinearCorners *c);
/* df += factor dF/dx dx; rest: of it, NULL for a difference. */
void sofa_linear_corners_multiply(const SofaLinearCorners *c, const SofaContext *ctx, double factor,
                                  const double *rest, const double *dx, double *df);
/* p_a of corner `corner` < 4 of an element at positions x, Pa, positive in tension. */
double sofa_linear_corners_pressure(const SofaLinearCorners *c, size_t element, unsigned corner,
                                    const double *x);
double sofa_linear_corners_energy(const SofaLinearCorners *c, const double *x);

#endif
