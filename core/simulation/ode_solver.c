/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Steps of ODE solvers, whole and in parts. */
#include "behavior/ode_solver.h"

#include <float.h>
#include <math.h>

#include "object/process.h"
#include "simulation/mapped_inertia.h"
#include "simulation/step_limits.h"
#include "simulation/vectors.h"

/* ---- the scale of a scene ---- */

static void take_largest(const SofaCoords *list, unsigned first, double *largest) {
  for (size_t i = 0; i < list->n; i++)
    for (unsigned k = 0; k < first && k < list->width; k++)
      *largest = fmax(*largest, fabs(list->data[i * list->width + k]));
}

static void take_state(SofaOdeScale *scale, const SofaState *s) {
  const SofaStateKindInfo *kind = sofa_state_kind_info(s->object.kind);
  double *size = kind->space > 1 ? &scale->space : &scale->flat;
  take_largest(&s->position, kind->space, size);
  take_largest(&s->rest_position, kind->space, size);
  take_largest(&s->velocity, kind->space, &scale->speed);
}

static void measure(const SofaNodes *nodes, SofaOdeScale *scale) {
  *scale = (SofaOdeScale){.known = true};
  for (size_t i = 0; i < nodes->n; i++)
    for (size_t k = 0; k < nodes->data[i]->objects.n; k++) {
      const SofaObject *object = nodes->data[i]->objects.data[k];
      if (sofa_valid(object) && sofa_implements(object, SOFA_MECHANICAL_STATE))
        take_state(scale, (const SofaState *)object);
    }
}

/* The largest of all processes. */
static SofaErr share_scale(SofaContext *ctx, SofaOdeScale *scale) {
  double most[] = {scale->flat, scale->space, scale->speed};
  SOFA_TRY(sofa_process_max(ctx, SOFA_COUNT(most), most));
  scale->flat = most[0];
  scale->space = most[1];
  scale->speed = most[2];
  return SOFA_OK;
}

/* Of all mechanical states of the scene, as they are now: for all solvers that do not know it. */
static SofaErr find_scale(SofaOdeSolver *solver) {
  SofaNodes nodes = {0};
  SofaErr err = sofa_node_order(sofa_node_root(solver->object.node), &nodes);
  measure(&nodes, &solver->scale);
  if (err == SOFA_OK) err = share_scale(solver->object.ctx, &solver->scale);
  for (size_t i = 0; i < nodes.n; i++)
    for (size_t k = 0; k < nodes.data[i]->objects.n; k++) {
      SofaObject *object = nodes.data[i]->objects.data[k];
      if (!sofa_implements(object, SOFA_ODE_SOLVER)) continue;
      if (!((SofaOdeSolver *)object)->scale.known) ((SofaOdeSolver *)object)->scale = solver->scale;
    }
  sofa_list_free(solver->object.ctx, &nodes);
  return err;
}

/* A scene without a size has no limit. */
static double limit_of(double factor, double size) {
  return size > 0 ? fmin(factor * size, DBL_MAX) : DBL_MAX;
}

SofaErr sofa_ode_solver_check(const SofaOdeSolver *solver, const SofaMechanics *m, double dt) {
  const SofaNode *node = solver->object.node;
  const SofaOdeScale *scale = &solver->scale;
  const double *g = node->gravity.v, t = node->time + dt, factor = solver->runaway_factor;
  SofaMechLimits limits = {DBL_MAX, DBL_MAX};
  if (factor > 0 && !sofa_quirk(&solver->object, SOFA_QUIRK_RUNAWAY_STATES)) {
    const double fall = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]) * t;
    limits.space = limit_of(factor, scale->space + (scale->speed + fall) * t);
    limits.flat = limit_of(factor, scale->flat);
  }
  return sofa_mech_check_states(m, &limits, node->time);
}

/* ---- steps ---- */

/* The plan is this solver's until another one of the node uses it. */
static void take_plan(const SofaOdeSolver *solver, SofaMechanics *m) {
  const unsigned traits = sofa_ode_solver_traits(solver);
  const bool apart = sofa_ode_solver_ops(solver)->separates_gravity ||
                     sofa_quirk(&solver->object, SOFA_QUIRK_WEIGHTLESS);
  m->own_damping = !(traits & SOFA_ODE_LEAVES_OUT_DAMPING);
  m->load_factor = 1;
  sofa_mech_take_mapped_masses(m, !(traits & SOFA_ODE_IS_STATIC) &&
                                      !sofa_quirk(&solver->object, SOFA_QUIRK_MAPPED_INERTIA));
  for (size_t i = 0; i < m->n_masses && !(traits & SOFA_ODE_ADDS); i++)
    m->masses[i]->gravity_apart = m->masses[i]->separate_gravity && apart;
}

SofaErr sofa_ode_solver_check_limiters(const SofaOdeSolver *solver, const SofaMechanics *m) {
  const SofaOdeSolverOps *ops = sofa_ode_solver_ops(solver);
  if (!sofa_mech_is_limited(m)) return SOFA_OK;
  if (ops->traits && (ops->traits(solver) & SOFA_ODE_LIMITS_STEPS)) return SOFA_OK;
  const SofaObject *limiter = m->limiters[0];
  char *path = sofa_object_path(limiter);
  const SofaErr err = sofa_object_fail(
      &solver->object, SOFA_ERR_UNSUPPORTED,
      "%s cannot heed the %s '%s' below it, which limits how far a step moves: a solver that "
      "iterates is needed, StaticSolver, BDFOdeSolver of order 1 or 2, NewmarkImplicitSolver with "
      "beta and gamma above 0, VariationalSymplecticSolver in its implicit form, or "
      "StaticODESolver or BackwardEulerODESolver of SofaCaribou",
      solver->object.klass->name, limiter->klass->name, path ? path : limiter->name);
  sofa_free(m->ctx, path);
  return err;
}

SofaErr sofa_ode_solver_prepare(SofaOdeSolver *solver, SofaMechanics **out) {
  SOFA_TRY(sofa_node_mechanics(solver->object.node, out));
  SofaMechanics *m = *out;
  SOFA_TRY(sofa_ode_solver_check_limiters(solver, m));
  solver->x = m->x;
  solver->v = m->v;
  if (solver->mechanics != m || solver->plan_version != m->serial) {
    SOFA_TRY(sofa_ode_solver_ops(solver)->prepare(solver, m));
    solver->mechanics = m;
    solver->plan_version = m->serial;
  }
  take_plan(solver, m);
  if (!solver->scale.known) SOFA_TRY(find_scale(solver));
  sofa_vec_copy(sofa_all_x(m), m->x, m->x_good);
  sofa_vec_copy(sofa_all_v(m), m->v, m->v_good);
  return SOFA_OK;
}

/* For what is computed of a step after it. */
static void note_step(const SofaOdeSolver *solver, SofaMechanics *m, double dt) {
  m->statics = (sofa_ode_solver_traits(solver) & SOFA_ODE_IS_STATIC) != 0;
  m->begin = m->node->time;
  m->h = dt;
}

SofaErr sofa_ode_solver_step(SofaOdeSolver *solver, SofaMechanics *m, double dt) {
  solver->x = m->x;
  solver->v_forces = solver->v = m->v;
  take_plan(solver, m);
  note_step(solver, m, dt);
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

/* The velocities of the forces at the start of a free motion. */
static SofaErr find_velocities(SofaOdeSolver *solver, SofaMechanics *m) {
  solver->v_forces = m->v_free;
  if (!sofa_ode_solver_ops(solver)->forces_before ||
      !sofa_quirk(&solver->object, SOFA_QUIRK_FREE_FORCES))
    return SOFA_OK;
  if (!m->v_before) SOFA_TRY(sofa_mechanics_work(m, &m->v_before));
  sofa_vec_copy(sofa_all_v(m), m->v_free, m->v_before);
  solver->v_forces = m->v_before;
  return SOFA_OK;
}

SofaErr sofa_ode_solver_free_motion(SofaOdeSolver *solver, SofaMechanics *m, double dt) {
  SOFA_TRY(need_parts(solver));
  if (sofa_mech_is_limited(m))
    return sofa_object_fail(&solver->object, SOFA_ERR_UNSUPPORTED,
                            "step limiters ('%s') do not work together with Lagrangian "
                            "constraints, whose corrections they do not see",
                            m->limiters[0]->name);
  SOFA_TRY(sofa_mechanics_want_free(m));
  SOFA_TRY(find_velocities(solver, m));
  sofa_vec_copy(sofa_all_x(m), m->x, m->x_free);
  sofa_vec_copy(sofa_all_v(m), m->v, m->v_free);
  solver->x = m->x_free;
  solver->v = m->v_free;
  take_plan(solver, m);
  note_step(solver, m, dt);
  const SofaErr err = sofa_ode_solver_ops(solver)->step(solver, m, dt);
  solver->x = m->x;
  solver->v = m->v;
  return err;
}

SofaErr sofa_ode_solver_factors(SofaOdeSolver *solver, double dt, SofaOdeFactors *out) {
  SOFA_TRY(need_parts(solver));
  const SofaOdeSolverOps *ops = sofa_ode_solver_ops(solver);
  SOFA_TRY(ops->factors(solver, dt, out));
  if (ops->quirk_factors && sofa_quirk(&solver->object, SOFA_QUIRK_ODE_FACTORS))
    ops->quirk_factors(dt, &out->position, &out->velocity);
  return SOFA_OK;
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
