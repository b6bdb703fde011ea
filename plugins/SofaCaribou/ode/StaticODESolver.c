/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* StaticODESolver: equilibrium R(x) = P by Newton-Raphson, one load increment per step. */
#include "ode/newton_solver.h"

static SofaErr step(SofaOdeSolver *solver, SofaMechanics *m, double h) {
  CaribouNewton *s = (CaribouNewton *)solver;
  SofaNewtonCriteria criteria;
  caribou_newton_criteria(s, &criteria);
  return caribou_static_run(s, m, h, &criteria);
}

static const SofaOdeSolverOps ops = {.prepare = caribou_newton_prepare,
                                     .step = step,
                                     .assemble = caribou_static_assemble,
                                     .factors = caribou_static_factors,
                                     .equations = &caribou_static_step,
                                     .traits = caribou_static_traits};

static const SofaQuirk quirks[] = {
    QUIRK_CARIBOU_STATIC_LATE_ROW,
};

SOFA_CLASS(StaticODESolver) = {
    .name = "StaticODESolver",
    .module = "SofaCaribou",
    .category = "OdeSolver",
    .help = "Static equilibrium R(x) = P: Newton-Raphson with K du = P - R(x) in each step; "
            "velocities and dt play no part.",
    .equations = "R(x) = P\n"
                 "K du = P - R(x)",
    .base = &caribou_newton_class,
    .divided = SOFA_DIVIDED_NEUTRAL,
    SOFA_QUIRKS(quirks),
    .size = sizeof(CaribouNewton),
    SOFA_IMPLEMENTS({SOFA_ODE_SOLVER, &ops}),
};
