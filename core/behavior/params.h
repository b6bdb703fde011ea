/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The parameters that a solver passes to a mechanical operation. */
#ifndef SOFA_BEHAVIOR_PARAMS_H
#define SOFA_BEHAVIOR_PARAMS_H

#include <stdbool.h>

/* The operator of an implicit solver is m M + b B + k K with K = dF/dx, B = dF/dv. */
typedef struct SofaMechParams {
  double dt;      /* of the step, s; 0: no time passes, the history is that of this moment */
  double time;    /* of loads, s: the start of the step unless the solver says otherwise */
  double from;    /* the start of the step, s */
  double until;   /* its end; `from` when states are only projected, before the first step */
  double m, b, k; /* factors */
  double r;       /* the factor of the components' own Rayleigh factors: b, see sofa_mech_params */
  bool iterates;  /* of a Newton iteration, which needs dF/dv of forces, too, that steps with one
                     linearisation take at the velocity before them */
  bool descends;  /* K is that of a Newton iteration that reduces a potential energy: a component
                     whose elements can have matrices with negative eigenvalues takes the nearest
                     ones without, in products and matrices alike */
} SofaMechParams;

static inline SofaMechParams sofa_mech_params(double dt, double time, double m, double b,
                                              double k) {
  const SofaMechParams params = {dt, time, time, time + dt, m, b, k, b, false, false};
  return params;
}

#endif
