/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Stiffness of trilinear hexahedra, apart from any component. Nodes as in math/finite_element.h. */
#ifndef SOFA_NUMERICS_FEM_HEXA_ELEMENT_H
#define SOFA_NUMERICS_FEM_HEXA_ELEMENT_H

#include <stdbool.h>
#include "base/api.h"

SOFA_BEGIN_DECLS

/* Is it within 0.1 % of an edge of the parallelepiped of the edges at node 0? Then out gets the
 * nodes of that, node 0 at the origin. p, out: 8 x 3. */
bool sofa_hexa_straighten(const double *p, double *out);
/* 24 x 24 stiffness from node positions by 2 x 2 x 2 Gauss points, with the signed determinant.
 * *det_min (may be NULL) gets the smallest Jacobian determinant
 * over the Gauss points, m^3 / 8. */
void sofa_hexa_stiffness(const double *p, double lambda, double mu, double *k, double *det_min);
/* Stiffness by a closed formula that is exact for boxes along the axes. */
void sofa_hexa_stiffness_box(const double *p, double lambda, double mu, double *k);

SOFA_END_DECLS

#endif
