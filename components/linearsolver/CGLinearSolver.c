/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CGLinearSolver: the method of conjugate gradients with SOFA's two stopping rules. */
#include <math.h>

#include "components/linearsolver/CGLinearSolver.h"
#include "object/checkpoint.h"
#include "numerics/krylov/krylov_cg.h"
#include "numerics/krylov/work_vector.h"

enum { QUIRK_CG_FIRST_SOLVE = 1 };
static const SofaQuirk quirks[] = {
    {QUIRK_CG_FIRST_SOLVE, "cg-first-solve",
     "CGLinearSolver ignores its stopping rules at the first iteration of the first solve",
     "test_cg.first_solve"},
    SOFA_QUIRK_ASYMMETRIC_MATRIX_ROW,
};

/* What `threshold` may leave of the largest right-hand side of a run. */
#define THRESHOLD_RESIDUAL 1e-2

static const SofaField fields[] = {
    SOFA_FIELD(CGLinearSolver, iterations, "iterations", "25", "1", "most iterations of a solve",
               .range = SOFA_AT_LEAST(0), .on_bad = SOFA_BAD_KEEP),
    SOFA_FIELD(CGLinearSolver, tolerance, "tolerance", "1e-05", "1",
               "stop when |r| <= tolerance |b|"),
    SOFA_FIELD(
        CGLinearSolver, threshold, "threshold", "1e-05", "J",
        "stop, without using the direction, when |p.Ap| <= threshold; it has a dimension and "
        "often stops first"),
    SOFA_FIELD(CGLinearSolver, warm_start, "warmStart", "0", "",
               "begin with the previous solution instead of 0"),
    SOFA_FIELD(CGLinearSolver, graph, "graph", NULL, "1",
               "|r| / |b| before each iteration of the last solve", .flags = SOFA_FIELD_OUTPUT),
};

static void check_not_negative(const SofaObject *object, const char *name, double *value) {
  if (*value >= 0) return;
  sofa_object_message(object, SOFA_WARNING, "%s=%g must not be negative: 1e-5 is used", name,
                      *value);
  *value = 1e-5;
}

static SofaErr init(SofaObject *object) {
  CGLinearSolver *cg = (CGLinearSolver *)object;
  check_not_negative(object, "tolerance", &cg->tolerance);
  check_not_negative(object, "threshold", &cg->threshold);
  cg->solved = false;
  return SOFA_OK;
}

static SofaErr reset(SofaObject *object) {
  ((CGLinearSolver *)object)->largest = 0;
  return SOFA_OK;
}

static void destroy(SofaObject *object) {
  CGLinearSolver *cg = (CGLinearSolver *)object;
  sofa_iterative_checks_free(object->ctx, &cg->checks);
  sofa_list_free(object->ctx, &cg->r);
  sofa_list_free(object->ctx, &cg->p);
  sofa_list_free(object->ctx, &cg->q);
}

static SofaErr take_vectors(CGLinearSolver *cg, size_t n) {
  SofaContext *ctx = cg->solver.object.ctx;
  cg->graph.n = 0;
  SOFA_TRY(SOFA_RESERVE_HISTORY(ctx, &cg->graph, cg->iterations));
  SOFA_TRY(work_vector(ctx, n, &cg->r));
  SOFA_TRY(work_vector(ctx, n, &cg->p));
  return work_vector(ctx, n, &cg->q);
}

/* A rule that would stop before anything was done in the first solve since init: SOFA goes on. */
static bool goes_on(CGLinearSolver *cg, uint32_t n, const char *rule, double value, double limit) {
  if (n > 0 || cg->solved) return false;
  const SofaObject *object = &cg->solver.object;
  sofa_object_message(
      object, SOFA_WARNING,
      "%s already holds before the first iteration (%g <= %g): choose a smaller one", rule, value,
      limit);
  return sofa_quirk(object, QUIRK_CG_FIRST_SOLVE);
}

/* ---- rule and observer ---- */

static bool converged(void *user, const SofaCgState *state) {
  CGLinearSolver *cg = user;
  const double error = sqrt(state->rr) / cg->norm;
  return error <= cg->tolerance &&
         !goes_on(cg, state->iteration, "tolerance", error, cg->tolerance);
}

static bool flat(void *user, const SofaCgState *state) {
  CGLinearSolver *cg = user;
  const double curvature = fabs(state->curvature);
  return curvature <= cg->threshold &&
         !goes_on(cg, state->iteration, "threshold", curvature, cg->threshold);
}

static SofaErr observe(void *user, const SofaCgState *state) {
  CGLinearSolver *cg = user;
  const double error = sqrt(state->rr) / cg->norm;
  sofa_linear_solver_iteration(&cg->solver, state->iteration, sqrt(state->rr), cg->norm);
  if (state->iteration == cg->iterations) return SOFA_OK;
  return SOFA_APPEND(cg->solver.object.ctx, &cg->graph, &error);
}

static void see_curvature(void *user, bool preconditioner, double curvature, const double *p,
                          const double *q) {
  CGLinearSolver *cg = user;
  sofa_iterative_curvature(&cg->solver, &cg->checks, preconditioner, curvature, p, q);
}

/* ---- the solution ---- */

/* r = b - A x with x = 0 unless warm; *rr = r.r, norm = |b|. */
static SofaErr start(CGLinearSolver *cg, const SofaCg *problem, const double *b, double *x,
                     double *rr) {
  const SofaSpace space = problem->space;
  const double square = sofa_vec_dot(space, b, b);
  cg->norm = sqrt(square);
  if (cg->warm_start) {
    SOFA_TRY(sofa_krylov_residual(space, &problem->a, b, x, problem->r));
    *rr = sofa_vec_dot(space, problem->r, problem->r);
    return SOFA_OK;
  }
  sofa_vec_zero(space, x);
  sofa_vec_copy(space, b, problem->r);
  *rr = square;
  return SOFA_OK;
}

/* The threshold is a rule, too, but |p.Ap| is also small, far from the solution, where the units of
 * a scene make forces small: then the residual is not small against the right-hand sides so far. */
static void judge(CGLinearSolver *cg, const SofaCgState *end) {
  SofaSolveResult *result = &cg->solver.result;
  const double residual = sqrt(end->rr), tolerance = fmax(cg->tolerance, SOFA_ITERATIVE_ROUNDING);
  const bool by_threshold = end->stopped && residual > tolerance * cg->norm;
  cg->largest = fmax(cg->largest, cg->norm);
  result->converged = by_threshold ? residual <= THRESHOLD_RESIDUAL * cg->largest
                                   : !(residual > tolerance * cg->norm);
  result->remedy =
      by_threshold ? "the field 'threshold' ended them: set a smaller one" : SOFA_ITERATIVE_REMEDY;
}

static SofaErr iterate(CGLinearSolver *cg, const double *b, double *x) {
  SofaLinearSystem *system = cg->solver.system;
  const SofaCg problem = {.space = sofa_main_v(system->mechanics),
                          .a = sofa_system_operator(system),
                          .rule = {cg->iterations, converged, flat, cg},
                          .observer = {observe, see_curvature, cg},
                          .r = cg->r.data,
                          .p = cg->p.data,
                          .q = cg->q.data};
  SofaSolveResult *result = &cg->solver.result;
  SofaCgState end;
  double rr = 0;
  SOFA_TRY(start(cg, &problem, b, x, &rr));
  if (cg->norm == 0) return SOFA_OK;
  SOFA_TRY(sofa_krylov_cg(&problem, x, rr, &end));
  result->iterations = (int)end.iteration;
  result->residual = sqrt(end.rr) / cg->norm;
  judge(cg, &end);
  return SOFA_OK;
}

SofaErr cg_solve(SofaLinearSolver *solver, const double *b, double *x) {
  CGLinearSolver *cg = (CGLinearSolver *)solver;
  solver->result.residual = 0;
  SOFA_TRY(sofa_iterative_begin(solver, cg->iterations, &cg->checks));
  SOFA_TRY(take_vectors(cg, solver->system->mechanics->n_v));
  SOFA_TRY(iterate(cg, b, x));
  cg->solved = true;

  /* the residual is not finite when anything is not */
  return sofa_iterative_end(solver, &cg->checks, isfinite(solver->result.residual), b, x);
}

static const SofaLinearSolverOps ops = {.solve = cg_solve};

static const char *const templates[] = {SOFA_MATRIX_FREE_TEMPLATE, SOFA_ASSEMBLED_TEMPLATES, NULL};

static const SofaKeptMember kept[] = {
    SOFA_KEEP(CGLinearSolver, solved),
    SOFA_KEEP(CGLinearSolver, largest),
};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(CGLinearSolver, norm),
    SOFA_REMADE(CGLinearSolver, p),
    SOFA_REMADE(CGLinearSolver, q),
    SOFA_REMADE(CGLinearSolver, r),
};

SOFA_CLASS(CGLinearSolver) = {
    SOFA_NAMED(CGLinearSolver),
    .module = "Sofa.Component.LinearSolver.Iterative",
    .category = "LinearSolver",
    .help = "Conjugate gradients (Hestenes and Stiefel, 1952) for symmetric positive definite "
            "systems. Stops at `iterations`, at |r| <= tolerance |b|, or at |p.Ap| <= threshold.",
    .equations = "A x = b\n"
                 "alpha = r.r/(p.A p), x' = x + alpha p, r' = r - alpha A p",
    .base = &sofa_linear_solver_class,
    .divided = SOFA_DIVIDED_NEUTRAL,
    SOFA_SPARES(spared),
    SOFA_KEEPS(kept),
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(fields),
    .templates = templates,
    .init = init,
    .reset = reset,
    .destroy = destroy,
    SOFA_IMPLEMENTS({SOFA_LINEAR_SOLVER, &ops}),
};
