/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ODE solvers: one step of the states below the solver's node. */
#ifndef SOFA_BEHAVIOR_ODE_SOLVER_H
#define SOFA_BEHAVIOR_ODE_SOLVER_H

#include "behavior/linear_solver.h"

extern const SofaInterface sofa_ode_solver_interface;
#define SOFA_ODE_SOLVER (&sofa_ode_solver_interface)

typedef struct SofaOdeSolver {
  SofaObject object;
  SofaMechanics
      *mechanics; /* plan the solver's vectors belong to; borrowed, NULL before the first step */
  uint64_t plan_version; /* serial of that plan */
} SofaOdeSolver;

extern const SofaClass sofa_ode_solver_class; /* abstract */

typedef struct SofaOdeSolverOps {
  /* required: (re)takes the solver's vectors from the plan; called when the plan is new */
  SofaErr (*prepare)(SofaOdeSolver *solver, SofaMechanics *m);
  /* required: advances m->x, m->v by dt */
  SofaErr (*step)(SofaOdeSolver *solver, SofaMechanics *m, double dt);
  /* optional: what the first step does until its linear system is built, and no more. Without it no
   * linear system is built in a step. The caller puts x, v and f back and drops the plan. */
  SofaErr (*assemble)(SofaOdeSolver *solver, SofaMechanics *m, double dt);
} SofaOdeSolverOps;

static inline const SofaOdeSolverOps *sofa_ode_solver_ops(const SofaOdeSolver *s) {
  return (const SofaOdeSolverOps *)sofa_ops(&s->object, SOFA_ODE_SOLVER);
}

#endif
