/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CholmodSupernodalLLT: direct solution by a supernodal L L^T, with all that its time depends on as
 * fields. */
#include <cholmod.h>

#include "numerics/direct/blas_threads.h"
#include "numerics/direct/cholmod_solver.h"

typedef struct CholmodSupernodalLLT {
  SofaCholmodLinearSolver base;
  SofaOption ordering;
  int blas_threads;
  bool deterministic;
  double l_entries;
} CholmodSupernodalLLT;

static const char *const orderings[] = {"sparsest", "natural", "amd", "colamd", "metis", NULL};
static const int methods[] = {SOFA_ORDER_SPARSEST, CHOLMOD_NATURAL, CHOLMOD_AMD, CHOLMOD_COLAMD,
                              CHOLMOD_METIS};

static const SofaField fields[] = {
    SOFA_FIELD(CholmodSupernodalLLT, ordering, "ordering", "sparsest", "",
               "order of elimination without an orderingMethod; sparsest: the better of amd and "
               "metis",
               .options = orderings),
    SOFA_FIELD(CholmodSupernodalLLT, blas_threads, "blasThreads", "1", "1",
               "threads of BLAS, which solves for several right-hand sides at once (the "
               "factorization runs on the threads of the program); more than one needs "
               "deterministic=\"0\"",
               .aliases = "numThreads", .range = SOFA_AT_LEAST(1), .on_bad = SOFA_BAD_CLAMP),
    SOFA_FIELD(CholmodSupernodalLLT, deterministic, "deterministic", "1", "",
               "hold BLAS at one thread: the same bits on any number of processors. Off: "
               "blasThreads counts, and the last digits may change with it"),
    SOFA_FIELD(CholmodSupernodalLLT, l_entries, "L_nnz", "0", "1", "entries of the factor L",
               .flags = SOFA_FIELD_OUTPUT),
};

static SofaErr init(SofaObject *object) {
  CholmodSupernodalLLT *s = (CholmodSupernodalLLT *)object;
  if (s->deterministic && s->blas_threads > 1)
    sofa_object_message(object, SOFA_WARNING,
                        "blasThreads=\"%d\" is not used: deterministic=\"1\" holds BLAS at one "
                        "thread; set deterministic=\"0\" to let it have more",
                        s->blas_threads);
  const SofaCholmodKind kind = {.positive_only = true,
                                .supernodal = true,
                                .ordering = methods[s->ordering.index],
                                .blas_threads = s->deterministic ? 1 : s->blas_threads};
  sofa_cholmod_solver_set_kind(s->base.cholmod, kind);
  return SOFA_OK;
}

static SofaErr solve_many(SofaLinearSolver *solver, size_t n, const double *b, double *x) {
  CholmodSupernodalLLT *s = (CholmodSupernodalLLT *)solver;
  SOFA_TRY(sofa_cholmod_solver_solve(&s->base, n, b, x));
  s->l_entries = sofa_cholmod_solver_counts(s->base.cholmod).l_entries;
  return SOFA_OK;
}

static const SofaLinearSolverOps ops = {.solve = sofa_linear_solver_solve_one,
                                        .solve_many = solve_many,
                                        .add_jainvjt = sofa_cholmod_add_jainvjt,
                                        .factor_rows = sofa_cholmod_factor_rows,
                                        .forget_pattern = sofa_cholmod_forget_pattern};

SOFA_CLASS(CholmodSupernodalLLT) = {
    SOFA_NAMED(CholmodSupernodalLLT),
    .module = "csofa",
    .category = "LinearSolver",
    .help = "Direct solution of large symmetric positive definite systems by a supernodal L L^T "
            "(Chen, Davis, Hager and Rajamanickam, 2008); the lower triangle is read.",
    .equations = "A = P^T L L^T P",
    .base = &sofa_cholmod_linear_solver_class,
    SOFA_FIELDS(fields),
    .templates = sofa_cholmod_blocked_first,
    .init = init,
    SOFA_IMPLEMENTS({SOFA_LINEAR_SOLVER, &ops}),
};
