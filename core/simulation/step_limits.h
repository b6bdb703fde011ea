/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The limiters of a plan (behavior/step_limiter.h), as solvers use them:
 *   sofa_mech_limit_begin at the start of a step,
 *   sofa_mech_limit_guess with the first guess, which must be allowed as a whole,
 *   problem.limited and problem.guess of sofa_newton_solve, which limits every correction.
 * All vectors are coord vectors of the plan with their mapped parts. Nothing allocates. */
#ifndef SOFA_SIMULATION_STEP_LIMITS_H
#define SOFA_SIMULATION_STEP_LIMITS_H

#include "behavior/step_limiter.h"
#include "simulation/mechanics.h"

SOFA_BEGIN_DECLS

static inline bool sofa_mech_is_limited(const SofaMechanics *m) {
  return m->n_limiters > 0;
}

/* A step of dt begins at the point, whose positions are allowed. */
SofaErr sofa_mech_limit_begin(SofaMechanics *m, const SofaMechPoint *at, double dt);
/* From now on positions x stand for start + ahead (x - start): see SofaStepLimiterOps. */
void sofa_mech_limit_ahead(SofaMechanics *m, double ahead);
/* The share of the motion from the last taken positions to x that all limiters allow. */
SofaErr sofa_mech_limit(SofaMechanics *m, const double *x, double *share);
/* The point is taken: later motions begin there. *changed: forces at the same positions are others
 * now. */
SofaErr sofa_mech_limit_take(SofaMechanics *m, const SofaMechPoint *at, bool *changed);
/* Is the whole motion to the first guess allowed? */
SofaErr sofa_mech_limit_guess(SofaMechanics *m, const double *x, bool *allowed);
/* The same of a guess that only moves what constraints move: else an error of the solver. */
SofaErr sofa_mech_limit_imposed(SofaMechanics *m, const SofaObject *solver, const double *x);
/* Positions, with mapped parts, of the last taken point. */
const double *sofa_mech_limit_taken(const SofaMechanics *m);
/* Are points on curved paths when the independent states change by a factor: are there rotations or
 * mappings that are not linear? Then a shortened motion is asked for again. */
bool sofa_mech_limit_bends(const SofaMechanics *m);

SOFA_END_DECLS

#endif
