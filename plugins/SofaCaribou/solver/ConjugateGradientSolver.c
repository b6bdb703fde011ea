/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ConjugateGradientSolver: conjugate gradients with built-in preconditioners. */
#include <float.h>
#include <math.h>
#include <strings.h>

#include "numerics/krylov/incomplete_cholesky.h"
#include "numerics/krylov/iterative.h"
#include "numerics/krylov/krylov_cg.h"
#include "numerics/krylov/work_vector.h"
#include "object/checkpoint.h"

#define REMEDY "increase 'maximum_number_of_iterations' or use a preconditioner"

typedef enum Method { NONE, IDENTITY, DIAGONAL, INCOMPLETE_CHOLESKY, INCOMPLETE_LU } Method;
static const char *const methods[] = {"None",         "Identity", "Diagonal", "IncompleteCholesky",
                                      "IncompleteLU", NULL};

typedef struct ConjugateGradientSolver {
  SofaLinearSolver solver;
  uint32_t iterations;
  double tolerance;
  char *method_name;
  bool verbose;
  SofaReals squared_residuals; /* r.r after each iteration of the last solve */
  Method method;
  SofaIterativeChecks checks;
  SofaReals r, p, q;      /* n_v reals each */
  double bb, limit;       /* b.b of the solve that runs; it ends when r.r is below the limit */
  SofaReals diagonal;     /* inverse of it */
  uint64_t value_version; /* of the matrix of the diagonal; 0: none */
  SofaIncompleteCholesky factor; /* of IncompleteCholesky and IncompleteLU */
} ConjugateGradientSolver;

static const SofaField fields[] = {
    SOFA_FIELD(ConjugateGradientSolver, iterations, "maximum_number_of_iterations", "25", "1",
               "most iterations of a solve; StaticODESolver and BackwardEulerODESolver refuse "
               "a solution that needs more",
               .range = SOFA_AT_LEAST(1)),
    SOFA_FIELD(ConjugateGradientSolver, tolerance, "residual_tolerance_threshold", "1e-5", "1",
               "stop when |r| < this times |b|", .range = SOFA_AT_LEAST(0)),
    SOFA_FIELD(ConjugateGradientSolver, method_name, "preconditioning_method", "None", "",
               "None (no matrix is assembled), Identity, Diagonal, IncompleteCholesky or "
               "IncompleteLU; capitals do not matter"),
    SOFA_FIELD(ConjugateGradientSolver, factor.level, "level_of_fill", "0", "1",
               "of IncompleteCholesky and IncompleteLU: entries of the factor in addition to those "
               "of the matrix, see levelOfFill of IncompleteCholeskyPreconditioner (addition of "
               "csofa)",
               .range = SOFA_AT_LEAST(0), .on_bad = SOFA_BAD_DEFAULT),
    SOFA_FIELD(ConjugateGradientSolver, factor.shift, "shift", "0", "1",
               "of IncompleteCholesky and IncompleteLU: shift added to the diagonal, relative "
               "to it, because a pivot was not positive, or 0 (addition of csofa)",
               .flags = SOFA_FIELD_OUTPUT),
    SOFA_FIELD(ConjugateGradientSolver, verbose, "verbose", "0", "",
               "with printLog: print every iteration"),
    SOFA_FIELD(ConjugateGradientSolver, squared_residuals, "squared_residuals", NULL, "N^2",
               "r.r after each iteration of the last solve", .flags = SOFA_FIELD_OUTPUT),
};

/* ---- life ---- */

/* Without preconditioner nothing is assembled: the template tells which linear system is made. */
static SofaErr parsed(SofaObject *object) {
  ConjugateGradientSolver *s = (ConjugateGradientSolver *)object;
  const char *name = s->method_name ? s->method_name : "";
  int i = 0;
  while (methods[i] && strcasecmp(methods[i], name) != 0) i++;
  s->method = methods[i] ? (Method)i : NONE;
  if (!methods[i])
    return sofa_field_fail(object, "preconditioning_method", SOFA_ERR_PARSE,
                           "'%s', expected None, Identity, Diagonal, IncompleteCholesky or "
                           "IncompleteLU",
                           name);
  char *template_name = sofa_strdup(object->ctx, s->method == NONE ? SOFA_MATRIX_FREE_TEMPLATE
                                                                   : "CompressedRowSparseMatrixd");
  if (!template_name) return SOFA_ERR_MEMORY;
  sofa_free(object->ctx, object->template_name);
  object->template_name = template_name;
  return SOFA_OK;
}

static SofaErr init(SofaObject *object) {
  ConjugateGradientSolver *s = (ConjugateGradientSolver *)object;
  s->factor.by_blocks = true;
  s->factor.any_sign = s->method == INCOMPLETE_LU;
  s->factor.first_shift = 1e-3;
  return SOFA_OK;
}

static void destroy(SofaObject *object) {
  ConjugateGradientSolver *s = (ConjugateGradientSolver *)object;
  SofaReals *lists[] = {&s->r, &s->p, &s->q, &s->diagonal};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) sofa_list_free(object->ctx, lists[i]);
  sofa_iterative_checks_free(object->ctx, &s->checks);
  sofa_incomplete_cholesky_free(object->ctx, &s->factor);
}

/* ---- the preconditioner ---- */

static SofaErr update_diagonal(ConjugateGradientSolver *s) {
  const SofaBlockMatrix *matrix = NULL;
  SofaBlockRows rows;
  SOFA_TRY(sofa_assembled_rows(&s->solver, &matrix, &rows));
  if (s->value_version == rows.value_version && s->diagonal.n == rows.n_scalar_rows + 1)
    return SOFA_OK;
  SOFA_TRY(work_vector(s->solver.object.ctx, rows.n_scalar_rows, &s->diagonal));
  double *d = s->diagonal.data;
  sofa_assembled_diagonal(&rows, d);
  for (size_t i = 0; i < rows.n_scalar_rows; i++) d[i] = d[i] != 0 ? 1 / d[i] : 1;
  s->value_version = rows.value_version;
  return SOFA_OK;
}

/* Anew when the values of the matrix changed. */
static SofaErr update_preconditioner(ConjugateGradientSolver *s) {
  SofaBlockRows rows;
  bool anew = false;
  switch (s->method) {
  case DIAGONAL:
    return update_diagonal(s);
  case INCOMPLETE_CHOLESKY:
  case INCOMPLETE_LU:
    return sofa_incomplete_cholesky_update(&s->solver, &s->factor, &rows, &anew);
  default:
    return SOFA_OK;
  }
}

/* z = M^-1 r */
static SofaErr precondition(void *user, const double *r, double *z) {
  const ConjugateGradientSolver *s = user;
  const SofaSpace space = sofa_main_v(s->solver.system->mechanics);
  if (s->method == DIAGONAL) {
    sofa_vec_multiply(space, s->diagonal.data, r, z);
    return SOFA_OK;
  }
  sofa_vec_copy(space, r, z);
  sofa_incomplete_cholesky_apply(&s->factor, z);
  return SOFA_OK;
}

static SofaPreconditioner preconditioner_of(ConjugateGradientSolver *s) {
  const bool none = s->method == NONE || s->method == IDENTITY;
  return (SofaPreconditioner){none ? NULL : precondition, s};
}

/* ---- rule and observer ---- */

static bool converged(void *user, const SofaCgState *state) {
  return state->rr < ((const ConjugateGradientSolver *)user)->limit;
}

static SofaErr observe(void *user, const SofaCgState *state) {
  ConjugateGradientSolver *s = user;
  const double rr = state->rr;
  sofa_linear_solver_iteration(&s->solver, state->iteration, sqrt(rr), sqrt(s->bb));
  if (state->iteration == 0) return SOFA_OK;
  if (s->verbose)
    sofa_object_message(&s->solver.object, SOFA_INFO, "iteration %u: |r|/|b| = %g",
                        state->iteration, sqrt(rr / s->bb));
  return SOFA_APPEND(s->solver.object.ctx, &s->squared_residuals, &rr);
}

static void see_curvature(void *user, bool preconditioner, double curvature, const double *p,
                          const double *q) {
  ConjugateGradientSolver *s = user;
  if (!preconditioner)
    sofa_iterative_curvature(&s->solver, &s->checks, preconditioner, curvature, p, q);
}

/* ---- the solution ---- */

static SofaErr take_vectors(ConjugateGradientSolver *s, size_t n) {
  SofaContext *ctx = s->solver.object.ctx;
  s->squared_residuals.n = 0;
  SOFA_TRY(SOFA_RESERVE_HISTORY(ctx, &s->squared_residuals, s->iterations));
  SOFA_TRY(work_vector(ctx, n, &s->r));
  SOFA_TRY(work_vector(ctx, n, &s->p));
  return work_vector(ctx, n, &s->q);
}

/* Until r.r < limit. */
static SofaErr iterate(ConjugateGradientSolver *s, const double *b, double *x) {
  SofaLinearSystem *system = s->solver.system;
  const SofaCg cg = {.space = sofa_main_v(system->mechanics),
                     .a = sofa_system_operator(system),
                     .preconditioner = preconditioner_of(s),
                     .rule = {.iterations = s->iterations, .converged = converged, .user = s},
                     .observer = {observe, see_curvature, s},
                     .r = s->r.data,
                     .p = s->p.data,
                     .q = s->q.data};
  SofaCgState end;
  SOFA_TRY(sofa_krylov_residual(cg.space, &cg.a, b, x, cg.r));
  SOFA_TRY(sofa_krylov_cg(&cg, x, sofa_vec_dot(cg.space, cg.r, cg.r), &end));
  s->solver.result = (SofaSolveResult){.converged = end.rr < s->limit,
                                       .iterations = (int)end.iteration,
                                       .residual = sqrt(end.rr / s->bb),
                                       .remedy = REMEDY};
  return SOFA_OK;
}

static SofaErr solve(SofaLinearSolver *solver, const double *b, double *x) {
  ConjugateGradientSolver *s = (ConjugateGradientSolver *)solver;
  const SofaMechanics *m = solver->system->mechanics;
  solver->result.residual = 0;
  if (m->divided && preconditioner_of(s).apply)
    return sofa_object_unsupported(&solver->object,
                                   "a preconditioner on a mesh that is divided among processes: "
                                   "write preconditioning_method=\"None\"");
  SOFA_TRY(sofa_iterative_begin(solver, s->iterations, &s->checks));
  SOFA_TRY(take_vectors(s, m->n_v));
  SOFA_TRY(update_preconditioner(s));
  s->bb = sofa_vec_dot(sofa_main_v(m), b, b);
  s->limit = fmax(s->tolerance * s->tolerance * s->bb, DBL_MIN);
  if (s->bb == 0) {
    sofa_vec_zero(sofa_main_v(m), x);
    return SOFA_OK;
  }
  SOFA_TRY(iterate(s, b, x));
  const bool finite = isfinite(solver->result.residual);
  return sofa_iterative_end(solver, &s->checks, finite, b, x);
}

static const SofaLinearSolverOps ops = {.solve = solve};

static const char *const templates[] = {"CompressedRowSparseMatrixd", SOFA_MATRIX_FREE_TEMPLATE,
                                        NULL};

static const SofaQuirk quirks[] = {SOFA_QUIRK_ASYMMETRIC_MATRIX_ROW};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(ConjugateGradientSolver, bb),
    SOFA_REMADE(ConjugateGradientSolver, diagonal),
    SOFA_REMADE(ConjugateGradientSolver, factor),
    SOFA_REMADE(ConjugateGradientSolver, limit),
    SOFA_REMADE(ConjugateGradientSolver, p),
    SOFA_REMADE(ConjugateGradientSolver, q),
    SOFA_REMADE(ConjugateGradientSolver, r),
    SOFA_REMADE(ConjugateGradientSolver, value_version),
};

SOFA_CLASS(ConjugateGradientSolver) = {
    .name = "ConjugateGradientSolver",
    .module = "SofaCaribou",
    .category = "LinearSolver",
    .help = "Preconditioned conjugate gradients (Hestenes and Stiefel, 1952) from the previous "
            "solution, until |r| < residual_tolerance_threshold |b|.",
    .equations = "A x = b, z = P^-1 r\n"
                 "alpha = r.z/(p.A p), x' = x + alpha p, r' = r - alpha A p",
    .base = &sofa_linear_solver_class,
    .divided = SOFA_DIVIDED_NEUTRAL,
    SOFA_SPARES(spared),
    SOFA_QUIRKS(quirks),
    .size = sizeof(ConjugateGradientSolver),
    SOFA_FIELDS(fields),
    .templates = templates,
    .parsed = parsed,
    .init = init,
    .destroy = destroy,
    SOFA_IMPLEMENTS({SOFA_LINEAR_SOLVER, &ops}),
};
