/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SparseLDLSolver: direct solution by L D L^T. */
#include "components/linearsolver/SparseLDLSolver.h"
#include "object/checkpoint.h"

static const SofaField fields[] = {
    SOFA_FIELD(SparseLDLSolver, precompute, "precomputeSymbolicDecomposition", "1", "",
               "keep the analysis of the pattern while it stays the same; off: analyse it again "
               "for every matrix, with the same result at a higher cost"),
    SOFA_FIELD(SparseLDLSolver, l_entries, "L_nnz", "0", "1", "entries of the factor L",
               .flags = SOFA_FIELD_OUTPUT),
};

static SofaErr construct(SofaObject *object) {
  sofa_cholmod_solver_set_kind(((SofaCholmodLinearSolver *)object)->cholmod, SPARSE_LDL_KIND);
  return SOFA_OK;
}

static SofaErr begin(SparseLDLSolver *s) {
  SofaBlockRows rows;
  const SofaBlockMatrix *matrix = NULL;
  SOFA_TRY(sofa_assembled_rows(&s->base.solver, &matrix, &rows));
  if (!s->precompute && s->value_version != rows.value_version)
    sofa_cholmod_solver_forget(s->base.cholmod);
  s->value_version = rows.value_version;
  return SOFA_OK;
}

SofaErr sofa_sparse_ldl_solve(SofaLinearSolver *solver, size_t n, const double *b, double *x) {
  SparseLDLSolver *s = (SparseLDLSolver *)solver;
  SOFA_TRY(begin(s));
  SOFA_TRY(sofa_cholmod_solver_solve(&s->base, n, b, x));
  s->l_entries = sofa_cholmod_solver_entries(s->base.cholmod);
  return SOFA_OK;
}

SofaErr sofa_sparse_ldl_add_jainvjt(SofaLinearSolver *solver, const SofaSparseRows *j,
                                    double factor, size_t ld, double *w) {
  SOFA_TRY(begin((SparseLDLSolver *)solver));
  return sofa_cholmod_add_jainvjt(solver, j, factor, ld, w);
}

SofaErr sofa_sparse_ldl_factor_rows(SofaLinearSolver *solver, const SofaSparseRows *j,
                                    SofaFactoredRows *out) {
  SOFA_TRY(begin((SparseLDLSolver *)solver));
  return sofa_cholmod_factor_rows(solver, j, out);
}

static const SofaLinearSolverOps ops = {.solve = sofa_linear_solver_solve_one,
                                        .solve_many = sofa_sparse_ldl_solve,
                                        .add_jainvjt = sofa_sparse_ldl_add_jainvjt,
                                        .factor_rows = sofa_sparse_ldl_factor_rows,
                                        .forget_pattern = sofa_cholmod_forget_pattern};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(SparseLDLSolver, value_version),
};

SOFA_CLASS(SparseLDLSolver) = {
    SOFA_NAMED(SparseLDLSolver),
    .module = "Sofa.Component.LinearSolver.Direct",
    .category = "LinearSolver",
    .help = "Direct solution of symmetric systems by L D L^T without pivoting. Of a matrix that is "
            "not symmetric, the entries below the diagonal of the reordered matrix are read.",
    .equations = "A = P^T L D L^T P",
    .base = &sofa_cholmod_linear_solver_class,
    SOFA_SPARES(spared),
    SOFA_FIELDS(fields),
    .templates = sofa_cholmod_scalar_first,
    .construct = construct,
    SOFA_IMPLEMENTS({SOFA_LINEAR_SOLVER, &ops}),
};
