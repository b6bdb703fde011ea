/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Backward differentiation formulas of order 1 to 6 with Newton-Raphson. */
#include "components/odesolver/backward_differentiation.h"

#include "object/checkpoint.h"
#include "math/quaternion.h"
#include "simulation/gyroscopic.h"
#include "simulation/step_limits.h"

static const SofaLinkRule newton_rule = {.klass = &sofa_NewtonRaphsonSolver_class};

static const SofaField fields[] = {
    SOFA_FIELD(BackwardDifferentiation, newton_link, "newtonSolver", NULL, "",
               "stopping rules; default: the first NewtonRaphsonSolver in the node, then below",
               .link = &newton_rule),
};

/* ---- life ---- */

static SofaErr init(SofaObject *object) {
  BackwardDifferentiation *s = (BackwardDifferentiation *)object;
  if (s->order == 0) {
    sofa_object_message(object, SOFA_WARNING, "order 0: 1 is used");
    s->order = 1;
  }
  s->newton = newton_raphson_find(object->node, &s->newton_link);
  return SOFA_OK;
}

static SofaErr reset(SofaObject *object) {
  ((BackwardDifferentiation *)object)->n_levels = 0;
  return SOFA_OK;
}

static SofaErr prepare(SofaOdeSolver *solver, SofaMechanics *m) {
  BackwardDifferentiation *s = (BackwardDifferentiation *)solver;
  s->n_levels = 0;
  for (uint32_t j = 0; j < s->order; j++) {
    SOFA_TRY(sofa_mechanics_coord(m, &s->x[j]));
    SOFA_TRY(sofa_mechanics_deriv(m, &s->v[j]));
  }
  double **vectors[] = {&s->r1, &s->r2, &s->rhs, &s->dv, &s->work, &s->sum_x, &s->sum_v};
  for (int i = 0; i < 7; i++) SOFA_TRY(sofa_mechanics_deriv(m, vectors[i]));
  return SOFA_OK;
}

/* ---- history ---- */

static void rotate(double **list, int n) {
  double *first = list[0];
  for (int i = 0; i + 1 < n; i++) list[i] = list[i + 1];
  list[n - 1] = first;
}

static void save_level(BackwardDifferentiation *s, const SofaMechanics *m, int level) {
  sofa_vec_copy(sofa_all_x(m), s->base.solver.x, s->x[level]);
  sofa_vec_copy(sofa_all_v(m), s->base.solver.v, s->v[level]);
}

static void load_level(BackwardDifferentiation *s, const SofaMechanics *m, int level) {
  sofa_vec_copy(sofa_all_x(m), s->x[level], s->base.solver.x);
  sofa_vec_copy(sofa_all_v(m), s->v[level], s->base.solver.v);
}

/* The state becomes the youngest level; t gets the time at the end of the step. */
static void push_level(BackwardDifferentiation *s, SofaMechanics *m, double h) {
  const int most = (int)s->order;
  if (s->n_levels == 0) s->t[0] = m->node->time;
  if (s->n_levels == most) {
    rotate(s->x, most);
    rotate(s->v, most);
    sofa_move(s->t, s->t + 1, (size_t)most * sizeof *s->t);
  } else {
    s->n_levels++;
  }
  s->s = s->n_levels;
  s->t[s->s] = s->t[s->s - 1] + h;
  save_level(s, m, s->s - 1);

  /* from order 2 on, SOFA's levels are all one vector: the current state */
  if (s->s < 2 || !sofa_quirk(&s->base.solver.object, QUIRK_BDF_HISTORY)) return;
  for (int j = 0; j + 1 < s->s; j++) save_level(s, m, j);
}

/* ---- the equations ---- */

/* r += f (x - y) as changes of a state: rotations by their rotation vector. */
static void add_difference(const SofaState *state, double f, const double *x, const double *y,
                           double *r) {
  const size_t n = state->position.n;
  if (state->object.kind != SOFA_RIGID3) {
    const size_t size = n * sofa_state_kind_info(state->object.kind)->deriv;
    for (size_t k = 0; k < size; k++) r[k] += f * (x[k] - y[k]);
    return;
  }
  for (size_t i = 0; i < n; i++) {
    double d[6];
    sofa_rigid3_difference(x + 7 * i, y + 7 * i, d);
    for (int k = 0; k < 6; k++) r[6 * i + (size_t)k] += f * d[k];
  }
}

/* h b */
static double weight(const BackwardDifferentiation *s) {
  return s->h * s->b;
}

/* The guess changed: its point, and the mapped parts of x and v. */
static SofaErr propagate(BackwardDifferentiation *s) {
  SofaMechanics *m = s->m;
  double *x = s->base.solver.x, *v = s->base.solver.v;
  s->at = sofa_mech_point(m, x, v, m->node->time);
  SOFA_TRY(sofa_mech_propagate_x(m, &s->at, x));
  return sofa_mech_propagate_dx(m, &s->at, v);
}

/* r1 = P (sum a_j x_j - h b v): since the a_j sum to 0, sum a_j (x_j - x). */
static SofaErr position_residual(BackwardDifferentiation *s, const SofaMechParams *p) {
  SofaMechanics *m = s->m;
  const double *x = s->base.solver.x, *v = s->base.solver.v;
  sofa_vec_lincomb(sofa_main_v(m), SOFA_TERMS({-weight(s), v}), s->r1);
  for (int j = 0; j < s->s; j++)
    for (size_t i = 0; i < m->n_main; i++) {
      const SofaState *state = m->states[i];
      add_difference(state, s->a[j], s->x[s->first + j] + state->x_offset, x + state->x_offset,
                     s->r1 + state->v_offset);
    }
  return sofa_mech_project_response(m, p, s->r1);
}

/* r2 -= h b gyroscopic torques, where the correction by r2 takes the spins. */
static SofaErr add_gyroscopic(BackwardDifferentiation *s) {
  SofaMechanics *m = s->m;
  const double hb = weight(s);
  if (!sofa_mech_turns(m) && !m->moving_masses) return SOFA_OK;
  sofa_vec_lincomb(sofa_main_v(m), SOFA_TERMS({-1 / hb, s->r2}), s->rhs);
  SOFA_TRY(sofa_mech_add_gyroscopic_at(m, &s->at, s->base.solver.v, hb, s->rhs));
  sofa_vec_lincomb(sofa_main_v(m), SOFA_TERMS({-hb, s->rhs}), s->r2);
  return SOFA_OK;
}

/* r2 = P (M sum a_j v_j - h b F), F = P (f(x, v) - rM M v + rK K v). */
static SofaErr residual(void *user, double *square) {
  BackwardDifferentiation *s = (BackwardDifferentiation *)user;
  SofaMechanics *m = s->m;
  const double time = m->node->time;
  SofaMechParams p = sofa_mech_params(s->h, time, 0, 0, 0);
  SOFA_TRY(sofa_mech_compute_force(m, &p, &s->at, m->f));
  sofa_vec_copy(sofa_all_v(m), m->f, s->rhs);
  p = sofa_mech_params(s->h, time, -s->base.rayleigh_mass, 0, s->base.rayleigh_stiffness);
  SOFA_TRY(sofa_mech_add_mbk(m, &p, &s->at, s->base.solver.v, s->rhs));
  SOFA_TRY(sofa_mech_project_response(m, &p, s->rhs));
  SOFA_TRY(position_residual(s, &p));
  sofa_vec_copy(sofa_all_v(m), s->base.solver.v, s->work);
  for (int j = 0; j < s->s; j++) sofa_vec_add(sofa_main_v(m), s->a[j], s->v[s->first + j], s->work);
  sofa_vec_zero(sofa_all_v(m), s->r2);
  SOFA_TRY(sofa_mech_add_mdx(m, &s->at, s->work, 1, s->r2));
  sofa_vec_add(sofa_main_v(m), -weight(s), s->rhs, s->r2);
  SOFA_TRY(add_gyroscopic(s));
  SOFA_TRY(sofa_mech_project_response(m, &p, s->r2));
  *square = sofa_vec_dot(sofa_main_v(m), s->r2, s->r2);
  return SOFA_OK;
}

static SofaErr build(BackwardDifferentiation *s) {
  const double hb = weight(s);
  SofaMechParams p = sofa_mech_params(s->h, s->m->node->time, 1 + hb * s->base.rayleigh_mass, -hb,
                                      -hb * (s->base.rayleigh_stiffness + hb));
  p.iterates = true;
  p.descends = s->descends;
  return sofa_linear_solver_build(s->base.linear_solver, s->m, &p, &s->at);
}

/* (1 + h b rM) M - h b B - h b (rK + h b) K applied to dv equals P (-r2 - h b K r1). */
static SofaErr solve(void *user) {
  BackwardDifferentiation *s = (BackwardDifferentiation *)user;
  SofaMechanics *m = s->m;
  const double hb = weight(s), time = m->node->time;
  SofaMechParams p = sofa_mech_params(s->h, time, 0, 0, -hb);
  sofa_vec_lincomb(sofa_all_v(m), SOFA_TERMS({-1, s->r2}), s->rhs);
  SOFA_TRY(sofa_mech_propagate_dx(m, &s->at, s->r1));
  SOFA_TRY(sofa_mech_add_mbk(m, &p, &s->at, s->r1, s->rhs));
  SOFA_TRY(sofa_mech_project_response(m, &p, s->rhs));
  SOFA_TRY(build(s));
  sofa_vec_zero(sofa_all_v(m), s->dv);
  return sofa_linear_solver_solve(s->base.linear_solver, s->rhs, s->dv);
}

/* Constraints move their points through the formula that runs. */
static SofaMechParams motion_params(const BackwardDifferentiation *s) {
  SofaMechParams p = sofa_mech_params(s->h, s->m->node->time, 0, 0, 0);
  p.from = s->begin;
  p.until = s->begin + s->h;
  return p;
}

/* v += alpha dv, x += alpha (h b dv - r1); SOFA's positions take the whole step at each trial. */
static SofaErr advance(void *user, double alpha) {
  BackwardDifferentiation *s = (BackwardDifferentiation *)user;
  SofaMechanics *m = s->m;
  const SofaMechParams p = motion_params(s);
  const bool whole = alpha != 1 && !sofa_mech_is_limited(m) &&
                     sofa_quirk(&s->base.solver.object, QUIRK_BDF_LINE_SEARCH);
  const double hb = weight(s);
  double *x = s->base.solver.x, *v = s->base.solver.v;
  sofa_vec_add(sofa_main_v(m), alpha, s->dv, v);
  sofa_vec_lincomb(sofa_main_v(m), SOFA_TERMS({hb, s->dv}, {-1, s->r1}), s->work);
  sofa_mech_integrate_x(m, whole ? 1 : alpha, s->work, x);
  SOFA_TRY(sofa_mech_project_position(m, &p, x));
  SOFA_TRY(sofa_mech_project_velocity(m, &p, v));
  return propagate(s);
}

static double correction(void *user) {
  const BackwardDifferentiation *s = (const BackwardDifferentiation *)user;
  return sofa_vec_dot(sofa_main_v(s->m), s->dv, s->dv);
}

static double estimate(void *user) {
  const BackwardDifferentiation *s = (const BackwardDifferentiation *)user;
  return sofa_vec_dot(sofa_main_v(s->m), s->base.solver.v, s->base.solver.v);
}

/* The impulse of the forces of all points, those that constraints hold included. */
static double loads(void *user) {
  const BackwardDifferentiation *s = (const BackwardDifferentiation *)user;
  const double hb = weight(s);
  return hb * hb * sofa_vec_dot(sofa_main_v(s->m), s->m->f, s->m->f);
}

static SofaErr rounding(void *user, double *square) {
  const BackwardDifferentiation *s = (const BackwardDifferentiation *)user;
  const SofaMechParams p = sofa_mech_params(s->h, s->m->node->time, 0, 0, 0);
  const double hb = weight(s);
  SOFA_TRY(sofa_mech_rounding(s->m, &p, &s->at, square));
  *square *= hb * hb;
  return SOFA_OK;
}

/* The youngest level. */
static SofaErr restore(void *user) {
  BackwardDifferentiation *s = (BackwardDifferentiation *)user;
  load_level(s, s->m, s->first + s->s - 1);
  return SOFA_OK;
}

/* v = sum a_j x_j / (h b): the velocity for which r1 = 0. */
static SofaErr set_velocity(BackwardDifferentiation *s, const SofaMechParams *p) {
  SofaMechanics *m = s->m;
  double *v = s->base.solver.v;
  sofa_vec_zero(sofa_main_v(m), v);
  SOFA_TRY(position_residual(s, p));
  sofa_vec_lincomb(sofa_main_v(m), SOFA_TERMS({1 / weight(s), s->r1}), v);
  SOFA_TRY(sofa_mech_project_velocity(m, p, v));
  return propagate(s);
}

/* The same with step limiters: constant velocity where that is allowed, else the old positions but
 * for points that constraints move. The equations are then those of one unknown, the position. */
static SofaErr predict_limited(BackwardDifferentiation *s) {
  SofaMechanics *m = s->m;
  const SofaMechParams p = motion_params(s);
  bool allowed = false;
  SOFA_TRY(propagate(s));
  SOFA_TRY(sofa_mech_limit_begin(m, &s->at, s->h));
  sofa_mech_integrate_x(m, s->h, s->base.solver.v, s->base.solver.x);
  SOFA_TRY(sofa_mech_project_position(m, &p, s->base.solver.x));
  SOFA_TRY(propagate(s));
  SOFA_TRY(sofa_mech_limit_guess(m, s->base.solver.x, &allowed));
  if (allowed) return set_velocity(s, &p);
  load_level(s, m, s->first + s->s - 1);
  SOFA_TRY(sofa_mech_project_position(m, &p, s->base.solver.x));
  SOFA_TRY(propagate(s));
  SOFA_TRY(sofa_mech_limit_imposed(m, &s->base.solver.object, s->base.solver.x));
  return set_velocity(s, &p);
}

/* The first guess: constant velocity. */
static SofaErr predict(BackwardDifferentiation *s) {
  SofaMechanics *m = s->m;
  if (sofa_mech_is_limited(m)) return predict_limited(s);
  sofa_mech_integrate_x(m, s->h, s->base.solver.v, s->base.solver.x);
  return propagate(s);
}

static SofaErr again(void *user) {
  SOFA_TRY(restore(user));
  return predict(user);
}

/* With r1 = 0 the residual r2 is the derivative by v of
 * (v - v_h) M (v - v_h) / 2 + h b rM v M v / 2 + V(x(v)), v_h = -sum of the a_j v_j before. Not so
 * for frames: their velocities are differences of positions to first order only. */
static SofaErr potential(void *user, double *value) {
  BackwardDifferentiation *s = (BackwardDifferentiation *)user;
  SofaMechanics *m = s->m;
  const SofaMechParams p = sofa_mech_params(s->h, m->node->time, 0, 0, 0);
  const double *v = s->base.solver.v, hb = weight(s);
  double kinetic, energy;
  SOFA_TRY(sofa_mech_energies(m, &p, &s->at, &kinetic, &energy));
  sofa_vec_copy(sofa_all_v(m), v, s->work);
  for (int j = 0; j < s->s; j++) sofa_vec_add(sofa_main_v(m), s->a[j], s->v[s->first + j], s->work);
  sofa_vec_zero(sofa_all_v(m), s->rhs);
  SOFA_TRY(sofa_mech_add_mdx(m, &s->at, s->work, 0.5, s->rhs));
  *value = energy + sofa_vec_dot(sofa_main_v(m), s->work, s->rhs);
  if (s->base.rayleigh_mass == 0) return SOFA_OK;
  sofa_vec_zero(sofa_all_v(m), s->rhs);
  SOFA_TRY(sofa_mech_add_mdx(m, &s->at, v, 0.5 * hb * s->base.rayleigh_mass, s->rhs));
  *value += sofa_vec_dot(sofa_main_v(m), v, s->rhs);
  return SOFA_OK;
}

static double work(void *user) {
  const BackwardDifferentiation *s = (const BackwardDifferentiation *)user;
  return -sofa_vec_dot(sofa_main_v(s->m), s->r2, s->dv);
}

/* Is there such a potential? Only limiters ask for it. */
static bool has_potential(const BackwardDifferentiation *s) {
  return sofa_mech_is_limited(s->m) && sofa_mech_has_potential(s->m) &&
         !sofa_mech_has_frames(s->m) && !s->m->moving_masses && s->base.rayleigh_stiffness == 0;
}

/* The formula of order s->s from the levels s->first, ..., by Newton. */
static SofaErr formula(BackwardDifferentiation *s) {
  const SofaNewtonProblem problem = {.residual = residual,
                                     .solve = solve,
                                     .advance = advance,
                                     .correction = correction,
                                     .estimate = estimate,
                                     .loads = loads,
                                     .rounding = rounding,
                                     .restore = restore,
                                     .again = again,
                                     .potential = has_potential(s) ? potential : NULL,
                                     .work = work,
                                     .user = s,
                                     .owner = &s->base.solver.object,
                                     .linear = s->base.linear_solver,
                                     .limited = sofa_mech_is_limited(s->m) ? s->m : NULL,
                                     .guess = &s->at,
                                     .descends = sofa_mech_is_limited(s->m) ? &s->descends : NULL};
  s->descends = false;
  SOFA_TRY(predict(s));
  return newton_raphson_run(s->newton, &problem);
}

/* ---- the start ----
 *
 * A formula of order k needs k - 1 steps before it with errors of O(h^k); steps with formulas of
 * lower orders would have errors of O(h^2) and limit the whole to order 2. Instead each of them is
 * made k - 1 times, of n = 1, ..., k - 1 backward Euler steps of h / n. The error has an expansion
 * in powers of 1 / n, and the weights w_n = prod_{i != n} n / (n - i) take out its first k - 2
 * terms, which leaves O(h^k) (Deuflhard, 1985; Hairer and Wanner, Solving ODEs II, IV.9). */

/* n backward Euler steps of h / n from the level `start`. */
static SofaErr euler_steps(BackwardDifferentiation *s, double h, int n, int start) {
  SofaMechanics *m = s->m;
  const int free_level = (int)s->order - 1;
  load_level(s, m, start);
  s->h = h / n;
  for (int i = 0; i < n; i++) {
    save_level(s, m, free_level);
    s->begin = m->node->time + i * s->h;
    SOFA_TRY(formula(s));
  }
  return SOFA_OK;
}

static double extrapolation_weight(int n, int most) {
  double w = 1;
  for (int i = 1; i <= most; i++)
    if (i != n) w *= (double)n / (n - i);
  return w;
}

/* The state becomes that of the level `start` changed by the extrapolated differences. */
static SofaErr use_sums(BackwardDifferentiation *s, double h, int start) {
  SofaMechanics *m = s->m;
  const SofaMechParams p = sofa_mech_params(h, m->node->time, 0, 0, 0);
  double *x = s->base.solver.x, *v = s->base.solver.v;
  sofa_vec_copy(sofa_all_x(m), s->x[start], x);
  sofa_vec_copy(sofa_main_v(m), s->sum_v, v);
  sofa_mech_integrate_x(m, 1, s->sum_x, x);
  SOFA_TRY(sofa_mech_project_position(m, &p, x));
  SOFA_TRY(sofa_mech_project_velocity(m, &p, v));
  return propagate(s);
}

static SofaErr start_step(BackwardDifferentiation *s, double h) {
  SofaMechanics *m = s->m;
  const int most = (int)s->order - 1, start = s->s - 1;
  const double *x = s->base.solver.x;
  sofa_vec_zero(sofa_all_v(m), s->sum_x);
  sofa_vec_zero(sofa_all_v(m), s->sum_v);
  s->s = 1;
  s->first = most;
  s->a[0] = -1, s->a[1] = 1, s->b = 1;
  for (int n = 1; n <= most; n++) {
    const double w = extrapolation_weight(n, most);
    SOFA_TRY(euler_steps(s, h, n, start));
    sofa_vec_add(sofa_main_v(m), w, s->base.solver.v, s->sum_v);
    for (size_t i = 0; i < m->n_main; i++) {
      const SofaState *state = m->states[i];
      add_difference(state, w, x + state->x_offset, s->x[start] + state->x_offset,
                     s->sum_x + state->v_offset);
    }
  }
  return use_sums(s, h, start);
}

static SofaErr step(SofaOdeSolver *solver, SofaMechanics *m, double h) {
  BackwardDifferentiation *s = (BackwardDifferentiation *)solver;
  SOFA_TRY(ode_need_linear_solver(&solver->object, s->base.linear_solver));
  s->m = m;
  s->h = h;
  s->first = 0;
  s->begin = m->node->time;
  push_level(s, m, h);
  if (s->s < (int)s->order && !sofa_quirk(&s->base.solver.object, QUIRK_BDF_HISTORY))
    return start_step(s, h);
  sofa_bdf_coefficients(s->s, s->t, s->a, &s->b);
  return formula(s);
}

/* Every run begins with a backward Euler step of h. */
static SofaErr assemble(SofaOdeSolver *solver, SofaMechanics *m, double h) {
  BackwardDifferentiation *s = (BackwardDifferentiation *)solver;
  double square = 0;
  if (!ode_has_linear_solver(s->base.linear_solver)) return SOFA_OK;
  s->m = m;
  s->h = h;
  s->first = 0;
  push_level(s, m, h);
  s->a[0] = -1, s->a[1] = 1, s->b = 1;
  SOFA_TRY(predict(s));
  SOFA_TRY(residual(s, &square));
  return build(s);
}

/* An impulse J^T lambda of the last formula (a step of s->h) changes the velocity by c. */
static SofaErr factors(SofaOdeSolver *solver, double h, SofaOdeFactors *out) {
  const BackwardDifferentiation *s = (const BackwardDifferentiation *)solver;
  (void)h;
  *out = (SofaOdeFactors){weight(s), 1, s->base.linear_solver};
  return SOFA_OK;
}

/* ---- the step as equations: order 1, a backward Euler step ---- */

static const char *equation_refusal(const SofaOdeSolver *solver) {
  const BackwardDifferentiation *s = (const BackwardDifferentiation *)solver;
  return s->order > 1 ? "a step of order 2 and more depends on the steps before" : NULL;
}

/* v += dv, x += h v */
static void equation_end(SofaOdeSolver *solver, SofaMechanics *m, double h, const double *dv) {
  sofa_vec_add(sofa_main_v(m), 1, dv, solver->v);
  sofa_mech_integrate_x(m, h, solver->v, solver->x);
}

/* r = P (-r2) - (I - P) s. Every step saves its own level; the velocities of the last one stay for
 * the solution. */
static SofaErr equation_residual(SofaOdeSolver *solver, SofaMechanics *m, double h,
                                 const double *dv, double *r) {
  BackwardDifferentiation *s = (BackwardDifferentiation *)solver;
  const SofaMechParams p = sofa_mech_params(h, m->node->time, 0, 0, 0);
  const SofaSpace space = sofa_main_v(m);
  double *last = s->v[0], square = 0;
  s->m = m;
  s->h = h;
  s->s = 1;
  s->a[0] = -1, s->a[1] = 1, s->b = 1;
  s->v[0] = s->sum_v;
  save_level(s, m, 0);
  sofa_vec_copy(space, dv, s->dv);
  SofaErr err = sofa_mech_project_response(m, &p, s->dv);
  if (err == SOFA_OK) {
    equation_end(solver, m, h, s->dv);
    err = propagate(s);
  }
  if (err == SOFA_OK) err = residual(s, &square);
  if (err == SOFA_OK) sofa_vec_lincomb(space, SOFA_TERMS({-1, s->r2}, {-1, dv}, {1, s->dv}), r);
  s->v[0] = last;
  return err;
}

static const double *equation_solution(const SofaOdeSolver *solver) {
  const BackwardDifferentiation *s = (const BackwardDifferentiation *)solver;
  sofa_vec_lincomb(sofa_main_v(solver->mechanics), SOFA_TERMS({1, solver->v}, {-1, s->v[0]}),
                   s->work);
  return s->work;
}

static const SofaStepEquations equations = {
    .order = 1,
    .refusal = equation_refusal,
    .residual = equation_residual,
    .end = equation_end,
    .solution = equation_solution,
};

static unsigned traits(const SofaOdeSolver *solver) {
  const uint32_t order = ((const BackwardDifferentiation *)solver)->order;
  return ode_damping_traits(solver) | (order <= 2 ? SOFA_ODE_LIMITS_STEPS : 0);
}

static void quirk_factors(double dt, double *position, double *velocity) {
  (void)dt;
  *position = 0;
  *velocity = 0;
}

static const SofaOdeSolverOps ops = {
    .traits = traits,
    .prepare = prepare,
    .step = step,
    .assemble = assemble,
    .factors = factors,
    .equations = &equations,
    .quirk_factors = quirk_factors,
};

/* ---- checkpoints ---- */

/* The number of a vector of the plan, which levels exchange, + 1; 0: it is none. */
static uint64_t number_of(const SofaMechanics *m, const double *vector) {
  size_t length, i = m ? sofa_mechanics_n_vectors(m) : 0;
  while (i > 0 && sofa_mechanics_vector(m, i - 1, &length) != vector) i--;
  return i;
}

static SofaErr save_levels(const SofaObject *object, SofaCheckpointWriter *to) {
  const BackwardDifferentiation *s = (const BackwardDifferentiation *)object;
  const SofaMechanics *m = s->n_levels ? s->base.solver.mechanics : NULL;
  for (uint32_t j = 0; j < s->order; j++) {
    sofa_checkpoint_put_uint(to, number_of(m, s->x[j]));
    sofa_checkpoint_put_uint(to, number_of(m, s->v[j]));
  }
  return SOFA_OK;
}

/* The vector of a number with so many reals; NULL: there is none. */
static double *get_vector(SofaMechanics *m, SofaCheckpointReader *from, size_t n) {
  const uint64_t number = sofa_checkpoint_get_uint(from);
  size_t length = 0;
  const double *vector = m && number ? sofa_mechanics_vector(m, number - 1, &length) : NULL;
  if (vector && length == n) return (double *)(uintptr_t)vector;
  sofa_checkpoint_misread(from);
  return NULL;
}

static SofaErr restore_levels(SofaObject *object, SofaCheckpointReader *from) {
  BackwardDifferentiation *s = (BackwardDifferentiation *)object;
  SofaMechanics *m = s->base.solver.mechanics;
  if (s->n_levels < 0 || s->n_levels > (int)s->order) sofa_checkpoint_misread(from);
  for (uint32_t j = 0; j < s->order; j++) {
    if (s->n_levels == 0) {
      (void)sofa_checkpoint_get_uint(from), (void)sofa_checkpoint_get_uint(from);
      continue;
    }
    double *x = get_vector(m, from, m ? m->n_x : 0), *v = get_vector(m, from, m ? m->n_v : 0);
    if (x && v) s->x[j] = x, s->v[j] = v;
  }
  return SOFA_OK;
}

static const SofaCheckpointOps checkpoint = {.save = save_levels, .restore = restore_levels};

static const SofaKeptMember kept[] = {
    SOFA_KEEP(BackwardDifferentiation, t),
    SOFA_KEEP(BackwardDifferentiation, n_levels),
};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(BackwardDifferentiation, a), SOFA_REMADE(BackwardDifferentiation, at),
    SOFA_REMADE(BackwardDifferentiation, b), SOFA_REMADE(BackwardDifferentiation, begin),
    SOFA_REMADE(BackwardDifferentiation, h), SOFA_REMADE(BackwardDifferentiation, m),
    SOFA_REMADE(BackwardDifferentiation, s),
};

const SofaClass backward_differentiation_class = {
    .name = "BackwardDifferentiation",
    .module = "csofa",
    .category = "OdeSolver",
    .help = "Backward differentiation formulas.",
    .base = &damped_solver_class,
    .size = sizeof(BackwardDifferentiation),
    .divided = SOFA_DIVIDED_NEUTRAL,
    SOFA_SPARES(spared),
    SOFA_KEEPS(kept),
    .checkpoint = &checkpoint,
    SOFA_FIELDS(fields),
    .init = init,
    .reset = reset,
    SOFA_IMPLEMENTS({SOFA_ODE_SOLVER, &ops}),
    .abstract = true,
};
