/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Newton's method on a path of equilibria. K dx = R + dl F is solved for both right-hand sides with
 * one matrix, so that it stays sparse and symmetric (Batoz and Dhatt, 1979). */
#include "components/odesolver/path_increment.h"

#include <float.h>

SofaErr path_increment_prepare(PathIncrement *p, ImplicitSolver *base, SofaMechanics *m) {
  double **derivs[] = {&p->way, &p->moved, &p->dx, &p->dx_load, &p->loads, &p->residual};
  p->base = base;
  p->m = m;
  SOFA_TRY(sofa_mechanics_coord(m, &p->start));
  for (size_t i = 0; i < SOFA_COUNT(derivs); i++) SOFA_TRY(sofa_mechanics_deriv(m, derivs[i]));
  return SOFA_OK;
}

/* ---- equations ---- */

static SofaMechParams params_of(const PathIncrement *p, double k) {
  return sofa_mech_params(p->h, p->begin, 0, 0, k);
}

/* The guess has changed. */
static SofaErr begin_point(PathIncrement *p) {
  p->m->load_factor = p->load;
  p->at = sofa_mech_point(p->m, p->base->solver.x, p->base->solver.v, p->begin + p->h);
  return sofa_mech_propagate_x(p->m, &p->at, p->base->solver.x);
}

static SofaErr residual(void *user, double *square) {
  PathIncrement *p = user;
  const SofaMechParams params = params_of(p, 0);
  SOFA_TRY(sofa_mech_compute_force(p->m, &params, &p->at, p->m->f));
  sofa_vec_copy(sofa_all_v(p->m), p->m->f, p->residual);
  SOFA_TRY(sofa_mech_project_response(p->m, &params, p->residual));
  *square = sofa_vec_dot(sofa_main_v(p->m), p->residual, p->residual);
  p->lost = p->lost || !isfinite(*square);
  if (p->lost) *square = DBL_MAX; // ends the iteration, see is_lost
  return SOFA_OK;
}

/* P F, the loads at the guess. */
static SofaErr find_loads(PathIncrement *p) {
  const SofaMechParams params = params_of(p, 0);
  SOFA_TRY(sofa_mech_compute_loads(p->m, &params, &p->at, p->loads));
  return sofa_mech_project_response(p->m, &params, p->loads);
}

static SofaErr build(PathIncrement *p) {
  const SofaMechParams params = params_of(p, -1);
  return sofa_linear_solver_build(p->base->linear_solver, p->m, &params, &p->at);
}

/* dx = K^-1 F at the guess. */
static SofaErr solve_loads(PathIncrement *p) {
  SOFA_TRY(find_loads(p));
  return sofa_linear_solver_solve(p->base->linear_solver, p->loads, p->dx_load);
}

static double dot(const PathIncrement *p, const double *a, const double *b) {
  return sofa_vec_dot(sofa_main_v(p->m), a, b);
}

static double controlled(const PathIncrement *p, const double *dx) {
  double sum = 0;
  for (unsigned c = 0; c < p->n_direction; c++) sum += p->direction[c] * dx[p->dof + c];
  return sum;
}

/* |dx_F|^2 + b: of the motion that a load factor of 1 makes. */
static double square_of_load(const PathIncrement *p) {
  return dot(p, p->dx_load, p->dx_load) + p->weight;
}

/* Corrections normal to the motion so far; false: there are none, or the motion of the load alone
 * would be longer than the increment. */
static bool solve_plane(const PathIncrement *p, double *dl) {
  const double bottom = dot(p, p->moved, p->dx_load) + p->weight * p->moved_load;
  const double length = sqrt(square_of_load(p));
  *dl = -dot(p, p->moved, p->dx) / bottom;
  return fabs(*dl) * length <= p->radius;
}

/* The root of |Dx + dx + dl dx_F|^2 + b (Dl + dl)^2 = radius^2 whose motion is nearest to that so
 * far (Crisfield, 1981). Without a root, as the first guess of a body that hardly stretches often
 * has none, the plane that touches the sphere takes its place. */
static bool solve_sphere(const PathIncrement *p, double *dl) {
  const double b = p->weight, l = p->moved_load;
  const double motion_f = dot(p, p->moved, p->dx_load);
  const double a1 = square_of_load(p);
  const double a2 = motion_f + dot(p, p->dx, p->dx_load) + b * l;
  const double a3 = dot(p, p->moved, p->moved) + 2 * dot(p, p->moved, p->dx) +
                    dot(p, p->dx, p->dx) + b * l * l - p->radius * p->radius;
  const double under = a2 * a2 - a1 * a3;
  if (under < 0) return solve_plane(p, dl);
  // the cosine of the roots differs by dl (Dx . dx_F + b Dl) alone
  const double way = motion_f + b * l;
  *dl = (-a2 + (way >= 0 ? 1 : -1) * sqrt(under)) / a1;
  return isfinite(*dl);
}

/* The correction of the load factor for the corrections dx and dx_F. */
static bool solve_constraint(const PathIncrement *p, double *dl) {
  double top = 0, bottom = 1;
  switch (p->method) {
  case PATH_LOAD:
    break;
  case PATH_DISPLACEMENT:
    top = p->radius - controlled(p, p->moved) - controlled(p, p->dx);
    bottom = controlled(p, p->dx_load);
    break;
  case PATH_NORMAL_PLANE:
    top = -dot(p, p->moved, p->dx);
    bottom = dot(p, p->moved, p->dx_load) + p->weight * p->moved_load;
    break;
  case PATH_CYLINDRICAL:
  case PATH_SPHERICAL:
    return solve_sphere(p, dl);
  }
  *dl = top / bottom;
  return isfinite(*dl);
}

static SofaErr solve(void *user) {
  PathIncrement *p = user;
  p->d_load = 0;
  SOFA_TRY(build(p));
  SOFA_TRY(sofa_linear_solver_solve(p->base->linear_solver, p->residual, p->dx));
  if (p->method == PATH_LOAD) return SOFA_OK;
  SOFA_TRY(solve_loads(p));
  p->lost = p->lost || !solve_constraint(p, &p->d_load);
  if (p->lost) sofa_vec_zero(sofa_all_v(p->m), p->dx);
  else sofa_vec_add(sofa_main_v(p->m), p->d_load, p->dx_load, p->dx);
  return SOFA_OK;
}

static SofaErr advance(void *user, double alpha) {
  PathIncrement *p = user;
  const double dl = p->lost ? 0 : alpha * p->d_load;
  sofa_mech_integrate_x(p->m, alpha, p->dx, p->base->solver.x);
  sofa_vec_add(sofa_main_v(p->m), alpha, p->dx, p->moved);
  p->load += dl;
  p->moved_load += dl;
  return begin_point(p);
}

static double correction(void *user) {
  const PathIncrement *p = user;
  return dot(p, p->dx, p->dx);
}

static double estimate(void *user) {
  const PathIncrement *p = user;
  return sofa_vec_dot(sofa_main_x(p->m), p->base->solver.x, p->base->solver.x);
}

/* Forces of all points, those of supports included, or those of a whole increment. */
static double loads(void *user) {
  const PathIncrement *p = user;
  return fmax(dot(p, p->m->f, p->m->f), p->scale * p->scale);
}

static SofaErr rounding(void *user, double *square) {
  const PathIncrement *p = user;
  const SofaMechParams params = params_of(p, 0);
  return sofa_mech_rounding(p->m, &params, &p->at, square);
}

/* Ends an iteration that cannot go on. */
static bool is_lost(void *user) {
  return ((const PathIncrement *)user)->lost;
}

/* ---- the increment ---- */

SofaErr path_increment_assemble(PathIncrement *p) {
  double square;
  SOFA_TRY(begin_point(p));
  SOFA_TRY(residual(p, &square)); // the forces, for geometric stiffness
  return build(p);
}

SofaErr path_increment_rate(PathIncrement *p, double *rate) {
  SOFA_TRY(path_increment_assemble(p));
  SOFA_TRY(solve_loads(p));
  *rate = p->method == PATH_DISPLACEMENT ? controlled(p, p->dx_load)
                                         : sqrt(dot(p, p->dx_load, p->dx_load));
  return SOFA_OK;
}

/* The change of the load factor along the tangent: in the direction of the last increment, or as
 * the sign of `size` says. */
static double tangent_length(const PathIncrement *p, double rate, double size) {
  if (p->method == PATH_DISPLACEMENT) return size / rate;
  const double length = fabs(size) / sqrt(rate * rate + p->weight);
  const double along = dot(p, p->way, p->dx_load) + p->weight * p->way_load;
  return copysign(length, p->way_load != 0 && along != 0 ? along : size);
}

static SofaErr predict(PathIncrement *p, double size) {
  double rate = 0;
  p->radius = p->method == PATH_DISPLACEMENT ? size : fabs(size);
  SOFA_TRY(path_increment_rate(p, &rate));
  p->d_load = tangent_length(p, rate, size);
  p->scale = fabs(p->d_load) * sqrt(dot(p, p->loads, p->loads));
  if (!isfinite(p->d_load)) {
    p->lost = true;
    return SOFA_OK;
  }
  sofa_vec_zero(sofa_all_v(p->m), p->dx);
  sofa_vec_add(sofa_main_v(p->m), p->d_load, p->dx_load, p->dx);
  return advance(p, 1);
}

/* The first guess: a tangent, or, of loads that are given, the state with its supports moved. */
static SofaErr guess(PathIncrement *p, double size) {
  const SofaMechParams params = params_of(p, 0);
  p->lost = false;
  p->load_start = p->load;
  p->moved_load = 0;
  sofa_vec_zero(sofa_all_v(p->m), p->moved);
  sofa_vec_copy(sofa_all_x(p->m), p->base->solver.x, p->start);
  if (p->method != PATH_LOAD) return predict(p, size);
  p->load += size;
  p->moved_load = size;
  SOFA_TRY(sofa_mech_move_held(p->m, &params, p->base->solver.x));
  return begin_point(p);
}

static SofaErr go_back(PathIncrement *p) {
  sofa_vec_copy(sofa_all_x(p->m), p->start, p->base->solver.x);
  p->load = p->load_start;
  return begin_point(p);
}

SofaErr path_increment_run(PathIncrement *p, double size, bool *converged) {
  const SofaNewtonProblem problem = {.residual = residual,
                                     .solve = solve,
                                     .advance = advance,
                                     .correction = correction,
                                     .estimate = estimate,
                                     .loads = loads,
                                     .rounding = rounding,
                                     .converged = is_lost,
                                     .user = p,
                                     .owner = &p->base->solver.object,
                                     .linear = p->base->linear_solver};
  SOFA_TRY(guess(p, size));
  SOFA_TRY(sofa_newton_solve(p->m->ctx, &p->criteria, &problem, &p->report));
  *converged = !p->lost && sofa_newton_converged(p->report.status);
  if (!*converged) return go_back(p);
  sofa_vec_copy(sofa_all_v(p->m), p->moved, p->way);
  p->way_load = p->moved_load;
  return SOFA_OK;
}
