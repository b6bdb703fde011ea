/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* BDFOdeSolver: backward differentiation formulas with the Newton-Raphson method of the scene. */
#include "components/odesolver/backward_differentiation.h"

static const SofaQuirk quirks[] = {
    {QUIRK_BDF_HISTORY, "bdf-history",
     "BDFOdeSolver of order 2 and more takes the current state for all earlier ones",
     "test_integrators_order.quirk_has_no_order"},
    {QUIRK_BDF_LINE_SEARCH, "bdf-line-search",
     "BDFOdeSolver moves positions by the whole step in each trial of a line search",
     "test_quirks_motion.solvers"},
    QUIRK_COMPONENT_RAYLEIGH_ROW,
};

static const SofaField fields[] = {BACKWARD_DIFFERENTIATION_ORDER("1")};

static SofaErr init(SofaObject *object) {
  if (((BackwardDifferentiation *)object)->newton) return SOFA_OK;
  return sofa_object_fail(object, SOFA_ERR_NOT_FOUND,
                          "no NewtonRaphsonSolver in the node or below it");
}

SOFA_CLASS(BDFOdeSolver) = {
    .name = "BDFOdeSolver",
    .size = sizeof(BackwardDifferentiation),
    .module = "Sofa.Component.ODESolver.Backward",
    .category = "OdeSolver",
    .help = "Backward differentiation formulas (Curtiss and Hirschfelder, 1952) of order 1 to 6, "
            "solved with Newton-Raphson; A-stable up to order 2.",
    .equations = BACKWARD_DIFFERENTIATION_EQUATIONS,
    .base = &backward_differentiation_class,
    .divided = SOFA_DIVIDED_NEUTRAL,
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(fields),
    .init = init,
};
