/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Base of ODE solvers that solve linear systems. */
#include "components/odesolver/implicit_solver.h"

static const SofaField fields[] = {
    SOFA_FIELD(ImplicitSolver, linear_solver_link, "linearSolver", NULL, "",
               "linear solver of the step or of its Newton iterations; default: the first in the "
               "node, then below",
               .link = &ode_linear_solver_rule),
};

static const SofaField damping_fields[] = {
    SOFA_FIELD(ImplicitSolver, rayleigh_stiffness, "rayleighStiffness", "0", "s",
               "Rayleigh damping proportional to stiffness", .range = SOFA_AT_LEAST(0),
               .on_bad = SOFA_BAD_KEEP),
    SOFA_FIELD(ImplicitSolver, rayleigh_mass, "rayleighMass", "0", "1/s",
               "Rayleigh damping proportional to mass", .range = SOFA_AT_LEAST(0),
               .on_bad = SOFA_BAD_KEEP),
};

static SofaErr init(SofaObject *object) {
  ImplicitSolver *s = (ImplicitSolver *)object;
  if (s->explicit_form) return SOFA_OK;
  return ode_linear_solver(object, &s->linear_solver_link, &s->linear_solver);
}

const SofaClass implicit_solver_class = {
    .name = "ImplicitSolver",
    .module = "csofa",
    .category = "OdeSolver",
    .help = "Solves linear systems in its steps.",
    .base = &sofa_ode_solver_class,
    .size = sizeof(ImplicitSolver),
    SOFA_FIELDS(fields),
    .init = init,
    .abstract = true,
};

const SofaClass damped_solver_class = {
    .name = "DampedSolver",
    .module = "csofa",
    .category = "OdeSolver",
    .help = "Solves linear systems in its steps, with Rayleigh damping.",
    .base = &implicit_solver_class,
    .size = sizeof(ImplicitSolver),
    SOFA_FIELDS(damping_fields),
    .abstract = true,
};
