/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Conjugate gradients (Hestenes and Stiefel, 1952), with or without a preconditioner (Shewchuk,
 * 1994). */
#ifndef SOFA_NUMERICS_KRYLOV_KRYLOV_CG_H
#define SOFA_NUMERICS_KRYLOV_KRYLOV_CG_H

#include "numerics/krylov/krylov.h"

SOFA_BEGIN_DECLS

/* The state of the iterations. */
typedef struct SofaCgState {
  uint32_t iteration; /* steps made so far */
  double rr;          /* r.r */
  double rho;         /* r.P^-1 r; r.r without a preconditioner */
  double curvature;   /* p.A p of the last direction */
  bool stopped;       /* by the rule; false: the most iterations were made */
} SofaCgState;

/* When the iterations end, apart from a direction with p.A p = 0. */
typedef struct SofaCgRule {
  uint32_t iterations; /* most */
  /* before each step: does it end here? */
  bool (*converged)(void *user, const SofaCgState *state);
  /* optional; does it end without a step along this direction? */
  bool (*flat)(void *user, const SofaCgState *state);
  void *user;
} SofaCgRule;

/* Both are optional. */
typedef struct SofaCgObserver {
  /* before the rule is asked, at iteration 0, 1, .. */
  SofaErr (*iteration)(void *user, const SofaCgState *state);
  /* p.A p of a direction p and q = A p; or r.P^-1 r of a residual and its P^-1 r */
  void (*curvature)(void *user, bool preconditioner, double curvature, const double *p,
                    const double *q);
  void *user;
} SofaCgObserver;

/* A problem A x = b from an x on. r, p and q are work vectors of the caller; one real behind the
 * space is read in each. */
typedef struct SofaCg {
  SofaSpace space;
  SofaOperator a;
  SofaPreconditioner preconditioner;
  SofaCgRule rule;
  SofaCgObserver observer;
  double *r, *p, *q;
} SofaCg;

/* x moves to the solution. On entry r is the residual b - A x and rr is r.r. */
SofaErr sofa_krylov_cg(const SofaCg *cg, double *x, double rr, SofaCgState *end);

SOFA_END_DECLS

#endif
