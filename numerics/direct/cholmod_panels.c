/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Y = L^-1 P J^T with a factor of CHOLMOD. A column of Y has entries in the nodes of the
 * elimination tree between those of its row of J and the root alone (Gilbert, Predicting structure
 * in sparse matrix computations, 1994). Rows of J are sorted by where their elimination begins, so
 * that those that reach a node are neighbours: a panel of them has a dense block per node, from the
 * first row of the node that one of them reaches. The triangle of a supernode is solved by products
 * with the inverses of its small diagonal blocks: small triangular solutions of BLAS run at a fifth
 * of the speed of its products. Panels are independent, and their partition does not depend on the
 * number of threads: neither do the bits. */

#include "base/bytes.h"
#include "base/team.h"
#include "numerics/direct/cholmod_impl.h"
#include "numerics/direct/lapack_impl.h"

/* Rows of the diagonal blocks; rows of an ancestor from which on a product is subtracted where it
 * belongs, instead of by way of a buffer. */
enum { BLOCK = 16, DIRECT = 32 };

static const double one = 1, zero = 0, minus_one = -1;

/* ---- the elimination tree ---- */

/* The first row below the diagonal in a node, or -1. */
static int first_below(const cholmod_factor *l, size_t node) {
  if (l->is_super) {
    const int *super = l->super, *pi = l->pi, *row = l->s;
    const int columns = super[node + 1] - super[node], rows = pi[node + 1] - pi[node];
    return rows > columns ? row[pi[node] + columns] : -1;
  }
  const int *p = l->p, *nz = l->nz, *row = l->i;
  return nz[node] > 1 ? row[p[node] + 1] : -1;
}

static SofaErr make_tree(SofaContext *ctx, Factor *f) {
  EliminationTree *t = &f->tree;
  const size_t n = f->l->n, n_nodes = f->l->is_super ? f->l->nsuper : n;
  const int *super = f->l->super;
  if (t->n_nodes) return SOFA_OK;
  t->rank = sofa_alloc(ctx, n + 1, sizeof *t->rank);
  t->node = sofa_alloc(ctx, n + 1, sizeof *t->node);
  t->next = sofa_alloc(ctx, n_nodes + 1, sizeof *t->next);
  if (!t->rank || !t->node || !t->next) {
    cholmod_tree_free(ctx, t);
    return SOFA_ERR_MEMORY;
  }
  for (size_t k = 0; k < n; k++) t->rank[f->order[k]] = (int)k;
  for (size_t s = 0; s < n_nodes; s++) {
    const int first = f->l->is_super ? super[s] : (int)s;
    const int last = f->l->is_super ? super[s + 1] : (int)s + 1;
    for (int k = first; k < last; k++) t->node[k] = (int)s;
    t->next[s] = first_below(f->l, s);
  }
  t->n_nodes = n_nodes;
  return SOFA_OK;
}

/* ---- the pattern of the panels ---- */

int cholmod_first_rank(const EliminationTree *t, const SofaSparseRows *j, size_t row) {
  int first = t->rank[j->column[j->start[row]]];
  for (uint32_t k = j->start[row] + 1; k < j->start[row + 1]; k++)
    if (t->rank[j->column[k]] < first) first = t->rank[j->column[k]];
  return first;
}

/* Rows with entries by their first eliminated row (counting sort, equal ones as they come). */
static SofaErr sort_rows(SofaContext *ctx, const EliminationTree *t, size_t n,
                         const SofaSparseRows *j, InverseWork *work) {
  SOFA_TRY(CHOLMOD_GROW(ctx, &work->count, n + 1));
  SOFA_TRY(CHOLMOD_GROW(ctx, &work->order, j->n_rows));
  uint32_t *at = work->count.data;
  sofa_zero(at, (n + 1) * sizeof *at);
  for (size_t i = 0; i < j->n_rows; i++)
    if (j->start[i] < j->start[i + 1]) at[cholmod_first_rank(t, j, i) + 1]++;
  for (size_t k = 0; k < n; k++) at[k + 1] += at[k];
  work->order.n = at[n];
  for (size_t i = 0; i < j->n_rows; i++)
    if (j->start[i] < j->start[i + 1])
      work->order.data[at[cholmod_first_rank(t, j, i)]++] = (uint32_t)i;
  return SOFA_OK;
}

/* The columns of a panel that reach each node, a range with those between that do not, and the
 * first row of the node that they reach. */
static void mark_nodes(const EliminationTree *t, const SofaSparseRows *j, InverseWork *work,
                       const Panel *p) {
  int *lo = work->lo.data, *end = work->end.data, *first = work->first.data;
  for (size_t s = 0; s < t->n_nodes; s++) end[s] = 0;
  for (int c = 0; c < p->columns; c++) {
    const size_t i = work->order.data[p->first + (size_t)c];
    for (uint32_t k = j->start[i]; k < j->start[i + 1]; k++) {
      bool known = false;
      for (int row = t->rank[j->column[k]]; row >= 0 && !known; row = t->next[t->node[row]]) {
        const int node = t->node[row];
        known = end[node] == c + 1;
        if (!end[node]) lo[node] = c;
        if (!end[node] || row < first[node]) first[node] = row;
        end[node] = c + 1;
      }
    }
  }
}

/* Neighbours of a simplicial factor with the same columns are one block. */
static SofaErr add_node(SofaContext *ctx, const cholmod_factor *l, size_t node, Panel *p,
                        InverseWork *work) {
  const int *super = l->super, lo = work->lo.data[node], first = work->first.data[node];
  PanelBlock *last = p->n_blocks ? &work->blocks.data[work->blocks.n - 1] : NULL;
  const PanelBlock next = {.row = first,
                           .n = l->is_super ? super[node + 1] - first : 1,
                           .lo = lo,
                           .columns = work->end.data[node] - lo,
                           .at = p->at + p->n_reals};
  p->n_reals += (size_t)next.n * (size_t)next.columns;
  work->reached.data[node] = 1;
  if (!l->is_super && last && last->row + last->n == next.row && last->lo == lo &&
      last->columns == next.columns) {
    last->n++;
    return SOFA_OK;
  }
  p->n_blocks++;
  return SOFA_APPEND(ctx, &work->blocks, &next);
}

static SofaErr find_panels(SofaContext *ctx, const Factor *f, const SofaSparseRows *j,
                           InverseWork *work) {
  const EliminationTree *t = &f->tree;
  const size_t n = work->order.n, n_panels = (n + PANEL_COLUMNS - 1) / PANEL_COLUMNS;
  work->panels.n = work->blocks.n = work->n_reals = 0;
  SOFA_TRY(CHOLMOD_GROW(ctx, &work->lo, t->n_nodes));
  SOFA_TRY(CHOLMOD_GROW(ctx, &work->end, t->n_nodes));
  SOFA_TRY(CHOLMOD_GROW(ctx, &work->first, t->n_nodes));
  SOFA_TRY(CHOLMOD_GROW(ctx, &work->reached, t->n_nodes));
  for (size_t s = 0; s < t->n_nodes; s++) work->reached.data[s] = 0;
  for (size_t k = 0; k < n_panels; k++) {
    const size_t first = k * n / n_panels, end = (k + 1) * n / n_panels;
    Panel p = {first, (int)(end - first), work->blocks.n, 0, work->n_reals, 0};
    mark_nodes(t, j, work, &p);
    for (size_t s = 0; s < t->n_nodes; s++)
      if (work->end.data[s]) SOFA_TRY(add_node(ctx, f->l, s, &p, work));
    work->n_reals += p.n_reals;
    SOFA_TRY(SOFA_APPEND(ctx, &work->panels, &p));
  }
  return SOFA_OK;
}

SofaErr cholmod_make_panels(SofaCholmodSolver *s, const SofaSparseRows *j, Factor **out) {
  Factor *f = *out = s->used == &s->best ? &s->best : &s->indefinite;
  SOFA_TRY(make_tree(s->ctx, f));
  SOFA_TRY(sort_rows(s->ctx, &f->tree, f->l->n, j, &s->inverse));
  return find_panels(s->ctx, f, j, &s->inverse);
}

/* ---- inverses of the diagonal blocks ---- */

static int smaller(int a, int b) {
  return a < b ? a : b;
}

/* Of the block of n rows at the diagonal entry x: column by column, zeros above the diagonal. */
static void invert_block(int n, const double *x, int ld, double *inverse) {
  double row[BLOCK][BLOCK] = {{0}}; /* of the inverse */
  for (int i = 0; i < n; i++) {
    row[i][i] = 1;
    for (int k = 0; k < i; k++)
      for (int c = 0; c < BLOCK; c++)
        row[i][c] -= x[(size_t)k * (size_t)ld + (size_t)i] * row[k][c];
    const double pivot = 1 / x[(size_t)i * ((size_t)ld + 1)]; /* of a factor: not 0 */
    for (int c = 0; c < BLOCK; c++) row[i][c] *= pivot;
  }
  for (int c = 0; c < n; c++)
    for (int i = 0; i < n; i++) inverse[c * n + i] = row[i][c];
}

typedef struct Inverting {
  const cholmod_factor *l;
  const InverseWork *work;
} Inverting;
enum { INVERTED_NODES = 16 }; /* by a thread at once */

/* Those of the nodes that a panel reaches; the block that begins at row r of L is at BLOCK r. */
static void invert_blocks(void *user, size_t begin, size_t end) {
  const Inverting *v = user;
  const int *super = v->l->super, *pi = v->l->pi, *px = v->l->px;
  for (size_t node = begin; node < end; node++) {
    const int ld = pi[node + 1] - pi[node], n = super[node + 1] - super[node];
    const double *x = (const double *)v->l->x + px[node];
    for (int at = 0; at < n && v->work->reached.data[node]; at += BLOCK)
      invert_block(smaller(BLOCK, n - at), x + (size_t)at * ((size_t)ld + 1), ld,
                   v->work->diagonal.data + (size_t)(super[node] + at) * BLOCK);
  }
}

/* ---- Y ---- */

/* A panel at work. */
typedef struct Solve {
  const cholmod_factor *l;
  const PanelBlock *block;
  double *y, *z; /* z: NULL, or D^-1 y */
  const double *diagonal;
  int *place;     /* the block of each row of L */
  double *buffer; /* PANEL_COLUMNS rows of the largest supernode */
} Solve;

/* The part of a supernode that a panel reaches. */
typedef struct Supernode {
  const PanelBlock *block;
  const double *x; /* its columns, from the first that is reached; row 0 is the first of all */
  const int *rows; /* below the triangle */
  int ld, n, below;
  int skipped; /* rows that are not reached */
  double *y;
} Supernode;

static const PanelBlock *block_of(const Solve *s, int row) {
  return &s->block[s->place[row]];
}

/* to -= factor from */
static void subtract(int n, double factor, const double *restrict from, double *restrict to) {
  for (int c = 0; c < n; c++) to[c] -= factor * from[c];
}

/* Where the row of an ancestor begins, for the first column of the supernode; *ld: from column to
 * column. */
static double *place_of(const Solve *s, const Supernode *v, int row, int *ld) {
  const PanelBlock *to = block_of(s, row);
  *ld = to->n;
  return s->y + to->at + (size_t)(v->block->lo - to->lo) * (size_t)to->n + (row - to->row);
}

/* rows first, first + 1, ... below the triangle, n of them: y of the ancestor -= L y */
static void subtract_direct(const Solve *s, const Supernode *v, int first, int n) {
  int ld;
  double *to = place_of(s, v, v->rows[first], &ld);
  dgemm_("N", "N", &n, &v->block->columns, &v->block->n, &minus_one, v->x + v->n + first, &v->ld,
         v->y, &v->block->n, &one, to, &ld, 1, 1);
}

/* The rows `end` is the end of, from `first` on, are of one ancestor; *follow: each the next. */
static int piece_end(const Solve *s, const Supernode *v, int first, bool *follow) {
  const int place = s->place[v->rows[first]];
  int end = first + 1;
  while (end < v->below && s->place[v->rows[end]] == place) end++;
  *follow = v->rows[end - 1] - v->rows[first] == end - 1 - first;
  return end;
}

static void subtract_buffer(const Solve *s, const Supernode *v, int first, int end) {
  const int n = end - first;
  bool follow;
  if (n == 0) return;
  dgemm_("N", "N", &n, &v->block->columns, &v->block->n, &one, v->x + v->n + first, &v->ld, v->y,
         &v->block->n, &zero, s->buffer, &n, 1, 1);
  for (int i = first, next; i < end; i = next) {
    int ld;
    next = piece_end(s, v, i, &follow);
    double *to = place_of(s, v, v->rows[i], &ld);
    const double *from = s->buffer + (i - first);
    for (int c = 0; c < v->block->columns; c++, to += ld, from += n)
      for (int k = 0; k < next - i; k++) to[v->rows[i + k] - v->rows[i]] -= from[k];
  }
}

/* What the supernode subtracts from its ancestors. */
static void subtract_below(const Solve *s, const Supernode *v) {
  int waiting = 0;
  for (int first = 0, end; first < v->below; first = end) {
    bool follow;
    end = piece_end(s, v, first, &follow);
    if (!follow || end - first < DIRECT) continue;
    subtract_buffer(s, v, waiting, first);
    subtract_direct(s, v, first, end - first);
    waiting = end;
  }
  subtract_buffer(s, v, waiting, v->below);
}

/* The rows of a diagonal block that begins at row `at` of the supernode. */
static void solve_block(const Solve *s, const Supernode *v, int at) {
  const int first = at < v->skipped ? v->skipped : at, n = smaller(BLOCK, v->n - at);
  const int rows = at + n - first, above = first - v->skipped, columns = v->block->columns;
  double *y = v->y + above;
  const double *inverse = s->diagonal + (size_t)(v->block->row - v->skipped + at) * BLOCK;
  if (above > 0)
    dgemm_("N", "N", &rows, &columns, &above, &minus_one, v->x + first, &v->ld, v->y, &v->block->n,
           &one, y, &v->block->n, 1, 1);
  for (int c = 0; c < columns; c++)
    for (int i = 0; i < rows; i++)
      s->buffer[c * rows + i] = y[(size_t)c * (size_t)v->block->n + (size_t)i];
  dgemm_("N", "N", &rows, &columns, &rows, &one, inverse + (first - at) * (n + 1), &n, s->buffer,
         &rows, &zero, y, &v->block->n, 1, 1);
}

static void solve_supernode(const Solve *s, const PanelBlock *b, int node) {
  const int *pi = s->l->pi, *px = s->l->px, *super = s->l->super;
  const int ld = pi[node + 1] - pi[node], n = super[node + 1] - super[node];
  const int skipped = b->row - super[node];
  const Supernode v = {.block = b,
                       .x = (const double *)s->l->x + px[node] + (size_t)skipped * (size_t)ld,
                       .rows = (const int *)s->l->s + pi[node] + n,
                       .ld = ld,
                       .n = n,
                       .below = ld - n,
                       .skipped = skipped,
                       .y = s->y + b->at};
  for (int at = skipped - skipped % BLOCK; at < n; at += BLOCK) solve_block(s, &v, at);
  subtract_below(s, &v);
}

static void solve_column(const Solve *s, const PanelBlock *b, int column) {
  const int *p = s->l->p, *nz = s->l->nz, *rows = s->l->i;
  const double *x = (const double *)s->l->x + p[column];
  double *y = s->y + b->at + (size_t)(column - b->row) * (size_t)b->columns;
  double *z = s->z ? s->z + (y - s->y) : NULL;
  for (int c = 0; c < b->columns && s->l->is_ll; c++) y[c] /= x[0];
  for (int c = 0; c < b->columns && z; c++) z[c] = y[c] / x[0];
  for (int k = 1; k < nz[column]; k++) {
    const int row = rows[p[column] + k];
    const PanelBlock *to = block_of(s, row);
    const size_t at = to->at + (size_t)(row - to->row) * (size_t)to->columns;
    subtract(b->columns, x[k], y, s->y + at + (b->lo - to->lo));
  }
}

static void fill_panel(const EliminationTree *t, const SofaSparseRows *j, const InverseWork *work,
                       const Panel *p, const Solve *s) {
  sofa_zero(s->y + p->at, p->n_reals * sizeof *s->y);
  for (int c = 0; c < p->columns; c++) {
    const size_t i = work->order.data[p->first + (size_t)c];
    for (uint32_t k = j->start[i]; k < j->start[i + 1]; k++) {
      const int row = t->rank[j->column[k]];
      const PanelBlock *b = block_of(s, row);
      const size_t in_row = (size_t)(row - b->row), in_column = (size_t)(c - b->lo);
      s->y[b->at + (s->l->is_super ? in_column * (size_t)b->n + in_row
                                   : in_row * (size_t)b->columns + in_column)] += j->value[k];
    }
  }
}

static void solve_panel(const EliminationTree *t, const SofaSparseRows *j, const InverseWork *work,
                        const Panel *p, const Solve *s) {
  for (size_t k = 0; k < p->n_blocks; k++)
    for (int i = 0; i < s->block[k].n; i++) s->place[s->block[k].row + i] = (int)k;
  fill_panel(t, j, work, p, s);
  for (size_t k = 0; k < p->n_blocks; k++) {
    const PanelBlock *b = &s->block[k];
    if (s->l->is_super) solve_supernode(s, b, t->node[b->row]);
    else
      for (int i = 0; i < b->n; i++) solve_column(s, b, b->row + i);
  }
}

typedef struct Filling {
  const Factor *f;
  const SofaSparseRows *j;
  InverseWork *work;
  double *y;
  size_t room; /* reals of the buffer of a thread */
} Filling;

static void fill_piece(void *user, size_t k) {
  const Filling *fill = user;
  InverseWork *work = fill->work;
  const cholmod_factor *l = fill->f->l;
  const Panel *p = &work->panels.data[k];
  const size_t room = sofa_rooms_take(&work->rooms);
  const Solve s = {.l = l,
                   .block = work->blocks.data + p->first_block,
                   .y = fill->y,
                   .z = l->is_ll ? NULL : work->z.data,
                   .diagonal = work->diagonal.data,
                   .place = work->place.data + room * l->n,
                   .buffer = work->buffer.data + room * fill->room};
  solve_panel(&fill->f->tree, fill->j, work, p, &s);
  sofa_rooms_give(&work->rooms, room);
}

SofaErr cholmod_fill_panels(SofaCholmodSolver *s, const SofaSparseRows *j, const Factor *f,
                            SofaReals *y) {
  InverseWork *work = &s->inverse;
  const size_t threads = (size_t)s->ctx->threads;
  const size_t rows = f->l->is_super && f->l->maxesize > BLOCK ? f->l->maxesize : BLOCK;
  SOFA_TRY(CHOLMOD_GROW(s->ctx, y, work->n_reals));
  if (!f->l->is_ll) SOFA_TRY(CHOLMOD_GROW(s->ctx, &work->z, work->n_reals));
  SOFA_TRY(CHOLMOD_GROW(s->ctx, &work->place, threads * f->l->n));
  SOFA_TRY(CHOLMOD_GROW(s->ctx, &work->buffer, threads * PANEL_COLUMNS * rows));
  SOFA_TRY(sofa_rooms_make(s->ctx, &work->rooms, threads));
  if (f->l->is_super) {
    Inverting inverting = {f->l, work};
    SOFA_TRY(CHOLMOD_GROW(s->ctx, &work->diagonal, BLOCK * f->l->n));
    sofa_team_for(s->ctx, f->l->nsuper, INVERTED_NODES, invert_blocks, &inverting);
  }
  Filling fill = {f, j, work, y->data, work->buffer.n / threads};
  sofa_team_run(s->ctx, work->panels.n, fill_piece, &fill);
  return SOFA_OK;
}
