/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The vectors of a plan whose states are divided among processes. A vector that a solver sees has
 * equal values at all copies of a point. What components add to a divided state is partial: its sum
 * over the processes is the whole. What they add to a whole state is whole on every process. */
#ifndef SOFA_SIMULATION_DIVIDED_PLAN_H
#define SOFA_SIMULATION_DIVIDED_PLAN_H

#include "simulation/mechanics.h"
#include "topology/division.h"

SOFA_BEGIN_DECLS

/* m->divided; NULL: no state of the plan is divided, or there is one process. Block rows are those
 * of sofa_mech_block_row. Blocks of whole states are owned by process 0. */
typedef struct SofaDividedPlan {
  size_t n_blocks;           /* of the main states, local */
  SofaMarks owned;           /* per local block: counts in sums over all dofs, and is a row of this
                                process in matrices */
  SofaIndices block;         /* number of each local block among those of all processes: the owned
                                ones of a process are consecutive, ascending with the local block */
  uint32_t first, n_owned;   /* this process's blocks: first to first + n_owned - 1 */
  SofaIndices first_of;      /* `first` of each process, and the number of all blocks */
  SofaIndices first_scalar;  /* the same in scalar rows */
  SofaMarks partial;         /* per local block: what components add must be summed (a divided
                                state), or is whole everywhere (then only its owner's counts) */
} SofaDividedPlan;

/* Main parts of deriv vectors: partial entries become whole, copies get their owner's values. */
SofaErr sofa_divided_sum(SofaMechanics *m, double *deriv);
SofaErr sofa_divided_copy(SofaMechanics *m, double *deriv);

SOFA_END_DECLS

#endif
