/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "components/odesolver/limited_step.h"

#include "simulation/gyroscopic.h"

SofaErr limited_step_prepare(LimitedStep *s, ImplicitSolver *base, SofaMechanics *m) {
  const SofaObject *object = &base->solver.object;
  double **derivs[] = {&s->load, &s->v_start, &s->d, &s->v, &s->r, &s->dx, &s->work};
  s->base = base;
  s->m = m;
  s->newton = newton_raphson_find(object->node, &(SofaLink){0});
  if (!s->newton)
    return sofa_object_fail(object, SOFA_ERR_NOT_FOUND,
                            "the %s '%s' limits the steps: they are found by iterations, whose "
                            "stopping rules a NewtonRaphsonSolver in the node must give",
                            m->limiters[0]->klass->name, m->limiters[0]->name);
  if (sofa_mech_has_frames(m))
    return sofa_object_fail(object, SOFA_ERR_UNSUPPORTED,
                            "the %s '%s' limits the steps: %s cannot limit those of states with "
                            "rotations, BDFOdeSolver and StaticSolver can",
                            m->limiters[0]->klass->name, m->limiters[0]->name, object->klass->name);
  SOFA_TRY(sofa_mechanics_coord(m, &s->x));
  for (size_t i = 0; i < SOFA_COUNT(derivs); i++) SOFA_TRY(sofa_mechanics_deriv(m, derivs[i]));
  return SOFA_OK;
}

static SofaMechParams params_of(const LimitedStep *s) {
  SofaMechParams p = sofa_mech_params(s->h, s->m->node->time, 0, 0, 0);
  p.iterates = true;
  p.descends = s->descends;
  return p;
}

/* The guess changed: its point, velocities and mapped parts. */
static SofaErr propagate(LimitedStep *s) {
  sofa_vec_lincomb(sofa_main_v(s->m), SOFA_TERMS({1, s->v_start}, {s->rate, s->d}), s->v);
  s->at = sofa_mech_point(s->m, s->x, s->v, s->m->node->time);
  SOFA_TRY(sofa_mech_propagate_x(s->m, &s->at, s->x));
  return sofa_mech_propagate_dx(s->m, &s->at, s->v);
}

SofaErr limited_step_begin(LimitedStep *s, double h) {
  SofaMechanics *m = s->m;
  double *v = s->base->solver.v;
  s->h = h;
  sofa_vec_copy(sofa_all_x(m), s->base->solver.x, s->x);
  s->at = sofa_mech_point(m, s->x, v, m->node->time);
  SOFA_TRY(sofa_mech_propagate_x(m, &s->at, s->x));
  SOFA_TRY(sofa_mech_propagate_dx(m, &s->at, v));
  return sofa_mech_limit_begin(m, &s->at, h);
}

/* ---- equations ---- */

static SofaErr residual(void *user, double *square) {
  LimitedStep *s = user;
  SofaMechanics *m = s->m;
  SofaMechParams p = params_of(s);
  SOFA_TRY(sofa_mech_compute_force(m, &p, &s->at, m->f));
  sofa_vec_lincomb(sofa_main_v(m), SOFA_TERMS({1, m->f}, {1, s->load}), s->r);
  SOFA_TRY(sofa_mech_add_mdx(m, &s->at, s->d, -s->inertia, s->r));
  if (is_damped(s->base)) {
    p.m = -s->base->rayleigh_mass;
    p.k = s->base->rayleigh_stiffness;
    SOFA_TRY(sofa_mech_add_mbk(m, &p, &s->at, s->v, s->r));
  }
  SOFA_TRY(sofa_mech_project_response(m, &p, s->r));
  *square = sofa_vec_dot(sofa_main_v(m), s->r, s->r);
  return SOFA_OK;
}

static SofaErr solve(void *user) {
  LimitedStep *s = user;
  SofaMechParams p = params_of(s);
  p.m = s->inertia + s->rate * s->base->rayleigh_mass;
  p.b = p.r = -s->rate;
  p.k = -1 - s->rate * s->base->rayleigh_stiffness;
  SOFA_TRY(sofa_linear_solver_build(s->base->linear_solver, s->m, &p, &s->at));
  sofa_vec_zero(sofa_all_v(s->m), s->dx);
  return sofa_linear_solver_solve(s->base->linear_solver, s->r, s->dx);
}

static SofaErr advance(void *user, double alpha) {
  LimitedStep *s = user;
  sofa_vec_add(sofa_main_v(s->m), alpha, s->dx, s->d);
  sofa_mech_integrate_x(s->m, alpha, s->dx, s->x);
  return propagate(s);
}

/* Of the velocities. */
static double correction(void *user) {
  const LimitedStep *s = user;
  return s->rate * s->rate * sofa_vec_dot(sofa_main_v(s->m), s->dx, s->dx);
}

static double estimate(void *user) {
  const LimitedStep *s = user;
  return sofa_vec_dot(sofa_main_v(s->m), s->v, s->v);
}

static double loads(void *user) {
  const LimitedStep *s = user;
  return sofa_vec_dot(sofa_main_v(s->m), s->m->f, s->m->f);
}

static SofaErr rounding(void *user, double *square) {
  const LimitedStep *s = user;
  const SofaMechParams p = params_of(s);
  return sofa_mech_rounding(s->m, &p, &s->at, square);
}

/* factor a M a */
static SofaErr add_square(LimitedStep *s, double factor, const double *a, double *sum) {
  sofa_vec_zero(sofa_all_v(s->m), s->work);
  SOFA_TRY(sofa_mech_add_mdx(s->m, &s->at, a, factor, s->work));
  *sum += sofa_vec_dot(sofa_main_v(s->m), a, s->work);
  return SOFA_OK;
}

static SofaErr potential(void *user, double *value) {
  LimitedStep *s = user;
  const SofaMechParams p = params_of(s);
  double kinetic;
  SOFA_TRY(sofa_mech_energies(s->m, &p, &s->at, &kinetic, value));
  *value -= sofa_vec_dot(sofa_main_v(s->m), s->load, s->d);
  SOFA_TRY(add_square(s, s->inertia / 2, s->d, value));
  const double drag = s->base->rayleigh_mass;
  return drag > 0 ? add_square(s, drag / (2 * s->rate), s->v, value) : SOFA_OK;
}

static double work(void *user) {
  const LimitedStep *s = user;
  return sofa_vec_dot(sofa_main_v(s->m), s->r, s->dx);
}

static bool has_potential(const LimitedStep *s) {
  return sofa_mech_has_potential(s->m) && s->base->rayleigh_stiffness == 0;
}

/* ---- the step ---- */

/* x = x_start + d, where the end is where constraints want it: d follows. */
static SofaErr set_guess(LimitedStep *s) {
  const SofaMechParams p = params_of(s);
  const double *start = s->base->solver.x;
  sofa_vec_copy(sofa_main_x(s->m), start, s->x);
  sofa_mech_integrate_x(s->m, s->ahead, s->d, s->x);
  SOFA_TRY(sofa_mech_project_position(s->m, &p, s->x));
  sofa_vec_lincomb(sofa_main_v(s->m), SOFA_TERMS({1 / s->ahead, s->x}, {-1 / s->ahead, start}),
                   s->d);
  sofa_vec_copy(sofa_main_x(s->m), start, s->x);
  sofa_mech_integrate_x(s->m, 1, s->d, s->x);
  return propagate(s);
}

/* The guess of the caller where that is allowed, else the start but for points that constraints
 * move. */
static SofaErr predict(LimitedStep *s) {
  bool allowed = false;
  sofa_mech_limit_ahead(s->m, s->ahead);
  SOFA_TRY(set_guess(s));
  SOFA_TRY(sofa_mech_limit_guess(s->m, s->x, &allowed));
  if (allowed) return SOFA_OK;
  sofa_vec_zero(sofa_all_v(s->m), s->d);
  SOFA_TRY(set_guess(s));
  return sofa_mech_limit_imposed(s->m, &s->base->solver.object, s->x);
}

static SofaErr restore(void *user) {
  ((LimitedStep *)user)->restored = true;
  return SOFA_OK;
}

SofaErr limited_step_solve(LimitedStep *s) {
  const SofaNewtonProblem problem = {.residual = residual,
                                     .solve = solve,
                                     .advance = advance,
                                     .correction = correction,
                                     .estimate = estimate,
                                     .loads = loads,
                                     .rounding = rounding,
                                     .restore = restore,
                                     .potential = has_potential(s) ? potential : NULL,
                                     .work = work,
                                     .user = s,
                                     .owner = &s->base->solver.object,
                                     .linear = s->base->linear_solver,
                                     .limited = s->m,
                                     .guess = &s->at,
                                     .descends = &s->descends};
  s->descends = s->restored = false;
  SOFA_TRY(predict(s));
  return newton_raphson_run(s->newton, &problem);
}
