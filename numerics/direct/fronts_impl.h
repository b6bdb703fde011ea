/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The inside of SofaFronts. */
#ifndef SOFA_NUMERICS_DIRECT_FRONTS_IMPL_H
#define SOFA_NUMERICS_DIRECT_FRONTS_IMPL_H

#include "base/array.h"
#include "base/rooms_impl.h"
#include "numerics/direct/front_kernels_impl.h"
#include "numerics/direct/front_factor_impl.h"

/* A supernode. */
typedef struct FrontNode {
  int first, columns, rows;
  int parent;      /* -1: none */
  int task;        /* the subtree it is in, -1: of the nodes above them */
  int to;          /* of the rows of the update in FrontNodes */
  int run;         /* of the first run */
  int child_first; /* of child */
  size_t l;        /* of the first value */
  size_t update;   /* of the update */
  double work;     /* multiplications of the whole subtree */
} FrontNode;
SOFA_LIST(FrontNode, FrontNodes);
SOFA_LIST(FrontRun, FrontRuns);

/* Updates that are in use, by their places. */
typedef struct FrontLive {
  size_t at, end;
  int node;
} FrontLive;
SOFA_LIST(FrontLive, FrontLives);

struct SofaFronts {
  SofaContext *ctx;
  FrontNodes nodes; /* children before parents; one more, which ends the ranges */
  SofaInts child;   /* of all nodes, one behind the other, ascending */
  SofaInts to;      /* place of each row of an update in the parent */
  FrontRuns run;
  FrontLives live;            /* while places are given */
  SofaInts entry;             /* first entry of the matrix in each column; one more, the end */
  SofaIndices place;          /* per entry of the matrix: where it is in the panel of its node */
  SofaInts order;             /* nodes task by task, then those above the tasks */
  SofaInts task;              /* first of order of each task, and of the nodes above them */
  bool parallel;              /* there is enough to do for threads */
  int threads;                /* that tasks and places are made for; 0: none yet */
  bool single;                /* precision that there is room for */
  SofaReals updates;          /* of all nodes; floats in single precision, as the room */
  size_t n_updates;           /* reals */
  size_t task_room, top_room; /* work space of a thread, of the nodes above the tasks */
  SofaReals room;
  SofaRooms rooms; /* work spaces of threads */
  SofaInts bad;    /* per task: the column that failed, or -1 */
};

static inline int front_pad(int columns) {
  return (FRONT_ROWS - columns % FRONT_ROWS) % FRONT_ROWS;
}
static inline int front_groups(int columns, int rows) {
  return (front_pad(columns) + rows + FRONT_ROWS - 1) / FRONT_ROWS;
}
/* Leading dimension of an update. */
static inline size_t front_ld(const FrontNode *node) {
  return (size_t)(node->rows - node->columns + FRONT_ROWS - 1) / FRONT_ROWS * FRONT_ROWS;
}
/* Reals of an update. */
static inline size_t front_update_size(const FrontNode *node) {
  return front_update_group(front_ld(node), front_ld(node) / FRONT_ROWS);
}
static inline size_t front_panel_size(const FrontNode *node) {
  return (size_t)front_groups(node->columns, node->rows) * FRONT_ROWS * (size_t)node->columns;
}

#endif
