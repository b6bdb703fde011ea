/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The numbers of a solution with supernodes, included behind fronts_numeric_impl.h. Forward,
 * subtrees sum up apart what they subtract from rows above; these sums are added in ascending
 * order. The rows of a large node below its triangle, and backward its columns, are shared. */
#include "numerics/direct/supernode_solver_impl.h"

/* A solution at work. */
typedef struct Solution {
  const SofaSupernodeSolver *plan;
  const FrontKernels *kernels;
  const FrontReal *l;
  FrontReal *y, *room;
} Solution;

/* A node at work. */
typedef struct SolvedNode {
  const Solution *solution;
  const int *row;
  int columns, rows;
  const FrontReal *l;
  FrontReal *w; /* of its rows */
} SolvedNode;

static SolvedNode solved_node(const Solution *s, size_t k, FrontReal *w) {
  const SofaSupernodes *nodes = &s->plan->nodes;
  return (SolvedNode){.solution = s,
                      .row = nodes->row + nodes->row_start[k],
                      .columns = nodes->super[k + 1] - nodes->super[k],
                      .rows = nodes->row_start[k + 1] - nodes->row_start[k],
                      .l = s->l + nodes->value_start[k],
                      .w = w};
}

/* Whether it is, does not depend on threads. */
static bool is_shared(const SolvedNode *n) {
  return (double)n->columns * (n->rows - n->columns) >= SHARED_ENTRIES;
}

static size_t grain_of(int entries) {
  return (size_t)(1 + PIECE_ENTRIES / entries / FRONT_ROWS) * FRONT_ROWS;
}

/* ---- forward ---- */

static void subtract_rows(void *user, size_t begin, size_t end) {
  const SolvedNode *n = user;
  const FrontMode mode = front_mode_begin();
  const size_t first = (size_t)n->columns + begin;
  n->solution->kernels->subtract(n->columns, (int)(end - begin), n->rows, n->l + first, n->w,
                                 n->w + first);
  front_mode_end(mode);
}

/* w = the solution of the columns, then what it subtracts from the rows below. */
static void forward_node(const SolvedNode *n) {
  const Solution *s = n->solution;
  sofa_copy(n->w, s->y + n->row[0], (size_t)n->columns * sizeof *n->w);
  sofa_zero(n->w + n->columns, (size_t)(n->rows - n->columns) * sizeof *n->w);
  if (is_shared(n)) {
    s->kernels->forward(n->columns, n->columns, n->rows, n->l, n->w);
    sofa_team_for(s->plan->ctx, (size_t)(n->rows - n->columns), grain_of(n->columns), subtract_rows,
                  (void *)(uintptr_t)n);
  } else {
    s->kernels->forward(n->columns, n->rows, n->rows, n->l, n->w);
  }
  sofa_copy(s->y + n->row[0], n->w, (size_t)n->columns * sizeof *n->w);
}

static void forward_task(void *user, size_t t) {
  const Solution *s = user;
  const SolveTask *task = &s->plan->tasks.data[t];
  const FrontMode mode = front_mode_begin();
  FrontReal *sums = s->room + task->sums;
  sofa_zero(sums, task->rows * sizeof *sums);
  for (size_t k = task->begin; k < task->end; k++) {
    const SolvedNode n = solved_node(s, k, s->room + task->room);
    const int *place = s->plan->place.data + s->plan->nodes.row_start[k];
    const int inside = s->plan->inside.data[k];
    forward_node(&n);
    for (int i = n.columns; i < inside; i++) s->y[n.row[i]] += n.w[i];
    for (int i = inside; i < n.rows; i++) sums[place[i]] += n.w[i];
  }
  front_mode_end(mode);
}

static void forward_top(const Solution *s) {
  const SofaSupernodes *nodes = &s->plan->nodes;
  for (size_t t = 0; t < s->plan->tasks.n; t++) {
    const SolveTask *task = &s->plan->tasks.data[t];
    const int *row = nodes->row + nodes->row_start[task->end] - task->rows;
    const FrontReal *sums = s->room + task->sums;
    for (size_t i = 0; i < task->rows; i++) s->y[row[i]] += sums[i];
  }
  for (size_t i = 0; i < s->plan->top.n; i++) {
    const SolvedNode n = solved_node(s, s->plan->top.data[i], s->room);
    forward_node(&n);
    for (int r = n.columns; r < n.rows; r++) s->y[n.row[r]] += n.w[r];
  }
}

/* ---- backward ---- */

static void subtract_products(void *user, size_t begin, size_t end) {
  const SolvedNode *n = user;
  const FrontMode mode = front_mode_begin();
  const FrontReal *l = n->l + begin * (size_t)n->rows + n->columns;
  n->solution->kernels->products((int)(end - begin), n->rows - n->columns, n->rows, l,
                                 n->w + n->columns, n->w + begin);
  front_mode_end(mode);
}

static void backward_node(const SolvedNode *n) {
  const Solution *s = n->solution;
  for (int i = 0; i < n->rows; i++) n->w[i] = s->y[n->row[i]];
  if (is_shared(n)) {
    sofa_team_for(s->plan->ctx, (size_t)n->columns, grain_of(n->rows - n->columns),
                  subtract_products, (void *)(uintptr_t)n);
    s->kernels->backward(n->columns, n->columns, n->rows, n->l, n->w);
  } else {
    s->kernels->backward(n->columns, n->rows, n->rows, n->l, n->w);
  }
  sofa_copy(s->y + n->row[0], n->w, (size_t)n->columns * sizeof *n->w);
}

static void backward_task(void *user, size_t t) {
  const Solution *s = user;
  const SolveTask *task = &s->plan->tasks.data[t];
  const FrontMode mode = front_mode_begin();
  for (size_t k = task->end; k-- > task->begin;) {
    const SolvedNode n = solved_node(s, k, s->room + task->room);
    backward_node(&n);
  }
  front_mode_end(mode);
}

static void solve(const SofaSupernodeSolver *plan, const FrontReal *l, FrontReal *y) {
  const Solution s = {plan, kernels_of(plan->ctx), l, y, (FrontReal *)(void *)plan->room.data};
  const FrontMode mode = front_mode_begin();
  sofa_team_run(plan->ctx, plan->tasks.n, forward_task, (void *)(uintptr_t)&s);
  forward_top(&s);
  for (size_t i = plan->top.n; i-- > 0;) {
    const SolvedNode n = solved_node(&s, plan->top.data[i], s.room);
    backward_node(&n);
  }
  sofa_team_run(plan->ctx, plan->tasks.n, backward_task, (void *)(uintptr_t)&s);
  front_mode_end(mode);
}
