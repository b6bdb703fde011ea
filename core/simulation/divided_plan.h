/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The vectors of a plan whose states are divided among processes. A vector that a solver sees has
 * equal values at all copies of a point. What components add to a divided state is partial: its sum
 * over the processes is the whole. What they add to a whole state is whole on every process. */
#ifndef SOFA_SIMULATION_DIVIDED_PLAN_H
#define SOFA_SIMULATION_DIVIDED_PLAN_H

#include "behavior/state_division.h"
#include "simulation/mechanics.h"

SOFA_BEGIN_DECLS

/* Reals of a deriv vector that count once in sums over all processes. */
typedef struct SofaOwnedRun {
  size_t first, n;
} SofaOwnedRun;
SOFA_LIST(SofaOwnedRun, SofaOwnedRuns);

/* m->divided; NULL: no state of the plan is divided, or there is one process. Block rows are those
 * of sofa_mech_block_row. Blocks of whole states are owned by process 0. */
typedef struct SofaDividedPlan {
  size_t n_blocks;          /* of the main states, local */
  SofaMarks owned;          /* per local block: counts in sums over all dofs, and is a row of this
                               process in matrices */
  SofaIndices block;        /* number of each local block among those of all processes: the owned
                               ones of a process are consecutive, ascending with the local block */
  uint32_t first, n_owned;  /* this process's blocks: first to first + n_owned - 1 */
  SofaIndices first_of;     /* `first` of each process, and the number of all blocks */
  SofaIndices first_scalar; /* the same in scalar rows */
  SofaMarks partial;        /* per local block: what components add must be summed (a divided
                               state), or is whole everywhere (then only its owner's counts) */
  SofaOwnedRuns runs;       /* of the main states in deriv vectors, */
  SofaOwnedRuns coord_runs; /* and in coord vectors */
  size_t n_v_main;
  double *work; /* owned; n_v_main reals */
} SofaDividedPlan;

/* Of a plan whose states are known: sets m->divided. Called by all processes. */
SofaErr sofa_divided_plan_create(SofaMechanics *m);
void sofa_divided_plan_destroy(SofaMechanics *m);

/* Main parts of deriv vectors. Nothing happens where the plan is not divided. */
/* A whole vector becomes partial: the entries of points of other owners are 0. */
void sofa_divided_open(const SofaMechanics *m, double *deriv);
/* Partial entries become whole. */
SofaErr sofa_divided_sum(SofaMechanics *m, double *deriv);
/* Copies get their owner's values. */
SofaErr sofa_divided_copy(SofaMechanics *m, double *deriv);

SOFA_END_DECLS

#endif
