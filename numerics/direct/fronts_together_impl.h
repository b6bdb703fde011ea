/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A factorization on several threads: subtrees first, then the parts of each front above them. Part
 * of fronts_numeric_impl.h. */

/* Multiplications of a front from which its parts are shared, and of a part of them. */
#define PARALLEL_WORK 2e5
#define PIECE_WORK 6e4
enum { PIECE_COLUMNS = 2 * FRONT_ROWS };

/* ---- subtrees ---- */

static FrontReal *room_of(const SofaFronts *f) {
  return (FrontReal *)(void *)f->room.data;
}

static void do_task(void *user, size_t t) {
  const Run *run = user;
  const SofaFronts *f = run->plan;
  const FrontMode mode = front_mode_begin();
  const size_t room = sofa_rooms_take(&f->rooms);
  f->bad.data[t] =
      factorise_nodes(run, f->task.data[t], f->task.data[t + 1], room_of(f) + room * f->task_room);
  sofa_rooms_give(&f->rooms, room);
  front_mode_end(mode);
}

/* The first column that failed in a task, or -1. */
static int factorise_tasks(const Run *run) {
  const SofaFronts *f = run->plan;
  const size_t n = f->task.n - 1;
  int bad = -1;
  sofa_team_run(f->ctx, n, do_task, (void *)(uintptr_t)run);
  for (size_t t = 0; t < n; t++)
    if (f->bad.data[t] >= 0 && (bad < 0 || f->bad.data[t] < bad)) bad = f->bad.data[t];
  return bad;
}

/* ---- a front ---- */

/* A front whose parts are shared. */
typedef struct Shared {
  const Run *run;
  const FrontNode *node;
  Front f;
  int begin, end;   /* columns that are factorised */
  int below, grain; /* the first group of rows below them; groups of a piece */
} Shared;

static void share(const Shared *s, size_t n, SofaTeamWork work) {
  sofa_team_run(s->run->plan->ctx, n, work, (void *)(uintptr_t)s);
}

static int pieces_of(int columns) {
  return (columns + PIECE_COLUMNS - 1) / PIECE_COLUMNS;
}

/* The first of a child's rows, ascending in the parent, that is there at `row` or behind. */
static int first_from(const FrontChild *child, int row) {
  int low = 0, high = child->rows;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (child->to[middle] < row) low = middle + 1;
    else high = middle;
  }
  return low;
}

static void zero_panel(const Front *f, int begin, int end) {
  for (int g = 0; g < f->n_groups; g++) {
    FrontReal *group = f->panel + (size_t)g * (size_t)f->columns * FRONT_ROWS;
    sofa_zero(group + (size_t)begin * FRONT_ROWS,
              (size_t)(end - begin) * FRONT_ROWS * sizeof *group);
  }
}

/* Some columns, of the panel or of the update. */
static void assemble_piece(void *user, size_t piece) {
  const Shared *s = user;
  const SofaFronts *plan = s->run->plan;
  const Front *f = &s->f;
  const int in_panel = pieces_of(f->columns), p = (int)piece;
  const int last = p < in_panel ? f->columns : f->rows;
  const int begin = p < in_panel ? p * PIECE_COLUMNS : f->columns + (p - in_panel) * PIECE_COLUMNS;
  const int end = last - begin < PIECE_COLUMNS ? last : begin + PIECE_COLUMNS;
  const FrontMode mode = front_mode_begin();
  if (p < in_panel) {
    zero_panel(f, begin, end);
    put_entries(s->run, s->node, f, begin, end);
  } else if (!f->fresh) {
    const int group = (begin - f->columns) / FRONT_ROWS;
    clear_update(f, group, group + (end - begin + FRONT_ROWS - 1) / FRONT_ROWS);
  }
  for (int c = s->node[0].child_first; c < s->node[1].child_first; c++) {
    const FrontChild child = child_of(plan, plan->child.data[c]);
    s->run->kernels->add(f, &child, first_from(&child, begin), first_from(&child, end));
  }
  front_mode_end(mode);
}

static void below_piece(void *user, size_t piece) {
  const Shared *s = user;
  const int group = s->below + (int)piece * s->grain, left = s->f.n_groups - group;
  const FrontMode mode = front_mode_begin();
  s->run->kernels->below(&s->f, s->begin, s->end, group,
                         group + (left < s->grain ? left : s->grain));
  front_mode_end(mode);
}

/* The last pieces are begun first: they are the long columns of the update. */
static void finish_piece(void *user, size_t piece) {
  const Shared *s = user;
  const Front *f = &s->f;
  const size_t stores = (size_t)pieces_of(f->columns);
  const FrontMode mode = front_mode_begin();
  if (piece < stores) {
    const int begin = (int)piece * PIECE_COLUMNS, left = f->columns - begin;
    s->run->kernels->store(f, s->run->l + s->node->l, begin,
                           begin + (left < PIECE_COLUMNS ? left : PIECE_COLUMNS));
  } else {
    s->run->kernels->update(f, f->n_groups - 1 - (int)(piece - stores));
  }
  front_mode_end(mode);
}

static void factorise_below(Shared *s) {
  const double of_group = (double)FRONT_ROWS * (s->end - s->begin) * (s->begin + s->end) / 2;
  const int groups = s->f.n_groups - s->below;
  s->grain = 1 + (int)(PIECE_WORK / of_group);
  if (groups > 0) share(s, (size_t)((groups - 1) / s->grain + 1), below_piece);
}

static int factorise_large(const Run *run, int k) {
  const FrontNode *node = &run->plan->nodes.data[k];
  Shared s = {.run = run, .node = node, .f = front_of(run->plan, node, room_of(run->plan))};
  const int columns = s.f.columns, updates = s.f.rows - columns;
  share(&s, (size_t)(pieces_of(columns) + pieces_of(updates)), assemble_piece);
  for (; s.begin < columns; s.begin = s.end) {
    s.end = block_end(&s.f, s.begin);
    const int bad = run->kernels->diagonal(&s.f, s.begin, s.end);
    if (bad >= 0) return node->first + bad;
    s.below = group_below(&s.f, s.end);
    factorise_below(&s);
  }
  share(&s, (size_t)(pieces_of(columns) + update_groups(&s.f)), finish_piece);
  return -1;
}

static double work_of(const FrontNode *node) {
  return (double)node->columns * node->rows * node->rows / 2;
}

/* Nodes above the tasks. */
static int factorise_top(const Run *run) {
  const SofaFronts *plan = run->plan;
  const int begin = plan->task.data[plan->task.n - 1], end = (int)plan->nodes.n - 1;
  for (int i = begin; i < end; i++) {
    const int k = plan->order.data[i];
    const bool large = plan->threads > 1 && work_of(&plan->nodes.data[k]) > PARALLEL_WORK;
    const int bad = large ? factorise_large(run, k) : factorise_node(run, k, room_of(plan));
    if (bad >= 0) return bad;
  }
  return -1;
}
