/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shape functions of second order. Use finite_element.h. */
#ifndef SOFA_NUMERICS_FEM_QUADRATIC_ELEMENT_H
#define SOFA_NUMERICS_FEM_QUADRATIC_ELEMENT_H

#include "numerics/fem/finite_element.h"

/* As sofa_shape_functions, of a shape of order 2. */
void sofa_quadratic_functions(SofaShape shape, const double xi[3], double *n, double (*d)[3]);

#endif
