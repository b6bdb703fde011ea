/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where a point lies in a solid element of first or second order. */
#ifndef SOFA_NUMERICS_FEM_SHAPE_LOCATE_H
#define SOFA_NUMERICS_FEM_SHAPE_LOCATE_H

#include "numerics/fem/finite_element.h"

SOFA_BEGIN_DECLS

/* Reference coordinates xi of the point x in the solid element with nodes p (n_nodes x 3), by
 * Newton's method from its middle: sum N_n(xi) p_n = x within 1e-12 of its size. false: it does not
 * converge, as far outside, or where the element is degenerate. A node has its own coordinates. */
bool sofa_shape_locate(SofaShape shape, const double *p, const double x[3], double xi[3]);
/* Are reference coordinates in the element, or outside by at most `margin`? */
bool sofa_shape_contains(SofaShape shape, const double xi[3], double margin);

SOFA_END_DECLS

#endif
