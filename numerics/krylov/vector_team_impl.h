/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The vector operations of an iteration on the context's team: each thread has the same part of
 * vectors of the same length in every one of them, and nearly the same as in products with the
 * matrix, so that its part stays in its cache. The bits are those of simulation/vectors.h. */
#ifndef SOFA_NUMERICS_KRYLOV_VECTOR_TEAM_IMPL_H
#define SOFA_NUMERICS_KRYLOV_VECTOR_TEAM_IMPL_H

#include "simulation/vectors.h"

/* x . y */
double team_vec_dot(SofaSpace space, const double *x, const double *y);
/* y = x + b y */
void team_vec_xpay(SofaSpace space, const double *x, double b, double *y);
/* x += a p, r -= a q; returns r.r */
double team_vec_cg_update(SofaSpace space, double a, const SofaCgVectors *v);

#endif
