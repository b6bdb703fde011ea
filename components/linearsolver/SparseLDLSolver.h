/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SparseLDLSolver, for classes based on it. */
#ifndef LINEARSOLVER_SPARSE_LDL_SOLVER_H
#define LINEARSOLVER_SPARSE_LDL_SOLVER_H

#include "numerics/direct/cholmod_solver.h"

typedef struct SparseLDLSolver {
  SofaCholmodLinearSolver base;
  bool precompute;
  uint64_t value_version; /* of the last matrix */
  int l_entries;
} SparseLDLSolver;
extern const SofaClass sofa_SparseLDLSolver_class;
SofaErr sofa_sparse_ldl_solve(SofaLinearSolver *solver, size_t n, const double *b, double *x);
SofaErr sofa_sparse_ldl_add_jainvjt(SofaLinearSolver *solver, const SofaSparseRows *j,
                                    double factor, size_t ld, double *w);
SofaErr sofa_sparse_ldl_factor_rows(SofaLinearSolver *solver, const SofaSparseRows *j,
                                    SofaFactoredRows *out);

#endif
