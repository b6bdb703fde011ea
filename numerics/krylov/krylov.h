/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The parts of Krylov methods: an operator, a preconditioner, a stopping rule, an observer. */
#ifndef SOFA_NUMERICS_KRYLOV_KRYLOV_H
#define SOFA_NUMERICS_KRYLOV_KRYLOV_H

#include "behavior/linear_system.h"
#include "simulation/vectors.h"

SOFA_BEGIN_DECLS

/* q = A p. The memory behind the reals of the space in p is scratch. */
typedef struct SofaOperator {
  SofaErr (*apply)(void *user, double *p, double *q);
  void *user;
} SofaOperator;

/* z = P^-1 r; z holds some earlier vector on entry. apply NULL: P is the identity. */
typedef struct SofaPreconditioner {
  SofaErr (*apply)(void *user, const double *r, double *z);
  void *user;
} SofaPreconditioner;

/* The operator of a linear system that was built. */
SofaOperator sofa_system_operator(SofaLinearSystem *system);

/* r = b - A x; r may not be b or x. */
SofaErr sofa_krylov_residual(SofaSpace space, const SofaOperator *a, const double *b, double *x,
                             double *r);

SOFA_END_DECLS

#endif
