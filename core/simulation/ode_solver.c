/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Steps of ODE solvers, whole and in parts. */
#include "behavior/ode_solver.h"

#include "simulation/vectors.h"

/* The plan is this solver's until another one of the node uses it. */
static void take_plan(const SofaOdeSolver *solver, SofaMechanics *m) {
  const SofaOdeSolverOps *ops = sofa_ode_solver_ops(solver);
  m->own_damping = !ops->own_damping || ops->own_damping(solver);
}

SofaErr sofa_ode_solver_prepare(SofaOdeSolver *solver, SofaMechanics **out) {
  SOFA_TRY(sofa_node_mechanics(solver->object.node, out));
  SofaMechanics *m = *out;
  solver->x = m->x;
  solver->v = m->v;
  if (solver->mechanics != m || solver->plan_version != m->serial) {
    SOFA_TRY(sofa_ode_solver_ops(solver)->prepare(solver, m));
    solver->mechanics = m;
    solver->plan_version = m->serial;
  }
  take_plan(solver, m);
  sofa_vec_copy(sofa_all_x(m), m->x, m->x_good);
  sofa_vec_copy(sofa_all_v(m), m->v, m->v_good);
  return SOFA_OK;
}

SofaErr sofa_ode_solver_step(SofaOdeSolver *solver, SofaMechanics *m, double dt) {
  solver->x = m->x;
  solver->v = m->v;
  take_plan(solver, m);
  return sofa_ode_solver_ops(solver)->step(solver, m, dt);
}

bool sofa_ode_solver_has_parts(const SofaOdeSolver *solver) {
  return sofa_ode_solver_ops(solver)->factors != NULL;
}

static SofaErr need_parts(const SofaOdeSolver *solver) {
  if (sofa_ode_solver_has_parts(solver)) return SOFA_OK;
  return sofa_object_fail(&solver->object, SOFA_ERR_UNSUPPORTED,
                          "the free motion of %s is not supported yet: Lagrangian constraints need "
                          "another solver, for instance EulerImplicitSolver",
                          solver->object.klass->name);
}

SofaErr sofa_ode_solver_free_motion(SofaOdeSolver *solver, SofaMechanics *m, double dt) {
  SOFA_TRY(need_parts(solver));
  SOFA_TRY(sofa_mechanics_want_free(m));
  sofa_vec_copy(sofa_all_x(m), m->x, m->x_free);
  sofa_vec_copy(sofa_all_v(m), m->v, m->v_free);
  solver->x = m->x_free;
  solver->v = m->v_free;
  take_plan(solver, m);
  const SofaErr err = sofa_ode_solver_ops(solver)->step(solver, m, dt);
  solver->x = m->x;
  solver->v = m->v;
  return err;
}

SofaErr sofa_ode_solver_factors(SofaOdeSolver *solver, double dt, SofaOdeFactors *out) {
  SOFA_TRY(need_parts(solver));
  return sofa_ode_solver_ops(solver)->factors(solver, dt, out);
}

void sofa_ode_solver_take_over(SofaMechanics *m) {
  sofa_vec_copy(sofa_all_x(m), m->x_free, m->x);
  sofa_vec_copy(sofa_all_v(m), m->v_free, m->v);
}

SofaErr sofa_ode_solver_correct(SofaOdeSolver *solver, SofaMechanics *m, double dt,
                                const double *c) {
  const SofaOdeSolverOps *ops = sofa_ode_solver_ops(solver);
  SofaOdeFactors factors;
  SOFA_TRY(sofa_ode_solver_factors(solver, dt, &factors));
  sofa_ode_solver_take_over(m);
  sofa_mech_integrate_x(m, factors.position, c, m->x);
  sofa_vec_add(sofa_main_v(m), factors.velocity, c, m->v);
  return ops->corrected ? ops->corrected(solver, m, dt, c) : SOFA_OK;
}
