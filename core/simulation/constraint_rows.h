/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rows of a step's constraints over the independent states. */
#ifndef SOFA_SIMULATION_CONSTRAINT_ROWS_H
#define SOFA_SIMULATION_CONSTRAINT_ROWS_H

#include "behavior/lagrangian.h"
#include "simulation/schedule.h"

SOFA_BEGIN_DECLS

/* Hands the rows of mapped states up to their inputs; leaves out what projective constraints of
 * independent states hold, unless `keeps_held`; makes j of all states. */
SofaErr sofa_constraint_rows_finish(const SofaSchedule *s, SofaConstraintProblem *problem,
                                    bool keeps_held);
/* After the motions are found: reports, once in a run, rows of states that move without a
 * correction, and rows of states that do not move at all. */
void sofa_constraint_check_movers(SofaConstraintSolver *solver);

SOFA_END_DECLS

#endif
