/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* EulerImplicitSolver: one linearised backward Euler step (or trapezoidal rule) per time step. */
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "base/profiler.h"
#include "behavior/lagrangian.h"
#include "components/odesolver/implicit_solver.h"
#include "simulation/gyroscopic.h"
#include "object/checkpoint.h"

enum { QUIRK_TRAPEZOIDAL_POSITION = 1, QUIRK_EULER_RESIDUAL = 4 };
static const SofaQuirk quirks[] = {
    {QUIRK_TRAPEZOIDAL_POSITION, "trapezoidal-position",
     "EulerImplicitSolver with trapezoidalScheme updates positions with h v_new",
     "test_quirks_motion.solvers"},
    {QUIRK_EULER_RESIDUAL, "euler-residual",
     "EulerImplicitSolver's residual leaves out the inertia term", "test_quirks_motion.solvers"},
    QUIRK_COMPONENT_RAYLEIGH_ROW,
};

typedef struct EulerImplicitSolver {
  ImplicitSolver base;
  double vdamping, residual;
  bool first_order, trapezoidal, solve_constraint, thread_safe_visitor, compute_residual;
  bool constrains;       /* solve_constraint, and there is a constraint solver */
  double *b, *s, *v_old; /* vectors of the plan */
  double *x_mid;         /* positions in the middle of the step, where the trapezoidal rule takes
                            masses; NULL: not needed */
  SofaMechPoint at;      /* of the step: its start */
} EulerImplicitSolver;

static const SofaField fields[] = {
    SOFA_FIELD(EulerImplicitSolver, vdamping, "vdamping", "0", "1/s",
               "velocities decay by exp(-vdamping dt) at the end of each step",
               .range = SOFA_AT_LEAST(0), .on_bad = SOFA_BAD_KEEP),
    SOFA_FIELD(EulerImplicitSolver, first_order, "firstOrder", "0", "",
               "first-order (diffusive) system M v = f instead of M a = f"),
    SOFA_FIELD(EulerImplicitSolver, trapezoidal, "trapezoidalScheme", "0", "",
               "trapezoidal rule: second order in dt, less dissipation"),
    SOFA_FIELD(EulerImplicitSolver, solve_constraint, "solveConstraint", "0", "",
               "the constraint solver in this node or below corrects each step, positions and "
               "velocities by the same forces, for the constraints in this node and below; for "
               "animation loops without constraints"),
    SOFA_FIELD(EulerImplicitSolver, thread_safe_visitor, "threadSafeVisitor", "0", "",
               "no effect: operations do not depend on visitors", .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_FIELD(EulerImplicitSolver, compute_residual, "computeResidual", "0", "",
               "compute the residual at the end of each step"),
    SOFA_FIELD(EulerImplicitSolver, residual, "residual", "1.7976931348623157e308", "N^2 s^2",
               "|P (M (v_new - v_old) - h f(x_new, v_new))|^2", .flags = SOFA_FIELD_OUTPUT),
};

static SofaErr init(SofaObject *object) {
  EulerImplicitSolver *e = (EulerImplicitSolver *)object;
  if (!e->solve_constraint) return SOFA_OK;
  e->constrains = sofa_node_find(object->node, SOFA_CONSTRAINT_SOLVER, SOFA_SEARCH_DOWN);
  if (e->constrains) return SOFA_OK;
  sofa_object_message(object, SOFA_INFO,
                      "solveConstraint: there is no constraint solver in this node or below, "
                      "nothing is called");
  return SOFA_OK;
}

static SofaErr prepare(SofaOdeSolver *solver, SofaMechanics *m) {
  EulerImplicitSolver *e = (EulerImplicitSolver *)solver;
  SOFA_TRY(sofa_mechanics_deriv(m, &e->b));
  SOFA_TRY(sofa_mechanics_deriv(m, &e->s));
  e->x_mid = NULL;
  if (e->trapezoidal && sofa_mech_has_frames(m)) SOFA_TRY(sofa_mechanics_coord(m, &e->x_mid));
  return sofa_mechanics_deriv(m, &e->v_old);
}

/* The start of the step; masses of the trapezoidal rule are those of its middle. */
static SofaMechPoint start_point(const EulerImplicitSolver *e, SofaMechanics *m, double h) {
  const double *x = e->base.solver.x, *v = e->base.solver.v;
  SofaMechPoint at = sofa_mech_point(m, x, v, m->node->time);
  if (!e->x_mid) return at;
  sofa_vec_copy(sofa_main_x(m), x, e->x_mid);
  sofa_mech_integrate_x(m, h / 2, v, e->x_mid);
  at.x_mass = e->x_mid;
  return at;
}

/* b = h (f + (h tr + rK) K v - rM M v), or b = f for first-order systems; then P b. */
static SofaErr right_hand_side(EulerImplicitSolver *e, SofaMechanics *m, double h, double tr) {
  const double time = m->node->time, *v = e->base.solver.v;
  SofaMechParams p = sofa_mech_params(h, time, 0, 0, 0);
  e->at = start_point(e, m, h);
  SOFA_TRY(sofa_mech_compute_force(m, &p, &e->at, m->f));
  if (!e->first_order) SOFA_TRY(sofa_mech_add_gyroscopic_at(m, &e->at, v, h / 2, m->f));
  sofa_vec_copy(sofa_all_v(m), m->f, e->b);
  if (!e->first_order) {
    p = sofa_mech_params(h, time, -e->base.rayleigh_mass, 0, h * tr + e->base.rayleigh_stiffness);
    SOFA_TRY(sofa_mech_add_mbk(m, &p, &e->at, v, e->b));
    sofa_vec_scale(sofa_main_v(m), h, e->b);
  }
  return sofa_mech_project_response(m, &p, e->b);
}

/* A = (1 + tr h rM) M - tr h B - tr h (tr h + rK) K, or M - h tr K. */
static SofaMechParams system_params(const EulerImplicitSolver *e, const SofaMechanics *m, double h,
                                    double tr) {
  const double a = tr * h;
  if (e->first_order) return sofa_mech_params(h, m->node->time, 1, 0, -a);
  return sofa_mech_params(h, m->node->time, 1 + a * e->base.rayleigh_mass, -a,
                          -a * (a + e->base.rayleigh_stiffness));
}

static SofaErr build_system(EulerImplicitSolver *e, SofaMechanics *m, double h, double tr) {
  const SofaMechParams p = system_params(e, m, h, tr);
  sofa_timer_begin(m->ctx, "build system");
  const SofaErr err = sofa_linear_solver_build(e->base.linear_solver, m, &p, &e->at);
  sofa_timer_end(m->ctx);
  return err;
}

static SofaErr solve_system(EulerImplicitSolver *e, SofaMechanics *m) {
  sofa_timer_begin(m->ctx, "solve system");
  const SofaErr err = sofa_linear_solver_solve(e->base.linear_solver, e->b, e->s);
  sofa_timer_end(m->ctx);
  return err;
}

/* x += h (v_old + v_new) / 2 */
static bool takes_mean(const EulerImplicitSolver *e) {
  return e->trapezoidal && !e->first_order &&
         !sofa_quirk(&e->base.solver.object, QUIRK_TRAPEZOIDAL_POSITION);
}

/* v and x at the end of the step from the solution s. */
static void update_state(EulerImplicitSolver *e, SofaMechanics *m, double h, const double *s) {
  const SofaSpace space = sofa_main_v(m);
  double *x = e->base.solver.x, *v = e->base.solver.v, *mean = e->v_old;
  if (e->first_order) {
    sofa_vec_copy(space, s, v);
  } else {
    if (takes_mean(e)) sofa_vec_lincomb(space, SOFA_TERMS({1, v}, {0.5, s}), mean);
    sofa_vec_add(space, 1, s, v);
  }
  sofa_mech_integrate_x(m, h, takes_mean(e) ? mean : v, x);
  sofa_mech_separate_gravity(m, h, v);
  if (e->vdamping != 0) sofa_vec_scale(space, exp(-h * e->vdamping), v);
}

static SofaErr compute_residual(EulerImplicitSolver *e, SofaMechanics *m, double h) {
  SofaMechParams p = sofa_mech_params(h, m->node->time, 0, 0, 0);
  double *x = e->base.solver.x, *v = e->base.solver.v;
  sofa_vec_zero(sofa_all_v(m), e->b);
  e->at = sofa_mech_point(m, x, v, p.time);
  if (!e->first_order && !sofa_quirk(&e->base.solver.object, QUIRK_EULER_RESIDUAL))
    SOFA_TRY(sofa_mech_add_mdx(m, &e->at, e->s, 1, e->b)); /* s = v_new - v_old */
  SOFA_TRY(sofa_mech_propagate_x(m, &e->at, x));
  SOFA_TRY(sofa_mech_propagate_dx(m, &e->at, v));
  SOFA_TRY(sofa_mech_compute_force(m, &p, &e->at, m->f));
  if (!e->first_order) SOFA_TRY(sofa_mech_add_gyroscopic_at(m, &e->at, v, 0, m->f));
  sofa_vec_add(sofa_main_v(m), -h, m->f, e->b);
  SOFA_TRY(sofa_mech_project_response(m, &p, e->b));
  e->residual = sofa_vec_dot(sofa_main_v(m), e->b, e->b);
  if (e->base.solver.object.print_log)
    sofa_object_message(&e->base.solver.object, SOFA_INFO, "residual %g", e->residual);
  return SOFA_OK;
}

/* With printLog. */
static void print_step(const EulerImplicitSolver *e, const SofaMechanics *m) {
  const SofaObject *object = &e->base.solver.object;
  const SofaLinearSolver *linear = e->base.linear_solver;
  char iterations[100] = "";
  if (!object->print_log) return;
  const double b = sofa_vec_norm(sofa_main_v(m), e->b);
  const double s = sofa_vec_norm(sofa_main_v(m), e->s);
  if (linear->result.iterations > 0)
    snprintf(iterations, sizeof iterations, ", %d linear iterations, |r|/|b| %g",
             linear->result.iterations, linear->result.residual);
  sofa_object_message(object, SOFA_INFO, "t = %g s: |b| %g, |%s| %g%s", object->node->time, b,
                      e->first_order ? "v" : "dv", s, iterations);
}

static SofaErr make_system(EulerImplicitSolver *e, SofaMechanics *m, double h) {
  const double tr = e->trapezoidal ? 0.5 : 1;
  sofa_timer_begin(m->ctx, "right-hand side");
  const SofaErr err = right_hand_side(e, m, h, tr);
  sofa_timer_end(m->ctx);
  return err == SOFA_OK ? build_system(e, m, h, tr) : err;
}

static SofaErr step(SofaOdeSolver *solver, SofaMechanics *m, double h) {
  EulerImplicitSolver *e = (EulerImplicitSolver *)solver;
  SOFA_TRY(ode_need_linear_solver(&solver->object, e->base.linear_solver));
  SOFA_TRY(make_system(e, m, h));
  SOFA_TRY(solve_system(e, m));
  print_step(e, m);
  update_state(e, m, h, e->s);
  return e->compute_residual ? compute_residual(e, m, h) : SOFA_OK;
}

static SofaErr assemble(SofaOdeSolver *solver, SofaMechanics *m, double h) {
  EulerImplicitSolver *e = (EulerImplicitSolver *)solver;
  return ode_has_linear_solver(e->base.linear_solver) ? make_system(e, m, h) : SOFA_OK;
}

/* ---- the step as equations ---- */

/* b, which holds P b, becomes r; P s has the place of v_old, which no other function keeps. */
static SofaErr equation_residual(SofaOdeSolver *solver, SofaMechanics *m, double h, const double *s,
                                 double *r) {
  EulerImplicitSolver *e = (EulerImplicitSolver *)solver;
  const double tr = e->trapezoidal ? 0.5 : 1;
  const SofaSpace space = sofa_main_v(m);
  SOFA_TRY(right_hand_side(e, m, h, tr));
  SofaMechParams p = system_params(e, m, h, tr);
  sofa_vec_copy(space, s, e->v_old);
  SOFA_TRY(sofa_mech_project_response(m, &p, e->v_old));
  SOFA_TRY(sofa_mech_propagate_dx(m, &e->at, e->v_old));
  p.m = -p.m;
  p.b = -p.b;
  p.k = -p.k;
  p.r = -p.r;
  SOFA_TRY(sofa_mech_add_mbk(m, &p, &e->at, e->v_old, e->b));
  SOFA_TRY(sofa_mech_project_response(m, &p, e->b));
  sofa_vec_copy(space, e->b, r);
  sofa_vec_add(space, -1, s, r);
  sofa_vec_add(space, 1, e->v_old, r);
  return SOFA_OK;
}

static void equation_end(SofaOdeSolver *solver, SofaMechanics *m, double h, const double *s) {
  update_state((EulerImplicitSolver *)solver, m, h, s);
}

static const double *equation_solution(const SofaOdeSolver *solver) {
  return ((const EulerImplicitSolver *)solver)->s;
}

static const double *equation_rhs(const SofaOdeSolver *solver) {
  return ((const EulerImplicitSolver *)solver)->b;
}

static const SofaStepEquations equations = {
    .order = 1,
    .linear = true,
    .rhs = equation_rhs,
    .residual = equation_residual,
    .end = equation_end,
    .solution = equation_solution,
};

/* The velocity of a first-order system is what its forces give. */
static unsigned traits(const SofaOdeSolver *solver) {
  const EulerImplicitSolver *e = (const EulerImplicitSolver *)solver;
  const unsigned damping =
      e->first_order ? SOFA_ODE_LEAVES_OUT_DAMPING : ode_damping_traits(solver);
  return damping | (e->constrains ? SOFA_ODE_CONSTRAINS : 0);
}

/* An impulse J^T lambda changes the velocity by c. */
static SofaErr factors(SofaOdeSolver *solver, double h, SofaOdeFactors *out) {
  const EulerImplicitSolver *e = (const EulerImplicitSolver *)solver;
  *out = (SofaOdeFactors){takes_mean(e) ? h / 2 : h, 1, e->base.linear_solver};
  return SOFA_OK;
}

static const SofaOdeSolverOps ops = {
    .prepare = prepare,
    .step = step,
    .separates_gravity = true,
    .assemble = assemble,
    .factors = factors,
    .equations = &equations,
    .traits = traits,
};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(EulerImplicitSolver, at),
};

SOFA_CLASS(EulerImplicitSolver) = {
    SOFA_NAMED(EulerImplicitSolver),
    .aliases = (const char *const[]){"EulerImplicitIntegrationScheme", NULL},
    .module = "Sofa.Component.ODESolver.Backward",
    .category = "OdeSolver",
    .help = "Backward Euler with one linearisation per step (Baraff and Witkin, 1998). "
            "Unconditionally stable, first order; trapezoidalScheme gives second order.",
    .equations = "(M (1 + h r_M) - h B - h (h + r_K) K) dv = h (f + (h + r_K) K v - r_M M v)\n"
                 "v' = v + dv\n"
                 "x' = x + h v'\n"
                 "K = df/dx, B = df/dv, h = dt, r_M = rayleighMass, r_K = rayleighStiffness",
    .base = &damped_solver_class,
    .divided = SOFA_DIVIDED_NEUTRAL,
    SOFA_SPARES(spared),
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(fields),
    .init = init,
    SOFA_IMPLEMENTS({SOFA_ODE_SOLVER, &ops}),
};
