/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tetrahedra in full 12 x 6 form, element by element: what the batched kernels leave out
 * (plasticity, a strain matrix that mixes two shapes), energies and stresses. */
#ifndef SOFA_NUMERICS_FEM_TETRA_FULL_H
#define SOFA_NUMERICS_FEM_TETRA_FULL_H

#include "numerics/fem/tetra_element.h"

SOFA_BEGIN_DECLS

/* Plastic flow of the strain e = J^T D, which is 6 V times the strain, tension negative. Beyond
 * `yield` the fraction `creep` of the elastic part becomes plastic at the end of a step; the
 * plastic part's norm is at most `max`. */
typedef struct SofaTetraPlasticity {
  double max, yield, creep;
} SofaTetraPlasticity;

typedef struct SofaTetraFull {
  bool partial; /* normal strains of the current, shear of the rest shape */
  const SofaTetraPlasticity *plasticity; /* or NULL */
  double *plastic;                       /* n x 6 plastic strains, with plasticity */
  double *j;                             /* n x 72: J of the last force, when partial */
} SofaTetraFull;

/* f += forces with the frames of the batch's last (or empty) force at x. */
void sofa_tetra_full_force(const SofaTetraBatch *batch, const SofaTetraFull *full, const double *x,
                           double *f);
/* The plastic strains flow at x, likewise with the frames of the batch's last force there. */
void sofa_tetra_full_flow(const SofaTetraBatch *batch, const SofaTetraFull *full, const double *x);
/* df -= factor R^T J C J^T R dx with the J of the last force (full->j). */
void sofa_tetra_full_dforce(const SofaTetraBatch *batch, const SofaTetraFull *full, double factor,
                            const double *dx, double *df);
/* -R^T J C J^T R of one element, 12 x 12, with the J of the last force. */
void sofa_tetra_full_stiffness(const SofaTetraBatch *batch, const SofaTetraFull *full,
                               size_t element, double *k);

/* Elastic energy at x in the frames of x: sum of 1/2 V sigma : epsilon, J. */
double sofa_tetra_energy(const SofaTetraBatch *batch, const double *x);
double sofa_tetra_energy_of(const SofaTetraBatch *batch, size_t element, const double *x);

typedef enum SofaTetraStrain {
  SOFA_TETRA_COROTATIONAL = 1, /* of the displacement in the element's frame */
  SOFA_TETRA_GREEN = 2         /* Green-Lagrange */
} SofaTetraStrain;

/* Von Mises stress of each element at x, Pa. mixed_frames: displacements of the element's frame
 * against gradients of the world. */
void sofa_tetra_von_mises(const SofaTetraBatch *batch, SofaTetraStrain strain, bool mixed_frames,
                          const double *rest, const double *x, double *out);

SOFA_END_DECLS

#endif
