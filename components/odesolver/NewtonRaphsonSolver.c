/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* NewtonRaphsonSolver: the stopping rules and the report of a Newton iteration. */
#include "components/odesolver/NewtonRaphsonSolver.h"
#include "object/checkpoint.h"

enum { QUIRK_DIVERGED_STATE = 1, QUIRK_RESIDUAL_SEARCH = 2, QUIRK_NEWTON_ABSOLUTE = 4 };
static const SofaQuirk quirks[] = {
    {QUIRK_DIVERGED_STATE, "diverged-state",
     "NewtonRaphsonSolver keeps the last estimate whatever updateStateWhenDiverged says",
     "test_ode_solvers.states_of_diverged_runs"},
    {QUIRK_RESIDUAL_SEARCH, "residual-search",
     "NewtonRaphsonSolver searches every step by the residual alone",
     "test_line_search.snap_through_of_an_arch"},
    {QUIRK_NEWTON_ABSOLUTE, "newton-absolute-residual",
     "NewtonRaphsonSolver's default threshold of the residual is 1e-5 N whatever the loads",
     "test_ode_solvers.small_bodies"},
};

static const char *const statuses[] = {
#define WORD(id, word) word,
    SOFA_NEWTON_STATUSES(WORD)
#undef WORD
        NULL};

typedef NewtonRaphsonSolver SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW(criteria.iterations, "maxNbIterationsNewton", "1", "1", "iterations at most",
             .range = SOFA_AT_LEAST(1), .on_bad = SOFA_BAD_KEEP),
    SOFA_ROW(criteria.residual_successive, "relativeSuccessiveStoppingThreshold", "1e-5", "1",
             "stops when |R_k| falls below this times |R_k-1|; 0: off", .range = SOFA_AT_LEAST(0)),
    SOFA_ROW(criteria.residual_initial, "relativeInitialStoppingThreshold", "1e-5", "1",
             "stops when |R_k| falls below this times |R_0|; 0: off", .range = SOFA_AT_LEAST(0)),
    SOFA_ROW(criteria.residual_absolute, "absoluteResidualStoppingThreshold", "1e-5", "N",
             "stops when |R_k| falls below this; no iteration when |R_0| does; 0: off. Without a "
             "value in the scene: 1e-5 times the norm of the forces of all points, those of "
             "supports included",
             .flags = SOFA_FIELD_REINIT, .range = SOFA_AT_LEAST(0)),
    SOFA_ROW(criteria.estimate_relative, "relativeEstimateDifferenceThreshold", "0", "1",
             "stops when the correction falls below this times the estimate; 0: off",
             .range = SOFA_AT_LEAST(0)),
    SOFA_ROW(criteria.estimate_absolute, "absoluteEstimateDifferenceThreshold", "0", "",
             "stops when the correction falls below this; 0: off", .range = SOFA_AT_LEAST(0)),
    SOFA_ROW(criteria.line_searches, "maxNbIterationsLineSearch", "1", "1",
             "trials of the line search in each iteration, 0: 1. It is made when the iteration "
             "does not converge without it: then all begins again, and a step is reduced until it "
             "lowers the potential energy, or, where a force has none, the residual",
             .range = SOFA_AT_LEAST(0), .on_bad = SOFA_BAD_KEEP),
    SOFA_ROW(criteria.line_search_factor, "lineSearchCoefficient", "0.5", "1",
             "factor of the step after a trial that was refused", .range = SOFA_BETWEEN(0, 1)),
    SOFA_ROW(update_when_diverged, "updateStateWhenDiverged", "1", "",
             "keep the last estimate of a run that does not converge; off: the state is restored"),
    SOFA_ROW(status, "status", "Undefined", "", "why the last run ended",
             .flags = SOFA_FIELD_OUTPUT, .options = statuses),
    SOFA_ROW(residual_graph, "residualGraph", NULL, "N^2",
             "squared residual norms of the last run, the initial one first",
             .flags = SOFA_FIELD_OUTPUT),
    SOFA_ROW(warn_line_search, "warnWhenLineSearchFails", "1", "",
             "warn when no trial reduces the energy or the residual"),
    SOFA_ROW(warn_diverged, "warnWhenDiverge", "1", "", "warn when no criterion holds at the end"),
};

static SofaErr init(SofaObject *object) {
  NewtonRaphsonSolver *s = (NewtonRaphsonSolver *)object;
  SofaNewtonCriteria *c = &s->criteria;
  if (c->line_searches < 1) {
    sofa_object_message(object, SOFA_WARNING, "field 'maxNbIterationsLineSearch': 0, 1 is used");
    c->line_searches = 1;
  }
  c->search_last = c->line_searches < 2 || !sofa_quirk(object, QUIRK_RESIDUAL_SEARCH);
  s->absolute_given |= sofa_field_is_set(object, "absoluteResidualStoppingThreshold") ||
                       sofa_quirk(object, QUIRK_NEWTON_ABSOLUTE);
  return SOFA_OK;
}

static SofaErr reset(SofaObject *object) {
  NewtonRaphsonSolver *s = (NewtonRaphsonSolver *)object;
  s->solves = (SofaSolveCount){0};
  s->search_warned = false;
  return SOFA_OK;
}

static SofaErr handle_event(SofaObject *object, const SofaEvent *event) {
  sofa_solve_count_event(&((const NewtonRaphsonSolver *)object)->solves, object, event,
                         "|R|/|R_0|");
  return SOFA_OK;
}

static void destroy(SofaObject *object) {
  sofa_newton_report_free(object->ctx, &((NewtonRaphsonSolver *)object)->report);
}

NewtonRaphsonSolver *newton_raphson_find(const SofaNode *node, const SofaLink *link) {
  if (link->target) return (NewtonRaphsonSolver *)link->target;
  return (NewtonRaphsonSolver *)sofa_node_find_class(node, &sofa_NewtonRaphsonSolver_class,
                                                     SOFA_SEARCH_DOWN);
}

/* The first failure of a run is a warning, the others show with printLog. */
static SofaErr tell(NewtonRaphsonSolver *s) {
  const SofaNewtonReport *r = &s->report;
  bool converged = true;
  if (s->warn_diverged) SOFA_TRY(sofa_newton_tell(&s->object, r, &s->solves, &converged));
  if (!converged || !r->line_search_failed || !s->warn_line_search || s->criteria.line_searches < 2)
    return SOFA_OK;
  const bool first = !s->search_warned;
  s->search_warned = true;
  return sofa_newton_warn(&s->object, r, "a line search did not reduce the energy or the residual",
                          first);
}

/* Those of the fields; the default of the absolute threshold is a fraction of the loads. */
static SofaNewtonCriteria criteria_of(const NewtonRaphsonSolver *s) {
  SofaNewtonCriteria criteria = s->criteria;
  criteria.rounding = !sofa_quirk(&s->object, QUIRK_NEWTON_ABSOLUTE);
  if (s->absolute_given) return criteria;
  criteria.residual_loads = criteria.residual_absolute;
  criteria.residual_absolute = 0;
  return criteria;
}

SofaErr newton_raphson_run(NewtonRaphsonSolver *s, const SofaNewtonProblem *problem) {
  SofaContext *ctx = s->object.ctx;
  SofaNewtonProblem logged = *problem;
  if (s->object.print_log) logged.log = &s->object;
  const SofaNewtonCriteria criteria = criteria_of(s);
  if (!criteria.search_last && !logged.limited) logged.potential = NULL;
  const SofaErr err = sofa_newton_solve(ctx, &criteria, &logged, &s->report);
  s->status.index = (int)s->report.status;
  s->residual_graph.n = 0;
  SOFA_TRY(SOFA_RESERVE_HISTORY(ctx, &s->residual_graph, (size_t)s->criteria.iterations + 1));
  SOFA_TRY(SOFA_RESERVE(ctx, &s->residual_graph, s->report.rows.n));
  for (size_t i = 0; i < s->report.rows.n; i++)
    s->residual_graph.data[s->residual_graph.n++] =
        s->report.rows.data[i].residual * s->report.rows.data[i].residual;
  SOFA_TRY(err);
  SOFA_TRY(tell(s));
  if (s->update_when_diverged || sofa_newton_converged(s->report.status) || !problem->restore)
    return SOFA_OK;
  return sofa_quirk(&s->object, QUIRK_DIVERGED_STATE) ? SOFA_OK : problem->restore(problem->user);
}

static const SofaKeptMember kept[] = {
    SOFA_KEEP(NewtonRaphsonSolver, solves),
    SOFA_KEEP(NewtonRaphsonSolver, search_warned),
};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(NewtonRaphsonSolver, report),
};

SOFA_CLASS(NewtonRaphsonSolver) = {
    SOFA_NAMED(NewtonRaphsonSolver),
    .module = "Sofa.Component.ODESolver.Backward",
    .category = "Newton",
    .help = "Stopping rules of the Newton-Raphson iteration of StaticSolver and BDFOdeSolver, with "
            "a line search by step reduction.",
    .equations = "x' = x - s (partial r/partial x)^-1 r(x)",
    .base = &sofa_object_class,
    .divided = SOFA_DIVIDED_NEUTRAL,
    SOFA_SPARES(spared),
    SOFA_KEEPS(kept),
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(fields),
    .init = init,
    .reinit = init,
    .reset = reset,
    .handle_event = handle_event,
    .destroy = destroy,
};
