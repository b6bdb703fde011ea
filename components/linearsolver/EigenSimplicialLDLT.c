/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* EigenSimplicialLDLT: direct solution by L D L^T. */
#include "components/linearsolver/cholmod_solver.h"

static const SofaField fields[] = {SOFA_ROW_ORDERING(CholmodLinearSolver, ordering)};

static SofaErr construct(SofaObject *object) {
  const CholmodKind kind = {.positive_only = false, .half_after_order = false};
  return cholmod_solver_create(object->ctx, kind, &((CholmodLinearSolver *)object)->cholmod);
}

static void destroy(SofaObject *object) {
  cholmod_solver_destroy(&((CholmodLinearSolver *)object)->cholmod);
}

static SofaErr solve(SofaLinearSolver *solver, const double *b, double *x) {
  return cholmod_solver_solve((CholmodLinearSolver *)solver, b, x);
}

static void forget_pattern(SofaLinearSolver *solver) {
  cholmod_solver_forget(((CholmodLinearSolver *)solver)->cholmod);
}

static const SofaLinearSolverOps ops = {.solve = solve, .forget_pattern = forget_pattern};

static const char *const templates[] = {"CompressedRowSparseMatrixMat3x3d",
                                        "CompressedRowSparseMatrixd", NULL};

const SofaClass sofa_EigenSimplicialLDLT_class = {
    .name = "EigenSimplicialLDLT",
    .module = "Sofa.Component.LinearSolver.Direct",
    .category = "LinearSolver",
    .help = "Direct solution of symmetric systems by L D L^T without pivoting; the lower triangle "
            "is read.",
    .base = &sofa_linear_solver_class,
    .size = sizeof(CholmodLinearSolver),
    .fields = fields,
    .n_fields = sizeof fields / sizeof *fields,
    .templates = templates,
    .construct = construct,
    .destroy = destroy,
    .ops = {[SOFA_LINEAR_SOLVER] = &ops},
};
