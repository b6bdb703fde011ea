/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The abstract ODE solver. */
#include "behavior/ode_solver.h"

const SofaClass sofa_ode_solver_class = {
    .name = "OdeSolver",
    .module = "csofa",
    .category = "OdeSolver",
    .help = "Advances the states below its node by one time step.",
    .base = &sofa_object_class,
    .size = sizeof(SofaOdeSolver),
    .abstract = true,
    .ops = {[SOFA_ODE_SOLVER] = SOFA_NO_OPS},
};
