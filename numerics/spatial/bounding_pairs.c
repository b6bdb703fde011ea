/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The pairs of two bounding trees. */

#include "base/bytes.h"
#include "base/team.h"
#include "math/kernels.h"
#include "numerics/spatial/bounding_tree_impl.h"

/* Cells [first, last), or leaves. */
typedef struct Range {
  uint32_t first, last;
  uint32_t cell; /* leaves: of this cell */
  uint32_t fine; /* leaves of a whole cell: its fine tree, or 0; leaves are in groups then */
  bool leaves;
} Range;

/* What is below a cell, or one of its leaves: the number of the cell and, in the upper half, that
 * of the leaf plus one. Steps are pushed and popped at once, hence they are whole words: parts of a
 * word that were just written are read late. */
typedef uint64_t Below;
typedef struct SofaBoundingStep {
  Below a, b;
} Step;

/* A search in progress. */
typedef struct Search {
  SofaContext *ctx;
  const SofaBoundingTree *a, *b;
  double distance;
  const BoxKernels *kernels;
  SofaBoundingWork *work;
  SofaElementPairs *out;
} Search;

static void free_lists(SofaContext *ctx, SofaBoundingWork *work) {
  sofa_list_free(ctx, &work->steps);
  sofa_list_free(ctx, &work->fine);
  sofa_list_free(ctx, &work->pairs);
  sofa_list_free(ctx, &work->count);
  sofa_list_free(ctx, &work->found);
}

void sofa_bounding_work_free(SofaContext *ctx, SofaBoundingWork *work) {
  for (size_t i = 0; i < work->n_parts; i++) free_lists(ctx, &work->part[i]);
  sofa_free(ctx, work->part);
  work->part = NULL;
  work->n_parts = 0;
  sofa_list_free(ctx, &work->tasks);
  free_lists(ctx, work);
}

static Range children(const SofaBoundingTree *tree, uint32_t cell) {
  const SofaBoundingCell *c = &tree->cells[cell];
  if (c->child) return (Range){.first = c->child, .last = c->child + 2};
  return (Range){.first = c->first,
                 .last = c->last,
                 .cell = cell,
                 .fine = bounding_is_fine(c) ? c->fine : 0,
                 .leaves = true};
}
static Below below(const Range *range, uint32_t i) {
  return range->leaves ? (uint64_t)(i + 1) << 32 | range->cell : i;
}
static Range range_of(const SofaBoundingTree *tree, Below what) {
  const uint32_t cell = (uint32_t)what, leaf = (uint32_t)(what >> 32);
  if (!leaf) return children(tree, cell);
  return (Range){.first = leaf - 1, .last = leaf, .cell = cell, .leaves = true};
}
static const double *box_of(const SofaBoundingTree *tree, bool leaf, uint32_t i) {
  return leaf ? tree->leaf + 6 * (size_t)i : tree->cells[i].box;
}

static SofaErr reserve(const Search *s, void *list, size_t size, size_t n) {
  sofa_team_lock(s->ctx);
  const SofaErr err = sofa_list_reserve(s->ctx, list, size, n);
  sofa_team_unlock(s->ctx);
  return err;
}

/* Room for n more pairs, in steps that make repeated calls linear. */
static inline SofaErr room(const Search *s, SofaElementPairs *list, size_t n) {
  if (list->capacity - list->n >= n) return SOFA_OK;
  return reserve(s, list, sizeof *list->data, list->n + list->n / 2 + n);
}

/* Appends a step to a stack. */
static inline SofaErr push(const Search *s, struct SofaBoundingSteps *steps, Step step) {
  if (steps->n == steps->capacity)
    SOFA_TRY(reserve(s, steps, sizeof *steps->data, 2 * steps->n + 64));
  steps->data[steps->n++] = step;
  return SOFA_OK;
}

/* ---- leaves of two cells by their fine trees ---- */

enum { EACH_ROW = 0x1111 }; /* times the bits of a row */

static uint32_t bits(uint32_t n) {
  return (1u << n) - 1;
}

static SofaErr collect_leaves(const Search *s, const SofaBoundingCell *p,
                              const SofaBoundingCell *q) {
  const BoxGroup *a = &s->a->groups[p->fine], *b = &s->b->groups[q->fine];
  const uint32_t *row = s->a->fine_leaf + p->first, *column = s->b->fine_leaf + q->first;
  SofaElementPairs *out = &s->work->pairs;
  SOFA_TRY(room(s, out, BOX_GROUP * BOX_GROUP));
  const uint32_t rows = s->kernels->close(a, 1, q->box, s->distance) & bits(p->last - p->first);
  uint32_t close = rows ? s->kernels->meet(a, rows, b, s->distance) : 0;
  close &= EACH_ROW * bits(q->last - q->first);
  for (; close; close &= close - 1) {
    const int bit = __builtin_ctz(close);
    out->data[out->n++] = (SofaElementPair){row[bit / BOX_GROUP], column[bit % BOX_GROUP]};
  }
  return SOFA_OK;
}

static SofaErr push_fine(const Search *s, uint32_t p, uint32_t q) {
  const Step step = {p, q};
  if (!bounding_close(s->a->fine[p].box, s->b->fine[q].box, s->distance)) return SOFA_OK;
  return push(s, &s->work->fine, step);
}

/* The larger of two cells is the one that is divided. */
static SofaErr divide(const Search *s, uint32_t p, uint32_t q) {
  const SofaBoundingCell *a = &s->a->fine[p], *b = &s->b->fine[q];
  if (!a->child && !b->child) return collect_leaves(s, a, b);
  if (!b->child || (a->child && a->last - a->first >= b->last - b->first)) {
    SOFA_TRY(push_fine(s, a->child, q));
    return push_fine(s, a->child + 1, q);
  }
  SOFA_TRY(push_fine(s, p, b->child));
  return push_fine(s, p, b->child + 1);
}

/* Sorts the pairs of leaves by row, then by column. Rows are few columns long. */
static SofaErr sort_pairs(const Search *s, Range rows) {
  SofaBoundingWork *w = s->work;
  const SofaElementPairs *pairs = &w->pairs;
  const size_t n = pairs->n, begin = s->out->n, n_rows = rows.last - rows.first + 1;
  SOFA_TRY(room(s, s->out, n));
  if (n_rows > w->count.capacity)
    SOFA_TRY(reserve(s, &w->count, sizeof *w->count.data, 2 * n_rows));
  s->out->n = begin + n;
  w->count.n = n_rows;
  sofa_zero(w->count.data, n_rows * sizeof *w->count.data);
  for (size_t i = 0; i < n; i++) w->count.data[pairs->data[i].first - rows.first + 1]++;
  for (size_t i = 1; i < w->count.n; i++) w->count.data[i] += w->count.data[i - 1];
  SofaElementPair *out = s->out->data + begin;
  if (n) sofa_fill(out, 0xff, n * sizeof *out); /* no row has this number */
  for (size_t i = 0; i < n; i++) {
    const SofaElementPair pair = pairs->data[i];
    uint32_t to = w->count.data[pair.first - rows.first]++;
    for (; to > 0 && out[to - 1].first == pair.first && out[to - 1].second > pair.second; to--)
      out[to] = out[to - 1];
    out[to] = pair;
  }
  for (size_t i = 0; i < n; i++)
    out[i] = (SofaElementPair){s->a->order[out[i].first], s->b->order[out[i].second]};
  return SOFA_OK;
}

static SofaErr visit_fine(const Search *s, Range rows, Range columns) {
  SofaBoundingWork *w = s->work;
  w->fine.n = w->pairs.n = 0;
  SOFA_TRY(push_fine(s, rows.fine, columns.fine));
  while (w->fine.n > 0) {
    const Step step = w->fine.data[--w->fine.n];
    SOFA_TRY(divide(s, (uint32_t)step.a, (uint32_t)step.b));
  }
  return sort_pairs(s, rows);
}

/* ---- cells ---- */

/* Bit i: leaf i of the range, one leaf or a cell without a fine tree, is close to a box. */
static uint32_t close_leaves(const Search *s, const SofaBoundingTree *tree, const Range *range,
                             const double *box) {
  const size_t n = (range->last - range->first + BOX_GROUP - 1) / BOX_GROUP;
  if (range->last - range->first == 1)
    return bounding_close(tree->leaf + 6 * (size_t)range->first, box, s->distance);
  const BoxGroup *groups = &tree->groups[tree->cells[range->cell].fine];
  return s->kernels->close(groups, n, box, s->distance) & bits(range->last - range->first);
}

/* Leaves of two cells without fine trees, row by row; those that are far from the other cell are
 * left out at once. */
static SofaErr visit_leaves(const Search *s, const Range *p, const Range *q) {
  const SofaBoundingTree *a = s->a, *b = s->b;
  uint32_t rows = close_leaves(s, a, p, b->cells[q->cell].box);
  const uint32_t columns = rows ? close_leaves(s, b, q, a->cells[p->cell].box) : 0;
  if (!columns) return SOFA_OK;
  SOFA_TRY(room(s, s->out, (size_t)BOUNDING_FINE_LEAVES * BOUNDING_FINE_LEAVES));
  for (; rows; rows &= rows - 1) {
    const uint32_t row = p->first + (uint32_t)__builtin_ctz(rows);
    uint32_t close = columns & close_leaves(s, b, q, a->leaf + 6 * (size_t)row);
    for (; close; close &= close - 1) {
      const uint32_t column = q->first + (uint32_t)__builtin_ctz(close);
      s->out->data[s->out->n++] = (SofaElementPair){a->order[row], b->order[column]};
    }
  }
  return SOFA_OK;
}

static bool is_small(const Range *range) {
  return range->leaves && range->last - range->first <= BOUNDING_FINE_LEAVES;
}

static SofaErr visit_ranges(const Search *s, Step step) {
  const SofaBoundingTree *a = s->a, *b = s->b;
  const Range p = range_of(a, step.a), q = range_of(b, step.b);
  if (p.fine && q.fine) return visit_fine(s, p, q);
  if (is_small(&p) && is_small(&q)) return visit_leaves(s, &p, &q);
  for (uint32_t i = p.first; i < p.last; i++) {
    const double *box = box_of(a, p.leaves, i);
    for (uint32_t j = q.first; j < q.last; j++) {
      if (!bounding_close(box, box_of(b, q.leaves, j), s->distance)) continue;
      if (p.leaves && q.leaves) {
        const SofaElementPair pair = {a->order[i], b->order[j]};
        SOFA_TRY(room(s, s->out, 1));
        s->out->data[s->out->n++] = pair;
      } else {
        const Step next = {below(&p, i), below(&q, j)};
        SOFA_TRY(push(s, &s->work->steps, next));
      }
    }
  }
  return SOFA_OK;
}

/* All below a pair of ranges. */
static SofaErr visit_below(const Search *s, Step step) {
  s->work->steps.n = 0;
  SOFA_TRY(push(s, &s->work->steps, step));
  while (s->work->steps.n > 0) SOFA_TRY(visit_ranges(s, s->work->steps.data[--s->work->steps.n]));
  return SOFA_OK;
}

/* ---- threads ---- */

enum {
  LEAST_LEAVES = 8192, /* of both trees, from which on threads are worth while */
  TASKS = 256          /* pairs of ranges that are spread over the threads */
};

typedef struct SofaBoundingTask {
  Step step;
  size_t begin, end; /* of what it found, in the list of its part */
} Task;

static SofaErr set_tasks(const Search *s, const struct SofaBoundingSteps *steps) {
  struct SofaBoundingTasks *tasks = &s->work->tasks;
  if (steps->n > tasks->capacity) SOFA_TRY(reserve(s, tasks, sizeof *tasks->data, 2 * steps->n));
  tasks->n = steps->n;
  for (size_t i = 0; i < steps->n; i++) tasks->data[i] = (Task){.step = steps->data[i]};
  return SOFA_OK;
}

/* Replaces each task by the steps one level below it, in the order in which a search visits them:
 * the last one first. *divided: there was one that is not of leaves alone. */
static SofaErr divide_tasks(const Search *s, bool *divided) {
  SofaBoundingWork *w = s->work;
  *divided = false;
  w->fine.n = 0;
  for (size_t i = 0; i < w->tasks.n; i++) {
    const Step step = w->tasks.data[i].step;
    if (range_of(s->a, step.a).leaves && range_of(s->b, step.b).leaves) {
      SOFA_TRY(push(s, &w->fine, step));
      continue;
    }
    *divided = true;
    w->steps.n = 0;
    SOFA_TRY(visit_ranges(s, step)); // finds steps alone: not both are leaves
    while (w->steps.n > 0) SOFA_TRY(push(s, &w->fine, w->steps.data[--w->steps.n]));
  }
  return set_tasks(s, &w->fine);
}

static SofaErr make_tasks(const Search *s, Step roots) {
  bool divided = true;
  s->work->fine.n = 0;
  SOFA_TRY(push(s, &s->work->fine, roots));
  SOFA_TRY(set_tasks(s, &s->work->fine));
  while (divided && s->work->tasks.n < TASKS) SOFA_TRY(divide_tasks(s, &divided));
  return SOFA_OK;
}

/* Every n-th task, from one on. */
static SofaErr run_part(const Search *s, size_t part, size_t n) {
  struct SofaBoundingTasks *tasks = &s->work->tasks;
  SofaBoundingWork *work = &s->work->part[part];
  const Search own = {s->ctx, s->a, s->b, s->distance, s->kernels, work, &work->found};
  work->found.n = 0;
  for (size_t i = part; i < tasks->n; i += n) {
    tasks->data[i].begin = work->found.n;
    SOFA_TRY(visit_below(&own, tasks->data[i].step));
    tasks->data[i].end = work->found.n;
  }
  return SOFA_OK;
}

static SofaErr have_parts(const Search *s, size_t n) {
  SofaBoundingWork *w = s->work;
  if (n <= w->n_parts) return SOFA_OK;
  SofaBoundingWork *part = sofa_realloc(s->ctx, w->part, n, sizeof *part);
  if (!part) return SOFA_ERR_MEMORY;
  w->part = part;
  sofa_zero(part + w->n_parts, (n - w->n_parts) * sizeof *part);
  w->n_parts = n;
  return SOFA_OK;
}

/* What the parts found, in the order of the tasks. */
static SofaErr join_parts(const Search *s, size_t n) {
  const struct SofaBoundingTasks *tasks = &s->work->tasks;
  size_t sum = 0;
  for (size_t i = 0; i < n; i++) sum += s->work->part[i].found.n;
  SOFA_TRY(room(s, s->out, sum));
  for (size_t i = 0; i < tasks->n; i++) {
    const Task *task = &tasks->data[i];
    const size_t count = task->end - task->begin;
    if (count)
      sofa_copy(s->out->data + s->out->n, s->work->part[i % n].found.data + task->begin,
                count * sizeof *s->out->data);
    s->out->n += count;
  }
  return SOFA_OK;
}

typedef struct Parts {
  const Search *search;
  size_t n;
} Parts;

static SofaErr search_part(void *user, size_t i) {
  const Parts *p = user;
  return run_part(p->search, i, p->n);
}

static SofaErr search_on_threads(const Search *s, Step roots, int threads) {
  const size_t n = (size_t)threads;
  Parts parts = {.search = s, .n = n};
  SOFA_TRY(have_parts(s, n));
  SOFA_TRY(make_tasks(s, roots));
  SOFA_TRY(sofa_team_try(s->ctx, n, search_part, &parts));
  return join_parts(s, n);
}

SofaErr sofa_bounding_tree_pairs(SofaContext *ctx, SofaBoundingTree *a, SofaBoundingTree *b,
                                 double distance, SofaBoundingWork *work, SofaElementPairs *out) {
  const Search search = {ctx, a, b, distance, box_kernels(ctx), work, out};
  sofa_bounding_tree_settle(ctx, a);
  sofa_bounding_tree_settle(ctx, b);
  if (!a->n_cells || !b->n_cells) return SOFA_OK;
  const Step roots = {0, 0};
  if (ctx->threads > 1 && a->n + b->n >= LEAST_LEAVES)
    return search_on_threads(&search, roots, ctx->threads);
  return visit_below(&search, roots);
}
