/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Direct solution by L U with UMFPACK, for any regular matrix: the base of EigenSparseLU. A matrix
 * that is symmetric to rounding and positive definite needs no pivoting: a class may have it
 * factorised by L L^T, which is as accurate and costs a fraction. */
#ifndef NUMERICS_DIRECT_UMFPACK_SOLVER_H
#define NUMERICS_DIRECT_UMFPACK_SOLVER_H

#include "numerics/direct/cholmod_solver.h"
#include "math/scalar_columns.h"

SOFA_BEGIN_DECLS

enum { SOFA_UMFPACK_CONTROL = 20 }; /* UMFPACK_CONTROL */

typedef struct SofaUmfpackSolver {
  SofaCholmodLinearSolver base; /* of definite matrices, when tries_definite */
  bool tries_definite;
  bool definite; /* the last matrix was */
  SofaScalarColumns columns;
  const SofaBlockMatrix *matrix;
  uint64_t value_version; /* of the factors; 0: none */
  uint64_t n_analyses, n_factorizations;
  void *symbolic, *numeric; /* UMFPACK's */
  double control[SOFA_UMFPACK_CONTROL];
  SofaInts work_i; /* n and 5 n: work space of the solution, with iterative refinement */
  SofaReals work;
} SofaUmfpackSolver;

extern const SofaClass sofa_umfpack_solver_class; /* abstract */
/* Tells UMFPACK that the pattern is symmetric or nearly so; before the first solve. */
void sofa_umfpack_set_symmetric(SofaUmfpackSolver *solver, bool symmetric);

SOFA_END_DECLS

#endif
