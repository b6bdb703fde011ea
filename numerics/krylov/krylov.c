/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Operators of Krylov methods. */
#include "numerics/krylov/krylov.h"

static SofaErr apply_system(void *user, double *p, double *q) {
  SofaLinearSystem *system = user;
  return sofa_linear_system_ops(system)->apply(system, p, q);
}

SofaOperator sofa_system_operator(SofaLinearSystem *system) {
  return (SofaOperator){apply_system, system};
}

SofaErr sofa_krylov_residual(SofaSpace space, const SofaOperator *a, const double *b, double *x,
                             double *r) {
  SOFA_TRY(a->apply(a->user, x, r));
  sofa_vec_waxpy(space, b, -1, r, r);
  return SOFA_OK;
}
