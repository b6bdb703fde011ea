/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* PCGLinearSolver: preconditioned conjugate gradients, from the previous solution. */
#include <math.h>

#include "numerics/krylov/iterative.h"
#include "numerics/krylov/krylov_cg.h"
#include "numerics/krylov/work_vector.h"
#include "components/linearsystem/matrix_free_system.h"
#include "object/checkpoint.h"

enum { QUIRK_PCG_RESIDUAL = 1 };
static const SofaQuirk quirks[] = {
    {QUIRK_PCG_RESIDUAL, "pcg-preconditioned-residual",
     "PCGLinearSolver compares the residual in the norm of the preconditioner with |b|",
     "test_unconverged.pcg_residual"},
    SOFA_QUIRK_ASYMMETRIC_MATRIX_ROW,
};

typedef struct PCGLinearSolver {
  SofaLinearSolver solver;
  SofaIterativeChecks checks;
  uint32_t iterations, update_step;
  double tolerance;
  bool use_preconditioner;
  SofaLink preconditioner;
  SofaReals graph;   /* what is compared, / b.b, before each iteration of the last solve */
  SofaReals r, p, q; /* n_v reals each */
  double square;     /* b.b of the solve that runs; where b is 0, r.r at its start */
} PCGLinearSolver;

static const SofaLinkRule solver_rule = {.interface = SOFA_LINEAR_SOLVER,
                                         .search = SOFA_SEARCH_NONE};

static const SofaField fields[] = {
    SOFA_FIELD(PCGLinearSolver, iterations, "iterations", "25", "1", "most iterations of a solve",
               .range = SOFA_AT_LEAST(0), .on_bad = SOFA_BAD_KEEP),
    SOFA_FIELD(PCGLinearSolver, tolerance, "tolerance", "1e-05", "1",
               "stop when r.r <= tolerance b.b, r the residual: a ratio of squares"),
    SOFA_FIELD(PCGLinearSolver, use_preconditioner, "use_precond", "1", "",
               "off: plain conjugate gradients"),
    SOFA_FIELD(PCGLinearSolver, update_step, "update_step", "1", "",
               "no effect: see assemblingRate of PreconditionedMatrixFreeSystem",
               .flags = SOFA_FIELD_NO_EFFECT | SOFA_FIELD_LEGACY),
    SOFA_FIELD(PCGLinearSolver, preconditioner, "preconditioner", NULL, "",
               "linear solver of the preconditioner P; default: no preconditioner",
               .link = &solver_rule),
    SOFA_FIELD(
        PCGLinearSolver, graph, "graph", NULL, "1",
        "r.r / b.b before each iteration of the last solve; quirk pcg-preconditioned-residual: "
        "r.P^-1 r / b.b, P the preconditioner",
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
  sofa_iterative_checks_free(object->ctx, &pcg->checks);
  sofa_list_free(object->ctx, &pcg->r);
  sofa_list_free(object->ctx, &pcg->p);
  sofa_list_free(object->ctx, &pcg->q);
}

static SofaErr take_vectors(PCGLinearSolver *pcg, size_t n) {
  SofaContext *ctx = pcg->solver.object.ctx;
  pcg->graph.n = 0;
  SOFA_TRY(SOFA_RESERVE_HISTORY(ctx, &pcg->graph, pcg->iterations));
  SOFA_TRY(work_vector(ctx, n, &pcg->r));
  SOFA_TRY(work_vector(ctx, n, &pcg->p));
  return work_vector(ctx, n, &pcg->q);
}

/* ---- rule and observer ---- */

/* SOFA's rule depends on the unit of the matrix: r.P^-1 r is an energy, b.b a force squared. */
static double compared(const PCGLinearSolver *pcg, const SofaCgState *state) {
  return sofa_quirk(&pcg->solver.object, QUIRK_PCG_RESIDUAL) ? state->rho : state->rr;
}

static bool converged(void *user, const SofaCgState *state) {
  const PCGLinearSolver *pcg = user;
  return !(compared(pcg, state) > pcg->tolerance * pcg->square);
}

static SofaErr observe(void *user, const SofaCgState *state) {
  PCGLinearSolver *pcg = user;
  const double error = compared(pcg, state) / pcg->square;
  sofa_linear_solver_iteration(&pcg->solver, state->iteration, sqrt(state->rr), sqrt(pcg->square));
  if (state->iteration == pcg->iterations || converged(user, state)) return SOFA_OK;
  return SOFA_APPEND(pcg->solver.object.ctx, &pcg->graph, &error);
}

static void see_curvature(void *user, bool preconditioner, double curvature, const double *p,
                          const double *q) {
  PCGLinearSolver *pcg = user;
  sofa_iterative_curvature(&pcg->solver, &pcg->checks, preconditioner, curvature, p, q);
}

static SofaErr precondition(void *user, const double *r, double *z) {
  return sofa_linear_solver_solve(user, r, z);
}

/* ---- the solution ---- */

static SofaErr iterate(PCGLinearSolver *pcg, SofaLinearSolver *p, const double *b, double *x) {
  SofaLinearSystem *system = pcg->solver.system;
  const SofaCg cg = {.space = sofa_main_v(system->mechanics),
                     .a = sofa_system_operator(system),
                     .preconditioner = {p ? precondition : NULL, p},
                     .rule = {.iterations = pcg->iterations, .converged = converged, .user = pcg},
                     .observer = {observe, see_curvature, pcg},
                     .r = pcg->r.data,
                     .p = pcg->p.data,
                     .q = pcg->q.data};
  SofaSolveResult *result = &pcg->solver.result;
  SofaCgState end;
  const double square = sofa_vec_dot(cg.space, b, b);
  SOFA_TRY(sofa_krylov_residual(cg.space, &cg.a, b, x, cg.r));
  const double start = sofa_vec_dot(cg.space, cg.r, cg.r);
  pcg->square = square > 0 || sofa_quirk(&pcg->solver.object, QUIRK_PCG_RESIDUAL) ? square : start;
  SOFA_TRY(sofa_krylov_cg(&cg, x, start, &end));
  const double tolerance = fmax(pcg->tolerance, SOFA_ITERATIVE_ROUNDING * SOFA_ITERATIVE_ROUNDING);
  result->iterations = (int)end.iteration;
  result->converged = !(end.rr > tolerance * (square > 0 ? square : start));
  result->residual = square > 0 ? sqrt(end.rr / square) : sqrt(end.rr);
  result->remedy =
      end.stopped ? "the field 'tolerance' ended them: set a smaller one" : SOFA_ITERATIVE_REMEDY;
  return sofa_iterative_end(&pcg->solver, &pcg->checks, isfinite(end.rho + end.rr + pcg->square), b,
                            x);
}

static SofaErr solve(SofaLinearSolver *solver, const double *b, double *x) {
  PCGLinearSolver *pcg = (PCGLinearSolver *)solver;
  const SofaMechanics *m = solver->system->mechanics;
  SofaLinearSolver *p = preconditioner_of(pcg);
  if (p && (!p->system || p->system->mechanics != m))
    return sofa_field_fail(&solver->object, "preconditioner", SOFA_ERR_ARGUMENT,
                           "the system of '%s' is not built by '%s'", p->object.name,
                           solver->system->object.name);
  SOFA_TRY(sofa_iterative_begin(solver, pcg->iterations, &pcg->checks));
  SOFA_TRY(take_vectors(pcg, m->n_v));
  return iterate(pcg, p, b, x);
}

static const SofaLinearSolverOps ops = {.solve = solve,
                                        .system_class = "PreconditionedMatrixFreeSystem"};

static const char *const templates[] = {SOFA_MATRIX_FREE_TEMPLATE, NULL};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(PCGLinearSolver, p),
    SOFA_REMADE(PCGLinearSolver, q),
    SOFA_REMADE(PCGLinearSolver, r),
    SOFA_REMADE(PCGLinearSolver, square),
};

SOFA_CLASS(PCGLinearSolver) = {
    SOFA_NAMED(PCGLinearSolver),
    .module = "Sofa.Component.LinearSolver.Iterative",
    .category = "LinearSolver",
    .help = "Conjugate gradients with a preconditioner P (Shewchuk, 1994), beginning with the "
            "previous solution. Stops at `iterations` or at r.r <= tolerance b.b.",
    .equations = "A x = b, z = P^-1 r\n"
                 "alpha = r.z/(p.A p), x' = x + alpha p, r' = r - alpha A p",
    .base = &sofa_linear_solver_class,
    SOFA_SPARES(spared),
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(fields),
    .templates = templates,
    .bwd_init = bwd_init,
    .destroy = destroy,
    SOFA_IMPLEMENTS({SOFA_LINEAR_SOLVER, &ops}),
};
