/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A step as the minimum of an incremental potential, found by Newton's method within step limiters
 * (behavior/step_limiter.h): for solvers that otherwise make one linearisation, or iterate without
 * a line search. The unknown is a change d of the positions since the start of the step. */
#ifndef COMPONENTS_ODESOLVER_LIMITED_STEP_H
#define COMPONENTS_ODESOLVER_LIMITED_STEP_H

#include "components/odesolver/NewtonRaphsonSolver.h"
#include "components/odesolver/implicit_solver.h"
#include "simulation/step_limits.h"

/* With x = x_start + d and v = v_start + rate d the equation is
 * f(x, v) - rM M v + rK K v + load - inertia M d = 0,
 * the derivative of V(x) + inertia d M d / 2 - load d + rM v M v / (2 rate) without rK. */
typedef struct LimitedStep {
  double inertia, rate; /* 1/s^2, 1/s */
  double ahead;         /* the end of the step is x_start + ahead d */
  double *load;         /* N, deriv */
  double *v_start;      /* m/s, deriv */
  double *d;            /* in: the first guess; out: the solution; m, deriv */
  SofaMechPoint at;     /* of the guess */
  bool restored;        /* Newton failed and the state stays that of the start: there is no step */
  /* private: vectors of the plan */
  ImplicitSolver *base;
  NewtonRaphsonSolver *newton;
  SofaMechanics *m;
  double h;
  bool descends; /* the tangent, see SofaMechParams */
  double *x, *v; /* of the guess */
  double *r, *dx, *work;
} LimitedStep;

/* Takes the vectors and finds the NewtonRaphsonSolver; what the limiters of the plan cannot be
 * promised is an error: see docs/ipc.md. */
SofaErr limited_step_prepare(LimitedStep *s, ImplicitSolver *base, SofaMechanics *m);
/* A step of h begins at the solver's positions and velocities. */
SofaErr limited_step_begin(LimitedStep *s, double h);
/* Finds d; the caller sets the numbers and vectors before. Without a solution the last guess is
 * taken, or nothing moves (`restored`), as updateStateWhenDiverged says. */
SofaErr limited_step_solve(LimitedStep *s);

#endif
