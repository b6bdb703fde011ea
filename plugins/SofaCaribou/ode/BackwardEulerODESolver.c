/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* BackwardEulerODESolver: backward Euler steps, each solved to the end by Newton-Raphson. */
#include "ode/newton_solver.h"
#include "simulation/gyroscopic.h"
#include "simulation/step_limits.h"
#include "simulation/vectors.h"

enum { QUIRK_CARIBOU_FIRST_RESIDUAL = 1 };
static const SofaQuirk quirks[] = {
    {QUIRK_CARIBOU_FIRST_RESIDUAL, "caribou-first-residual",
     "BackwardEulerODESolver takes its first residual and tangent at the old positions",
     "test_caribou_beams.history_of_falling"},
};

typedef struct BackwardEulerODESolver {
  CaribouNewton newton; /* its total is the acceleration a */
  double rayleigh_stiffness, rayleigh_mass;
  double *x_n, *v_n; /* at the start of the step */
  double *moved;     /* a with its mapped part */
} BackwardEulerODESolver;

static const SofaField fields[] = {
    SOFA_FIELD(BackwardEulerODESolver, rayleigh_stiffness, "rayleigh_stiffness", "0", "s",
               "r_k of the damping r_m M + r_k K", .range = SOFA_AT_LEAST(0)),
    SOFA_FIELD(BackwardEulerODESolver, rayleigh_mass, "rayleigh_mass", "0", "1/s",
               "r_m of the damping r_m M + r_k K", .range = SOFA_AT_LEAST(0)),
};

static SofaErr prepare(SofaOdeSolver *solver, SofaMechanics *m) {
  BackwardEulerODESolver *s = (BackwardEulerODESolver *)solver;
  SOFA_TRY(caribou_newton_prepare(solver, m));
  SOFA_TRY(sofa_mechanics_coord(m, &s->x_n));
  SOFA_TRY(sofa_mechanics_deriv(m, &s->v_n));
  return sofa_mechanics_deriv(m, &s->moved);
}

/* -F = f(x, v) - M a - (r_m M + r_k K) v with v = v_n + h a, x = x_n + h v; f holds -C v, the
 * components' own Rayleigh damping among it, -R, P */
static SofaErr rhs(CaribouNewton *newton) {
  BackwardEulerODESolver *s = (BackwardEulerODESolver *)newton;
  SofaMechanics *m = newton->m;
  const double time = m->node->time;
  SofaMechParams p = sofa_mech_params(newton->h, time, 0, 0, 0);
  SOFA_TRY(sofa_mech_compute_force(m, &p, &newton->at, m->f));
  sofa_vec_copy(sofa_all_v(m), m->f, newton->rhs);
  p = sofa_mech_params(newton->h, time, -1, 0, 0);
  sofa_vec_copy(sofa_all_v(m), newton->total, s->moved);
  SOFA_TRY(sofa_mech_propagate_dx(m, &newton->at, s->moved));
  SOFA_TRY(sofa_mech_add_mbk(m, &p, &newton->at, s->moved, newton->rhs));
  p = sofa_mech_params(newton->h, time, -s->rayleigh_mass, 0, s->rayleigh_stiffness);
  if (p.m != 0 || p.k != 0)
    SOFA_TRY(sofa_mech_add_mbk(m, &p, &newton->at, newton->solver.v, newton->rhs));
  SOFA_TRY(sofa_mech_add_gyroscopic_at(m, &newton->at, newton->solver.v, newton->h, newton->rhs));
  return sofa_mech_project_response(m, &p, newton->rhs);
}

/* J = (1 + h r_m) M + h C + h (h + r_k) K, with B = -C and dF/dx = -K */
static SofaMechParams factors(const CaribouNewton *newton) {
  const BackwardEulerODESolver *s = (const BackwardEulerODESolver *)newton;
  const double h = newton->h;
  SofaMechParams p = sofa_mech_params(h, newton->m->node->time, 1 + h * s->rayleigh_mass, -h,
                                      -h * (h + s->rayleigh_stiffness));
  p.iterates = true;
  return p;
}

/* v = v_n + h a, x = x_n + h v */
static SofaErr update_state(BackwardEulerODESolver *s, SofaMechanics *m, double h) {
  const double *a = s->newton.total;
  double *x = s->newton.solver.x, *v = s->newton.solver.v;
  sofa_vec_lincomb(sofa_main_v(m), SOFA_TERMS({1, s->v_n}, {h, a}), v);
  sofa_vec_copy(sofa_main_x(m), s->x_n, x);
  sofa_mech_integrate_x(m, h, v, x);
  s->newton.m = m;
  s->newton.time = m->node->time;
  return caribou_newton_propagate(&s->newton);
}

static SofaErr advance(CaribouNewton *newton, double alpha) {
  (void)alpha; /* is in the total already */
  return update_state((BackwardEulerODESolver *)newton, newton->m, newton->h);
}

/* With F = M a - f(x), x = x_n + h (v_n + h a): h^2 (a M a / 2) + V has the derivative h^2 F. */
static SofaErr potential(CaribouNewton *newton, double *value) {
  BackwardEulerODESolver *s = (BackwardEulerODESolver *)newton;
  SofaMechanics *m = newton->m;
  const double h = newton->h;
  const SofaMechParams p = sofa_mech_params(h, m->node->time, 0, 0, 0);
  double kinetic, energy;
  SOFA_TRY(sofa_mech_energies(m, &p, &newton->at, &kinetic, &energy));
  sofa_vec_zero(sofa_all_v(m), s->moved);
  SOFA_TRY(sofa_mech_add_mdx(m, &newton->at, newton->total, h * h / 2, s->moved));
  *value = energy + sofa_vec_dot(sofa_main_v(m), newton->total, s->moved);
  return SOFA_OK;
}

static double slope(const CaribouNewton *newton) {
  return newton->h * newton->h;
}

static const CaribouEquations equations = {rhs, factors, advance, potential, slope};
/* dampers have no potential */
static const CaribouEquations damped_equations = {rhs, factors, advance, NULL, NULL};

/* The first guess: a = 0. */
static SofaErr predict(BackwardEulerODESolver *s, SofaMechanics *m, double h) {
  sofa_vec_copy(sofa_all_x(m), s->newton.solver.x, s->x_n);
  sofa_vec_copy(sofa_all_v(m), s->newton.solver.v, s->v_n);
  sofa_vec_zero(sofa_all_v(m), s->newton.total);
  s->newton.time = m->node->time;
  if (sofa_quirk(&s->newton.solver.object, QUIRK_CARIBOU_FIRST_RESIDUAL) &&
      !sofa_mech_is_limited(m))
    return SOFA_OK;
  return update_state(s, m, h);
}

/* The same with step limiters: where a = 0 leads through something, the guess is the position of
 * the start, a = -v_n / h. */
static SofaErr predict_limited(BackwardEulerODESolver *s, SofaMechanics *m, double h) {
  bool allowed = false;
  s->newton.at = sofa_mech_point(m, s->newton.solver.x, s->newton.solver.v, m->node->time);
  SOFA_TRY(sofa_mech_limit_begin(m, &s->newton.at, h));
  SOFA_TRY(predict(s, m, h));
  SOFA_TRY(sofa_mech_limit_guess(m, s->newton.solver.x, &allowed));
  if (allowed) return SOFA_OK;
  sofa_vec_lincomb(sofa_main_v(m), SOFA_TERMS({-1 / h, s->v_n}), s->newton.total);
  return update_state(s, m, h);
}

static SofaErr assemble(SofaOdeSolver *solver, SofaMechanics *m, double h) {
  BackwardEulerODESolver *s = (BackwardEulerODESolver *)solver;
  SOFA_TRY(predict(s, m, h));
  return caribou_newton_assemble(&s->newton, &equations, m, h);
}

static const CaribouEquations *equations_of(const BackwardEulerODESolver *s) {
  const bool damped = s->rayleigh_mass != 0 || s->rayleigh_stiffness != 0;
  return damped ? &damped_equations : &equations;
}

static SofaErr step(SofaOdeSolver *solver, SofaMechanics *m, double h) {
  BackwardEulerODESolver *s = (BackwardEulerODESolver *)solver;
  SofaNewtonCriteria criteria;
  caribou_newton_criteria(&s->newton, &criteria);
  SOFA_TRY((sofa_mech_is_limited(m) ? predict_limited : predict)(s, m, h));
  return caribou_newton_run(&s->newton, equations_of(s), m, h, &criteria);
}

/* ---- the step as equations ---- */

/* The total of the last step stays. */
static SofaErr equation_residual(SofaOdeSolver *solver, SofaMechanics *m, double h, const double *a,
                                 double *r) {
  BackwardEulerODESolver *s = (BackwardEulerODESolver *)solver;
  CaribouNewton *newton = &s->newton;
  const SofaMechParams p = sofa_mech_params(h, m->node->time, 0, 0, 0);
  double *total = newton->total;
  newton->h = h;
  newton->total = newton->dx;
  sofa_vec_copy(sofa_main_x(m), solver->x, s->x_n);
  sofa_vec_copy(sofa_main_v(m), solver->v, s->v_n);
  sofa_vec_copy(sofa_main_v(m), a, newton->total);
  SofaErr err = sofa_mech_project_response(m, &p, newton->total);
  if (err == SOFA_OK) err = update_state(s, m, h);
  if (err == SOFA_OK) err = rhs(newton);
  if (err == SOFA_OK) caribou_newton_residual(newton, m, a, newton->total, r);
  newton->total = total;
  return err;
}

static void equation_end(SofaOdeSolver *solver, SofaMechanics *m, double h, const double *a) {
  sofa_vec_add(sofa_main_v(m), h, a, solver->v);
  sofa_mech_integrate_x(m, h, solver->v, solver->x);
}

static const double *equation_solution(const SofaOdeSolver *solver) {
  return ((const CaribouNewton *)solver)->total;
}

static const SofaStepEquations step_equations = {
    .order = 2,
    .residual = equation_residual,
    .end = equation_end,
    .solution = equation_solution,
};

static unsigned traits(const SofaOdeSolver *solver) {
  (void)solver;
  return SOFA_ODE_LIMITS_STEPS;
}

/* A force J^T lambda at the end of the step changes the acceleration by c. */
static SofaErr corrections(SofaOdeSolver *solver, double h, SofaOdeFactors *out) {
  *out = (SofaOdeFactors){h * h, h, ((const CaribouNewton *)solver)->linear};
  return SOFA_OK;
}

static const SofaOdeSolverOps ops = {.prepare = prepare,
                                     .step = step,
                                     .assemble = assemble,
                                     .factors = corrections,
                                     .equations = &step_equations,
                                     .traits = traits};

SOFA_CLASS(BackwardEulerODESolver) = {
    .name = "BackwardEulerODESolver",
    .module = "SofaCaribou",
    .category = "OdeSolver",
    .help =
        "Backward Euler: the equations at the end of the step are solved for the acceleration a "
        "by Newton-Raphson from a = 0, with Rayleigh damping.",
    .equations = "M a + (r_M M + r_K K) v' + R(x') = P\n"
                 "v' = v + h a, x' = x + h v'\n"
                 "((1 + h r_M) M + h C + h (h + r_K) K) da = P - R(x') - M a - (r_M M + r_K K) v'",
    .base = &caribou_newton_class,
    .divided = SOFA_DIVIDED_NEUTRAL,
    SOFA_QUIRKS(quirks),
    .size = sizeof(BackwardEulerODESolver),
    SOFA_FIELDS(fields),
    SOFA_IMPLEMENTS({SOFA_ODE_SOLVER, &ops}),
};
