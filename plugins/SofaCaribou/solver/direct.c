/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the direct solvers LLTSolver, LDLTSolver and LUSolver have in common. */
#include "solver/direct.h"

const char *const caribou_backends[] = {"Eigen", "Pardiso", NULL};

void caribou_direct_tell(const SofaObject *solver, const CaribouDirect *direct,
                         const char *served) {
  sofa_object_message(solver, SOFA_INFO, "backend %s: served by %s",
                      caribou_backends[direct->backend.index], served);
}

/* ---- LLTSolver and LDLTSolver ---- */

const SofaField caribou_symmetric_fields[CARIBOU_SYMMETRIC_FIELDS] = {
    CARIBOU_DIRECT_ROWS(CaribouSymmetric, direct)};

const char *const caribou_symmetric_templates[] = {"CompressedRowSparseMatrixd",
                                                   "CompressedRowSparseMatrixMat3x3d", NULL};

SofaErr caribou_symmetric_init(SofaObject *object) {
  caribou_direct_tell(object, &((CaribouSymmetric *)object)->direct, "CHOLMOD");
  return SOFA_OK;
}

static SofaErr solve_many(SofaLinearSolver *solver, size_t n, const double *b, double *x) {
  CaribouSymmetric *s = (CaribouSymmetric *)solver;
  const SofaErr err = sofa_cholmod_solver_solve(&s->base, n, b, x);
  const SofaCholmodCounts counts = sofa_cholmod_solver_counts(s->base.cholmod);
  s->direct.analyses = (uint32_t)counts.analyses;
  s->direct.factorizations = (uint32_t)counts.factorizations;
  return err;
}

static void forget_pattern(SofaLinearSolver *solver) {
  sofa_cholmod_solver_forget(((CaribouSymmetric *)solver)->base.cholmod);
}

const SofaLinearSolverOps caribou_symmetric_ops = {.solve = sofa_linear_solver_solve_one,
                                                   .solve_many = solve_many,
                                                   .add_jainvjt = sofa_cholmod_add_jainvjt,
                                                   .factor_rows = sofa_cholmod_factor_rows,
                                                   .forget_pattern = forget_pattern};
