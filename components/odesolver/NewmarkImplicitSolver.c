/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* NewmarkImplicitSolver: the Newmark family with one linearisation per step. */
#include <math.h>

#include "components/odesolver/acceleration.h"
#include "object/checkpoint.h"
#include "components/odesolver/implicit_solver.h"
#include "components/odesolver/limited_step.h"
#include "simulation/gyroscopic.h"

enum { QUIRK_NEWMARK_DAMPING = 1 };
static const SofaQuirk quirks[] = {
    {QUIRK_NEWMARK_DAMPING, "newmark-damping",
     "NewmarkImplicitSolver counts forces of damping twice", "test_quirks_motion.solvers"},
};

typedef struct NewmarkImplicitSolver {
  ImplicitSolver base;
  double vdamping, gamma, beta;
  bool thread_safe_visitor;
  double *a, *a_new, *b; /* accelerations of this and the next time, right-hand side */
  double *x_end;    /* estimated, where rigid bodies have their inertia; NULL: there are none */
  SofaMechPoint at; /* of the step: its start */
  bool started;
  LimitedStep limited; /* with step limiters: iterates instead of one linearisation */
} NewmarkImplicitSolver;

static const SofaField fields[] = {
    SOFA_FIELD(NewmarkImplicitSolver, vdamping, "vdamping", "0", "1/s",
               "velocities decay by exp(-vdamping dt) at the end of each step",
               .range = SOFA_AT_LEAST(0), .on_bad = SOFA_BAD_KEEP),
    SOFA_FIELD(NewmarkImplicitSolver, gamma, "gamma", "0.5", "1",
               "weight of the new acceleration in the velocity; 0.5: second order",
               .range = SOFA_WITHIN(0, 1), .on_bad = SOFA_BAD_KEEP),
    SOFA_FIELD(NewmarkImplicitSolver, beta, "beta", "0.25", "1",
               "weight of the new acceleration in the position", .range = SOFA_WITHIN(0, 0.5),
               .on_bad = SOFA_BAD_KEEP),
    SOFA_FIELD(NewmarkImplicitSolver, thread_safe_visitor, "threadSafeVisitor", "0", "",
               "no effect", .flags = SOFA_FIELD_NO_EFFECT),
};

static SofaErr reset(SofaObject *object) {
  ((NewmarkImplicitSolver *)object)->started = false;
  return SOFA_OK;
}

static SofaErr prepare(SofaOdeSolver *solver, SofaMechanics *m) {
  NewmarkImplicitSolver *s = (NewmarkImplicitSolver *)solver;
  s->started = false;
  s->x_end = NULL;
  if (sofa_mech_has_frames(m)) SOFA_TRY(sofa_mechanics_coord(m, &s->x_end));
  SOFA_TRY(sofa_mechanics_deriv(m, &s->a));
  SOFA_TRY(sofa_mechanics_deriv(m, &s->a_new));
  if (sofa_mech_is_limited(m)) SOFA_TRY(limited_step_prepare(&s->limited, &s->base, m));
  return sofa_mechanics_deriv(m, &s->b);
}

/* M a = P (f - rM M v + rK K v) at the start; consistent masses are solved for. */
static SofaErr initial_acceleration(NewmarkImplicitSolver *s, SofaMechanics *m, double h) {
  SofaMechParams p = sofa_mech_params(h, m->node->time, 1, 0, 0);
  const bool diagonal = sofa_mech_masses_diagonal(m);
  double *x = s->base.solver.x, *v = s->base.solver.v;
  if (diagonal) SOFA_TRY(acceleration(m, &p, x, v, s->a));
  const bool damped =
      is_damped(&s->base) && !sofa_quirk(&s->base.solver.object, QUIRK_NEWMARK_DAMPING);
  if (diagonal && !damped) return SOFA_OK;

  SofaMechPoint at = sofa_mech_point(m, x, v, m->node->time);
  SOFA_TRY(sofa_mech_compute_force(m, &p, &at, m->f));
  SOFA_TRY(sofa_mech_add_gyroscopic_at(m, &at, v, 0, m->f));
  sofa_vec_copy(sofa_all_v(m), m->f, s->b);
  if (damped) {
    p = sofa_mech_params(h, m->node->time, -s->base.rayleigh_mass, 0, s->base.rayleigh_stiffness);
    SOFA_TRY(sofa_mech_add_mbk(m, &p, &at, v, s->b));
  }
  SOFA_TRY(sofa_mech_project_response(m, &p, s->b));
  if (diagonal) {
    SOFA_TRY(sofa_mech_acc_from_f(m, &at, s->b, s->a));
    return sofa_mech_project_response(m, &p, s->a);
  }
  sofa_vec_zero(sofa_all_v(m), s->a);
  p = sofa_mech_params(h, m->node->time, 1, 0, 0);
  SOFA_TRY(sofa_linear_solver_build(s->base.linear_solver, m, &p, &at));
  return sofa_linear_solver_solve(s->base.linear_solver, s->b, s->a);
}

/* SOFA's has no Rayleigh damping, neither the solver's nor that of components. */
static SofaErr start(NewmarkImplicitSolver *s, SofaMechanics *m, double h) {
  s->started = true;
  m->own_damping = !sofa_quirk(&s->base.solver.object, QUIRK_NEWMARK_DAMPING);
  const SofaErr err = initial_acceleration(s, m, h);
  m->own_damping = true;
  return err;
}

/* The start of the step; masses are those of its end, which x + h v is to second order. */
static SofaMechPoint start_point(const NewmarkImplicitSolver *s, SofaMechanics *m, double h) {
  const double *x = s->base.solver.x, *v = s->base.solver.v;
  SofaMechPoint at = sofa_mech_point(m, x, v, m->node->time);
  if (!s->x_end) return at;
  sofa_vec_copy(sofa_main_x(m), x, s->x_end);
  sofa_mech_integrate_x(m, h, v, s->x_end);
  at.x_mass = s->x_end;
  return at;
}

/* m->f += the gyroscopic torques at the end of the step. */
static SofaErr add_gyroscopic(NewmarkImplicitSolver *s, SofaMechanics *m, double h) {
  const SofaSpinTime end = {s->base.solver.v, s->a, h * (1 - s->gamma), h * s->gamma};
  return sofa_mech_add_gyroscopic(m, &s->at, &end, m->f);
}

/* b = f(x, v) + [h (1-g) (B - rM M + rK K) + h^2 (1/2 - beta) K] a + [(h + rK) K - rM M] v: the
 * force and damping at the end of the step, linearised, without what the new acceleration adds. */
static SofaErr right_hand_side(NewmarkImplicitSolver *s, SofaMechanics *m, double h) {
  const double time = m->node->time, g = h * (1 - s->gamma);
  const double rk = s->base.rayleigh_stiffness, rm = s->base.rayleigh_mass;
  SofaMechParams p = sofa_mech_params(h, time, 0, 0, 0);
  s->at = start_point(s, m, h);
  SOFA_TRY(sofa_mech_compute_force(m, &p, &s->at, m->f));
  SOFA_TRY(add_gyroscopic(s, m, h));
  sofa_vec_copy(sofa_all_v(m), m->f, s->b);
  p = sofa_mech_params(h, time, -g * rm, g, g * rk + h * h * (1 - 2 * s->beta) / 2);
  if (is_damped(&s->base) || s->beta != 0.5 ||
      !sofa_quirk(&s->base.solver.object, QUIRK_NEWMARK_DAMPING)) {
    SOFA_TRY(sofa_mech_propagate_dx(m, &s->at, s->a));
    SOFA_TRY(sofa_mech_add_mbk(m, &p, &s->at, s->a, s->b));
  }
  /* SOFA adds B v, which f contains already */
  const double b = sofa_quirk(&s->base.solver.object, QUIRK_NEWMARK_DAMPING) ? 1 : 0;
  p = sofa_mech_params(h, time, -rm, b, rk + h);
  p.r = 0; /* f contains the components' own damping */
  SOFA_TRY(sofa_mech_add_mbk(m, &p, &s->at, s->base.solver.v, s->b));
  return sofa_mech_project_response(m, &p, s->b);
}

static SofaErr make_system(NewmarkImplicitSolver *s, SofaMechanics *m, double h) {
  const double g = s->gamma, beta = s->beta;
  if (!s->started) SOFA_TRY(start(s, m, h));
  SOFA_TRY(right_hand_side(s, m, h));
  SofaMechParams p = sofa_mech_params(h, m->node->time, 1 + h * g * s->base.rayleigh_mass, -h * g,
                                      -h * h * beta - h * g * s->base.rayleigh_stiffness);
  return sofa_linear_solver_build(s->base.linear_solver, m, &p, &s->at);
}

/* The end of the velocities' step. */
static void finish(NewmarkImplicitSolver *s, SofaMechanics *m, double h) {
  double *v = s->base.solver.v;
  sofa_mech_separate_gravity(m, h, v);
  if (s->vdamping != 0) sofa_vec_scale(sofa_main_v(m), exp(-h * s->vdamping), v);
}

/* The scheme's equation at the end of the step, f(x1, v1) = M a1 with damping: with
 * p = h v + h^2 (1/2 - beta) a and the change d of the positions a1 = (d - p) / (h^2 beta) and
 * v1 = v + h (1 - gamma) a + h gamma a1. */
static SofaErr limited_step(NewmarkImplicitSolver *s, SofaMechanics *m, double h) {
  LimitedStep *l = &s->limited;
  const SofaMechParams p = sofa_mech_params(h, m->node->time, 0, 0, 0);
  const SofaSpace space = sofa_main_v(m);
  double *x = s->base.solver.x, *v = s->base.solver.v;
  SOFA_TRY(limited_step_begin(l, h));
  if (!s->started) SOFA_TRY(start(s, m, h));
  l->ahead = 1;
  l->inertia = 1 / (h * h * s->beta);
  l->rate = s->gamma / (h * s->beta);
  sofa_vec_lincomb(space, SOFA_TERMS({h, v}, {h * h * (0.5 - s->beta), s->a}), s->b);
  sofa_vec_zero(sofa_all_v(m), l->load);
  SOFA_TRY(sofa_mech_add_mdx(m, &l->at, s->b, l->inertia, l->load));
  sofa_vec_lincomb(space, SOFA_TERMS({1, v}, {h * (1 - s->gamma), s->a}, {-l->rate, s->b}),
                   l->v_start);
  sofa_vec_lincomb(space, SOFA_TERMS({h, v}), l->d);
  SOFA_TRY(limited_step_solve(l));
  if (l->restored) return SOFA_OK;
  sofa_vec_copy(sofa_all_x(m), l->x, x);
  sofa_vec_lincomb(space, SOFA_TERMS({l->inertia, l->d}, {-l->inertia, s->b}), s->a);
  SOFA_TRY(sofa_mech_project_response(m, &p, s->a));
  sofa_vec_copy(space, l->v, v);
  SOFA_TRY(sofa_mech_project_velocity(m, &p, v));
  finish(s, m, h);
  return SOFA_OK;
}

static SofaErr step(SofaOdeSolver *solver, SofaMechanics *m, double h) {
  NewmarkImplicitSolver *s = (NewmarkImplicitSolver *)solver;
  const double g = s->gamma, beta = s->beta;
  const SofaSpace space = sofa_main_v(m);
  double *x = solver->x, *v = solver->v;
  SOFA_TRY(ode_need_linear_solver(&solver->object, s->base.linear_solver));
  if (sofa_mech_is_limited(m)) return limited_step(s, m, h);
  SOFA_TRY(make_system(s, m, h));
  sofa_vec_zero(sofa_all_v(m), s->a_new);
  SOFA_TRY(sofa_linear_solver_solve(s->base.linear_solver, s->b, s->a_new));

  /* x += h v + h^2 ((1/2 - beta) a + beta a_new), v += h ((1 - gamma) a + gamma a_new) */
  sofa_vec_lincomb(space, SOFA_TERMS({1, v}, {h * (0.5 - beta), s->a}, {h * beta, s->a_new}), s->b);
  sofa_mech_integrate_x(m, h, s->b, x);
  sofa_vec_add_lincomb(space, SOFA_TERMS({h * (1 - g), s->a}, {h * g, s->a_new}), v);
  finish(s, m, h);
  sofa_vec_copy(sofa_all_v(m), s->a_new, s->a);
  return SOFA_OK;
}

static SofaErr assemble(SofaOdeSolver *solver, SofaMechanics *m, double h) {
  NewmarkImplicitSolver *s = (NewmarkImplicitSolver *)solver;
  return ode_has_linear_solver(s->base.linear_solver) ? make_system(s, m, h) : SOFA_OK;
}

/* A force J^T lambda at the end of the step changes the acceleration there by c. */
static SofaErr factors(SofaOdeSolver *solver, double h, SofaOdeFactors *out) {
  const NewmarkImplicitSolver *s = (const NewmarkImplicitSolver *)solver;
  *out = (SofaOdeFactors){h * h * s->beta, h * s->gamma, s->base.linear_solver};
  return SOFA_OK;
}

static SofaErr corrected(SofaOdeSolver *solver, SofaMechanics *m, double h, const double *c) {
  (void)h;
  sofa_vec_add(sofa_main_v(m), 1, c, ((NewmarkImplicitSolver *)solver)->a);
  return SOFA_OK;
}

static void quirk_factors(double dt, double *position, double *velocity) {
  *position = dt;
  *velocity = 1;
}

/* Without a weight of the new acceleration no force at the end of the step keeps surfaces apart. */
static unsigned traits(const SofaOdeSolver *solver) {
  const NewmarkImplicitSolver *s = (const NewmarkImplicitSolver *)solver;
  return s->beta > 0 && s->gamma > 0 ? SOFA_ODE_LIMITS_STEPS : 0;
}

static const SofaOdeSolverOps ops = {.traits = traits,
                                     .prepare = prepare,
                                     .step = step,
                                     .separates_gravity = true,
                                     .assemble = assemble,
                                     .factors = factors,
                                     .quirk_factors = quirk_factors,
                                     .corrected = corrected};

static const SofaKeptMember kept[] = {
    SOFA_KEEP(NewmarkImplicitSolver, started),
};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(NewmarkImplicitSolver, at),
};

SOFA_CLASS(NewmarkImplicitSolver) = {
    SOFA_NAMED(NewmarkImplicitSolver),
    .aliases = (const char *const[]){"NewmarkIntegrationScheme", NULL},
    .module = "Sofa.Component.ODESolver.Backward",
    .category = "OdeSolver",
    .help = "Newmark method (1959), implicit, one linearisation per step; gamma 1/2 and beta 1/4 "
            "give the average acceleration: second order, unconditionally stable, no dissipation.",
    .equations = "M a' = f(x', v') + r_K K v' - r_M M v'\n"
                 "x' = x + h v + h^2 ((1/2 - beta) a + beta a')\n"
                 "v' = v + h ((1 - gamma) a + gamma a')\n"
                 "h = dt, r_M = rayleighMass, r_K = rayleighStiffness, K = df/dx",
    .base = &damped_solver_class,
    .divided = SOFA_DIVIDED_NEUTRAL,
    SOFA_SPARES(spared),
    SOFA_KEEPS(kept),
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(fields),
    .reset = reset,
    SOFA_IMPLEMENTS({SOFA_ODE_SOLVER, &ops}),
};
