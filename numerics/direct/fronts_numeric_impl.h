/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The numbers of a factorization by fronts, included once for each type of reals. Each front is
 * assembled from the entries of the matrix and from the updates of its children, in ascending
 * order; tasks, and the parts of a large front, are independent of each other. The source that
 * includes it has FrontMode, front_mode_begin and front_mode_end: the state of a processor in which
 * the numbers are computed. */
#include <omp.h>

#include "base/bytes.h"
#include "math/isa.h"
#include "numerics/direct/fronts_impl.h"

/* Multiplications of a front from which its parts run on threads. */
#define PARALLEL_WORK 2e6

/* A factorization at work. */
typedef struct Run {
  const SofaFronts *plan;
  const FrontKernels *kernels;
  const double *values;
  double scale; /* of them */
  FrontReal *l;
} Run;

static const FrontKernels *kernels_of(const SofaContext *ctx) {
  static const FrontKernels *const variants[] = SOFA_VARIANTS(&FRONT_KERNELS);
  return variants[sofa_isa(ctx)];
}

static FrontReal *updates_of(const SofaFronts *f) {
  return (FrontReal *)(void *)f->updates.data;
}

static Front front_of(const SofaFronts *f, const FrontNode *node, FrontReal *room) {
  return (Front){.columns = node->columns,
                 .rows = node->rows,
                 .pad = front_pad(node->columns),
                 .n_groups = front_groups(node->columns, node->rows),
                 .panel = room,
                 .inverse = room + front_panel_size(node),
                 .update = updates_of(f) + node->update,
                 .ld = front_ld(node),
                 .fresh = node[0].child_first == node[1].child_first};
}

static FrontChild child_of(const SofaFronts *f, int k) {
  const FrontNode *child = &f->nodes.data[k];
  return (FrontChild){.update = updates_of(f) + child->update,
                      .ld = front_ld(child),
                      .rows = child->rows - child->columns,
                      .to = f->to.data + child->to,
                      .run = f->run.data + child->run};
}

/* ---- parts of a front ---- */

static void put_entries(const Run *run, const FrontNode *node, const Front *f) {
  const uint32_t *place = run->plan->place.data;
  sofa_zero(f->panel, front_panel_size(node) * sizeof *f->panel);
  for (int e = node[0].entry; e < node[1].entry; e++)
    f->panel[place[e]] = (FrontReal)(run->scale * run->values[e]);
}

/* Zeroes groups of columns of the update. */
static void clear_update(const Front *f, int begin, int end) {
  const size_t first = front_update_group(f->ld, (size_t)begin);
  const size_t behind = front_update_group(f->ld, (size_t)end);
  sofa_zero(f->update + first, (behind - first) * sizeof *f->update);
}

/* Columns from one that begins a block to the next. */
static int block_end(const Front *f, int begin) {
  const int end = begin + FRONT_BLOCK - (f->pad + begin) % FRONT_BLOCK;
  return end < f->columns ? end : f->columns;
}

/* The group behind those with the diagonal of columns up to `end`. */
static int group_below(const Front *f, int end) {
  return (f->pad + end + FRONT_ROWS - 1) / FRONT_ROWS;
}

static int first_update(const Front *f) {
  return (f->pad + f->columns) / FRONT_ROWS;
}

static int update_groups(const Front *f) {
  return f->n_groups - first_update(f);
}

/* ---- on one thread ---- */

static int factorise_node(const Run *run, int k, FrontReal *room) {
  const SofaFronts *plan = run->plan;
  const FrontNode *node = &plan->nodes.data[k];
  const Front f = front_of(plan, node, room);
  put_entries(run, node, &f);
  if (!f.fresh) clear_update(&f, 0, update_groups(&f));
  for (int c = node[0].child_first; c < node[1].child_first; c++) {
    const FrontChild child = child_of(plan, plan->child.data[c]);
    run->kernels->add(&f, &child, 0, child.rows);
  }
  for (int begin = 0, end = 0; begin < f.columns; begin = end) {
    end = block_end(&f, begin);
    const int bad = run->kernels->diagonal(&f, begin, end);
    if (bad >= 0) return node->first + bad;
    run->kernels->below(&f, begin, end, group_below(&f, end), f.n_groups);
  }
  run->kernels->store(&f, run->l + node->l, 0, f.columns);
  for (int g = first_update(&f); g < f.n_groups; g++) run->kernels->update(&f, g);
  return -1;
}

static int factorise_nodes(const Run *run, int begin, int end, FrontReal *room) {
  for (int i = begin; i < end; i++) {
    const int bad = factorise_node(run, run->plan->order.data[i], room);
    if (bad >= 0) return bad;
  }
  return -1;
}

/* ---- on several threads ---- */

/* Called by all threads of a team. */
static void assemble_together(const Run *run, const FrontNode *node, const Front *f) {
  const SofaFronts *plan = run->plan;
#pragma omp single
  put_entries(run, node, f);
#pragma omp for schedule(dynamic)
  for (int g = 0; g < (f->fresh ? 0 : update_groups(f)); g++) clear_update(f, g, g + 1);
  for (int c = node[0].child_first; c < node[1].child_first; c++) {
    const FrontChild child = child_of(plan, plan->child.data[c]);
#pragma omp for schedule(dynamic)
    for (int j = 0; j < child.rows; j += FRONT_ROWS) {
      const int end = j + FRONT_ROWS < child.rows ? j + FRONT_ROWS : child.rows;
      run->kernels->add(f, &child, j, end);
    }
  }
}

/* *bad is shared. */
static void factorise_together(const Run *run, const FrontNode *node, const Front *f, int *bad) {
  const FrontKernels *kernels = run->kernels;
  for (int begin = 0, end = 0; begin < f->columns; begin = end) {
    end = block_end(f, begin);
    const int below = group_below(f, end);
#pragma omp single
    *bad = kernels->diagonal(f, begin, end);
    if (*bad >= 0) return;
#pragma omp for schedule(static)
    for (int g = below; g < f->n_groups; g++) kernels->below(f, begin, end, g, g + 1);
  }
#pragma omp for schedule(static) nowait
  for (int k = 0; k < f->columns; k++) kernels->store(f, run->l + node->l, k, k + 1);
#pragma omp for schedule(dynamic)
  for (int g = first_update(f); g < f->n_groups; g++) kernels->update(f, g);
}

static int factorise_large(const Run *run, int k, int threads, FrontReal *room) {
  const FrontNode *node = &run->plan->nodes.data[k];
  const Front f = front_of(run->plan, node, room);
  int bad = -1;
#pragma omp parallel num_threads(threads)
  {
    const FrontMode mode = front_mode_begin();
    assemble_together(run, node, &f);
    factorise_together(run, node, &f, &bad);
    front_mode_end(mode);
  }
  return bad < 0 ? -1 : node->first + bad;
}

static double work_of(const FrontNode *node) {
  return (double)node->columns * node->rows * node->rows / 2;
}

/* Nodes above the tasks. */
static int factorise_top(const Run *run, int threads, FrontReal *room) {
  const SofaFronts *plan = run->plan;
  const int begin = plan->task.data[plan->task.n - 1], end = (int)plan->nodes.n - 1;
  for (int i = begin; i < end; i++) {
    const int k = plan->order.data[i];
    const bool large = threads > 1 && work_of(&plan->nodes.data[k]) > PARALLEL_WORK;
    const int bad = large ? factorise_large(run, k, threads, room) : factorise_node(run, k, room);
    if (bad >= 0) return bad;
  }
  return -1;
}

static FrontReal *room_of(const SofaFronts *f) {
  return (FrontReal *)(void *)f->room.data;
}

/* The first column that failed in a task, or -1. */
static int factorise_tasks(const Run *run, int threads) {
  const SofaFronts *plan = run->plan;
  const int n = (int)plan->task.n - 1;
#pragma omp parallel num_threads(threads) if (threads > 1)
  {
    const FrontMode mode = front_mode_begin();
#pragma omp for schedule(dynamic)
    for (int t = 0; t < n; t++) {
      FrontReal *room = room_of(plan) + (size_t)omp_get_thread_num() * plan->task_room;
      plan->bad.data[t] = factorise_nodes(run, plan->task.data[t], plan->task.data[t + 1], room);
    }
    front_mode_end(mode);
  }
  int bad = -1;
  for (int t = 0; t < n; t++)
    if (plan->bad.data[t] >= 0 && (bad < 0 || plan->bad.data[t] < bad)) bad = plan->bad.data[t];
  return bad;
}

static void factorise(const Run *run, size_t *minor) {
  const SofaFronts *f = run->plan;
  const int levels = omp_get_max_active_levels(), threads = f->threads;
  const FrontMode mode = front_mode_begin();
  if (threads > 1 && levels == 0) omp_set_max_active_levels(1);
  int bad = factorise_tasks(run, threads);
  if (bad < 0) bad = factorise_top(run, threads, room_of(f));
  if (threads > 1 && levels == 0) omp_set_max_active_levels(levels);
  front_mode_end(mode);
  *minor = bad < 0 ? (size_t)f->nodes.data[f->nodes.n - 1].first : (size_t)bad;
}

/* ---- solutions ---- */

static void solve_down(const FrontKernels *kernels, const SofaSupernodes *s, const FrontReal *l,
                       FrontReal *y, FrontReal *w) {
  for (size_t k = 0; k < s->n; k++) {
    const int *row = s->row + s->row_start[k];
    const int columns = s->super[k + 1] - s->super[k], rows = s->row_start[k + 1] - s->row_start[k];
    sofa_copy(w, y + row[0], (size_t)columns * sizeof *w);
    sofa_zero(w + columns, (size_t)(rows - columns) * sizeof *w);
    kernels->forward(columns, rows, l + s->value_start[k], w);
    sofa_copy(y + row[0], w, (size_t)columns * sizeof *w);
    for (int i = columns; i < rows; i++) y[row[i]] += w[i];
  }
}

static void solve_up(const FrontKernels *kernels, const SofaSupernodes *s, const FrontReal *l,
                     FrontReal *y, FrontReal *w) {
  for (size_t k = s->n; k-- > 0;) {
    const int *row = s->row + s->row_start[k];
    const int columns = s->super[k + 1] - s->super[k], rows = s->row_start[k + 1] - s->row_start[k];
    for (int i = 0; i < rows; i++) w[i] = y[row[i]];
    kernels->backward(columns, rows, l + s->value_start[k], w);
    sofa_copy(y + row[0], w, (size_t)columns * sizeof *w);
  }
}

static void solve(const SofaContext *ctx, const SofaSupernodes *nodes, const FrontReal *l,
                  FrontReal *y, FrontReal *w) {
  const FrontKernels *kernels = kernels_of(ctx);
  const FrontMode mode = front_mode_begin();
  solve_down(kernels, nodes, l, y, w);
  solve_up(kernels, nodes, l, y, w);
  front_mode_end(mode);
}
