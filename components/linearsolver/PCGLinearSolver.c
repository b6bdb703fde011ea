/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* PCGLinearSolver: preconditioned conjugate gradients, from the previous solution. */
#include <math.h>

#include "numerics/krylov/iterative.h"
#include "numerics/krylov/work_vector.h"
#include "components/linearsystem/matrix_free_system.h"
#include "math/kernels.h"
#include "simulation/mechanics.h"

typedef struct PCGLinearSolver {
  SofaLinearSolver solver;
  IterativeChecks checks;
  uint32_t iterations, update_step;
  double tolerance;
  bool use_preconditioner;
  SofaLink preconditioner;
  SofaReals graph;   /* r.P^-1 r / b.b before each iteration of the last solve */
  SofaReals r, w, s; /* n_v reals each */
} PCGLinearSolver;

static const SofaLinkRule solver_rule = {.interface = SOFA_LINEAR_SOLVER,
                                         .search = SOFA_SEARCH_NONE};

static const SofaField fields[] = {
    SOFA_FIELD(PCGLinearSolver, iterations, "iterations", "25", "1", "most iterations of a solve",
               .range = SOFA_AT_LEAST(0), .on_bad = SOFA_BAD_KEEP),
    SOFA_FIELD(PCGLinearSolver, tolerance, "tolerance", "1e-05", "1",
               "stop when r.P^-1 r <= tolerance b.b, r the residual and P the preconditioner; a "
               "ratio of squares"),
    SOFA_FIELD(PCGLinearSolver, use_preconditioner, "use_precond", "1", "",
               "off: plain conjugate gradients"),
    SOFA_FIELD(PCGLinearSolver, update_step, "update_step", "1", "",
               "no effect: see assemblingRate of PreconditionedMatrixFreeSystem",
               .flags = SOFA_FIELD_NO_EFFECT | SOFA_FIELD_LEGACY),
    SOFA_FIELD(PCGLinearSolver, preconditioner, "preconditioner", NULL, "",
               "linear solver of the preconditioner P; default: none, plain conjugate gradients",
               .link = &solver_rule),
    SOFA_FIELD(PCGLinearSolver, graph, "graph", NULL, "1",
               "r.P^-1 r / b.b before each iteration of the last solve",
               .flags = SOFA_FIELD_OUTPUT),
};

static SofaLinearSolver *preconditioner_of(const PCGLinearSolver *pcg) {
  return pcg->use_preconditioner ? (SofaLinearSolver *)pcg->preconditioner.target : NULL;
}

/* The preconditioner has found its system by now: ours builds it. */
static SofaErr bwd_init(SofaObject *object) {
  PCGLinearSolver *pcg = (PCGLinearSolver *)object;
  const SofaLinearSolver *p = preconditioner_of(pcg);
  if (!p) return SOFA_OK;
  if (pcg->preconditioner.target == object)
    return sofa_field_fail(object, "preconditioner", SOFA_ERR_ARGUMENT,
                           "the solver cannot be its own preconditioner");
  if (!sofa_valid(&p->object) || !p->linear_system.target)
    return sofa_field_fail(object, "preconditioner", SOFA_ERR_ARGUMENT, "'%s' has no linear system",
                           p->object.name);
  if (!pcg->solver.system || !sofa_class_is_a(pcg->solver.system->object.klass,
                                              &sofa_PreconditionedMatrixFreeSystem_class))
    return sofa_field_fail(object, "linearSystem", SOFA_ERR_TYPE,
                           "must be a PreconditionedMatrixFreeSystem, which builds the system of "
                           "the preconditioner, but is a %s",
                           pcg->solver.system ? pcg->solver.system->object.klass->name : "none");
  PreconditionedMatrixFreeSystem *system = (PreconditionedMatrixFreeSystem *)pcg->solver.system;
  if (!system->preconditioner_system.target)
    system->preconditioner_system.target = p->linear_system.target;
  return SOFA_OK;
}

static void destroy(SofaObject *object) {
  PCGLinearSolver *pcg = (PCGLinearSolver *)object;
  iterative_checks_free(object->ctx, &pcg->checks);
  sofa_list_free(object->ctx, &pcg->r);
  sofa_list_free(object->ctx, &pcg->w);
  sofa_list_free(object->ctx, &pcg->s);
}

static SofaErr take_vectors(PCGLinearSolver *pcg, size_t n) {
  SofaContext *ctx = pcg->solver.object.ctx;
  pcg->graph.n = 0;
  SOFA_TRY(SOFA_RESERVE_HISTORY(ctx, &pcg->graph, pcg->iterations));
  SOFA_TRY(work_vector(ctx, n, &pcg->r));
  SOFA_TRY(work_vector(ctx, n, &pcg->w));
  return work_vector(ctx, n, &pcg->s);
}

/* z = P^-1 r, *d = r.z; p NULL: z = r. */
static SofaErr precondition(PCGLinearSolver *pcg, SofaLinearSolver *p, const double *r, size_t n,
                            double *z, double *d) {
  const SofaContext *ctx = pcg->solver.object.ctx;
  if (p) SOFA_TRY(sofa_linear_solver_solve(p, r, z));
  else ctx->kernels->copy(ctx->threads, n, r, z);
  *d = ctx->kernels->dot(ctx->threads, n, r, z);
  iterative_curvature(&pcg->solver, &pcg->checks, true, *d, r, z);
  return SOFA_OK;
}

/* One step along w and the next direction; *d is r.P^-1 r before and after. *done: w.A w is 0. */
static SofaErr step(PCGLinearSolver *pcg, SofaLinearSolver *p, double *x, size_t n, double *d,
                    bool *done) {
  const SofaContext *ctx = pcg->solver.object.ctx;
  const SofaKernels *k = ctx->kernels;
  SofaLinearSystem *system = pcg->solver.system;
  double *r = pcg->r.data, *w = pcg->w.data, *s = pcg->s.data;
  SOFA_TRY(sofa_linear_system_ops(system)->apply(system, w, s));
  const double curvature = k->dot(ctx->threads, n, w, s), last = *d;
  *done = curvature == 0;
  if (*done) return SOFA_OK;
  iterative_curvature(&pcg->solver, &pcg->checks, false, curvature, w, s);
  *d = k->cg_update(ctx->threads, n, last / curvature, w, s, x, r);
  if (p) SOFA_TRY(precondition(pcg, p, r, n, s, d));
  k->xpay(ctx->threads, n, p ? s : r, *d / last, w);
  return SOFA_OK;
}

/* d is r.P^-1 r, which is r.r without a preconditioner. */
static void record(PCGLinearSolver *pcg, bool plain, uint32_t iteration, size_t n, double d,
                   double square) {
  const SofaContext *ctx = pcg->solver.object.ctx;
  const double *r = pcg->r.data;
  if (!sofa_linear_solver_recorded(&pcg->solver)) return;
  const double rr = plain ? d : ctx->kernels->dot(ctx->threads, n, r, r);
  sofa_linear_solver_iteration(&pcg->solver, iteration, sqrt(rr), sqrt(square));
}

static SofaErr iterate(PCGLinearSolver *pcg, SofaLinearSolver *p, const double *b, double *x,
                       size_t size) {
  SofaContext *ctx = pcg->solver.object.ctx;
  const SofaKernels *k = ctx->kernels;
  SofaLinearSystem *system = pcg->solver.system;
  const double square = k->dot(ctx->threads, size, b, b);
  double d = 0;
  uint32_t n = 0;

  /* r = b - A x and the first direction */
  SOFA_TRY(sofa_linear_system_ops(system)->apply(system, x, pcg->s.data));
  k->waxpy(ctx->threads, size, b, -1, pcg->s.data, pcg->r.data);
  SOFA_TRY(precondition(pcg, p, pcg->r.data, size, pcg->w.data, &d));
  record(pcg, !p, 0, size, d, square);
  for (bool done = false; n < pcg->iterations && d > pcg->tolerance * square; n++) {
    SOFA_TRY(SOFA_APPEND(ctx, &pcg->graph, &(double){d / square}));
    SOFA_TRY(step(pcg, p, x, size, &d, &done));
    if (done) break;
    record(pcg, !p, n + 1, size, d, square);
  }
  pcg->solver.last_iterations = (int)n;
  pcg->solver.gave_up = n == pcg->iterations && d > pcg->tolerance * square;
  const double rr = k->dot(ctx->threads, size, pcg->r.data, pcg->r.data);
  pcg->solver.last_residual = square > 0 ? sqrt(rr / square) : sqrt(rr);
  return iterative_end(&pcg->solver, &pcg->checks, isfinite(d + rr + square), b, x);
}

static SofaErr solve(SofaLinearSolver *solver, const double *b, double *x) {
  PCGLinearSolver *pcg = (PCGLinearSolver *)solver;
  const SofaMechanics *m = solver->system->mechanics;
  SofaLinearSolver *p = preconditioner_of(pcg);
  if (p && (!p->system || p->system->mechanics != m))
    return sofa_field_fail(&solver->object, "preconditioner", SOFA_ERR_ARGUMENT,
                           "the system of '%s' is not built by '%s'", p->object.name,
                           solver->system->object.name);
  SOFA_TRY(iterative_begin(solver, pcg->iterations, &pcg->checks));
  SOFA_TRY(take_vectors(pcg, m->n_v));
  return iterate(pcg, p, b, x, m->n_v_main);
}

static const SofaLinearSolverOps ops = {.solve = solve,
                                        .system_class = "PreconditionedMatrixFreeSystem"};

static const char *const templates[] = {SOFA_MATRIX_FREE_TEMPLATE, NULL};

SOFA_CLASS(PCGLinearSolver) = {
    SOFA_NAMED(PCGLinearSolver),
    .module = "Sofa.Component.LinearSolver.Iterative",
    .category = "LinearSolver",
    .help = "Conjugate gradients with a preconditioner P (Shewchuk, 1994), beginning with the "
            "previous solution. Stops at `iterations` or at r.P^-1 r <= tolerance b.b.",
    .base = &sofa_linear_solver_class,
    SOFA_FIELDS(fields),
    .templates = templates,
    .bwd_init = bwd_init,
    .destroy = destroy,
    SOFA_IMPLEMENTS({SOFA_LINEAR_SOLVER, &ops}),
};
