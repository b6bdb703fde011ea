/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The consistent mass matrix of elements of any shape, and a lumped one that is positive.
 *
 * M_ab = int rho N_a N_b dV. The sums of the rows of M are negative at the corners of tetrahedra of
 * 10 nodes and 0 or negative in others of second order. The lumped matrix has instead, element by
 * element, the diagonal of M with a factor that keeps the mass (Hinton, Rock, Zienkiewicz 1976):
 *   m_a = M_aa sum_bc M_bc / sum_b M_bb.
 * In simplices of first order and in boxes with the nodes of quadratic products (edges of 3, quads
 * of 9, hexahedra of 27 nodes) these are the weights of quadrature at the nodes that are exact for
 * the product of linear functions: there the inertia is exact, too. */
#ifndef SOFA_NUMERICS_MASS_ELEMENT_MASS_H
#define SOFA_NUMERICS_MASS_ELEMENT_MASS_H

#include "numerics/fem/element_mesh.h"
#include "numerics/mass/mass_matrix.h"

SOFA_BEGIN_DECLS

/* At nodes, or one per element; the last value holds for those that follow. */
typedef struct SofaMassDensity {
  const double *value; /* kg per measure */
  size_t n;
  bool nodal;
} SofaMassDensity;

/* Makes the matrix and its sums. lumped: unless NULL, the masses of the points are added to it. */
SofaErr sofa_mass_matrix_of_elements(SofaContext *ctx, const SofaElementMesh *mesh, SofaRule rule,
                                     const SofaMassDensity *density, SofaMassMatrix *out,
                                     double *lumped);

SOFA_END_DECLS

#endif
