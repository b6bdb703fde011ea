/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The laws of constraint blocks. Formulas: Gauss-Seidel visits, each row's W from the block. */
#ifndef NUMERICS_CONSTRAINT_LAWS_H
#define NUMERICS_CONSTRAINT_LAWS_H

#include "behavior/lagrangian.h"

/* d = 0: lambda -= relaxation w^-1 d; one row by its diagonal, three by cofactors, others by a
 * pivoted L D L^T. */
extern const SofaConstraintLaw sofa_law_bilateral;
/* d >= 0, lambda >= 0, d lambda = 0; one row. */
extern const SofaConstraintLaw sofa_law_unilateral;
/* The same for the first of three rows, and Coulomb friction for the two others:
 * |lambda_t| <= friction lambda_n. */
extern const SofaConstraintLaw sofa_law_friction;
/* The same by an augmented Lagrangian of `epsilon`; one row or three. */
extern const SofaConstraintLaw sofa_law_augmented;
/* low <= d <= high; one row. */
extern const SofaConstraintLaw sofa_law_stopper;

#endif
