/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The Newton-Raphson solution that Caribou's ODE solvers share. */
#include "ode/newton_solver.h"

#include <math.h>
#include <string.h>

#include "simulation/gyroscopic.h"
#include "simulation/step_limits.h"
#include "simulation/vectors.h"
#include "object/checkpoint.h"

static const SofaQuirk quirks[] = {
    QUIRK_CARIBOU_NEWTON_ROW,
};

const SofaLinkRule caribou_linear_solver_rule = {.interface = SOFA_LINEAR_SOLVER,
                                                 .search = SOFA_SEARCH_NONE};

static const char *const strategies[] = {"NEVER", "BEGINNING_OF_THE_SIMULATION",
                                         "BEGINNING_OF_THE_TIME_STEP", "ALWAYS", NULL};

static const SofaField fields[] = {
    SOFA_FIELD(CaribouNewton, iterations, "newton_iterations", "1", "1",
               "most Newton iterations of a step", .range = SOFA_AT_LEAST(1)),
    SOFA_FIELD(CaribouNewton, correction_tolerance, "correction_tolerance_threshold", "1e-5", "1",
               "stop when |du_k| < this times |du_0| + ... + |du_k|; negative: off"),
    SOFA_FIELD(CaribouNewton, residual_tolerance, "residual_tolerance_threshold", "1e-5", "1",
               "stop when |R_k| < this times |R_0|, the residual before the first iteration; "
               "negative: off"),
    SOFA_FIELD(CaribouNewton, absolute_tolerance, "absolute_residual_tolerance_threshold", "1e-15",
               "N", "stop when |R_k| < this; no iteration when |R_0| is not above; negative: off"),
    SOFA_FIELD(CaribouNewton, strategy, "pattern_analysis_strategy", "BEGINNING_OF_THE_TIME_STEP",
               "",
               "when direct solvers analyse the pattern of the matrix again; NEVER: on the first "
               "use only. A different pattern is always analysed",
               .options = strategies),
    SOFA_FIELD(CaribouNewton, linear_link, "linear_solver", NULL, "",
               "linear solver of the plugin; default: the one in the node",
               .link = &caribou_linear_solver_rule),
    CARIBOU_NEWTON_OUTPUTS(CaribouNewton, ),
};

/* ---- the linear solver ---- */

static bool is_ours(const SofaObject *object) {
  return sofa_implements(object, SOFA_LINEAR_SOLVER) && sofa_valid(object) &&
         strcmp(object->klass->module, "SofaCaribou") == 0;
}

/* Those of the plugin in the node, and others; *first is the first of the plugin. */
static void count_solvers(const SofaNode *node, size_t *ours, size_t *others, SofaObject **first) {
  *ours = *others = 0;
  for (size_t i = 0; i < node->objects.n; i++) {
    SofaObject *object = node->objects.data[i];
    if (!sofa_implements(object, SOFA_LINEAR_SOLVER)) continue;
    if (!is_ours(object)) ++*others;
    else if (++*ours == 1) *first = object;
  }
}

/* Nothing found is a warning now and the error of the first step. */
static void find_linear_solver(CaribouNewton *s) {
  const SofaObject *object = &s->solver.object;
  size_t ours = 0, others = 0;
  SofaObject *first = NULL;
  if (is_ours(s->linear_link.target)) first = s->linear_link.target;
  else count_solvers(object->node, &ours, &others, &first);
  s->linear = (SofaLinearSolver *)first;
  if (!first && others)
    sofa_object_message(object, SOFA_WARNING,
                        "no linear solver of SofaCaribou in the node: the %zu of SOFA there cannot "
                        "be used; add for instance <LDLTSolver/>",
                        others);
  else if (!first)
    sofa_object_message(object, SOFA_WARNING,
                        "no linear solver in the node: add for instance <LDLTSolver/>");
  else if (ours > 1)
    sofa_object_message(object, SOFA_WARNING,
                        "%zu linear solvers in the node: the first, '%s', is used (linear_solver)",
                        ours, first->name);
  else if (ours == 1)
    sofa_object_message(object, SOFA_INFO, "linear solver '%s' is used", first->name);
}

/* ---- life ---- */

static SofaErr init(SofaObject *object) {
  CaribouNewton *s = (CaribouNewton *)object;
  s->analysed = false;
  s->keep_guess = true;
  find_linear_solver(s);
  return SOFA_OK;
}

static SofaErr reset(SofaObject *object) {
  ((CaribouNewton *)object)->analysed = false;
  return SOFA_OK;
}

void caribou_newton_destroy(SofaObject *object) {
  sofa_newton_report_free(object->ctx, &((CaribouNewton *)object)->report);
}

SofaErr caribou_newton_prepare(SofaOdeSolver *solver, SofaMechanics *m) {
  CaribouNewton *s = (CaribouNewton *)solver;
  SOFA_TRY(sofa_mechanics_deriv(m, &s->rhs));
  SOFA_TRY(sofa_mechanics_deriv(m, &s->dx));
  return sofa_mechanics_deriv(m, &s->total);
}

static const SofaSparedMember spared[] = {
    SOFA_REMADE(CaribouNewton, analysed),  SOFA_REMADE(CaribouNewton, at),
    SOFA_REMADE(CaribouNewton, equations), SOFA_REMADE(CaribouNewton, h),
    SOFA_REMADE(CaribouNewton, m),         SOFA_REMADE(CaribouNewton, report),
    SOFA_REMADE(CaribouNewton, time),
};

const SofaClass caribou_newton_class = {
    .name = "CaribouNewtonRaphsonSolver",
    .module = "SofaCaribou",
    .category = "OdeSolver",
    .help = "One Newton-Raphson solution per step.",
    .base = &sofa_ode_solver_class,
    SOFA_SPARES(spared),
    SOFA_QUIRKS(quirks),
    .size = sizeof(CaribouNewton),
    SOFA_FIELDS(fields),
    .abstract = true,
    .init = init,
    .reset = reset,
    .destroy = caribou_newton_destroy,
};

/* ---- the callbacks of the Newton iteration ---- */

SofaErr caribou_newton_propagate(CaribouNewton *s) {
  SofaMechanics *m = s->m;
  double *x = s->solver.x, *v = s->solver.v;
  s->at = sofa_mech_point(m, x, v, s->time);
  SOFA_TRY(sofa_mech_propagate_x(m, &s->at, x));
  return sofa_mech_propagate_dx(m, &s->at, v);
}

static double dot(const CaribouNewton *s, const double *a) {
  return sofa_vec_dot(sofa_main_v(s->m), a, a);
}

static SofaErr residual(void *user, double *square) {
  CaribouNewton *s = (CaribouNewton *)user;
  SOFA_TRY(s->equations->rhs(s));
  *square = dot(s, s->rhs);
  return SOFA_OK;
}

/* Analyses again as the strategy says; the first analysis is always made. */
static void prepare_pattern(CaribouNewton *s) {
  const CaribouStrategy strategy = (CaribouStrategy)s->strategy.index;
  if (strategy == CARIBOU_ALWAYS || (strategy != CARIBOU_NEVER && !s->analysed))
    sofa_linear_solver_forget_pattern(s->linear);
  s->analysed = true;
}

static SofaErr build(CaribouNewton *s) {
  SofaMechParams p = s->equations->factors(s);
  p.descends = s->descends;
  return sofa_linear_solver_build(s->linear, s->m, &p, &s->at);
}

static SofaErr solve(void *user) {
  CaribouNewton *s = (CaribouNewton *)user;
  const SofaObject *object = &s->solver.object;
  SOFA_TRY(build(s));
  prepare_pattern(s);
  if (!s->keep_guess) sofa_vec_zero(sofa_all_v(s->m), s->dx);
  SOFA_TRY(sofa_linear_solver_solve(s->linear, s->rhs, s->dx));
  s->gave_up = is_ours(&s->linear->object) && !s->linear->result.converged;
  if (!s->gave_up) return SOFA_OK;
  if (sofa_quirk(object, QUIRK_CARIBOU_CG)) return SOFA_ERR_NOT_CONVERGED;
  return sofa_object_fail(object, SOFA_ERR_NOT_CONVERGED,
                          "Newton diverged in step %llu (t = %g s): '%s' did not converge in %d "
                          "iterations, |r|/|b| is %g",
                          (unsigned long long)object->ctx->step, object->node->time,
                          s->linear->object.name, s->linear->result.iterations,
                          s->linear->result.residual);
}

static SofaErr advance(void *user, double alpha) {
  CaribouNewton *s = (CaribouNewton *)user;
  sofa_vec_add(sofa_main_v(s->m), alpha, s->dx, s->total);
  return s->equations->advance(s, alpha);
}

static double correction(void *user) {
  const CaribouNewton *s = (const CaribouNewton *)user;
  return dot(s, s->dx);
}

static SofaErr rounding(void *user, double *square) {
  const CaribouNewton *s = (const CaribouNewton *)user;
  const SofaMechParams p = sofa_mech_params(s->h, s->time, 0, 0, 0);
  return sofa_mech_rounding(s->m, &p, &s->at, square);
}

/* The plugin compares with the norm of the sum of all increments. */
static bool converged_by_total(void *user) {
  const CaribouNewton *s = (const CaribouNewton *)user;
  const double tolerance = s->correction_tolerance;
  return tolerance > 0 && dot(s, s->dx) < tolerance * tolerance * dot(s, s->total);
}

static SofaErr potential(void *user, double *value) {
  CaribouNewton *s = (CaribouNewton *)user;
  return s->equations->potential(s, value);
}

static double work(void *user) {
  const CaribouNewton *s = (const CaribouNewton *)user;
  return s->equations->slope(s) * sofa_vec_dot(sofa_main_v(s->m), s->rhs, s->dx);
}

static bool has_potential(const CaribouEquations *equations, const SofaMechanics *m) {
  return sofa_mech_is_limited(m) && equations->potential && sofa_mech_has_potential(m) &&
         !sofa_mech_has_frames(m);
}

/* ---- a step ---- */

void caribou_newton_criteria(const CaribouNewton *s, SofaNewtonCriteria *criteria) {
  const bool quirk = sofa_quirk(&s->solver.object, QUIRK_CARIBOU_NEWTON);
  *criteria = (SofaNewtonCriteria){.iterations = s->iterations,
                                   .residual_initial = s->residual_tolerance,
                                   .residual_absolute = s->absolute_tolerance,
                                   .correction_relative = quirk ? 0 : s->correction_tolerance,
                                   .from_first_iteration = quirk,
                                   .rounding = !quirk,
                                   .late_residual = quirk && s->iterations == 1};
}

static SofaErr check(const CaribouNewton *s) {
  const SofaObject *object = &s->solver.object;
  const unsigned long long step = (unsigned long long)object->ctx->step;
  if (!s->linear || !sofa_valid(&s->linear->object))
    return sofa_object_fail(
        object, SOFA_ERR_NOT_FOUND,
        "step %llu: there is no linear solver that can be used; add for instance "
        "<LDLTSolver/>",
        step);
  return SOFA_OK;
}

static void print_head(const CaribouNewton *s) {
  const SofaObject *object = &s->solver.object;
  if (!object->print_log) return;
  char *path = sofa_object_path(&s->linear->object);
  sofa_object_message(object, SOFA_INFO,
                      "t = %g s: at most %u iterations, tolerances: correction %g, residual %g, "
                      "absolute residual %g; linear solver %s",
                      object->node->time, s->iterations, s->correction_tolerance,
                      s->residual_tolerance, s->absolute_tolerance, path ? path : "");
  sofa_free(object->ctx, path);
}

/* The outputs from the report. */
static SofaErr publish(CaribouNewton *s) {
  SofaContext *ctx = s->solver.object.ctx;
  const SofaNewtonRows *rows = &s->report.rows;
  s->iteration_times.n = s->squared_residuals.n = 0;
  SOFA_TRY(SOFA_RESERVE_HISTORY(ctx, &s->iteration_times, s->iterations));
  SOFA_TRY(SOFA_RESERVE_HISTORY(ctx, &s->squared_residuals, s->iterations));
  SOFA_TRY(SOFA_RESERVE(ctx, &s->iteration_times, rows->n));
  SOFA_TRY(SOFA_RESERVE(ctx, &s->squared_residuals, rows->n));
  double last = rows->n ? rows->data[0].residual : 0;
  s->squared_initial_residual = last * last;
  for (size_t i = 1; i < rows->n; i++) {
    if (!isnan(rows->data[i].residual)) last = rows->data[i].residual;
    s->iteration_times.data[s->iteration_times.n++] = (double)rows->data[i].ns;
    s->squared_residuals.data[s->squared_residuals.n++] = last * last;
  }
  return SOFA_OK;
}

static void begin(CaribouNewton *s, const CaribouEquations *equations, SofaMechanics *m, double h) {
  s->equations = equations;
  s->m = m;
  s->h = h;
  s->at = sofa_mech_point(m, s->solver.x, s->solver.v, s->time);
  sofa_vec_zero(sofa_all_v(m), s->dx);
}

SofaErr caribou_newton_assemble(CaribouNewton *s, const CaribouEquations *equations,
                                SofaMechanics *m, double h) {
  if (!s->linear || !sofa_valid(&s->linear->object)) return SOFA_OK;
  begin(s, equations, m, h);
  SOFA_TRY(equations->rhs(s));
  return build(s);
}

SofaErr caribou_newton_run(CaribouNewton *s, const CaribouEquations *equations, SofaMechanics *m,
                           double h, const SofaNewtonCriteria *criteria) {
  SofaContext *ctx = m->ctx;
  const bool quirk = sofa_quirk(&s->solver.object, QUIRK_CARIBOU_NEWTON);
  const SofaNewtonProblem problem = {.residual = residual,
                                     .solve = solve,
                                     .advance = advance,
                                     .correction = correction,
                                     .converged = quirk ? converged_by_total : NULL,
                                     .user = s,
                                     .owner = &s->solver.object,
                                     .rounding = rounding,
                                     .linear = s->linear,
                                     .potential = has_potential(equations, m) ? potential : NULL,
                                     .work = work,
                                     .limited = sofa_mech_is_limited(m) ? m : NULL,
                                     .guess = &s->at,
                                     .descends = sofa_mech_is_limited(m) ? &s->descends : NULL};
  s->converged = s->gave_up = s->descends = false;
  SOFA_TRY(check(s));
  print_head(s);
  begin(s, equations, m, h);
  if (s->strategy.index == CARIBOU_TIME_STEP) s->analysed = false;
  SofaErr err = sofa_newton_solve(ctx, criteria, &problem, &s->report);
  if (err == SOFA_OK)
    err = sofa_newton_tell(&s->solver.object, &s->report, &s->solver.solves, &s->converged);
  const SofaErr published = publish(s);
  // the plugin goes on with what it has
  if (s->gave_up && sofa_quirk(&s->solver.object, QUIRK_CARIBOU_CG)) err = SOFA_OK;
  return err == SOFA_OK ? published : err;
}

/* ---- static equilibrium ---- */

/* Of loads at the end of the step. */
static SofaMechParams static_params(const CaribouNewton *s, double k) {
  SofaMechParams p = sofa_mech_params(s->h, s->m->node->time, 0, 0, k);
  p.time = s->time;
  return p;
}

static SofaErr static_rhs(CaribouNewton *s) {
  SofaMechanics *m = s->m;
  const SofaMechParams p = static_params(s, 0);
  SOFA_TRY(sofa_mech_compute_force(m, &p, &s->at, m->f));
  sofa_vec_copy(sofa_all_v(m), m->f, s->rhs);
  return sofa_mech_project_response(m, &p, s->rhs);
}

static SofaMechParams static_factors(const CaribouNewton *s) {
  return static_params(s, -1);
}

static SofaErr static_advance(CaribouNewton *s, double alpha) {
  SofaMechanics *m = s->m;
  sofa_mech_integrate_x(m, alpha, s->dx, s->solver.x);
  return caribou_newton_propagate(s);
}

static SofaErr static_potential(CaribouNewton *s, double *value) {
  const SofaMechParams p = static_params(s, 0);
  double kinetic;
  return sofa_mech_energies(s->m, &p, &s->at, &kinetic, value);
}

static double static_slope(const CaribouNewton *s) {
  (void)s;
  return 1;
}

const CaribouEquations caribou_static_equations = {static_rhs, static_factors, static_advance,
                                                   static_potential, static_slope};

/* The points that constraints move go to their places at the end of the step first. */
static SofaErr static_start(CaribouNewton *s, SofaMechanics *m, double h) {
  const bool late = sofa_quirk(&s->solver.object, QUIRK_CARIBOU_STATIC_LATE);
  s->m = m;
  s->h = h;
  s->time = m->node->time + (late ? 0 : h);
  sofa_vec_zero(sofa_all_v(m), s->total);
  if (late) return SOFA_OK;
  const SofaMechParams p = static_params(s, 0);
  SOFA_TRY(sofa_mech_move_held(m, &p, s->solver.x));
  return caribou_newton_propagate(s);
}

SofaErr caribou_static_run(CaribouNewton *s, SofaMechanics *m, double h,
                           const SofaNewtonCriteria *criteria) {
  if (sofa_mech_is_limited(m)) {
    s->at = sofa_mech_point(m, s->solver.x, s->solver.v, m->node->time);
    SOFA_TRY(sofa_mech_limit_begin(m, &s->at, h));
  }
  SOFA_TRY(static_start(s, m, h));
  if (sofa_mech_is_limited(m)) SOFA_TRY(sofa_mech_limit_imposed(m, &s->solver.object, s->solver.x));
  return caribou_newton_run(s, &caribou_static_equations, m, h, criteria);
}

SofaErr caribou_static_assemble(SofaOdeSolver *solver, SofaMechanics *m, double h) {
  SOFA_TRY(static_start((CaribouNewton *)solver, m, h));
  return caribou_newton_assemble((CaribouNewton *)solver, &caribou_static_equations, m, h);
}

/* A force J^T lambda moves the equilibrium by c; velocities play no part. */
SofaErr caribou_static_factors(SofaOdeSolver *solver, double h, SofaOdeFactors *out) {
  (void)h;
  *out = (SofaOdeFactors){1, 0, ((const CaribouNewton *)solver)->linear};
  return SOFA_OK;
}

unsigned caribou_static_traits(const SofaOdeSolver *solver) {
  (void)solver;
  return SOFA_ODE_IS_STATIC | SOFA_ODE_LEAVES_OUT_DAMPING | SOFA_ODE_LIMITS_STEPS;
}

/* ---- the equilibrium as equations ---- */

void caribou_newton_residual(const CaribouNewton *s, const SofaMechanics *m, const double *move,
                             const double *projected, double *r) {
  const SofaSpace space = sofa_main_v(m);
  sofa_vec_lincomb(space, SOFA_TERMS({1, s->rhs}, {-1, move}, {1, projected}), r);
}

static SofaErr static_residual(SofaOdeSolver *solver, SofaMechanics *m, double h,
                               const double *move, double *r) {
  CaribouNewton *s = (CaribouNewton *)solver;
  const bool late = sofa_quirk(&solver->object, QUIRK_CARIBOU_STATIC_LATE);
  s->m = m;
  s->h = h;
  s->time = m->node->time + (late ? 0 : h);
  const SofaMechParams p = static_params(s, 0);
  sofa_vec_copy(sofa_main_v(m), move, s->dx);
  SOFA_TRY(sofa_mech_project_response(m, &p, s->dx));
  SOFA_TRY(static_advance(s, 1));
  SOFA_TRY(static_rhs(s));
  caribou_newton_residual(s, m, move, s->dx, r);
  return SOFA_OK;
}

static void static_end(SofaOdeSolver *solver, SofaMechanics *m, double h, const double *move) {
  (void)h;
  sofa_mech_integrate_x(m, 1, move, solver->x);
}

const SofaStepEquations caribou_static_step = {.residual = static_residual, .end = static_end};
