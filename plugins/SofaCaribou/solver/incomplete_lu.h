/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Incomplete L D L^T factors without fill: for the symmetric matrices of conjugate gradients what
 * L U with the pattern of the matrix is. */
#ifndef CARIBOU_SOLVER_INCOMPLETE_LU_H
#define CARIBOU_SOLVER_INCOMPLETE_LU_H

#include "behavior/linear_solver.h"
#include "math/scalar_columns.h"

/* All-zero: empty. */
typedef struct CaribouIncompleteLu {
  SofaScalarColumns matrix;      /* lower triangle */
  double *value;                 /* unit L below, D on the diagonal, in the pattern of `matrix` */
  const SofaBlockMatrix *source; /* of the factor */
  uint64_t value_version;        /* likewise; 0: none */
} CaribouIncompleteLu;

void caribou_incomplete_lu_free(SofaContext *ctx, CaribouIncompleteLu *f);
/* Factorises when the matrix of the owner's system changed; its lower triangle is read. A pivot of
 * 0 is an error of the owner. */
SofaErr caribou_incomplete_lu_update(const SofaLinearSolver *owner, CaribouIncompleteLu *f);
/* x = (L D L^T)^-1 x */
void caribou_incomplete_lu_apply(const CaribouIncompleteLu *f, double *x);

#endif
