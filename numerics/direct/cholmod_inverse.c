/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* J A^-1 J^T with a factor of CHOLMOD: Y^T D^-1 Y for Y = L^-1 P J^T. A column of Y has entries in
 * the nodes of the elimination tree between those of its row of J and the root alone (Gilbert,
 * Predicting structure in sparse matrix computations, 1994). Rows of J whose elimination begins
 * close together share most of that way: they are solved together, as a dense panel over the rows
 * of L that one of them reaches. Panels and the products of pairs of panels are independent, and
 * their partition does not depend on the number of threads: neither do the bits. */
#include <omp.h>
#include <string.h>

#include "base/bytes.h"
#include "numerics/direct/cholmod_impl.h"
#include "numerics/direct/lapack_impl.h"

/* Columns of a panel, at most. */
enum { WIDTH = 64 };

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
  sofa_list_free(ctx, &work->mark);
  sofa_list_free(ctx, &work->panels);
  sofa_list_free(ctx, &work->runs);
  sofa_list_free(ctx, &work->y);
  sofa_list_free(ctx, &work->z);
  sofa_list_free(ctx, &work->place);
  sofa_list_free(ctx, &work->update);
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

/* Marks the nodes that the columns of a panel reach. */
static void mark_nodes(const EliminationTree *t, const SofaSparseRows *j, InverseWork *work,
                       const Panel *p) {
  for (int c = 0; c < p->columns; c++) {
    const size_t i = work->order.data[p->first + (size_t)c];
    for (uint32_t k = j->start[i]; k < j->start[i + 1]; k++) {
      int node = t->node[t->rank[j->column[k]]];
      for (; node >= 0 && work->mark.data[node] != (int)p->first; node = t->parent[node])
        work->mark.data[node] = (int)p->first;
    }
  }
}

static SofaErr add_node(SofaContext *ctx, const cholmod_factor *l, size_t node, Panel *p,
                        PanelRuns *runs) {
  const int *super = l->super;
  const int first = l->is_super ? super[node] : (int)node;
  const int n = l->is_super ? super[node + 1] - first : 1;
  PanelRun *last = p->n_runs ? &runs->data[runs->n - 1] : NULL;
  const PanelRun next = {first, n, p->n_rows};
  p->n_rows += (size_t)n;
  if (last && last->row + last->n == first) {
    last->n += n;
    return SOFA_OK;
  }
  p->n_runs++;
  return SOFA_APPEND(ctx, runs, &next);
}

static SofaErr make_panels(SofaContext *ctx, const Factor *f, const SofaSparseRows *j,
                           InverseWork *work) {
  const EliminationTree *t = &f->tree;
  const size_t n = work->order.n, n_panels = (n + WIDTH - 1) / WIDTH;
  size_t reals = 0;
  work->panels.n = work->runs.n = 0;
  SOFA_TRY(CHOLMOD_GROW(ctx, &work->mark, t->n_nodes));
  for (size_t s = 0; s < t->n_nodes; s++) work->mark.data[s] = -1;
  for (size_t k = 0; k < n_panels; k++) {
    const size_t first = k * n / n_panels, end = (k + 1) * n / n_panels;
    Panel p = {first, (int)(end - first), work->runs.n, 0, 0, reals};
    mark_nodes(t, j, work, &p);
    for (size_t s = 0; s < t->n_nodes; s++)
      if (work->mark.data[s] == (int)first) SOFA_TRY(add_node(ctx, f->l, s, &p, &work->runs));
    reals += p.n_rows * (end - first);
    SOFA_TRY(SOFA_APPEND(ctx, &work->panels, &p));
  }
  SOFA_TRY(CHOLMOD_GROW(ctx, &work->y, reals));
  return f->l->is_ll ? SOFA_OK : CHOLMOD_GROW(ctx, &work->z, reals);
}

/* ---- Y ---- */

/* A panel at work. */
typedef struct Solve {
  const cholmod_factor *l;
  int width;     /* columns */
  double *y, *z; /* its rows; z: NULL, or D^-1 y */
  int *place;    /* its row of each row of L */
  double *update;
} Solve;

static double *row_of(const Solve *s, int row) {
  return s->y + (size_t)s->width * (size_t)s->place[row];
}

/* to -= factor from */
static void subtract(int n, double factor, const double *restrict from, double *restrict to) {
  for (int c = 0; c < n; c++) to[c] -= factor * from[c];
}

static void solve_supernode(const Solve *s, int node) {
  const int *super = s->l->super, *pi = s->l->pi, *px = s->l->px, *rows = s->l->s;
  const int columns = super[node + 1] - super[node], ld = pi[node + 1] - pi[node];
  const int below = ld - columns, n = s->width;
  const double *x = (const double *)s->l->x + px[node];
  double *y = row_of(s, super[node]);
  dtrsm_("R", "L", "T", "N", &n, &columns, &one, x, &ld, y, &n, 1, 1, 1, 1);
  if (below == 0) return;
  dgemm_("N", "T", &n, &below, &columns, &one, y, &n, x + columns, &ld, &zero, s->update, &n, 1, 1);
  for (int i = 0; i < below; i++)
    subtract(n, 1, s->update + (size_t)n * (size_t)i, row_of(s, rows[pi[node] + columns + i]));
}

static void solve_column(const Solve *s, int column) {
  const int *p = s->l->p, *nz = s->l->nz, *rows = s->l->i;
  const double *x = (const double *)s->l->x + p[column];
  double *y = row_of(s, column), *z = s->z ? s->z + (y - s->y) : NULL;
  for (int c = 0; c < s->width && s->l->is_ll; c++) y[c] /= x[0];
  for (int c = 0; c < s->width && z; c++) z[c] = y[c] / x[0];
  for (int k = 1; k < nz[column]; k++) subtract(s->width, x[k], y, row_of(s, rows[p[column] + k]));
}

static void fill_panel(const EliminationTree *t, const SofaSparseRows *j, const InverseWork *work,
                       const Panel *p, const Solve *s) {
  for (int c = 0; c < p->columns; c++) {
    const size_t i = work->order.data[p->first + (size_t)c];
    for (uint32_t k = j->start[i]; k < j->start[i + 1]; k++)
      row_of(s, t->rank[j->column[k]])[c] += j->value[k];
  }
}

static void solve_panel(const EliminationTree *t, const SofaSparseRows *j, const InverseWork *work,
                        const Panel *p, const Solve *s) {
  const PanelRun *run = &work->runs.data[p->first_run];
  sofa_zero(s->y, p->n_rows * (size_t)s->width * sizeof *s->y);
  for (size_t r = 0; r < p->n_runs; r++)
    for (int i = 0; i < run[r].n; i++) s->place[run[r].row + i] = (int)run[r].at + i;
  fill_panel(t, j, work, p, s);
  for (size_t r = 0; r < p->n_runs; r++) {
    const int first = t->node[run[r].row], last = t->node[run[r].row + run[r].n - 1];
    for (int node = first; node <= last; node++) {
      if (s->l->is_super) solve_supernode(s, node);
      else solve_column(s, node);
    }
  }
}

static void solve_panels(const Factor *f, const SofaSparseRows *j, InverseWork *work, int threads) {
  const size_t n = f->l->n, update = work->update.n / (size_t)threads;
#pragma omp parallel for schedule(dynamic) num_threads(threads)
  for (size_t k = 0; k < work->panels.n; k++) {
    const Panel *p = &work->panels.data[k];
    const size_t thread = (size_t)omp_get_thread_num();
    const Solve s = {.l = f->l,
                     .width = p->columns,
                     .y = work->y.data + p->at,
                     .z = f->l->is_ll ? NULL : work->z.data + p->at,
                     .place = work->place.data + thread * n,
                     .update = work->update.data + thread * update};
    solve_panel(&f->tree, j, work, p, &s);
  }
}

/* ---- Y^T D^-1 Y ---- */

/* tile = Y_p^T Z_q, over the rows that both panels reach; p->columns rows. False: there are none.
 */
static bool multiply(const InverseWork *work, const double *z, const Panel *p, const Panel *q,
                     double *tile) {
  const PanelRun *r = &work->runs.data[p->first_run], *s = &work->runs.data[q->first_run];
  const PanelRun *r_end = r + p->n_runs, *s_end = s + q->n_runs;
  const int rows = p->columns, columns = q->columns;
  const double *beta = &zero;
  while (r < r_end && s < s_end) {
    const int first = r->row > s->row ? r->row : s->row;
    const int r_last = r->row + r->n, s_last = s->row + s->n;
    const int last = r_last < s_last ? r_last : s_last, n = last - first;
    if (n > 0) {
      const size_t y_row = r->at + (size_t)(first - r->row),
                   z_row = s->at + (size_t)(first - s->row);
      dgemm_("N", "T", &rows, &columns, &n, &one, work->y.data + p->at + y_row * (size_t)rows,
             &rows, z + q->at + z_row * (size_t)columns, &columns, beta, tile, &rows, 1, 1);
      beta = &one;
    }
    if (r_last <= s_last) r++;
    if (s_last <= r_last) s++;
  }
  return beta == &one;
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
      w[number_of(to->j, rows[i])] += to->factor * tile[k * p->columns + i];
  }
  for (int i = 0; i < p->columns; i++) {
    double *w = to->w + to->ld * number_of(to->j, rows[i]);
    for (int k = p == q ? i + 1 : 0; k < q->columns; k++)
      w[number_of(to->j, columns[k])] += to->factor * tile[k * p->columns + i];
  }
}

static void add_products(const Factor *f, const InverseWork *work, const Target *to, int threads) {
  const double *z = f->l->is_ll ? work->y.data : work->z.data;
#pragma omp parallel for schedule(dynamic) num_threads(threads)
  for (size_t k = 0; k < work->panels.n; k++) {
    const Panel *q = &work->panels.data[work->panels.n - 1 - k]; /* the most products first */
    double tile[WIDTH * WIDTH];
    for (const Panel *p = work->panels.data; p <= q; p++) {
      if (multiply(work, z, p, q, tile)) add_tile(work, p, q, tile, to);
    }
  }
}

SofaErr cholmod_make_panels(SofaCholmodSolver *s, const SofaSparseRows *j, Factor **out) {
  Factor *f = *out = s->used == &s->best ? &s->best : &s->indefinite;
  InverseWork *work = &s->inverse;
  const size_t threads = (size_t)s->ctx->threads;
  SOFA_TRY(make_tree(s->ctx, f));
  SOFA_TRY(sort_rows(s->ctx, &f->tree, f->l->n, j, work));
  SOFA_TRY(make_panels(s->ctx, f, j, work));
  SOFA_TRY(CHOLMOD_GROW(s->ctx, &work->place, threads * f->l->n));
  SOFA_TRY(CHOLMOD_GROW(s->ctx, &work->update, threads * WIDTH * (f->l->maxesize + 1)));
  solve_panels(f, j, work, s->ctx->threads);
  return SOFA_OK;
}

SofaErr cholmod_add_jainvjt(SofaCholmodSolver *s, const SofaSparseRows *j, double factor, size_t ld,
                            double *w) {
  const Target to = {j, factor, w, ld};
  Factor *f = NULL;
  SOFA_TRY(cholmod_make_panels(s, j, &f));
  add_products(f, &s->inverse, &to, s->ctx->threads);
  return SOFA_OK;
}
