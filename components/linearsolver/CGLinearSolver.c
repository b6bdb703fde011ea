/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CGLinearSolver: the method of conjugate gradients with SOFA's two stopping rules. */
#include <math.h>
#include <string.h>

#include "components/linearsolver/CGLinearSolver.h"
#include "numerics/krylov/work_vector.h"
#include "math/kernels.h"
#include "simulation/mechanics.h"

enum { QUIRK_CG_FIRST_SOLVE = 1 };
static const SofaQuirk quirks[] = {
    {QUIRK_CG_FIRST_SOLVE, "cg-first-solve",
     "CGLinearSolver ignores its stopping rules at the first iteration of the first solve",
     "test_cg.first_solve"},
    SOFA_QUIRK_ASYMMETRIC_MATRIX_ROW,
};

static const SofaField fields[] = {
    SOFA_FIELD(CGLinearSolver, iterations, "iterations", "25", "1", "most iterations of a solve"),
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
  return sofa_field_check_count(object, "iterations", cg->iterations);
}

static void destroy(SofaObject *object) {
  CGLinearSolver *cg = (CGLinearSolver *)object;
  iterative_checks_free(object->ctx, &cg->checks);
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

/* r = b - A x with x = 0 unless warm; *rho = r.r, *norm = |b|. */
static SofaErr start(CGLinearSolver *cg, const double *b, double *x, size_t n, double *rho,
                     double *norm) {
  const SofaContext *ctx = cg->solver.object.ctx;
  const SofaKernels *k = ctx->kernels;
  SofaLinearSystem *system = cg->solver.system;
  if (!cg->warm_start) {
    k->zero(ctx->threads, n, x);
    k->copy(ctx->threads, n, b, cg->r.data);
    *rho = k->dot(ctx->threads, n, b, b);
    *norm = sqrt(*rho);
    return SOFA_OK;
  }
  *norm = sqrt(k->dot(ctx->threads, n, b, b));
  SOFA_TRY(sofa_linear_system_ops(system)->apply(system, x, cg->q.data));
  k->waxpy(ctx->threads, n, b, -1, cg->q.data, cg->r.data);
  *rho = k->dot(ctx->threads, n, cg->r.data, cg->r.data);
  return SOFA_OK;
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

static SofaErr iterate(CGLinearSolver *cg, double *x, size_t size, double rho, double norm) {
  SofaContext *ctx = cg->solver.object.ctx;
  const SofaKernels *k = ctx->kernels;
  SofaLinearSystem *system = cg->solver.system;
  const SofaLinearSystemOps *ops = sofa_linear_system_ops(system);
  double *r = cg->r.data, *p = cg->p.data, *q = cg->q.data, last = 1;
  uint32_t n = 0;
  for (; n < cg->iterations; n++) {
    const double error = sqrt(rho) / norm;
    SOFA_TRY(SOFA_APPEND(ctx, &cg->graph, &error));
    sofa_linear_solver_iteration(&cg->solver, n, sqrt(rho), norm);
    if (error <= cg->tolerance && !goes_on(cg, n, "tolerance", error, cg->tolerance)) break;

    /* direction and its image */
    if (n == 0) k->copy(ctx->threads, size, r, p);
    else k->xpay(ctx->threads, size, r, rho / last, p);
    SOFA_TRY(ops->apply(system, p, q));
    const double curvature = k->dot(ctx->threads, size, p, q);
    if (curvature == 0) break;
    if (fabs(curvature) <= cg->threshold &&
        !goes_on(cg, n, "threshold", fabs(curvature), cg->threshold))
      break;
    iterative_curvature(&cg->solver, &cg->checks, false, curvature, p, q);
    last = rho;
    rho = k->cg_update(ctx->threads, size, rho / curvature, p, q, x, r);
  }
  if (n == cg->iterations) sofa_linear_solver_iteration(&cg->solver, n, sqrt(rho), norm);
  cg->solver.last_iterations = (int)n;
  cg->solver.last_residual = sqrt(rho) / norm;
  cg->solver.gave_up = n == cg->iterations && cg->solver.last_residual > cg->tolerance;
  return SOFA_OK;
}

SofaErr cg_solve(SofaLinearSolver *solver, const double *b, double *x) {
  CGLinearSolver *cg = (CGLinearSolver *)solver;
  const SofaMechanics *m = solver->system->mechanics;
  double rho = 0, norm = 0;
  solver->last_iterations = 0;
  solver->last_residual = 0;
  SOFA_TRY(iterative_begin(solver, cg->iterations, &cg->checks));
  SOFA_TRY(take_vectors(cg, m->n_v));
  SOFA_TRY(start(cg, b, x, m->n_v_main, &rho, &norm));
  if (norm != 0) SOFA_TRY(iterate(cg, x, m->n_v_main, rho, norm));
  cg->solved = true;

  /* the residual is not finite when anything is not */
  return iterative_end(solver, &cg->checks, isfinite(solver->last_residual), b, x);
}

static const SofaLinearSolverOps ops = {.solve = cg_solve};

static const char *const templates[] = {SOFA_MATRIX_FREE_TEMPLATE, SOFA_ASSEMBLED_TEMPLATES, NULL};

SOFA_CLASS(CGLinearSolver) = {
    SOFA_NAMED(CGLinearSolver),
    .module = "Sofa.Component.LinearSolver.Iterative",
    .category = "LinearSolver",
    .help = "Conjugate gradients (Hestenes and Stiefel, 1952) for symmetric positive definite "
            "systems. Stops at `iterations`, at |r| <= tolerance |b|, or at |p.Ap| <= threshold.",
    .base = &sofa_linear_solver_class,
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(fields),
    .templates = templates,
    .init = init,
    .destroy = destroy,
    SOFA_IMPLEMENTS({SOFA_LINEAR_SOLVER, &ops}),
};
