/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* MinResLinearSolver: minimal residuals by Lanczos vectors (Paige and Saunders, Solution of sparse
 * indefinite systems of linear equations, SIAM J. Numer. Anal. 12, 1975), from the previous
 * solution. */
#include <float.h>
#include <math.h>

#include "numerics/krylov/iterative.h"
#include "numerics/krylov/work_vector.h"
#include "math/kernels.h"
#include "simulation/mechanics.h"

enum { R, Y, V, W0, W1, W2, N_VECTORS };

typedef struct MinResLinearSolver {
  SofaLinearSolver solver;
  IterativeChecks checks;
  uint32_t iterations;
  double tolerance;
  SofaReals graph;             /* estimate of |r| / |r0| after each iteration of the last solve */
  SofaReals vector[N_VECTORS]; /* n_v reals each */
} MinResLinearSolver;

static const SofaField fields[] = {
    SOFA_FIELD(MinResLinearSolver, iterations, "iterations", "25", "1",
               "most iterations of a solve"),
    SOFA_FIELD(MinResLinearSolver, tolerance, "tolerance", "1e-05", "1",
               "stop when |r| <= tolerance |A| |x| or |A r| <= tolerance |A| |r|, by estimates"),
    SOFA_FIELD(MinResLinearSolver, graph, "graph", NULL, "1",
               "|r| / |r0| after each iteration of the last solve", .flags = SOFA_FIELD_OUTPUT),
};

static SofaErr init(SofaObject *object) {
  return sofa_field_check_count(object, "iterations", ((MinResLinearSolver *)object)->iterations);
}

static void destroy(SofaObject *object) {
  MinResLinearSolver *s = (MinResLinearSolver *)object;
  iterative_checks_free(object->ctx, &s->checks);
  for (int i = 0; i < N_VECTORS; i++) sofa_list_free(object->ctx, &s->vector[i]);
}

static SofaErr take_vectors(MinResLinearSolver *s, size_t n) {
  SofaContext *ctx = s->solver.object.ctx;
  s->graph.n = 0;
  SOFA_TRY(SOFA_RESERVE_HISTORY(ctx, &s->graph, s->iterations));
  for (int i = 0; i < N_VECTORS; i++) SOFA_TRY(work_vector(ctx, n, &s->vector[i]));
  return SOFA_OK;
}

/* State of the recurrences; names of the paper. y is the next Lanczos vector times beta, r the one
 * before, w the search directions from the oldest to the newest. */
typedef struct Recurrence {
  double beta1, beta, old_beta, alpha, dbar, epsln, phibar, cs, sn, tnorm2, gmax, gmin, root;
  double *r, *y, *v, *w[3];
  size_t n;
} Recurrence;

static Recurrence begin(const MinResLinearSolver *s, size_t n, double beta1) {
  const SofaContext *ctx = s->solver.object.ctx;
  Recurrence q = {
      .beta1 = beta1, .beta = beta1, .phibar = beta1, .cs = -1, .gmin = DBL_MAX, .n = n};
  q.r = s->vector[R].data;
  q.y = s->vector[Y].data;
  q.v = s->vector[V].data;
  for (int i = 0; i < 3; i++) {
    q.w[i] = s->vector[W0 + i].data;
    ctx->kernels->zero(ctx->threads, n, q.w[i]);
  }
  return q;
}

/* v = y / beta; the next y = A v - (beta / old beta) r - (alpha / beta) y. */
static SofaErr lanczos(Recurrence *q, SofaLinearSystem *system, bool first) {
  const SofaContext *ctx = system->object.ctx;
  const SofaKernels *k = ctx->kernels;
  k->zero(ctx->threads, q->n, q->v);
  k->axpy(ctx->threads, q->n, 1 / q->beta, q->y, q->v);

  /* the oldest direction is no longer needed: its place receives A v */
  double *next = q->w[0];
  SOFA_TRY(sofa_linear_system_ops(system)->apply(system, q->v, next));
  if (!first) k->axpy(ctx->threads, q->n, -q->beta / q->old_beta, q->r, next);
  q->alpha = k->dot(ctx->threads, q->n, q->v, next);
  k->axpy(ctx->threads, q->n, -q->alpha / q->beta, q->y, next);
  q->w[0] = q->r;
  q->r = q->y;
  q->y = next;
  q->old_beta = q->beta;
  q->beta = sqrt(k->dot(ctx->threads, q->n, next, next));
  q->tnorm2 += q->alpha * q->alpha + q->old_beta * q->old_beta + q->beta * q->beta;
  return SOFA_OK;
}

/* Rotates the new column of the tridiagonal matrix and moves x along the new direction. */
static void advance(const SofaContext *ctx, Recurrence *q, double *x) {
  const SofaKernels *k = ctx->kernels;
  const double old_epsln = q->epsln, delta = q->cs * q->dbar + q->sn * q->alpha;
  const double gbar = q->sn * q->dbar - q->cs * q->alpha;
  q->epsln = q->sn * q->beta;
  q->dbar = -q->cs * q->beta;
  q->root = hypot(gbar, q->dbar);
  const double gamma = fmax(hypot(gbar, q->beta), DBL_EPSILON);
  q->cs = gbar / gamma;
  q->sn = q->beta / gamma;
  const double phi = q->cs * q->phibar;
  q->phibar *= q->sn;
  q->gmax = fmax(q->gmax, gamma);
  q->gmin = fmin(q->gmin, gamma);

  double *w = q->w[0];
  k->waxpy(ctx->threads, q->n, q->v, -old_epsln, q->w[1], w);
  k->axpy(ctx->threads, q->n, -delta, q->w[2], w);
  k->scale(ctx->threads, q->n, 1 / gamma, w);
  k->axpy(ctx->threads, q->n, phi, w, x);
  q->w[0] = q->w[1];
  q->w[1] = q->w[2];
  q->w[2] = w;
}

static bool finished(const MinResLinearSolver *s, const Recurrence *q, const double *x) {
  const SofaContext *ctx = s->solver.object.ctx;
  const double a_norm = sqrt(q->tnorm2), x_norm = sqrt(ctx->kernels->dot(ctx->threads, q->n, x, x));
  const double residual = q->phibar / (a_norm * x_norm), range = q->root / a_norm;
  return residual <= 0 || range <= 0 || q->gmax / q->gmin >= 0.1 / DBL_EPSILON ||
         a_norm * DBL_EPSILON * x_norm >= q->beta1 || range <= s->tolerance ||
         residual <= s->tolerance;
}

/* norm is |b|, beta1 the residual of x */
static SofaErr iterate(MinResLinearSolver *s, double *x, size_t n, double beta1, double norm) {
  const SofaContext *ctx = s->solver.object.ctx;
  Recurrence q = begin(s, n, beta1);
  uint32_t i = 0;
  while (i < s->iterations) {
    SOFA_TRY(lanczos(&q, s->solver.system, i == 0));
    advance(ctx, &q, x);
    SOFA_TRY(SOFA_APPEND(s->solver.object.ctx, &s->graph, &(double){q.phibar / beta1}));
    i++;
    sofa_linear_solver_iteration(&s->solver, i, q.phibar, norm);

    /* A is a multiple of the identity; or one of the rules holds */
    if (i == 1 && q.beta / beta1 < 10 * DBL_EPSILON) break;
    if (finished(s, &q, x)) break;
  }
  s->solver.last_iterations = (int)i;
  s->solver.last_residual = q.phibar;
  return SOFA_OK;
}

static SofaErr solve(SofaLinearSolver *solver, const double *b, double *x) {
  MinResLinearSolver *s = (MinResLinearSolver *)solver;
  const SofaContext *ctx = solver->object.ctx;
  const SofaKernels *k = ctx->kernels;
  const size_t n = solver->system->mechanics->n_v_main;
  SOFA_TRY(iterative_begin(solver, s->iterations, &s->checks));
  SOFA_TRY(take_vectors(s, solver->system->mechanics->n_v));

  /* y = b - A x */
  double *y = s->vector[Y].data;
  SOFA_TRY(sofa_linear_system_ops(solver->system)->apply(solver->system, x, y));
  k->waxpy(ctx->threads, n, b, -1, y, y);
  const double beta1 = sqrt(k->dot(ctx->threads, n, y, y));
  const double norm = sqrt(k->dot(ctx->threads, n, b, b));
  solver->last_iterations = 0;
  solver->last_residual = beta1;
  sofa_linear_solver_iteration(solver, 0, beta1, norm);
  if (beta1 != 0) SOFA_TRY(iterate(s, x, n, beta1, norm));
  if (norm != 0) solver->last_residual /= norm;
  return iterative_end(solver, &s->checks, isfinite(solver->last_residual), b, x);
}

static const SofaLinearSolverOps ops = {.solve = solve};

static const char *const templates[] = {SOFA_MATRIX_FREE_TEMPLATE, SOFA_ASSEMBLED_TEMPLATES, NULL};

static const SofaQuirk quirks[] = {SOFA_QUIRK_ASYMMETRIC_MATRIX_ROW};

SOFA_CLASS(MinResLinearSolver) = {
    SOFA_NAMED(MinResLinearSolver),
    .module = "Sofa.Component.LinearSolver.Iterative",
    .category = "LinearSolver",
    .help = "Minimal residuals (Paige and Saunders, 1975) for symmetric systems, indefinite ones "
            "too, beginning with the previous solution.",
    .base = &sofa_linear_solver_class,
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(fields),
    .templates = templates,
    .init = init,
    .destroy = destroy,
    SOFA_IMPLEMENTS({SOFA_LINEAR_SOLVER, &ops}),
};
