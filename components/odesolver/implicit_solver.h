/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Base of ODE solvers that solve linear systems: the link to their linear solver, Rayleigh damping.
 */
#ifndef COMPONENTS_ODESOLVER_IMPLICIT_SOLVER_H
#define COMPONENTS_ODESOLVER_IMPLICIT_SOLVER_H

#include "behavior/ode_solver.h"
#include "components/odesolver/solver_inputs.h"
#include "simulation/vectors.h"

typedef struct ImplicitSolver {
  SofaOdeSolver solver;
  SofaLink linear_solver_link;
  SofaLinearSolver *linear_solver;          /* found at init; NULL: none */
  bool explicit_form;                       /* needs no linear solver */
  double rayleigh_stiffness, rayleigh_mass; /* fields of classes with damping, else 0 */
} ImplicitSolver;

/* Without and with Rayleigh damping; both are abstract. */
extern const SofaClass implicit_solver_class, damped_solver_class;

static inline bool is_damped(const ImplicitSolver *s) {
  return s->rayleigh_mass != 0 || s->rayleigh_stiffness != 0;
}

#endif
