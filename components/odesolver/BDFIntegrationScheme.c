/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* BDFIntegrationScheme: backward differentiation formulas with one linearisation per step, unless
 * the scene has a Newton-Raphson method. */
#include "components/odesolver/backward_differentiation.h"

static const SofaQuirk quirks[] = {QUIRK_COMPONENT_RAYLEIGH_ROW};

static const SofaField fields[] = {BACKWARD_DIFFERENTIATION_ORDER("2")};

/* One iteration, taken whatever its residual is, which is not even evaluated after it. */
static SofaErr linearise(BackwardDifferentiation *s) {
  static const char *const off[] = {"relativeSuccessiveStoppingThreshold",
                                    "relativeInitialStoppingThreshold",
                                    "absoluteResidualStoppingThreshold", "warnWhenDiverge"};
  SofaObject *object = &s->base.solver.object, *made = NULL;
  SOFA_TRY(
      sofa_object_create_for(object, &sofa_NewtonRaphsonSolver_class, "newtonSolver", NULL, &made));
  for (size_t k = 0; k < SOFA_COUNT(off); k++)
    SOFA_TRY(sofa_field_set_text(made, off[k], "0", object->line));
  s->newton = (NewtonRaphsonSolver *)made;
  s->newton->absolute_given = s->newton->criteria.late_residual = true;
  return SOFA_OK;
}

static SofaErr init(SofaObject *object) {
  BackwardDifferentiation *s = (BackwardDifferentiation *)object;
  return s->newton ? SOFA_OK : linearise(s);
}

SOFA_CLASS(BDFIntegrationScheme) = {
    .name = "BDFIntegrationScheme",
    .size = sizeof(BackwardDifferentiation),
    .module = "Sofa.Component.IntegrationScheme.Backward",
    .category = "OdeSolver",
    .help = "Backward differentiation formulas as BDFOdeSolver, with one linearisation per step "
            "where there is no NewtonRaphsonSolver.",
    .equations = BACKWARD_DIFFERENTIATION_EQUATIONS,
    .base = &backward_differentiation_class,
    .divided = SOFA_DIVIDED_NEUTRAL,
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(fields),
    .init = init,
};
