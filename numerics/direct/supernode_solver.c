/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The plan of solutions with supernodes. Subtrees are the same for any number of threads, since
 * what they subtract from rows above is summed up by subtrees. */
#include "numerics/direct/supernode_solver_impl.h"

#include "base/bytes.h"

/* Entries of L from which there is enough to do for threads. */
#define PARALLEL_ENTRIES 60000
enum { TASKS = 16 }; /* at least, of equal work */

/* While a plan is made, per node. */
typedef struct Tree {
  int *node_of; /* per column */
  int *parent;  /* -1: none */
  int *first;   /* node of its subtree; the subtree is consecutive */
  int *root;    /* of the task that it is in, or -1 */
  double *work; /* entries of L in the subtree */
} Tree;

static int columns_of(const SofaSupernodes *s, size_t k) {
  return s->super[k + 1] - s->super[k];
}
static int rows_of(const SofaSupernodes *s, size_t k) {
  return s->row_start[k + 1] - s->row_start[k];
}

/* Nodes are in postorder: a node's subtree ends with it. */
static void find_subtrees(const SofaSupernodes *s, Tree *t) {
  for (size_t k = 0; k < s->n; k++) {
    for (int c = s->super[k]; c < s->super[k + 1]; c++) t->node_of[c] = (int)k;
    t->first[k] = (int)k;
    t->work[k] = (double)columns_of(s, k) * rows_of(s, k);
  }
  for (size_t k = 0; k < s->n; k++) {
    const int below = s->row_start[k] + columns_of(s, k);
    const int parent = below < s->row_start[k + 1] ? t->node_of[s->row[below]] : -1;
    t->parent[k] = parent;
    if (parent < 0) continue;
    t->work[parent] += t->work[k];
    if (t->first[k] < t->first[parent]) t->first[parent] = t->first[k];
  }
}

/* Are there only nodes of the subtree between its first and its last? */
static bool is_consecutive(const Tree *t, int root) {
  for (int k = t->first[root]; k < root; k++)
    if (t->parent[k] < 0 || t->parent[k] > root) return false;
  return true;
}

static double all_work(const SofaSupernodes *s, const Tree *t) {
  double all = 0;
  for (size_t k = 0; k < s->n; k++) all += t->parent[k] < 0 ? t->work[k] : 0;
  return all;
}

/* From the roots down: a subtree with little work is a task. */
static void mark_tasks(const SofaSupernodes *s, Tree *t) {
  const double all = all_work(s, t), most = all < PARALLEL_ENTRIES ? -1 : all / TASKS;
  for (size_t k = s->n; k-- > 0;) {
    t->root[k] = -1;
    if (t->work[k] > most || !is_consecutive(t, (int)k)) continue;
    const int root = (int)k;
    for (t->root[k] = root; k > (size_t)t->first[root];) t->root[--k] = root;
  }
}

static SofaErr list_tasks(SofaSupernodeSolver *solver, const Tree *t) {
  for (size_t k = 0; k < solver->nodes.n; k++) {
    const SolveTask task = {.begin = (size_t)t->first[k], .end = k + 1};
    const uint32_t node = (uint32_t)k;
    if (t->root[k] < 0) SOFA_TRY(SOFA_APPEND(solver->ctx, &solver->top, &node));
    else if (t->root[k] == (int)k) SOFA_TRY(SOFA_APPEND(solver->ctx, &solver->tasks, &task));
  }
  return SOFA_OK;
}

/* Rows of a task's nodes that are above it, by their numbers among those of its last node. false:
 * one is not there. */
static bool place_rows(SofaSupernodeSolver *solver, const SolveTask *task) {
  const SofaSupernodes *s = &solver->nodes;
  const size_t last = task->end - 1;
  const int *above = s->row + s->row_start[last] + columns_of(s, last);
  const int end = s->super[task->end], n = rows_of(s, last) - columns_of(s, last);
  for (size_t k = task->begin; k < task->end; k++) {
    const int *row = s->row + s->row_start[k];
    int inside = 0, at = 0;
    while (inside < rows_of(s, k) && row[inside] < end) inside++;
    solver->inside.data[k] = inside;
    for (int i = inside; i < rows_of(s, k); i++) {
      while (at < n && above[at] != row[i]) at++;
      if (at == n) return false;
      solver->place.data[s->row_start[k] + i] = at;
    }
  }
  return true;
}

/* Rows that are not those of a tree, as of a damaged file, are solved node by node. */
static SofaErr place_tasks(SofaSupernodeSolver *solver, Tree *t) {
  bool placed = true;
  SOFA_TRY(list_tasks(solver, t));
  for (size_t k = 0; k < solver->tasks.n && placed; k++)
    placed = place_rows(solver, &solver->tasks.data[k]);
  if (placed) return SOFA_OK;
  for (size_t k = 0; k < solver->nodes.n; k++) t->root[k] = -1;
  solver->tasks.n = solver->top.n = 0;
  return list_tasks(solver, t);
}

static size_t most_rows(const SofaSupernodes *s, size_t begin, size_t end) {
  int most = 0;
  for (size_t k = begin; k < end; k++)
    if (rows_of(s, k) > most) most = rows_of(s, k);
  return (size_t)most;
}

static SofaErr make_room(SofaSupernodeSolver *solver) {
  const SofaSupernodes *s = &solver->nodes;
  size_t n = most_rows(s, 0, s->n);
  for (size_t t = 0; t < solver->tasks.n; t++) {
    SolveTask *task = &solver->tasks.data[t];
    const size_t last = task->end - 1;
    task->rows = (size_t)(rows_of(s, last) - columns_of(s, last));
    task->sums = n;
    task->room = n + task->rows;
    n = task->room + most_rows(s, task->begin, task->end);
  }
  return SOFA_RESERVE(solver->ctx, &solver->room, n + 1);
}

static SofaErr make_plan(SofaSupernodeSolver *solver) {
  SofaContext *ctx = solver->ctx;
  const SofaSupernodes *s = &solver->nodes;
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  SofaErr err = SOFA_OK;
  Tree t = {.node_of = SOFA_SCRATCH(ctx, int, (size_t)s->super[s->n] + 1),
            .parent = SOFA_SCRATCH(ctx, int, s->n + 1),
            .first = SOFA_SCRATCH(ctx, int, s->n + 1),
            .root = SOFA_SCRATCH(ctx, int, s->n + 1),
            .work = SOFA_SCRATCH(ctx, double, s->n + 1)};
  if (!t.node_of || !t.parent || !t.first || !t.root || !t.work)
    SOFA_GO(err, done, SOFA_ERR_MEMORY);
  find_subtrees(s, &t);
  mark_tasks(s, &t);
  SOFA_GO(err, done, SOFA_RESIZE(ctx, &solver->inside, s->n));
  SOFA_GO(err, done, SOFA_RESIZE(ctx, &solver->place, (size_t)s->row_start[s->n]));
  for (size_t k = 0; k < s->n; k++) solver->inside.data[k] = rows_of(s, k);
  SOFA_GO(err, done, place_tasks(solver, &t));
  err = make_room(solver);
done:
  sofa_scratch_release(ctx, mark);
  return err;
}

SofaErr sofa_supernode_solver_plan(SofaContext *ctx, const SofaSupernodes *nodes,
                                   SofaSupernodeSolver **solver) {
  SofaSupernodeSolver *s = *solver;
  if (!s) s = *solver = sofa_alloc(ctx, 1, sizeof *s);
  if (!s) return SOFA_ERR_MEMORY;
  s->ctx = ctx;
  s->nodes = *nodes;
  s->tasks.n = s->top.n = 0;
  const SofaErr err = make_plan(s);
  if (err != SOFA_OK) sofa_supernode_solver_destroy(ctx, solver);
  return err;
}

void sofa_supernode_solver_destroy(SofaContext *ctx, SofaSupernodeSolver **solver) {
  SofaSupernodeSolver *s = *solver;
  *solver = NULL;
  if (!s) return;
  sofa_list_free(ctx, &s->tasks);
  sofa_list_free(ctx, &s->top);
  sofa_list_free(ctx, &s->inside);
  sofa_list_free(ctx, &s->place);
  sofa_list_free(ctx, &s->room);
  sofa_free(ctx, s);
}
