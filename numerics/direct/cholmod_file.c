/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Factors of CHOLMOD as bytes and back. What is read is checked before anything relies on it. */

#include "numerics/direct/cholmod_impl.h"

/* The header before the arrays: order, then for a supernodal factor super, pi, px, s and x,
 * for a simplicial one nz, i and x. */
typedef struct Counts {
  uint64_t n, is_super, is_ll;
  uint64_t nsuper, ssize; /* supernodal; 0 else */
  uint64_t entries;       /* of x */
} Counts;

/* ---- writing ---- */

static SofaErr put(SofaContext *ctx, SofaText *text, const void *data, size_t n, size_t size) {
  return n ? sofa_text_append(ctx, text, data, n * size) : SOFA_OK;
}

static SofaErr put_supernodal(SofaContext *ctx, SofaText *text, const cholmod_factor *l) {
  SOFA_TRY(put(ctx, text, l->super, l->nsuper + 1, sizeof(int)));
  SOFA_TRY(put(ctx, text, l->pi, l->nsuper + 1, sizeof(int)));
  SOFA_TRY(put(ctx, text, l->px, l->nsuper + 1, sizeof(int)));
  SOFA_TRY(put(ctx, text, l->s, l->ssize, sizeof(int)));
  return put(ctx, text, l->x, l->xsize, sizeof(double));
}

/* Columns one behind the other, whatever gaps they have in memory. */
static SofaErr put_simplicial(SofaContext *ctx, SofaText *text, const cholmod_factor *l) {
  const int *p = l->p, *nz = l->nz;
  SOFA_TRY(put(ctx, text, nz, l->n, sizeof *nz));
  for (size_t j = 0; j < l->n; j++)
    SOFA_TRY(put(ctx, text, (const int *)l->i + p[j], (size_t)nz[j], sizeof(int)));
  for (size_t j = 0; j < l->n; j++)
    SOFA_TRY(put(ctx, text, (const double *)l->x + p[j], (size_t)nz[j], sizeof(double)));
  return SOFA_OK;
}

SofaErr sofa_cholmod_solver_save(const SofaCholmodSolver *s, SofaText *text) {
  const Factor *f = s->used;
  const cholmod_factor *l = f->l;
  Counts c = {.n = l->n, .is_super = l->is_super != 0, .is_ll = l->is_ll != 0};
  if (l->is_super) {
    c.nsuper = l->nsuper;
    c.ssize = l->ssize;
    c.entries = l->xsize;
  }
  for (size_t j = 0; j < l->n && !l->is_super; j++) c.entries += (uint64_t)((const int *)l->nz)[j];
  SOFA_TRY(put(s->ctx, text, &c, 1, sizeof c));
  SOFA_TRY(put(s->ctx, text, f->order, l->n, sizeof *f->order));
  return l->is_super ? put_supernodal(s->ctx, text, l) : put_simplicial(s->ctx, text, l);
}

/* ---- reading: SOFA_ERR_PARSE, not reported, when the bytes are not those of a factor ---- */

typedef struct Source {
  const char *at;
  size_t left;
} Source;

static SofaErr copy(Source *from, size_t n, size_t size, void *to) {
  if (from->left / size < n) return SOFA_ERR_PARSE;
  sofa_copy(to, from->at, n * size);
  from->at += n * size;
  from->left -= n * size;
  return SOFA_OK;
}

/* *out = n values in memory of CHOLMOD. */
static SofaErr take(SofaCholmodSolver *s, Source *from, size_t n, size_t size, void **out) {
  if (from->left / size < n) return SOFA_ERR_PARSE;
  *out = cholmod_malloc(n + 1, size, &s->common);
  return *out ? copy(from, n, size, *out) : cholmod_report(s);
}

static SofaErr take_counts(Source *from, size_t rows, Counts *c) {
  SOFA_TRY(copy(from, 1, sizeof *c, c));
  const uint64_t most = from->left / sizeof(int);
  const bool good = c->n == rows && c->n > 0 && c->is_super <= CSOFA_GPL && c->is_ll <= 1 &&
                    c->nsuper < most && c->ssize < most && c->entries < most;
  return good ? SOFA_OK : SOFA_ERR_PARSE;
}

static SofaErr take_order(SofaCholmodSolver *s, Source *from, size_t n) {
  SofaErr err = SOFA_OK;
  int *order = s->best.order = sofa_alloc(s->ctx, n + 1, sizeof *order);
  uint8_t *seen = sofa_alloc(s->ctx, n, 1);
  if (!order || !seen) SOFA_GO(err, done, SOFA_ERR_MEMORY);
  SOFA_GO(err, done, copy(from, n, sizeof *order, order));
  for (size_t k = 0; k < n; k++) {
    const bool good = order[k] >= 0 && (size_t)order[k] < n && !seen[order[k]];
    if (!good) SOFA_GO(err, done, SOFA_ERR_PARSE);
    seen[order[k]] = 1;
  }
done:
  sofa_free(s->ctx, seen);
  return err;
}

/* Where the columns begin, from their lengths. */
static bool find_columns(cholmod_factor *l, size_t entries) {
  const int *nz = l->nz;
  int *p = l->p, sum = 0;
  for (size_t j = 0; j < l->n; j++) {
    p[j] = sum;
    if (nz[j] < 1 || nz[j] > INT32_MAX - sum) return false;
    sum += nz[j];
  }
  p[l->n] = sum;
  return (size_t)sum == entries;
}

/* The columns begin on the diagonal and go down. */
static bool columns_go_down(const cholmod_factor *l) {
  const int *p = l->p, *row = l->i;
  for (size_t j = 0; j < l->n; j++) {
    if (row[p[j]] != (int)j) return false;
    for (int k = p[j] + 1; k < p[j + 1]; k++)
      if (row[k] <= row[k - 1] || (size_t)row[k] >= l->n) return false;
  }
  return true;
}

static SofaErr take_simplicial(SofaCholmodSolver *s, const Counts *c, Source *from) {
  cholmod_factor *l = s->best.l;
  SOFA_TRY(take(s, from, l->n, sizeof(int), &l->nz));
  l->p = cholmod_malloc(l->n + 1, sizeof(int), &s->common);
  if (!l->p) return cholmod_report(s);
  if (!find_columns(l, c->entries)) return SOFA_ERR_PARSE;
  l->nzmax = c->entries;
  SOFA_TRY(take(s, from, l->nzmax, sizeof(int), &l->i));
  SOFA_TRY(take(s, from, l->nzmax, sizeof(double), &l->x));
  return columns_go_down(l) ? SOFA_OK : SOFA_ERR_PARSE;
}

/* Supernode k: columns super[k] to super[k + 1], rows s[pi[k]] to s[pi[k + 1]], values from px[k]
 * on. The rows begin with the columns and go down. */
static bool is_supernode(const cholmod_factor *l, size_t k) {
  const int *super = l->super, *pi = l->pi, *px = l->px, *s = l->s;
  if (super[k] < 0 || super[k + 1] <= super[k] || (size_t)super[k + 1] > l->n) return false;
  if (pi[k] < 0 || pi[k + 1] <= pi[k] || (size_t)pi[k + 1] > l->ssize || px[k] < 0) return false;
  const int columns = super[k + 1] - super[k], rows = pi[k + 1] - pi[k];
  if (rows < columns) return false;
  if ((size_t)px[k] + (size_t)rows * (size_t)columns > l->xsize) return false;
  for (int r = 0; r < rows; r++) {
    const int row = s[pi[k] + r];
    if (row < 0 || (size_t)row >= l->n) return false;
    if (r < columns ? row != super[k] + r : row <= s[pi[k] + r - 1]) return false;
  }
  return true;
}

static SofaErr take_supernodal(SofaCholmodSolver *s, const Counts *c, Source *from) {
  cholmod_factor *l = s->best.l;
  l->nsuper = c->nsuper;
  l->ssize = c->ssize;
  l->xsize = c->entries;
  SOFA_TRY(take(s, from, l->nsuper + 1, sizeof(int), &l->super));
  SOFA_TRY(take(s, from, l->nsuper + 1, sizeof(int), &l->pi));
  SOFA_TRY(take(s, from, l->nsuper + 1, sizeof(int), &l->px));
  SOFA_TRY(take(s, from, l->ssize, sizeof(int), &l->s));
  SOFA_TRY(take(s, from, l->xsize, sizeof(double), &l->x));
  const int *super = l->super, *pi = l->pi;
  if (super[0] != 0 || super[l->nsuper] < 0 || (size_t)super[l->nsuper] != l->n)
    return SOFA_ERR_PARSE;
  for (size_t k = 0; k < l->nsuper; k++) {
    if (!is_supernode(l, k)) return SOFA_ERR_PARSE;
    const size_t below = (size_t)(pi[k + 1] - pi[k] - (super[k + 1] - super[k]));
    if (below > l->maxesize) l->maxesize = below;
  }
  const SofaSupernodes nodes = cholmod_supernodes(l);
  return sofa_supernode_solver_plan(s->ctx, &nodes, &s->best.solver);
}

static SofaErr take_factor(SofaCholmodSolver *s, size_t rows, Source *from) {
  Counts c = {0};
  SOFA_TRY(take_counts(from, rows, &c));
  SOFA_TRY(take_order(s, from, rows));
  cholmod_factor *l = s->best.l = cholmod_allocate_factor(rows, &s->common);
  if (!l) return cholmod_report(s);
  l->is_super = c.is_super != 0;
  l->is_ll = c.is_ll != 0;
  l->xtype = CHOLMOD_REAL;
  l->ordering = CHOLMOD_NATURAL;
  SOFA_TRY(l->is_super ? take_supernodal(s, &c, from) : take_simplicial(s, &c, from));
  return from->left == 0 ? cholmod_make_room(s, rows) : SOFA_ERR_PARSE;
}

SofaErr sofa_cholmod_solver_restore(SofaCholmodSolver *s, size_t rows, const char *bytes,
                                    size_t size) {
  Source from = {bytes, size};
  cholmod_factor_free(s, &s->best);
  cholmod_factor_free(s, &s->indefinite);
  s->matrix = NULL;
  s->value_version = 0;
  const SofaErr err = take_factor(s, rows, &from);
  if (err != SOFA_OK) {
    cholmod_factor_free(s, &s->best);
    return err;
  }
  s->used = &s->best;
  s->value_version = 1; /* of no matrix: an update factorises */
  s->counts.supernodal = s->best.l->is_super;
  return SOFA_OK;
}
