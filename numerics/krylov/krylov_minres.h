/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Minimal residuals by Lanczos vectors, for symmetric operators, indefinite ones too (Paige and
 * Saunders, Solution of sparse indefinite systems of linear equations, SIAM J. Numer. Anal. 12,
 * 1975). */
#ifndef SOFA_NUMERICS_KRYLOV_KRYLOV_MINRES_H
#define SOFA_NUMERICS_KRYLOV_KRYLOV_MINRES_H

#include "numerics/krylov/krylov.h"

SOFA_BEGIN_DECLS

/* The state of the iterations; the norms are the estimates of the method. */
typedef struct SofaMinresState {
  uint32_t iteration; /* made so far */
  double residual;    /* |r| */
  double start;       /* |r| at the beginning */
  double a_norm;      /* |A| */
  double x_norm;      /* |x|, computed */
  double image;       /* |A r| / |r| */
  bool stopped;       /* by a rule; false: the most iterations were made */
} SofaMinresState;

/* When the iterations end, apart from what rounding allows. */
typedef struct SofaMinresRule {
  uint32_t iterations; /* most */
  /* after each iteration: does it end here? */
  bool (*converged)(void *user, const SofaMinresState *state);
  void *user;
} SofaMinresRule;

/* Optional; after each iteration, before the rule is asked. x_norm is not known yet. */
typedef struct SofaMinresObserver {
  SofaErr (*iteration)(void *user, const SofaMinresState *state);
  void *user;
} SofaMinresObserver;

enum { SOFA_MINRES_VECTORS = 6 };

/* A problem A x = b from an x on, with work vectors of the caller; the first one holds the residual
 * b - A x on entry. One real behind the space is read in each. */
typedef struct SofaMinres {
  SofaSpace space;
  SofaOperator a;
  SofaMinresRule rule;
  SofaMinresObserver observer;
  double *work[SOFA_MINRES_VECTORS];
} SofaMinres;

/* x moves to the solution; norm > 0 is that of the residual. */
SofaErr sofa_krylov_minres(const SofaMinres *minres, double *x, double norm, SofaMinresState *end);

SOFA_END_DECLS

#endif
