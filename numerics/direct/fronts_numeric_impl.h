/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The numbers of a factorization by fronts, included once for each type of reals. Each front is
 * assembled from the entries of the matrix and from the updates of its children, in ascending
 * order; tasks, and the parts of a large front, are independent of each other. The source that
 * includes it has FrontMode, front_mode_begin and front_mode_end: the state of a processor in which
 * the numbers are computed. */
#include "base/bytes.h"
#include "base/team.h"
#include "math/isa.h"
#include "numerics/direct/fronts_impl.h"

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

/* Of columns begin .. end - 1 of the node. */
static void put_entries(const Run *run, const FrontNode *node, const Front *f, int begin, int end) {
  const uint32_t *place = run->plan->place.data;
  const int *entry = run->plan->entry.data + node->first;
  for (int e = entry[begin]; e < entry[end]; e++)
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
  sofa_zero(f.panel, front_panel_size(node) * sizeof *f.panel);
  put_entries(run, node, &f, 0, f.columns);
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

#include "numerics/direct/fronts_together_impl.h"

static void factorise(const Run *run, size_t *minor) {
  const SofaFronts *f = run->plan;
  const FrontMode mode = front_mode_begin();
  int bad = factorise_tasks(run);
  if (bad < 0) bad = factorise_top(run);
  front_mode_end(mode);
  *minor = bad < 0 ? (size_t)f->nodes.data[f->nodes.n - 1].first : (size_t)bad;
}
