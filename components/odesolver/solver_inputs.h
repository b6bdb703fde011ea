/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What ODE solvers take from the scene: their linear solver; a quirk that most of them share. */
#ifndef COMPONENTS_ODESOLVER_SOLVER_INPUTS_H
#define COMPONENTS_ODESOLVER_SOLVER_INPUTS_H

#include "behavior/ode_solver.h"

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

/* Quirk of the solvers that list its row. With it their traits have SOFA_ODE_LEAVES_OUT_DAMPING. */
enum { QUIRK_COMPONENT_RAYLEIGH = 1 << 22 };
#define QUIRK_COMPONENT_RAYLEIGH_ROW                                                               \
  {                                                                                                \
    QUIRK_COMPONENT_RAYLEIGH, "component-rayleigh",                                                \
        "Rayleigh factors of components are not in forces: an implicit solver has them on its "    \
        "left-hand side only, an explicit one not at all",                                         \
        "test_integrators_linear.quirk_of_component_rayleigh"                                      \
  }
unsigned ode_damping_traits(const SofaOdeSolver *solver);

#endif
