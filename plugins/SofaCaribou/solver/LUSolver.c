/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* LUSolver: direct solution of any regular system by L U. */
#include "numerics/direct/umfpack_solver.h"
#include "solver/direct.h"

typedef struct LUSolver {
  SofaUmfpackSolver base;
  CaribouDirect direct;
  bool symmetric;
} LUSolver;

static const SofaField fields[] = {
    CARIBOU_DIRECT_ROWS(LUSolver, direct),
    SOFA_FIELD(LUSolver, symmetric, "symmetric", "0", "",
               "the pattern is symmetric: a hint for the order of elimination"),
};

static SofaErr init(SofaObject *object) {
  LUSolver *s = (LUSolver *)object;
  caribou_direct_tell(object, &s->direct, "UMFPACK");
  sofa_umfpack_set_symmetric(&s->base, s->symmetric);
  return SOFA_OK;
}

static const SofaLinearSolverOps *base_ops(void) {
  return (const SofaLinearSolverOps *)sofa_class_ops(&sofa_umfpack_solver_class,
                                                     SOFA_LINEAR_SOLVER);
}

static SofaErr solve_many(SofaLinearSolver *solver, size_t n, const double *b, double *x) {
  LUSolver *s = (LUSolver *)solver;
  const SofaErr err = base_ops()->solve_many(solver, n, b, x);
  s->direct.analyses = (uint32_t)s->base.n_analyses;
  s->direct.factorizations = (uint32_t)s->base.n_factorizations;
  return err;
}

static void forget_pattern(SofaLinearSolver *solver) {
  base_ops()->forget_pattern(solver);
}

static const SofaLinearSolverOps ops = {.solve = sofa_linear_solver_solve_one,
                                        .solve_many = solve_many,
                                        .forget_pattern = forget_pattern};

static const char *const templates[] = {"CompressedRowSparseMatrixd",
                                        "CompressedRowSparseMatrixMat3x3d", NULL};

SOFA_CLASS(LUSolver) = {
    .name = "LUSolver",
    .module = "SofaCaribou",
    .category = "LinearSolver",
    .help = "Direct solution by L U with partial pivoting (UMFPACK); the matrix need not be "
            "symmetric.",
    .equations = "P A Q = L U",
    .base = &sofa_umfpack_solver_class,
    .size = sizeof(LUSolver),
    SOFA_FIELDS(fields),
    .templates = templates,
    .init = init,
    SOFA_IMPLEMENTS({SOFA_LINEAR_SOLVER, &ops}),
};
