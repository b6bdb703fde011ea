/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Coefficients of backward differentiation formulas over any time samples. */
#ifndef NUMERICS_TIME_BDF_H
#define NUMERICS_TIME_BDF_H

#include "base/api.h"

SOFA_BEGIN_DECLS

enum { SOFA_BDF_MAX_ORDER = 6 };

/* Times t[0] < ... < t[order]. With h = t[order] - t[order - 1]:
 *   sum_j a[j] y(t_j) = h b y'(t_order) + O(h^(order + 1)), a[order] = 1.
 * From the derivative of the Lagrange polynomial at the last sample. */
void sofa_bdf_coefficients(int order, const double *t, double *a, double *b);

SOFA_END_DECLS

#endif
