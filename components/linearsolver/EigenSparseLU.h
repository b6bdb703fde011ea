/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* EigenSparseLU, for classes based on it. */
#ifndef LINEARSOLVER_EIGEN_SPARSE_LU_H
#define LINEARSOLVER_EIGEN_SPARSE_LU_H

#include "numerics/direct/cholmod_solver.h"
#include "math/scalar_columns.h"

enum { EIGEN_SPARSE_LU_CONTROL = 20 }; /* UMFPACK_CONTROL */

typedef struct EigenSparseLU {
  SofaLinearSolver solver;
  SofaLink ordering;
  SofaScalarColumns columns;
  const SofaBlockMatrix *matrix;
  uint64_t value_version; /* of the factors; 0: none */
  uint64_t n_analyses, n_factorizations;
  void *symbolic, *numeric; /* UMFPACK's */
  double control[EIGEN_SPARSE_LU_CONTROL];
  SofaInts work_i; /* n and 5 n: work space of the solution, with iterative refinement */
  SofaReals work;
  bool told_singular; /* with keep_going a matrix singular to rounding is told once */
} EigenSparseLU;

extern const SofaClass sofa_EigenSparseLU_class;
/* Tells UMFPACK that the pattern is symmetric or nearly so; before the first solve. */
void eigen_sparse_lu_set_symmetric(EigenSparseLU *solver, bool symmetric);

#endif
