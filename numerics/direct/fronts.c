/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The plan of a factorization by fronts: where each entry and each update goes. */
#include "base/bytes.h"
#include "numerics/direct/fronts_impl.h"

/* Multiplications from which there is enough to do for threads. */
#define PARALLEL 5e5
enum { TASKS = 4 }; /* of a thread, at least */

/* ---- nodes ---- */

/* Columns with the rows below them. */
static double work_of(const FrontNode *node) {
  double work = 0;
  for (int k = 0; k < node->columns; k++) work += (double)(node->rows - k) * (node->rows - k);
  return work / 2;
}

/* Nodes with their sizes and parents; node_of: per column. */
static SofaErr make_nodes(SofaFronts *f, const SofaSupernodes *s, int *node_of) {
  int to = 0;
  SOFA_TRY(SOFA_RESIZE(f->ctx, &f->nodes, s->n + 1));
  for (size_t k = 0; k <= s->n; k++) f->nodes.data[k].first = s->super[k];
  for (size_t k = 0; k < s->n; k++) {
    FrontNode *node = &f->nodes.data[k];
    node->columns = s->super[k + 1] - s->super[k];
    node->rows = s->row_start[k + 1] - s->row_start[k];
    node->l = (size_t)s->value_start[k];
    node->to = to;
    node->work = work_of(node);
    to += node->rows - node->columns;
    for (int c = 0; c < node->columns; c++) node_of[node->first + c] = (int)k;
  }
  f->nodes.data[s->n].to = to;
  for (size_t k = 0; k < s->n; k++) {
    FrontNode *node = &f->nodes.data[k];
    const int below = s->row_start[k] + node->columns;
    node->parent = node->rows > node->columns ? node_of[s->row[below]] : -1;
  }
  return SOFA_OK;
}

static SofaErr list_children(SofaFronts *f) {
  FrontNode *node = f->nodes.data;
  const size_t n = f->nodes.n - 1;
  SOFA_TRY(SOFA_RESIZE(f->ctx, &f->child, n + 1));
  for (size_t k = 0; k < n; k++)
    if (node[k].parent >= 0) node[node[k].parent + 1].child_first++;
  for (size_t k = 0; k < n; k++) node[k + 1].child_first += node[k].child_first;
  for (size_t k = n; k-- > 0;) /* the ends of the ranges go down to their beginnings */
    if (node[k].parent >= 0) f->child.data[--node[node[k].parent + 1].child_first] = (int)k;
  for (size_t k = 0; k < n; k++) node[k].child_first = node[k + 1].child_first;
  size_t children = 0;
  for (size_t k = 0; k < n; k++) children += node[k].parent >= 0;
  node[n].child_first = (int)children;
  return SOFA_OK;
}

/* ---- rows of updates in the parents ---- */

static SofaErr add_runs(SofaFronts *f, const FrontNode *node) {
  const int n = node->rows - node->columns, *to = f->to.data + node->to;
  for (int i = 0, end; i < n; i = end) {
    for (end = i + 1; end < n && to[end] == to[end - 1] + 1;) end++;
    const FrontRun run = {i, to[i], end - i};
    SOFA_TRY(SOFA_APPEND(f->ctx, &f->run, &run));
  }
  return SOFA_OK;
}

static SofaErr place_updates(SofaFronts *f, const SofaSupernodes *s) {
  SOFA_TRY(SOFA_RESIZE(f->ctx, &f->to, (size_t)f->nodes.data[s->n].to + 1));
  for (size_t k = 0; k < s->n; k++) {
    FrontNode *node = &f->nodes.data[k];
    node->run = (int)f->run.n;
    if (node->parent < 0) continue;
    const int *row = s->row + s->row_start[k] + node->columns;
    const int *in = s->row + s->row_start[node->parent];
    const FrontNode *parent = &f->nodes.data[node->parent];
    for (int i = 0, at = 0; i < node->rows - node->columns; i++, at++) {
      while (at < parent->rows && in[at] != row[i]) at++;
      if (at == parent->rows)
        return sofa_fail(f->ctx, SOFA_ERR_ARGUMENT, NULL, "supernodes: a row is not in the parent");
      f->to.data[node->to + i] = at;
    }
    SOFA_TRY(add_runs(f, node));
  }
  return SOFA_OK;
}

/* ---- entries of the matrix in panels ---- */

static SofaErr place_entries(SofaFronts *f, const SofaSupernodes *s, const SofaScalarColumns *a,
                             int *row_at) {
  SOFA_TRY(SOFA_RESIZE(f->ctx, &f->place, a->n_entries));
  SOFA_TRY(SOFA_RESIZE(f->ctx, &f->entry, a->n + 1));
  for (size_t k = 0; k < s->n; k++) {
    FrontNode *node = &f->nodes.data[k];
    const int pad = front_pad(node->columns);
    for (int i = 0; i < node->rows; i++) row_at[s->row[s->row_start[k] + i]] = i + pad;
    for (int c = 0; c < node->columns; c++) {
      for (int e = a->start[node->first + c]; e < a->start[node->first + c + 1]; e++) {
        const size_t place = (size_t)row_at[a->row[e]];
        f->place.data[e] =
            (uint32_t)((place / FRONT_ROWS * (size_t)node->columns + (size_t)c) * FRONT_ROWS +
                       place % FRONT_ROWS);
      }
    }
  }
  sofa_copy(f->entry.data, a->start, (a->n + 1) * sizeof *a->start);
  return SOFA_OK;
}

/* ---- tasks ---- */

/* Sums up the work from the leaves to the roots. */
static void add_up_work(SofaFronts *f) {
  FrontNode *node = f->nodes.data;
  double all = 0;
  for (size_t k = 0; k + 1 < f->nodes.n; k++) {
    if (node[k].parent < 0) all += node[k].work;
    else node[node[k].parent].work += node[k].work;
  }
  f->parallel = all >= PARALLEL;
}

/* From the roots down: a subtree with little work is a task. One thread needs none: it goes through
 * the nodes as they are, and needs the least memory for updates. */
static int find_tasks(SofaFronts *f, int threads) {
  FrontNode *node = f->nodes.data;
  double all = 0;
  int tasks = 0;
  for (size_t k = 0; k + 1 < f->nodes.n; k++) all += node[k].parent < 0 ? node[k].work : 0;
  const double most = threads > 1 ? all / (TASKS * threads) : 0;
  for (size_t k = f->nodes.n - 1; k-- > 0;) {
    const int above = node[k].parent < 0 ? -1 : node[node[k].parent].task;
    node[k].task = above >= 0 ? above : threads > 1 && node[k].work <= most ? tasks++ : -1;
  }
  return tasks;
}

static SofaErr order_nodes(SofaFronts *f, int tasks) {
  const size_t n = f->nodes.n - 1;
  f->task.n = 0;
  SOFA_TRY(SOFA_RESIZE(f->ctx, &f->task, (size_t)tasks + 2));
  SOFA_TRY(SOFA_RESIZE(f->ctx, &f->order, n + 1));
  SOFA_TRY(SOFA_RESIZE(f->ctx, &f->bad, (size_t)tasks + 1));
  int *start = f->task.data;
#define TASK_OF(k) (f->nodes.data[k].task < 0 ? tasks : f->nodes.data[k].task)
  for (size_t k = 0; k < n; k++) start[TASK_OF(k) + 1]++;
  for (int t = 0; t <= tasks; t++) start[t + 1] += start[t];
  for (size_t k = n; k-- > 0;) f->order.data[--start[TASK_OF(k) + 1]] = (int)k;
#undef TASK_OF
  for (int t = 0; t <= tasks; t++) start[t] = start[t + 1];
  f->task.n = (size_t)tasks + 1;
  return SOFA_OK;
}

/* ---- places of updates ---- */

static void drop(FrontLives *live, int node) {
  size_t k = 0;
  while (k < live->n && live->data[k].node != node) k++;
  if (k == live->n) return;
  for (live->n--; k < live->n; k++) live->data[k] = live->data[k + 1];
}

/* The first gap from `base` on. */
static SofaErr give_place(SofaFronts *f, size_t base, int node, size_t *end) {
  FrontNode *at = &f->nodes.data[node];
  FrontLives *live = &f->live;
  const size_t size = front_update_size(at);
  size_t k = 0, place = base;
  while (k < live->n && live->data[k].at < place + size) place = live->data[k++].end;
  const FrontLive next = {place, place + size, node};
  SOFA_TRY(SOFA_APPEND(f->ctx, live, &next));
  for (size_t i = live->n - 1; i > k; i--) live->data[i] = live->data[i - 1];
  live->data[k] = next;
  at->update = place;
  if (next.end > *end) *end = next.end;
  return SOFA_OK;
}

/* Of nodes that are made one after the other. Updates of tasks wait for nodes above. */
static SofaErr place_in_turn(SofaFronts *f, const int *nodes, int n, size_t *end) {
  const size_t base = *end;
  f->live.n = 0;
  for (int i = 0; i < n; i++) {
    const FrontNode *node = &f->nodes.data[nodes[i]];
    if (node->rows > node->columns) SOFA_TRY(give_place(f, base, nodes[i], end));
    for (int c = node[0].child_first; c < node[1].child_first; c++)
      drop(&f->live, f->child.data[c]);
  }
  return SOFA_OK;
}

static SofaErr place_all(SofaFronts *f) {
  size_t end = 0;
  f->task_room = f->top_room = 0;
  for (size_t t = 0; t < f->task.n; t++) {
    const int first = f->task.data[t];
    const int last = t + 1 < f->task.n ? f->task.data[t + 1] : (int)f->nodes.n - 1;
    SOFA_TRY(place_in_turn(f, f->order.data + first, last - first, &end));
  }
  f->n_updates = end;
  for (size_t k = 0; k + 1 < f->nodes.n; k++) {
    const FrontNode *node = &f->nodes.data[k];
    const size_t room = front_panel_size(node) + (size_t)node->columns;
    size_t *most = node->task < 0 ? &f->top_room : &f->task_room;
    if (room > *most) *most = room;
  }
  return SOFA_OK;
}

/* For n reals; old values are not kept. */
static SofaErr make_room(SofaFronts *f, SofaReals *list, size_t n) {
  if (f->single) n = (n + 1) / 2;
  if (n > list->capacity) sofa_list_free(f->ctx, list);
  return SOFA_RESERVE(f->ctx, list, n);
}

SofaErr sofa_fronts_reserve(SofaFronts *f, int threads, bool single) {
  if (!f->parallel) threads = 1;
  if (f->threads == threads && f->single == single) return SOFA_OK;
  f->threads = 0;
  f->single = single;
  SOFA_TRY(order_nodes(f, find_tasks(f, threads)));
  SOFA_TRY(place_all(f));
  const size_t tasks = (size_t)threads * f->task_room;
  SOFA_TRY(make_room(f, &f->updates, f->n_updates));
  SOFA_TRY(make_room(f, &f->room, tasks > f->top_room ? tasks : f->top_room));
  SOFA_TRY(sofa_rooms_make(f->ctx, &f->rooms, (size_t)threads));
  f->threads = threads;
  return SOFA_OK;
}

/* ---- all of it ---- */

static SofaErr make_plan(SofaFronts *f, const SofaSupernodes *s, const SofaScalarColumns *lower) {
  SofaErr err = SOFA_OK;
  const SofaScratchMark mark = sofa_scratch_mark(f->ctx);
  int *of_column = SOFA_SCRATCH(f->ctx, int, lower->n + 1);
  if (!of_column) SOFA_GO(err, done, SOFA_ERR_MEMORY);
  SOFA_GO(err, done, make_nodes(f, s, of_column));
  SOFA_GO(err, done, list_children(f));
  SOFA_GO(err, done, place_updates(f, s));
  SOFA_GO(err, done, place_entries(f, s, lower, of_column));
  add_up_work(f);
done:
  sofa_scratch_release(f->ctx, mark);
  return err;
}

SofaErr sofa_fronts_plan(SofaContext *ctx, const SofaSupernodes *nodes,
                         const SofaScalarColumns *lower, SofaFronts **fronts) {
  SofaFronts *f = *fronts;
  if (!f) f = *fronts = sofa_alloc(ctx, 1, sizeof *f);
  if (!f) return SOFA_ERR_MEMORY;
  f->ctx = ctx;
  f->threads = 0;
  f->nodes.n = f->run.n = 0;
  const SofaErr err = make_plan(f, nodes, lower);
  if (err != SOFA_OK) sofa_fronts_destroy(ctx, fronts);
  return err;
}

void sofa_fronts_destroy(SofaContext *ctx, SofaFronts **fronts) {
  SofaFronts *f = *fronts;
  *fronts = NULL;
  if (!f) return;
  sofa_list_free(ctx, &f->nodes);
  sofa_list_free(ctx, &f->child);
  sofa_list_free(ctx, &f->to);
  sofa_list_free(ctx, &f->run);
  sofa_list_free(ctx, &f->live);
  sofa_list_free(ctx, &f->entry);
  sofa_list_free(ctx, &f->place);
  sofa_list_free(ctx, &f->order);
  sofa_list_free(ctx, &f->task);
  sofa_list_free(ctx, &f->updates);
  sofa_list_free(ctx, &f->room);
  sofa_list_free(ctx, &f->rooms);
  sofa_list_free(ctx, &f->bad);
  sofa_free(ctx, f);
}
