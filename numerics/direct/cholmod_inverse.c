/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* J A^-1 J^T with a factor of CHOLMOD: Y^T D^-1 Y for Y = L^-1 P J^T. A column of Y has entries in
 * the nodes of the elimination tree between those of its row of J and the root alone (Gilbert,
 * Predicting structure in sparse matrix computations, 1994). Rows of J are
 * sorted by where their elimination begins, so that those that reach a node are neighbours: each
 * node has a dense block of them, and all work is in dense kernels. Panels of columns and the
 * products of pairs of panels are independent, and their partition does not depend on the number
 * of threads: neither do the bits. */
#include <omp.h>
#include <string.h>

#include "base/bytes.h"
#include "numerics/direct/cholmod_impl.h"
#include "numerics/direct/lapack_impl.h"

/* Columns of a panel, and of the update of a supernode, at most. */
enum { WIDTH = 384, STRIP = 96 };

static const double one = 1, zero = 0;

void cholmod_tree_free(SofaContext *ctx, EliminationTree *tree) {
  sofa_free(ctx, tree->rank);
  sofa_free(ctx, tree->node);
  sofa_free(ctx, tree->parent);
  *tree = (EliminationTree){0};
}

void cholmod_inverse_free(SofaContext *ctx, InverseWork *work) {
  sofa_list_free(ctx, &work->order);
  sofa_list_free(ctx, &work->count);
  sofa_list_free(ctx, &work->lo);
  sofa_list_free(ctx, &work->end);
  sofa_list_free(ctx, &work->panels);
  sofa_list_free(ctx, &work->blocks);
  sofa_list_free(ctx, &work->y);
  sofa_list_free(ctx, &work->z);
  sofa_list_free(ctx, &work->place);
  sofa_list_free(ctx, &work->update);
  sofa_list_free(ctx, &work->tile);
}

SofaErr cholmod_grow(SofaContext *ctx, void *list, size_t size, size_t n) {
  const SofaAnyList *any = list;
  if (n > any->capacity) SOFA_TRY(sofa_list_reserve(ctx, list, size, n + n / 2));
  return sofa_list_resize(ctx, list, size, n);
}

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
  t->parent = sofa_alloc(ctx, n_nodes + 1, sizeof *t->parent);
  if (!t->rank || !t->node || !t->parent) {
    cholmod_tree_free(ctx, t);
    return SOFA_ERR_MEMORY;
  }
  for (size_t k = 0; k < n; k++) t->rank[f->order[k]] = (int)k;
  for (size_t s = 0; s < n_nodes; s++) {
    const int first = f->l->is_super ? super[s] : (int)s;
    const int last = f->l->is_super ? super[s + 1] : (int)s + 1;
    for (int k = first; k < last; k++) t->node[k] = (int)s;
  }
  for (size_t s = 0; s < n_nodes; s++) {
    const int row = first_below(f->l, s);
    t->parent[s] = row < 0 ? -1 : t->node[row];
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

/* The columns of a panel that reach each node: a range, with those between that do not. */
static void mark_nodes(const EliminationTree *t, const SofaSparseRows *j, InverseWork *work,
                       const Panel *p) {
  int *lo = work->lo.data, *end = work->end.data;
  for (size_t s = 0; s < t->n_nodes; s++) end[s] = 0;
  for (int c = 0; c < p->columns; c++) {
    const size_t i = work->order.data[p->first + (size_t)c];
    for (uint32_t k = j->start[i]; k < j->start[i + 1]; k++) {
      int node = t->node[t->rank[j->column[k]]];
      for (; node >= 0 && end[node] != c + 1; node = t->parent[node]) {
        if (!end[node]) lo[node] = c;
        end[node] = c + 1;
      }
    }
  }
}

/* Neighbours of a simplicial factor with the same columns are one block. */
static SofaErr add_node(SofaContext *ctx, const cholmod_factor *l, size_t node, Panel *p,
                        InverseWork *work) {
  const int *super = l->super, lo = work->lo.data[node];
  PanelBlock *last = p->n_blocks ? &work->blocks.data[work->blocks.n - 1] : NULL;
  const PanelBlock next = {.row = l->is_super ? super[node] : (int)node,
                           .n = l->is_super ? super[node + 1] - super[node] : 1,
                           .lo = lo,
                           .columns = work->end.data[node] - lo,
                           .at = p->at + p->n_reals};
  p->n_reals += (size_t)next.n * (size_t)next.columns;
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
  const size_t n = work->order.n, n_panels = (n + WIDTH - 1) / WIDTH;
  work->panels.n = work->blocks.n = work->n_reals = 0;
  SOFA_TRY(CHOLMOD_GROW(ctx, &work->lo, t->n_nodes));
  SOFA_TRY(CHOLMOD_GROW(ctx, &work->end, t->n_nodes));
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

/* ---- Y ---- */

/* A panel at work. */
typedef struct Solve {
  const cholmod_factor *l;
  const PanelBlock *block;
  double *y, *z; /* z: NULL, or D^-1 y */
  int *place;    /* the block of each row of L */
  double *update;
} Solve;

static const PanelBlock *block_of(const Solve *s, int row) {
  return &s->block[s->place[row]];
}

/* to -= factor from */
static void subtract(int n, double factor, const double *restrict from, double *restrict to) {
  for (int c = 0; c < n; c++) to[c] -= factor * from[c];
}

/* Columns first, first + 1, ... of a block. */
typedef struct Strip {
  const PanelBlock *of;
  int first, n;
} Strip;

/* Of an ancestor's block: n rows minus those of the update of a strip. */
static void subtract_rows(const Solve *s, const Strip *strip, const int *rows, int n,
                          const double *update, int ld) {
  const PanelBlock *to = block_of(s, rows[0]);
  const int column = strip->of->lo + strip->first - to->lo, first = to->row;
  double *y = s->y + to->at + (size_t)column * (size_t)to->n;
  for (int c = 0; c < strip->n; c++, y += to->n, update += ld)
    for (int i = 0; i < n; i++) y[rows[i] - first] -= update[i];
}

/* What the rows of a supernode subtract from those below, for columns that stay in the cache. */
static void subtract_strip(const Solve *s, int node, const Strip *strip) {
  const PanelBlock *b = strip->of;
  const int *pi = s->l->pi, *rows = (const int *)s->l->s + pi[node] + b->n;
  const int ld = pi[node + 1] - pi[node], below = ld - b->n;
  const double *x = (const double *)s->l->x + ((const int *)s->l->px)[node] + b->n;
  const double *y = s->y + b->at + (size_t)strip->first * (size_t)b->n;
  dgemm_("N", "N", &below, &strip->n, &b->n, &one, x, &ld, y, &b->n, &zero, s->update, &below, 1,
         1);
  for (int i = 0, n = 0; i < below; i += n) {
    const int place = s->place[rows[i]];
    for (n = 1; i + n < below && s->place[rows[i + n]] == place;) n++;
    subtract_rows(s, strip, rows + i, n, s->update + i, below);
  }
}

static void solve_supernode(const Solve *s, const PanelBlock *b, int node) {
  const int *pi = s->l->pi, *px = s->l->px;
  const int ld = pi[node + 1] - pi[node];
  const double *x = (const double *)s->l->x + px[node];
  dtrsm_("L", "L", "N", "N", &b->n, &b->columns, &one, x, &ld, s->y + b->at, &b->n, 1, 1, 1, 1);
  for (int first = 0; first < b->columns && ld > b->n; first += STRIP) {
    const int n = b->columns - first < STRIP ? b->columns - first : STRIP;
    subtract_strip(s, node, &(Strip){b, first, n});
  }
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

static void solve_panels(const Factor *f, const SofaSparseRows *j, InverseWork *work, int threads) {
  const size_t n = f->l->n, update = work->update.n / (size_t)threads;
#pragma omp parallel for schedule(dynamic) num_threads(threads)
  for (size_t k = 0; k < work->panels.n; k++) {
    const Panel *p = &work->panels.data[k];
    const size_t thread = (size_t)omp_get_thread_num();
    const Solve s = {.l = f->l,
                     .block = work->blocks.data + p->first_block,
                     .y = work->y.data,
                     .z = f->l->is_ll ? NULL : work->z.data,
                     .place = work->place.data + thread * n,
                     .update = work->update.data + thread * update};
    solve_panel(&f->tree, j, work, p, &s);
  }
}

SofaErr cholmod_fill_panels(SofaCholmodSolver *s, const SofaSparseRows *j, const Factor *f) {
  InverseWork *work = &s->inverse;
  const size_t threads = (size_t)s->ctx->threads;
  SOFA_TRY(CHOLMOD_GROW(s->ctx, &work->y, work->n_reals));
  if (!f->l->is_ll) SOFA_TRY(CHOLMOD_GROW(s->ctx, &work->z, work->n_reals));
  SOFA_TRY(CHOLMOD_GROW(s->ctx, &work->place, threads * f->l->n));
  SOFA_TRY(CHOLMOD_GROW(s->ctx, &work->update, threads * STRIP * (f->l->maxesize + 1)));
  solve_panels(f, j, work, s->ctx->threads);
  return SOFA_OK;
}

/* ---- Y^T D^-1 Y ---- */

/* The rows that two blocks share. */
typedef struct Shared {
  const PanelBlock *p, *q;
  int row, n;
} Shared;

/* tile += Y_p^T Z_q over the rows; of a panel with itself, of L L^T, one half. */
static void multiply_blocks(const cholmod_factor *l, const Shared *s, const double *y,
                            const double *z, double *tile) {
  const int ld = WIDTH, ld_y = l->is_super ? s->p->n : s->p->columns,
            ld_z = l->is_super ? s->q->n : s->q->columns;
  const char *of_y = l->is_super ? "T" : "N", *of_z = l->is_super ? "N" : "T";
  y += s->p->at + (size_t)(l->is_super ? 1 : ld_y) * (size_t)(s->row - s->p->row);
  z += s->q->at + (size_t)(l->is_super ? 1 : ld_z) * (size_t)(s->row - s->q->row);
  tile += s->p->lo + WIDTH * s->q->lo;
  if (s->p == s->q && l->is_ll)
    dsyrk_("U", of_y, &s->p->columns, &s->n, &one, y, &ld_y, &one, tile, &ld, 1, 1);
  else
    dgemm_(of_y, of_z, &s->p->columns, &s->q->columns, &s->n, &one, y, &ld_y, z, &ld_z, &one, tile,
           &ld, 1, 1);
}

/* tile = Y_p^T Z_q. False: the panels reach no row together. */
static bool multiply(const cholmod_factor *l, const InverseWork *work, const Panel *p,
                     const Panel *q, double *tile) {
  const PanelBlock *r = &work->blocks.data[p->first_block], *r_end = r + p->n_blocks;
  const PanelBlock *s = &work->blocks.data[q->first_block], *s_end = s + q->n_blocks;
  const double *z = l->is_ll ? work->y.data : work->z.data;
  bool any = false;
  sofa_zero(tile, (size_t)WIDTH * (size_t)q->columns * sizeof *tile);
  while (r < r_end && s < s_end) {
    const int first = r->row > s->row ? r->row : s->row;
    const int r_last = r->row + r->n, s_last = s->row + s->n;
    const int n = (r_last < s_last ? r_last : s_last) - first;
    if (n > 0) multiply_blocks(l, &(Shared){r, s, first, n}, work->y.data, z, tile);
    any |= n > 0;
    if (r_last <= s_last) r++;
    if (s_last <= r_last) s++;
  }
  return any;
}

/* Where entries go. */
typedef struct Target {
  const SofaSparseRows *j;
  double factor, *w;
  size_t ld;
} Target;

static size_t number_of(const SofaSparseRows *j, size_t row) {
  return j->number ? j->number[row] : row;
}

/* Both halves of w, each column by column; of a tile on the diagonal one half counts. */
static void add_tile(const InverseWork *work, const Panel *p, const Panel *q, const double *tile,
                     const Target *to) {
  const uint32_t *rows = work->order.data + p->first, *columns = work->order.data + q->first;
  for (int k = 0; k < q->columns; k++) {
    double *w = to->w + to->ld * number_of(to->j, columns[k]);
    for (int i = 0; i < (p == q ? k + 1 : p->columns); i++)
      w[number_of(to->j, rows[i])] += to->factor * tile[k * WIDTH + i];
  }
  for (int i = 0; i < p->columns; i++) {
    double *w = to->w + to->ld * number_of(to->j, rows[i]);
    for (int k = p == q ? i + 1 : 0; k < q->columns; k++)
      w[number_of(to->j, columns[k])] += to->factor * tile[k * WIDTH + i];
  }
}

static void add_products(const cholmod_factor *l, const InverseWork *work, const Target *to,
                         int threads) {
#pragma omp parallel for schedule(dynamic) num_threads(threads)
  for (size_t k = 0; k < work->panels.n; k++) {
    const Panel *q = &work->panels.data[work->panels.n - 1 - k]; /* the most products first */
    double *tile = work->tile.data + (size_t)omp_get_thread_num() * WIDTH * WIDTH;
    for (const Panel *p = work->panels.data; p <= q; p++) {
      if (multiply(l, work, p, q, tile)) add_tile(work, p, q, tile, to);
    }
  }
}

SofaErr cholmod_add_jainvjt(SofaCholmodSolver *s, const SofaSparseRows *j, double factor, size_t ld,
                            double *w) {
  const Target to = {j, factor, w, ld};
  Factor *f = NULL;
  SOFA_TRY(cholmod_make_panels(s, j, &f));
  SOFA_TRY(cholmod_fill_panels(s, j, f));
  SOFA_TRY(CHOLMOD_GROW(s->ctx, &s->inverse.tile, (size_t)s->ctx->threads * WIDTH * WIDTH));
  add_products(f->l, &s->inverse, &to, s->ctx->threads);
  return SOFA_OK;
}
