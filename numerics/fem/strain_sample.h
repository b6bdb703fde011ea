/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Strain and stress at the quadrature points of an element from its nodes, for element_results.h.
 *
 * With F the deformation gradient at a point, T the axes of the element there (3 x its dimension)
 * and A = F T, the strain is the symmetric part of B^T A - I. B are the axes that turned with the
 * element: of solids the polar factor of A in the middle, of surfaces and curves in space that of
 * the point, and T with fixed frames. */
#ifndef SOFA_NUMERICS_FEM_STRAIN_SAMPLE_H
#define SOFA_NUMERICS_FEM_STRAIN_SAMPLE_H

#include "numerics/fem/element_results.h"

SOFA_BEGIN_DECLS

typedef struct SofaStrainElement {
  SofaShape shape;
  unsigned dim;     /* of the space */
  bool fixed_frame; /* small strains in the axes of the element at rest */
  bool across;      /* with a fixed frame: slopes across a surface or a line strain it, too */
  SofaRule rule;    /* of the points */
  double rest[3 * SOFA_SHAPE_MAX_NODES], now[3 * SOFA_SHAPE_MAX_NODES]; /* 0 beyond the space */
  /* the stress of a strain */
  void (*stress)(const void *law, size_t element, const double *strain, double *stress);
  const void *law;
  size_t element; /* its index, for the law */
} SofaStrainElement;

/* Fills all of the sample but its points v and its energies. Returns the number of points. */
unsigned sofa_strain_sample(const SofaStrainElement *element, SofaElementSample *out);

/* lambda tr(e) I + 2 mu e with lambda of a law in `law_dim` dimensions: 3, 2 (plane stress), 1. An
 * element of n_dim dimensions has no other normal stresses than these. */
void sofa_isotropic_stress(double young, double poisson, unsigned law_dim, unsigned n_dim,
                           const double *strain, double *stress);

SOFA_END_DECLS

#endif
