/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Step limiters: objects that bound how far a solver may move the states at once, so that something
 * that holds at the start of a step (no two surfaces meet) holds at its end, too.
 *
 * A solver with the trait SOFA_ODE_LIMITS_STEPS asks the limiters below it before it moves from one
 * guess to the next (simulation/step_limits.h). The positions of all guesses of a step are then
 * connected by paths that the limiters allow. */
#ifndef SOFA_BEHAVIOR_STEP_LIMITER_H
#define SOFA_BEHAVIOR_STEP_LIMITER_H

#include "behavior/point.h"
#include "behavior/state.h"

SOFA_BEGIN_DECLS

extern const SofaInterface sofa_step_limiter_interface;
#define SOFA_STEP_LIMITER (&sofa_step_limiter_interface)

typedef struct SofaStepStart {
  SofaPoint at; /* the positions and velocities at the start of the step */
  double dt;    /* s */
  bool statics; /* the solver looks for an equilibrium: there is no inertia */
} SofaStepStart;

/* Points and arrays have one vector per guarded state, in its layout; mapped states follow the
 * others. */
typedef struct SofaStepLimiterOps {
  /* required: the states that it guards, the same list as long as the graph does not change */
  void (*states)(const SofaObject *limiter, SofaState *const **states, size_t *n);
  /* optional: a step begins */
  SofaErr (*begin)(SofaObject *limiter, const SofaStepStart *start);
  /* required: the largest share, 0 to 1, of the straight motion of all points between the two sets
   * of positions that the limiter allows; `from` is allowed. 1 means the whole motion. */
  SofaErr (*limit)(SofaObject *limiter, const double *const *from, const double *const *to,
                   double *share);
  /* optional, with begin: positions x that come from now on, until the next step begins, stand for
   * start + ahead (x - start), of which the limiter's energy is a function of x, and whose motions
   * are limited; 0: the limiter's forces do not act. 1 from begin on. Without it a limiter is
   * refused by solvers that take forces elsewhere than at the end of the step. */
  void (*look_ahead)(SofaObject *limiter, double ahead);
  /* optional: the solver goes on from the point, the first guess of a step or a later one. The
   * limiter may change its forces (a stiffness) and sets *changed when it did. */
  SofaErr (*taken)(SofaObject *limiter, const SofaPoint *at, bool *changed);
} SofaStepLimiterOps;

SOFA_END_DECLS

#endif
