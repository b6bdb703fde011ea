/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ConjugateGradientSolver, for the Newton solvers of this plugin. */
#ifndef CARIBOU_SOLVER_CONJUGATE_GRADIENT_H
#define CARIBOU_SOLVER_CONJUGATE_GRADIENT_H

#include "behavior/linear_solver.h"

/* Is it of this class, and did its last solve not reach its tolerance? */
bool caribou_cg_gave_up(const SofaLinearSolver *solver);

#endif
