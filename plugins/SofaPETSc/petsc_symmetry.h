/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Is the matrix of a divided plan symmetric? Its parts need not be: the loads of a closed surface
 * have a symmetric tangent as a whole, not on the part of a process. */
#ifndef SOFAPETSC_PETSC_SYMMETRY_H
#define SOFAPETSC_PETSC_SYMMETRY_H

#include "numerics/krylov/assembled.h"

/* Called by all processes, on a divided plan: an error on all of them where (A - A^T) v is larger
 * than rounding, for a v whose entries have no order. *told: a warning was given instead, once,
 * with the quirk asymmetric-matrix or keep_going; nothing is looked at from then on. */
SofaErr petsc_symmetry_check(const SofaLinearSolver *solver, const SofaBlockRows *rows, bool *told);

#endif
