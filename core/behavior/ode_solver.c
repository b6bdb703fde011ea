/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The abstract ODE solver. */
#include "behavior/ode_solver.h"

const SofaInterface sofa_ode_solver_interface = {
    .name = "ODE solver",
    SOFA_REQUIRES(offsetof(SofaOdeSolverOps, prepare), offsetof(SofaOdeSolverOps, step)),
    .slot = true,
    .ops_member = offsetof(SofaOdeSolver, ops)};

const SofaClass sofa_ode_solver_class = {
    .name = "OdeSolver",
    .module = "csofa",
    .category = "OdeSolver",
    .help = "Advances the states below its node by one time step.",
    .base = &sofa_object_class,
    .size = sizeof(SofaOdeSolver),
    .abstract = true,
    SOFA_IMPLEMENTS({SOFA_ODE_SOLVER, SOFA_NO_OPS}),
};
