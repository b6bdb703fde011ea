/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a failed step tells about its cause. */
#ifndef SOFA_SIMULATION_DIVERGENCE_IMPL_H
#define SOFA_SIMULATION_DIVERGENCE_IMPL_H

#include "behavior/ode_solver.h"

/* After a step that failed with `failure`, while x and v of the plan are still those of its end and
 * x_good, v_good those of its beginning: says by infos which force field, point and element were
 * first, and what to try. Changes no state, but what force fields keep of their last point. */
void sofa_explain_divergence(SofaOdeSolver *solver, SofaMechanics *m, double dt, SofaErr failure);

#endif
