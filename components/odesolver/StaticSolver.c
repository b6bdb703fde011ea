/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* StaticSolver: equilibrium f(x) = 0 by Newton-Raphson, without inertia. The same with stopping
 * rules of its own: StaticEquilibriumIntegrationScheme. */
#include "components/odesolver/NewtonRaphsonSolver.h"
#include "components/odesolver/implicit_solver.h"
#include "object/factory.h"
#include "simulation/step_limits.h"
#include "object/checkpoint.h"

enum { QUIRK_STATIC_OLD_THRESHOLD = 1, QUIRK_STATIC_LATE = 2 };
static const SofaQuirk quirks[] = {
    {QUIRK_STATIC_OLD_THRESHOLD, "static-old-threshold",
     "StaticSolver's relative_residual_tolerance_threshold acts on the estimate, not the residual",
     "test_quirks_motion.solvers"},
    {QUIRK_STATIC_LATE, "static-late-motion",
     "StaticSolver balances the loads and the places of moved points of the start of a step",
     "test_reactions.static_steps_end_in_equilibrium"},
};

typedef struct StaticSolver {
  ImplicitSolver base;
  SofaLink newton_link;
  NewtonRaphsonSolver *newton;
  /* attributes of older scenes, handed to the Newton solver that is made for them */
  uint32_t old_iterations;
  double old_thresholds[4];
  SofaMechanics *m; /* of the current step */
  double h;
  double time; /* of the equilibrium, s */
  double *dx, *residual;
  double *start;    /* the first guess of the step, with all that is mapped from it */
  SofaMechPoint at; /* of the guess */
  bool descends;    /* the tangent, see SofaMechParams */
} StaticSolver;

static const SofaLinkRule newton_rule = {.klass = &sofa_NewtonRaphsonSolver_class};

typedef struct StaticEquilibriumIntegrationScheme {
  StaticSolver solver;
  uint32_t iterations, line_searches;
  double square; /* of the residual, below which it stops */
  double reduction, first_step;
  double armijo;
  bool always_advance;
} StaticEquilibriumIntegrationScheme;

SOFA_EXTERN const SofaClass sofa_StaticEquilibriumIntegrationScheme_class;

typedef StaticSolver SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW(newton_link, "newtonSolver", NULL, "",
             "stopping rules; default: the first NewtonRaphsonSolver in the node, then below, "
             "else one with one iteration a step",
             .link = &newton_rule),
    SOFA_ROW_LEGACY(old_iterations, "newton_iterations", NULL, "",
                    "now maxNbIterationsNewton of NewtonRaphsonSolver"),
    SOFA_ROW_LEGACY(old_thresholds[0], "absolute_correction_tolerance_threshold", NULL, "",
                    "now absoluteEstimateDifferenceThreshold of NewtonRaphsonSolver"),
    SOFA_ROW_LEGACY(old_thresholds[1], "relative_correction_tolerance_threshold", NULL, "",
                    "now relativeEstimateDifferenceThreshold of NewtonRaphsonSolver"),
    SOFA_ROW_LEGACY(old_thresholds[2], "absolute_residual_tolerance_threshold", NULL, "",
                    "now absoluteResidualStoppingThreshold of NewtonRaphsonSolver"),
    SOFA_ROW_LEGACY(old_thresholds[3], "relative_residual_tolerance_threshold", NULL, "",
                    "now relativeInitialStoppingThreshold of NewtonRaphsonSolver"),
};

/* Gives a field of the Newton solver the value of an older attribute, as a scene would. */
static SofaErr hand_over(const StaticSolver *s, const char *old, const char *now) {
  const SofaObject *object = &s->base.solver.object;
  SofaText text = {0};
  if (!sofa_field_is_set(object, old)) return SOFA_OK;
  SofaErr err = sofa_field_print(object, sofa_class_field(object->klass, old), &text);
  if (err == SOFA_OK) err = sofa_field_set_text(&s->newton->object, now, text.data, object->line);
  sofa_list_free(object->ctx, &text);
  return err;
}

/* A Newton solver in the node, with what older attributes say. */
static SofaErr make_newton(StaticSolver *s) {
  SofaObject *object = &s->base.solver.object, *made = NULL;
  SOFA_TRY(
      sofa_object_create_for(object, &sofa_NewtonRaphsonSolver_class, "newtonSolver", NULL, &made));
  s->newton = (NewtonRaphsonSolver *)made;
  SOFA_TRY(hand_over(s, "newton_iterations", "maxNbIterationsNewton"));
  SOFA_TRY(hand_over(s, "absolute_correction_tolerance_threshold",
                     "absoluteEstimateDifferenceThreshold"));
  SOFA_TRY(hand_over(s, "relative_correction_tolerance_threshold",
                     "relativeEstimateDifferenceThreshold"));
  SOFA_TRY(
      hand_over(s, "absolute_residual_tolerance_threshold", "absoluteResidualStoppingThreshold"));
  return hand_over(s, "relative_residual_tolerance_threshold",
                   sofa_quirk(object, QUIRK_STATIC_OLD_THRESHOLD)
                       ? "relativeEstimateDifferenceThreshold"
                       : "relativeInitialStoppingThreshold");
}

static SofaErr init(SofaObject *object) {
  StaticSolver *s = (StaticSolver *)object;
  if (!sofa_class_is_a(object->klass, &sofa_StaticEquilibriumIntegrationScheme_class))
    s->newton = newton_raphson_find(object->node, &s->newton_link);
  return s->newton ? SOFA_OK : make_newton(s);
}

static SofaErr prepare(SofaOdeSolver *solver, SofaMechanics *m) {
  StaticSolver *s = (StaticSolver *)solver;
  SOFA_TRY(sofa_mechanics_deriv(m, &s->dx));
  SOFA_TRY(sofa_mechanics_coord(m, &s->start));
  return sofa_mechanics_deriv(m, &s->residual);
}

/* ---- the equations ---- */

/* The guess has changed. */
static void begin_point(StaticSolver *s) {
  s->at = sofa_mech_point(s->m, s->base.solver.x, s->base.solver.v, s->time);
}

/* Of loads at the end of the step. */
static SofaMechParams params_of(const StaticSolver *s, double k) {
  SofaMechParams p = sofa_mech_params(s->h, s->m->node->time, 0, 0, k);
  p.time = s->time;
  return p;
}

static SofaErr residual(void *user, double *square) {
  StaticSolver *s = (StaticSolver *)user;
  SofaMechanics *m = s->m;
  const SofaMechParams p = params_of(s, 0);
  SOFA_TRY(sofa_mech_compute_force(m, &p, &s->at, m->f));
  sofa_vec_copy(sofa_all_v(m), m->f, s->residual);
  SOFA_TRY(sofa_mech_project_response(m, &p, s->residual));
  *square = sofa_vec_dot(sofa_main_v(m), s->residual, s->residual);
  return SOFA_OK;
}

static SofaErr build(StaticSolver *s) {
  SofaMechParams p = params_of(s, -1);
  p.descends = s->descends;
  return sofa_linear_solver_build(s->base.linear_solver, s->m, &p, &s->at);
}

static SofaErr solve(void *user) {
  StaticSolver *s = (StaticSolver *)user;
  SOFA_TRY(build(s));
  return sofa_linear_solver_solve(s->base.linear_solver, s->residual, s->dx);
}

static SofaErr advance(void *user, double alpha) {
  StaticSolver *s = (StaticSolver *)user;
  sofa_mech_integrate_x(s->m, alpha, s->dx, s->base.solver.x);
  begin_point(s);
  return sofa_mech_propagate_x(s->m, &s->at, s->base.solver.x);
}

static double correction(void *user) {
  const StaticSolver *s = (const StaticSolver *)user;
  return sofa_vec_dot(sofa_main_v(s->m), s->dx, s->dx);
}

static double estimate(void *user) {
  const StaticSolver *s = (const StaticSolver *)user;
  return sofa_vec_dot(sofa_main_x(s->m), s->base.solver.x, s->base.solver.x);
}

/* Forces of all points, those that constraints hold included: in equilibrium the reactions. */
static double loads(void *user) {
  const SofaMechanics *m = ((const StaticSolver *)user)->m;
  return sofa_vec_dot(sofa_main_v(m), m->f, m->f);
}

static SofaErr rounding(void *user, double *square) {
  const StaticSolver *s = (const StaticSolver *)user;
  const SofaMechParams p = params_of(s, 0);
  return sofa_mech_rounding(s->m, &p, &s->at, square);
}

static SofaErr restore(void *user) {
  StaticSolver *s = (StaticSolver *)user;
  sofa_vec_copy(sofa_all_x(s->m), s->m->x_good, s->base.solver.x);
  begin_point(s);
  return SOFA_OK;
}

static SofaErr again(void *user) {
  StaticSolver *s = (StaticSolver *)user;
  sofa_vec_copy(sofa_all_x(s->m), s->start, s->base.solver.x);
  begin_point(s);
  return SOFA_OK;
}

static SofaErr potential(void *user, double *value) {
  const StaticSolver *s = (const StaticSolver *)user;
  const SofaMechParams p = params_of(s, 0);
  double kinetic;
  return sofa_mech_energies(s->m, &p, &s->at, &kinetic, value);
}

static double work(void *user) {
  const StaticSolver *s = (const StaticSolver *)user;
  return sofa_vec_dot(sofa_main_v(s->m), s->residual, s->dx);
}

/* The points that constraints move go to their places at the end of the step: the others find their
 * equilibrium with these. */
static SofaErr begin_step(StaticSolver *s, SofaMechanics *m, double h) {
  const bool late = sofa_quirk(&s->base.solver.object, QUIRK_STATIC_LATE);
  s->m = m;
  s->h = h;
  s->time = m->node->time + (late ? 0 : h);
  if (!late) {
    const SofaMechParams p = params_of(s, 0);
    SOFA_TRY(sofa_mech_move_held(m, &p, s->base.solver.x));
  }
  begin_point(s);
  return late ? SOFA_OK : sofa_mech_propagate_x(m, &s->at, s->base.solver.x);
}

/* The same with step limiters: the points that constraints move must get there freely. */
static SofaErr begin_limited_step(StaticSolver *s, SofaMechanics *m, double h) {
  s->m = m;
  s->time = m->node->time;
  begin_point(s);
  SOFA_TRY(sofa_mech_limit_begin(m, &s->at, h));
  SOFA_TRY(begin_step(s, m, h));
  return sofa_mech_limit_imposed(m, &s->base.solver.object, s->base.solver.x);
}

static SofaErr step(SofaOdeSolver *solver, SofaMechanics *m, double h) {
  StaticSolver *s = (StaticSolver *)solver;
  const SofaNewtonProblem problem = {.residual = residual,
                                     .solve = solve,
                                     .advance = advance,
                                     .correction = correction,
                                     .estimate = estimate,
                                     .loads = loads,
                                     .rounding = rounding,
                                     .restore = restore,
                                     .again = again,
                                     .potential = sofa_mech_has_potential(m) ? potential : NULL,
                                     .work = work,
                                     .user = s,
                                     .owner = &solver->object,
                                     .linear = s->base.linear_solver,
                                     .limited = sofa_mech_is_limited(m) ? m : NULL,
                                     .guess = &s->at,
                                     .descends = sofa_mech_is_limited(m) ? &s->descends : NULL};
  s->descends = false;
  SOFA_TRY(ode_need_linear_solver(&solver->object, s->base.linear_solver));
  SOFA_TRY((sofa_mech_is_limited(m) ? begin_limited_step : begin_step)(s, m, h));
  sofa_vec_copy(sofa_all_x(m), s->base.solver.x, s->start);
  return newton_raphson_run(s->newton, &problem);
}

static SofaErr assemble(SofaOdeSolver *solver, SofaMechanics *m, double h) {
  StaticSolver *s = (StaticSolver *)solver;
  double square = 0;
  if (!ode_has_linear_solver(s->base.linear_solver)) return SOFA_OK;
  SOFA_TRY(begin_step(s, m, h));
  SOFA_TRY(residual(s, &square));
  return build(s);
}

/* ---- the equilibrium as equations ---- */

static SofaErr equation_residual(SofaOdeSolver *solver, SofaMechanics *m, double h,
                                 const double *move, double *r) {
  StaticSolver *s = (StaticSolver *)solver;
  const SofaSpace space = sofa_main_v(m);
  double square = 0;
  s->m = m;
  s->h = h;
  s->time = m->node->time + (sofa_quirk(&solver->object, QUIRK_STATIC_LATE) ? 0 : h);
  const SofaMechParams p = params_of(s, 0);
  sofa_vec_copy(space, move, s->dx);
  SOFA_TRY(sofa_mech_project_response(m, &p, s->dx));
  SOFA_TRY(advance(s, 1));
  SOFA_TRY(residual(s, &square));
  sofa_vec_copy(space, s->residual, r);
  sofa_vec_add(space, -1, move, r);
  sofa_vec_add(space, 1, s->dx, r);
  return SOFA_OK;
}

static void equation_end(SofaOdeSolver *solver, SofaMechanics *m, double h, const double *move) {
  (void)h;
  sofa_mech_integrate_x(m, 1, move, solver->x);
}

static const SofaStepEquations equations = {.residual = equation_residual, .end = equation_end};

/* A force J^T lambda moves the equilibrium by c; velocities play no part. */
static SofaErr factors(SofaOdeSolver *solver, double h, SofaOdeFactors *out) {
  (void)h;
  *out = (SofaOdeFactors){1, 0, ((const StaticSolver *)solver)->base.linear_solver};
  return SOFA_OK;
}

static unsigned traits(const SofaOdeSolver *solver) {
  (void)solver;
  return SOFA_ODE_IS_STATIC | SOFA_ODE_LEAVES_OUT_DAMPING | SOFA_ODE_LIMITS_STEPS;
}

static const SofaOdeSolverOps ops = {
    .prepare = prepare,
    .step = step,
    .assemble = assemble,
    .factors = factors,
    .equations = &equations,
    .traits = traits,
};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(StaticSolver, at),
    SOFA_REMADE(StaticSolver, h),
    SOFA_REMADE(StaticSolver, m),
    SOFA_REMADE(StaticSolver, time),
};

SOFA_CLASS(StaticSolver) = {
    SOFA_NAMED(StaticSolver),
    .module = "Sofa.Component.ODESolver.Backward",
    .category = "OdeSolver",
    .help = "Static equilibrium: Newton-Raphson on f(x) = 0 in each step; velocities and dt play "
            "no part.",
    .equations = "P f(x) = 0\n"
                 "-K dx = P f(x)\n"
                 "\"K = df/dx, P: projection of the constraints\"",
    .base = &implicit_solver_class,
    .divided = SOFA_DIVIDED_NEUTRAL,
    SOFA_SPARES(spared),
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(fields),
    .init = init,
    SOFA_IMPLEMENTS({SOFA_ODE_SOLVER, &ops}),
};

/* ---- with stopping rules of its own ---- */

static const SofaField scheme_fields[] = {
    SOFA_FIELD(StaticEquilibriumIntegrationScheme, iterations, "maxNbIterationsNewton", "10", "1",
               "Newton iterations of a step at most", .range = SOFA_AT_LEAST(1),
               .on_bad = SOFA_BAD_KEEP, .flags = SOFA_FIELD_REINIT),
    SOFA_FIELD(StaticEquilibriumIntegrationScheme, line_searches, "maxNbIterationsLineSearch", "1",
               "1", "reductions of a Newton step at most", .flags = SOFA_FIELD_REINIT),
    SOFA_FIELD(StaticEquilibriumIntegrationScheme, square, "residueThreshold", "1e-9", "N^2",
               "stops when the square of the norm of the residual falls below this",
               .range = SOFA_AT_LEAST(0), .flags = SOFA_FIELD_REINIT),
    SOFA_FIELD(StaticEquilibriumIntegrationScheme, reduction, "lineSearchReductionRate", "0.5", "1",
               "part of a Newton step that a reduction takes away", .range = SOFA_BETWEEN(0, 1),
               .flags = SOFA_FIELD_REINIT),
    SOFA_FIELD(StaticEquilibriumIntegrationScheme, first_step, "newtonStepSize", "1", "1",
               "part of a Newton step that is tried first: 1", .flags = SOFA_FIELD_REINIT),
    SOFA_FIELD(
        StaticEquilibriumIntegrationScheme, armijo, "lineSearchArmijoFactor", "1e-3", "1",
        "of the rule of SOFA's line search; the one of NewtonRaphsonSolver is used: no effect",
        .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_FIELD(StaticEquilibriumIntegrationScheme, always_advance, "alwaysAdvanceNewton", "0", "",
               "a step that no reduction makes better is always taken: no effect",
               .flags = SOFA_FIELD_NO_EFFECT),
};

/* Its rules become those of the Newton solver that StaticSolver has made. */
static SofaErr scheme_rules(SofaObject *object) {
  const StaticEquilibriumIntegrationScheme *s = (StaticEquilibriumIntegrationScheme *)object;
  NewtonRaphsonSolver *newton = s->solver.newton;
  SofaNewtonCriteria *c = &newton->criteria;
  if (s->first_step != 1)
    return sofa_field_fail(object, "newtonStepSize", SOFA_ERR_UNSUPPORTED,
                           "%g is not supported yet: 1 is", s->first_step);
  if (s->solver.newton_link.target)
    return sofa_field_fail(object, "newtonSolver", SOFA_ERR_ARGUMENT,
                           "this scheme has stopping rules of its own; StaticSolver takes those of "
                           "a NewtonRaphsonSolver");
  newton->absolute_given = true;
  c->iterations = s->iterations;
  c->line_searches = s->line_searches + 1;
  c->line_search_factor = 1 - s->reduction;
  c->residual_absolute = sqrt(s->square);
  c->residual_successive = c->residual_initial = 0;
  return SOFA_OK;
}

SOFA_CLASS(StaticEquilibriumIntegrationScheme) = {
    SOFA_NAMED(StaticEquilibriumIntegrationScheme),
    .module = "Sofa.Component.IntegrationScheme.Backward",
    .category = "OdeSolver",
    .help = "Static equilibrium as StaticSolver, with stopping rules of its own in place of a "
            "NewtonRaphsonSolver.",
    .base = &sofa_StaticSolver_class,
    .n_fields = SOFA_COUNT(scheme_fields),
    .fields = scheme_fields,
    .init = scheme_rules,
    .reinit = scheme_rules,
};
