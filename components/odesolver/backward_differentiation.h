/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What solvers by backward differentiation formulas share: all but their default order, and what
 * they do without a NewtonRaphsonSolver. */
#ifndef SOFA_ODESOLVER_BACKWARD_DIFFERENTIATION_H
#define SOFA_ODESOLVER_BACKWARD_DIFFERENTIATION_H

#include "components/odesolver/NewtonRaphsonSolver.h"
#include "components/odesolver/implicit_solver.h"
#include "numerics/time/bdf.h"

/* Quirks of the classes that list their rows. */
enum { QUIRK_BDF_HISTORY = 1, QUIRK_BDF_LINE_SEARCH = 2 };

typedef struct BackwardDifferentiation {
  ImplicitSolver base;
  uint32_t order;
  SofaLink newton_link;
  NewtonRaphsonSolver *newton;
  /* levels 0 .. s - 1 of the last steps, oldest first; level s is the state itself */
  double *x[SOFA_BDF_MAX_ORDER], *v[SOFA_BDF_MAX_ORDER];
  double t[SOFA_BDF_MAX_ORDER + 1];
  int n_levels;
  /* the current step */
  SofaMechanics *m;
  double h, a[SOFA_BDF_MAX_ORDER + 1], b;
  int s, first; /* order of the formula; its oldest level */
  double *r1, *r2, *rhs, *dv, *work;
  double *sum_x, *sum_v; /* of the start: what is extrapolated */
  double begin;          /* of the formula that runs, s */
  SofaMechPoint at;      /* of the guess */
  bool descends;         /* the tangent, see SofaMechParams */
} BackwardDifferentiation;

/* Abstract. Its init finds `newton`; NULL: there is none. */
extern const SofaClass backward_differentiation_class;

#define BACKWARD_DIFFERENTIATION_ORDER(def)                                                        \
  SOFA_FIELD(BackwardDifferentiation, order, "order", def, "1",                                    \
             "order of the formula, 0: 1; its first steps are extrapolated backward Euler steps",  \
             .range = SOFA_WITHIN(0, SOFA_BDF_MAX_ORDER))

#define BACKWARD_DIFFERENTIATION_EQUATIONS                                                         \
  "sum_j a_j x_j = h b v\n"                                                                        \
  "M sum_j a_j v_j = h b (f(x, v) + r_K K v - r_M M v)\n"                                          \
  "h = dt, r_M = rayleighMass, r_K = rayleighStiffness, K = df/dx"

#endif
