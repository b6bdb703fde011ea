/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The acceleration of explicit schemes with diagonal masses. */
#ifndef COMPONENTS_ODESOLVER_ACCELERATION_H
#define COMPONENTS_ODESOLVER_ACCELERATION_H

#include "behavior/ode_solver.h"
#include "simulation/mechanics.h"

/* a = P M^-1 f(x, v): projects x and v in place, applies mappings, evaluates the force into m->f.
 * x, v, a: whole vectors of the plan. Points without mass keep a = 0. */
SofaErr acceleration(SofaMechanics *m, const SofaMechParams *p, double *x, double *v, double *a);

/* Quirk of the solvers that list its row. */
enum { QUIRK_MASS_BELOW_MAPPING = 1 << 23 };
#define QUIRK_MASS_BELOW_MAPPING_ROW                                                               \
  {                                                                                                \
    QUIRK_MASS_BELOW_MAPPING, "mass-below-mapping",                                                \
        "explicit solvers without a linear solver accept a mass below a mapping: its weight "      \
        "acts, "                                                                                   \
        "its inertia does not",                                                                    \
        "test_ode_solvers.masses_below_mappings"                                                   \
  }

/* Reports, as an error of `solver`, when M^-1 f cannot be formed (masses that are not diagonal). */
SofaErr acceleration_check(const SofaObject *solver, const SofaMechanics *m);

/* SofaOdeSolverOps.traits of solvers that form M^-1 f and list QUIRK_COMPONENT_RAYLEIGH_ROW. */
unsigned acceleration_traits(const SofaOdeSolver *solver);

#endif
