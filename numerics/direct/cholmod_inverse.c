/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* J A^-1 J^T with a factor of CHOLMOD: Y^T D^-1 Y, from the panels of Y (cholmod_panels.c). The
 * products of pairs of panels are independent, and do not depend on the number of threads: neither
 * do the bits. */
#include <string.h>

#include "base/bytes.h"
#include "base/team.h"
#include "numerics/direct/cholmod_impl.h"
#include "numerics/direct/lapack_impl.h"

static const double one = 1;

void cholmod_tree_free(SofaContext *ctx, EliminationTree *tree) {
  sofa_free(ctx, tree->rank);
  sofa_free(ctx, tree->node);
  sofa_free(ctx, tree->next);
  *tree = (EliminationTree){0};
}

void cholmod_inverse_free(SofaContext *ctx, InverseWork *work) {
  sofa_list_free(ctx, &work->order);
  sofa_list_free(ctx, &work->count);
  sofa_list_free(ctx, &work->lo);
  sofa_list_free(ctx, &work->end);
  sofa_list_free(ctx, &work->first);
  sofa_list_free(ctx, &work->reached);
  sofa_list_free(ctx, &work->diagonal);
  sofa_list_free(ctx, &work->panels);
  sofa_list_free(ctx, &work->blocks);
  sofa_list_free(ctx, &work->y);
  sofa_list_free(ctx, &work->z);
  sofa_list_free(ctx, &work->place);
  sofa_list_free(ctx, &work->buffer);
  sofa_list_free(ctx, &work->tile);
  sofa_list_free(ctx, &work->rooms);
}

SofaErr cholmod_grow(SofaContext *ctx, void *list, size_t size, size_t n) {
  const SofaAnyList *any = list;
  if (n > any->capacity) SOFA_TRY(sofa_list_reserve(ctx, list, size, n + n / 2));
  return sofa_list_resize(ctx, list, size, n);
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
  const int ld = PANEL_COLUMNS, ld_y = l->is_super ? s->p->n : s->p->columns,
            ld_z = l->is_super ? s->q->n : s->q->columns;
  const char *of_y = l->is_super ? "T" : "N", *of_z = l->is_super ? "N" : "T";
  y += s->p->at + (size_t)(l->is_super ? 1 : ld_y) * (size_t)(s->row - s->p->row);
  z += s->q->at + (size_t)(l->is_super ? 1 : ld_z) * (size_t)(s->row - s->q->row);
  tile += s->p->lo + PANEL_COLUMNS * s->q->lo;
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
  sofa_zero(tile, (size_t)PANEL_COLUMNS * (size_t)q->columns * sizeof *tile);
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
      w[number_of(to->j, rows[i])] += to->factor * tile[k * PANEL_COLUMNS + i];
  }
  for (int i = 0; i < p->columns; i++) {
    double *w = to->w + to->ld * number_of(to->j, rows[i]);
    for (int k = p == q ? i + 1 : 0; k < q->columns; k++)
      w[number_of(to->j, columns[k])] += to->factor * tile[k * PANEL_COLUMNS + i];
  }
}

typedef struct Products {
  const cholmod_factor *l;
  InverseWork *work;
  const Target *to;
} Products;

/* The last panels have the most products: they are begun first. */
static void add_products(void *user, size_t k) {
  const Products *p = user;
  InverseWork *work = p->work;
  const Panel *q = &work->panels.data[k];
  const size_t room = sofa_rooms_take(&work->rooms);
  double *tile = work->tile.data + room * PANEL_COLUMNS * PANEL_COLUMNS;
  for (const Panel *other = work->panels.data; other <= q; other++)
    if (multiply(p->l, work, other, q, tile)) add_tile(work, other, q, tile, p->to);
  sofa_rooms_give(&work->rooms, room);
}

SofaErr cholmod_add_jainvjt(SofaCholmodSolver *s, const SofaSparseRows *j, double factor, size_t ld,
                            double *w) {
  const Target to = {j, factor, w, ld};
  Factor *f = NULL;
  SOFA_TRY(cholmod_make_panels(s, j, &f));
  SOFA_TRY(cholmod_fill_panels(s, j, f, &s->inverse.y));
  SOFA_TRY(CHOLMOD_GROW(s->ctx, &s->inverse.tile,
                        (size_t)s->ctx->threads * PANEL_COLUMNS * PANEL_COLUMNS));
  Products products = {f->l, &s->inverse, &to};
  sofa_team_run(s->ctx, s->inverse.panels.n, add_products, &products);
  return SOFA_OK;
}
