/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The parts of a step with Lagrangian constraints: free motion, problem, correction.
 *
 * Free motion: every ODE solver moves its states as if there were no constraints, into their free
 * positions and velocities. Free velocities of mapped states are J of those above, with J of the
 * start of the step; their free positions are x + dt J v_free.
 * Problem: rows are handed up through the mappings, J_in += J_out J_mapping, and leave out what
 * projective constraints hold. */
#ifndef SOFA_SIMULATION_CONSTRAINT_STEP_H
#define SOFA_SIMULATION_CONSTRAINT_STEP_H

#include "behavior/lagrangian.h"
#include "simulation/schedule.h"

SOFA_BEGIN_DECLS

typedef struct SofaConstrainedStep {
  double dt;
  SofaConstraintOrder order;
  bool by_velocity; /* quirk: x_free = x + dt v_free, whatever the rule of the ODE solver */
  bool by_mappings; /* free positions of mapped states are the mapped ones, not x + dt J v_free */
  bool start_clock; /* quirk: the end of the step is projected with the time of its start */
  bool corrected_only; /* quirk: states without a constraint correction do not move freely */
  bool forgets;        /* quirk: ODE solvers remember the free motion */
  int stabilise; /* how often positions are corrected at the end of the step, see below; 0: never */
  bool counts_again; /* quirk: the forces that bend with mappings count once for each constraint */
} SofaConstrainedStep;

/* The free motion of all states; their positions and velocities stay. */
SofaErr sofa_schedule_free_motion(SofaSchedule *s, const SofaConstrainedStep *step);
/* Finds the forces of all constraints and ends the step: positions and velocities of independent
 * states. The schedule may have been made again since the free motion. */
SofaErr sofa_schedule_constrain(SofaSchedule *s, SofaConstraintSolver *solver,
                                const SofaConstrainedStep *step);
/* With step->stabilise the forces above do not remove what drift and late detection left of
 * violations; this moves positions for it, velocities stay: a linearisation of all constraints at
 * the positions reached, and a solve without friction, each time. */
SofaErr sofa_schedule_stabilise(SofaSchedule *s, SofaConstraintSolver *solver,
                                const SofaConstrainedStep *step);
/* Projections, mappings and memory at the end of the step. */
SofaErr sofa_schedule_end_constrained(SofaSchedule *s, const SofaConstrainedStep *step);

SOFA_END_DECLS

#endif
