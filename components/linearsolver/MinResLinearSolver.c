/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* MinResLinearSolver: minimal residuals, from the previous solution. */
#include <math.h>

#include "numerics/krylov/iterative.h"
#include "numerics/krylov/krylov_minres.h"
#include "numerics/krylov/work_vector.h"
#include "object/checkpoint.h"

enum { QUIRK_MINRES_ESTIMATES = 1 };
static const SofaQuirk quirks[] = {
    {QUIRK_MINRES_ESTIMATES, "minres-estimates",
     "MinResLinearSolver stops by estimates of |A| |x| and |A r| in place of |b|",
     "test_unconverged.minres_residual"},
    SOFA_QUIRK_ASYMMETRIC_MATRIX_ROW,
};

typedef struct MinResLinearSolver {
  SofaLinearSolver solver;
  SofaIterativeChecks checks;
  uint32_t iterations;
  double tolerance;
  SofaReals graph; /* estimate of |r| / |r0| after each iteration of the last solve */
  SofaReals vector[SOFA_MINRES_VECTORS]; /* n_v reals each */
  double norm;                           /* |b| of the solve that runs; 0: |r| at its start */
  uint32_t before; /* iterations of this solve before the recurrences that run */
} MinResLinearSolver;

static const SofaField fields[] = {
    SOFA_FIELD(MinResLinearSolver, iterations, "iterations", "25", "1",
               "most iterations of a solve", .range = SOFA_AT_LEAST(0), .on_bad = SOFA_BAD_KEEP),
    SOFA_FIELD(
        MinResLinearSolver, tolerance, "tolerance", "1e-05", "1",
        "stop when |b - A x| <= tolerance |b|; quirk minres-estimates: when |r| <= tolerance "
        "|A| |x| or |A r| <= tolerance |A| |r|, by estimates"),
    SOFA_FIELD(MinResLinearSolver, graph, "graph", NULL, "1",
               "|r| / |r0| after each iteration of the last solve", .flags = SOFA_FIELD_OUTPUT),
};

static void destroy(SofaObject *object) {
  MinResLinearSolver *s = (MinResLinearSolver *)object;
  sofa_iterative_checks_free(object->ctx, &s->checks);
  for (int i = 0; i < SOFA_MINRES_VECTORS; i++) sofa_list_free(object->ctx, &s->vector[i]);
}

static SofaErr take_vectors(MinResLinearSolver *s, size_t n) {
  SofaContext *ctx = s->solver.object.ctx;
  s->graph.n = 0;
  SOFA_TRY(SOFA_RESERVE_HISTORY(ctx, &s->graph, s->iterations));
  for (int i = 0; i < SOFA_MINRES_VECTORS; i++) SOFA_TRY(work_vector(ctx, n, &s->vector[i]));
  return SOFA_OK;
}

static bool converged(void *user, const SofaMinresState *state) {
  const MinResLinearSolver *s = user;
  const double tolerance = s->tolerance;
  if (!sofa_quirk(&s->solver.object, QUIRK_MINRES_ESTIMATES))
    return state->residual <= tolerance * s->norm;
  return state->image / state->a_norm <= tolerance ||
         state->residual / (state->a_norm * state->x_norm) <= tolerance;
}

static SofaErr observe(void *user, const SofaMinresState *state) {
  MinResLinearSolver *s = user;
  const double error = state->residual / state->start;
  sofa_linear_solver_iteration(&s->solver, s->before + state->iteration, state->residual, s->norm);
  return SOFA_APPEND(s->solver.object.ctx, &s->graph, &error);
}

/* Is |b - A x|, whose estimate is small enough, so too? *residual becomes it where it is not. A
 * tenth above the estimate is rounding. */
static SofaErr confirm(const MinResLinearSolver *s, SofaMinres *minres, const double *b, double *x,
                       double *residual) {
  const double limit = fmax(s->tolerance, SOFA_ITERATIVE_ROUNDING) * s->norm;
  SOFA_TRY(sofa_krylov_residual(minres->space, &minres->a, b, x, minres->work[0]));
  const double now = sofa_vec_norm(minres->space, minres->work[0]);
  if (now > 1.1 * limit) *residual = now;
  return SOFA_OK;
}

/* The first work vector holds the residual of x, of norm `start`. The recurrences begin again where
 * rounding has led them away from the true residual, as long as that halves it. */
static SofaErr iterate(MinResLinearSolver *s, SofaMinres *minres, const double *b, double *x,
                       double start) {
  SofaSolveResult *result = &s->solver.result;
  const bool estimates = sofa_quirk(&s->solver.object, QUIRK_MINRES_ESTIMATES);
  const double limit = fmax(s->tolerance, SOFA_ITERATIVE_ROUNDING) * s->norm;
  bool again = true;
  for (s->before = 0; again;) {
    SofaMinresState end;
    SOFA_TRY(sofa_krylov_minres(minres, x, start, &end));
    s->before += end.iteration;
    minres->rule.iterations -= end.iteration;
    result->residual = end.residual;
    if (end.stopped && !estimates) SOFA_TRY(confirm(s, minres, b, x, &result->residual));
    again = end.stopped && !estimates && result->residual > limit && minres->rule.iterations > 0 &&
            result->residual < 0.5 * start;
    start = result->residual;
  }
  result->iterations = (int)s->before;
  result->converged = result->residual <= 1.1 * limit;
  result->remedy = minres->rule.iterations > 0 ? "rounding or the field 'tolerance' ended them"
                                               : SOFA_ITERATIVE_REMEDY;
  return SOFA_OK;
}

static SofaErr solve(SofaLinearSolver *solver, const double *b, double *x) {
  MinResLinearSolver *s = (MinResLinearSolver *)solver;
  const SofaMechanics *m = solver->system->mechanics;
  SofaMinres minres = {.space = sofa_main_v(m),
                       .a = sofa_system_operator(solver->system),
                       .rule = {s->iterations, converged, s},
                       .observer = {observe, s}};
  SOFA_TRY(sofa_iterative_begin(solver, s->iterations, &s->checks));
  SOFA_TRY(take_vectors(s, m->n_v));
  for (int i = 0; i < SOFA_MINRES_VECTORS; i++) minres.work[i] = s->vector[i].data;

  double *r = minres.work[0];
  SOFA_TRY(sofa_krylov_residual(minres.space, &minres.a, b, x, r));
  const double start = sofa_vec_norm(minres.space, r);
  const double norm = sofa_vec_norm(minres.space, b);
  s->norm = norm != 0 ? norm : start;
  solver->result.residual = start;
  sofa_linear_solver_iteration(solver, 0, start, norm);
  if (start != 0) SOFA_TRY(iterate(s, &minres, b, x, start));
  if (norm != 0) solver->result.residual /= norm;
  return sofa_iterative_end(solver, &s->checks, isfinite(solver->result.residual), b, x);
}

static const SofaLinearSolverOps ops = {.solve = solve};

static const char *const templates[] = {SOFA_MATRIX_FREE_TEMPLATE, SOFA_ASSEMBLED_TEMPLATES, NULL};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(MinResLinearSolver, before),
    SOFA_REMADE(MinResLinearSolver, norm),
    SOFA_REMADE(MinResLinearSolver, vector),
};

SOFA_CLASS(MinResLinearSolver) = {
    SOFA_NAMED(MinResLinearSolver),
    .module = "Sofa.Component.LinearSolver.Iterative",
    .category = "LinearSolver",
    .help = "Minimal residuals (Paige and Saunders, 1975) for symmetric systems, indefinite ones "
            "too, beginning with the previous solution.",
    .equations = "min |b - A x| \"in the Krylov space of A and r\"",
    .base = &sofa_linear_solver_class,
    SOFA_SPARES(spared),
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(fields),
    .templates = templates,
    .destroy = destroy,
    SOFA_IMPLEMENTS({SOFA_LINEAR_SOLVER, &ops}),
};
