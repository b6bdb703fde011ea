/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The inside of SofaSupernodeSolver. */
#ifndef SOFA_NUMERICS_DIRECT_SUPERNODE_SOLVER_IMPL_H
#define SOFA_NUMERICS_DIRECT_SUPERNODE_SOLVER_IMPL_H

#include "base/array.h"
#include "numerics/direct/front_factor_impl.h"

/* Entries of a supernode below its triangle from which threads share them, and entries that a
 * thread takes at once. */
enum { SHARED_ENTRIES = 30000, PIECE_ENTRIES = 8000 };

/* A subtree: consecutive nodes. What they subtract from rows of nodes above is summed up apart. */
typedef struct SolveTask {
  size_t begin, end; /* nodes */
  size_t rows;       /* above: those of the last node below its columns */
  size_t sums, room; /* reals of `room`, for `rows` and for the rows of any of its nodes */
} SolveTask;
SOFA_LIST(SolveTask, SolveTasks);

struct SofaSupernodeSolver {
  SofaContext *ctx;
  SofaSupernodes nodes;
  SolveTasks tasks; /* ascending */
  SofaIndices top;  /* nodes above them, ascending */
  SofaInts inside;  /* per node: rows that are columns of nodes of its task, or all */
  SofaInts place;   /* per row of a node behind these: its number among the rows of the task */
  SofaReals room;   /* begins with that of a node of the top */
};

#endif
