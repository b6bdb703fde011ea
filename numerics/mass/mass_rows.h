/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Products with mass matrices that have one number for each pair of points. */
#ifndef SOFA_NUMERICS_MASS_MASS_ROWS_H
#define SOFA_NUMERICS_MASS_MASS_ROWS_H

#include "behavior/tangent_rows.h"

SOFA_BEGIN_DECLS

/* res += factor M dx, rows->deriv reals per point, up to 6; rows->start is not NULL. */
void sofa_mass_rows_multiply(const SofaContext *ctx, const SofaScalarRows *rows, const double *dx,
                             double *res, double factor);

SOFA_END_DECLS

#endif
