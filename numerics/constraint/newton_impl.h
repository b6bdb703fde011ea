/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The parts of Newton's method for constraints. */
#ifndef SOFA_NUMERICS_CONSTRAINT_NEWTON_IMPL_H
#define SOFA_NUMERICS_CONSTRAINT_NEWTON_IMPL_H

#include "numerics/constraint/solve_impl.h"

/* Is every law a projection on a cone, with a compliance for each row? */
bool newton_has_cones(const SofaConstraintSolve *s);
/* A proximal point from problem->lambda, which it becomes: see proximal.c. s->matrix and s->pivots
 * are of the problem's size. */
SofaErr newton_proximal(SofaConstraintSolve *s, double grow);

#endif
