/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What implicit ODE solvers take from the scene: their linear solver and checked parameters. */
#ifndef COMPONENTS_ODESOLVER_SOLVER_INPUTS_H
#define COMPONENTS_ODESOLVER_SOLVER_INPUTS_H

#include "behavior/linear_solver.h"

/* Rule of the field `linearSolver`. */
extern const SofaLinkRule ode_linear_solver_rule;

/* The linear solver of the link, else the first in the node or below. None: an error of `solver`.
 */
SofaErr ode_linear_solver(const SofaObject *solver, const SofaLink *link, SofaLinearSolver **out);

/* Refuses a value outside [0, most] (also NaN), naming the field. */
SofaErr ode_check_range(const SofaObject *solver, const char *field, double value, double most);
SofaErr ode_check_not_negative(const SofaObject *solver, const char *field, double value);

#endif
