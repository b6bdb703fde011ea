/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What implicit ODE solvers take from the scene: their linear solver. */
#ifndef COMPONENTS_ODESOLVER_SOLVER_INPUTS_H
#define COMPONENTS_ODESOLVER_SOLVER_INPUTS_H

#include "behavior/linear_solver.h"

/* Rule of the field `linearSolver`. */
extern const SofaLinkRule ode_linear_solver_rule;

/* The linear solver of the link, else the first in the node or below. None: a warning, *out is NULL
 * and ode_need_linear_solver fails each step; where SOFA's ways are wanted (keep_going) an error,
 * so that the ODE solver is left out. */
SofaErr ode_linear_solver(const SofaObject *solver, const SofaLink *link, SofaLinearSolver **out);

/* At the start of a step: fails, naming `solver` and the step, without a usable linear solver. */
SofaErr ode_need_linear_solver(const SofaObject *solver, const SofaLinearSolver *linear);

/* Is there a linear solver? Before the first step only the following can be checked. */
bool ode_has_linear_solver(const SofaLinearSolver *linear);

#endif
