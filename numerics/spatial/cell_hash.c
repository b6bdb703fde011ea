/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Spatial hashing of elements, and the choice of elements it leads to for points outside. */
#include <float.h>
#include <math.h>
#include <string.h>
#include "numerics/spatial/locator.h"

/* An element in more cells than this is kept aside and tested by its range. */
#define MOST_CELLS 512

typedef struct Cell {
  int32_t i[3];
} Cell;
typedef struct CellRange {
  Cell low, high;
} CellRange;

/* Elements by cell: open addressing, slot s holds cell cells[s] and ids[start[s]] .. . */
typedef struct CellHash {
  const SofaLocator *l;
  double per_length; /* 1 / h */
  CellRange *range;  /* of each element */
  size_t mask;       /* number of slots - 1, a power of two */
  Cell *cell;
  uint32_t *count; /* 0: the slot is free */
  size_t *start;
  uint32_t *ids;
  uint32_t *large; /* elements kept aside, ascending */
  size_t n_large;
} CellHash;

/* ---- cells ---- */

static int32_t cell_index(double x) {
  const double i = floor(x);
  // points as far out as that are in no element's cell anyway
  return i < -1e9 ? -1000000000 : i > 1e9 ? 1000000000 : (int32_t)i;
}

static Cell cell_of(const CellHash *h, const double p[3]) {
  Cell cell;
  for (int c = 0; c < 3; c++) cell.i[c] = cell_index(p[c] * h->per_length);
  return cell;
}

static uint64_t mix(const Cell *cell) {
  uint64_t x = (uint32_t)cell->i[0] * UINT64_C(0x9e3779b97f4a7c15);
  x = (x ^ x >> 32) + (uint32_t)cell->i[1];
  x *= UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ x >> 29) + (uint32_t)cell->i[2];
  x *= UINT64_C(0x94d049bb133111eb);
  return x ^ x >> 31;
}

/* The slot of a cell, or the free one where it would go. */
static size_t find_slot(const CellHash *h, const Cell *cell) {
  size_t s = (size_t)mix(cell) & h->mask;
  while (h->count[s] && memcmp(&h->cell[s], cell, sizeof *cell) != 0) s = (s + 1) & h->mask;
  return s;
}

/* ---- building ---- */

static void element_range(const CellHash *h, size_t e, CellRange *range) {
  unsigned n;
  const uint32_t *vertex = sofa_locator_vertices(h->l, e, &n);
  double low[3], high[3];
  memcpy(low, h->l->x + 3 * (size_t)vertex[0], sizeof low);
  memcpy(high, low, sizeof high);
  for (unsigned k = 1; k < n; k++) {
    const double *p = h->l->x + 3 * (size_t)vertex[k];
    for (int c = 0; c < 3; c++) {
      low[c] = p[c] < low[c] ? p[c] : low[c];
      high[c] = p[c] > high[c] ? p[c] : high[c];
    }
  }
  range->low = cell_of(h, low);
  range->high = cell_of(h, high);
}

static bool is_large(const CellRange *range) {
  double n = 1;
  for (int c = 0; c < 3; c++) n *= (double)range->high.i[c] - range->low.i[c] + 1;
  return n > MOST_CELLS;
}

/* Doubles the table when it is more than half full. */
static SofaErr grow(CellHash *h, SofaContext *ctx) {
  CellHash old = *h;
  const size_t n = h->cell ? 2 * (h->mask + 1) : 1024;
  h->cell = sofa_alloc(ctx, n, sizeof *h->cell);
  h->count = sofa_alloc(ctx, n, sizeof *h->count);
  if (!h->cell || !h->count) {
    sofa_free(ctx, h->cell);
    sofa_free(ctx, h->count);
    h->cell = old.cell;
    h->count = old.count;
    return SOFA_ERR_MEMORY;
  }
  h->mask = n - 1;
  for (size_t s = 0; old.cell && s <= old.mask; s++) {
    if (!old.count[s]) continue;
    const size_t to = find_slot(h, &old.cell[s]);
    h->cell[to] = old.cell[s];
    h->count[to] = old.count[s];
  }
  sofa_free(ctx, old.cell);
  sofa_free(ctx, old.count);
  return SOFA_OK;
}

/* Counts the elements of every cell. */
static SofaErr count_cells(CellHash *h, SofaContext *ctx) {
  size_t used = 0;
  SOFA_TRY(grow(h, ctx));
  for (size_t e = 0; e < h->l->n; e++) {
    const CellRange *r = &h->range[e];
    Cell c;
    if (is_large(r)) continue;
    for (c.i[0] = r->low.i[0]; c.i[0] <= r->high.i[0]; c.i[0]++)
      for (c.i[1] = r->low.i[1]; c.i[1] <= r->high.i[1]; c.i[1]++)
        for (c.i[2] = r->low.i[2]; c.i[2] <= r->high.i[2]; c.i[2]++) {
          const size_t s = find_slot(h, &c);
          h->cell[s] = c;
          if (h->count[s]++) continue;
          if (2 * ++used > h->mask) SOFA_TRY(grow(h, ctx));
        }
  }
  return SOFA_OK;
}

/* Lists the elements of every cell, ids ascending. */
static SofaErr list_elements(CellHash *h, SofaContext *ctx) {
  size_t total = 0;
  h->start = sofa_alloc(ctx, h->mask + 1, sizeof *h->start);
  if (!h->start) return SOFA_ERR_MEMORY;
  for (size_t s = 0; s <= h->mask; s++) {
    h->start[s] = total;
    total += h->count[s];
  }
  h->ids = sofa_alloc(ctx, total, sizeof *h->ids);
  if (!h->ids) return SOFA_ERR_MEMORY;
  for (size_t e = 0; e < h->l->n; e++) {
    const CellRange *r = &h->range[e];
    Cell c;
    if (is_large(r)) continue;
    for (c.i[0] = r->low.i[0]; c.i[0] <= r->high.i[0]; c.i[0]++)
      for (c.i[1] = r->low.i[1]; c.i[1] <= r->high.i[1]; c.i[1]++)
        for (c.i[2] = r->low.i[2]; c.i[2] <= r->high.i[2]; c.i[2]++)
          h->ids[h->start[find_slot(h, &c)]++] = (uint32_t)e;
  }
  for (size_t s = 0; s <= h->mask; s++) h->start[s] -= h->count[s];
  return SOFA_OK;
}

static SofaErr build(CellHash *h, SofaContext *ctx) {
  h->range = sofa_alloc(ctx, h->l->n, sizeof *h->range);
  if (!h->range) return SOFA_ERR_MEMORY;
  for (size_t e = 0; e < h->l->n; e++) {
    element_range(h, e, &h->range[e]);
    h->n_large += is_large(&h->range[e]);
  }
  h->large = sofa_alloc(ctx, h->n_large, sizeof *h->large);
  if (!h->large) return SOFA_ERR_MEMORY;
  size_t n = 0;
  for (size_t e = 0; e < h->l->n; e++)
    if (is_large(&h->range[e])) h->large[n++] = (uint32_t)e;
  SOFA_TRY(count_cells(h, ctx));
  return list_elements(h, ctx);
}

static void hash_free(CellHash *h, SofaContext *ctx) {
  void *owned[] = {h->range, h->cell, h->count, h->start, h->ids, h->large};
  for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) sofa_free(ctx, owned[i]);
}

/* ---- searching ---- */

/* Walks the elements of a cell, ids ascending. */
typedef struct Walk {
  const CellHash *h;
  Cell cell;
  const uint32_t *at, *end; /* registered ones */
  size_t large;             /* rank of the next large one */
} Walk;

static Walk walk_cell(const CellHash *h, const Cell *cell) {
  const size_t s = find_slot(h, cell);
  Walk w = {.h = h, .cell = *cell};
  if (!h->count[s]) return w;
  w.at = h->ids + h->start[s];
  w.end = w.at + h->count[s];
  return w;
}

static bool covers(const CellRange *r, const Cell *cell) {
  bool inside = true;
  for (int c = 0; c < 3; c++)
    inside = inside && r->low.i[c] <= cell->i[c] && cell->i[c] <= r->high.i[c];
  return inside;
}

/* The next element; UINT32_MAX at the end. */
static uint32_t walk_next(Walk *w) {
  const CellHash *h = w->h;
  while (w->large < h->n_large && !covers(&h->range[h->large[w->large]], &w->cell)) w->large++;
  const uint32_t large = w->large < h->n_large ? h->large[w->large] : UINT32_MAX;
  if (w->at != w->end && *w->at < large) return *w->at++;
  w->large += large != UINT32_MAX;
  return large;
}

static bool cell_is_empty(const CellHash *h, const Cell *cell) {
  Walk w = walk_cell(h, cell);
  return walk_next(&w) == UINT32_MAX;
}

static void search_cell(const CellHash *h, const Cell *cell, const double p[3],
                        SofaLocation *best) {
  Walk w = walk_cell(h, cell);
  for (uint32_t e = walk_next(&w); e != UINT32_MAX; e = walk_next(&w))
    sofa_locator_try(h->l, e, p, false, best);
}

/* The cell and the 26 around it, x slowest. An element is tried in the first cell that lists it:
 * trying it again changes nothing. */
static void search_around(const CellHash *h, const Cell *center, const double p[3],
                          SofaLocation *best) {
  for (int k = 0; k < 27; k++) {
    const int32_t step[3] = {k / 9 - 1, k / 3 % 3 - 1, k % 3 - 1};
    Cell cell;
    for (int a = 0; a < 3; a++) cell.i[a] = center->i[a] + step[a];
    Walk w = walk_cell(h, &cell);
    for (uint32_t e = walk_next(&w); e != UINT32_MAX; e = walk_next(&w)) {
      const Cell *low = &h->range[e].low;
      bool first = true;
      for (int a = 0; a < 3; a++) first = first && (cell.i[a] == low->i[a] || step[a] == -1);
      if (first) sofa_locator_try(h->l, e, p, false, best);
    }
  }
}

/* A SofaLocate. */
static SofaLocation locate(const void *by, const double p[3]) {
  const CellHash *h = by;
  SofaLocation best = {.element = SOFA_NOWHERE, .measure = DBL_MAX};
  const Cell cell = cell_of(h, p);
  if (cell_is_empty(h, &cell)) return sofa_locator_search(h->l, p, DBL_MAX);
  search_cell(h, &cell, p, &best);
  // all tetrahedra that contain the point are registered in its cell
  const bool settled =
      best.measure <= 0 && h->l->n_groups == 1 && h->l->kind[0] == SOFA_ELEMENT_TETRA;
  if (!settled && fabs(best.measure) > 0.5 / h->per_length) search_around(h, &cell, p, &best);
  return best;
}

SofaErr sofa_locate_hashed(SofaLocator *l, double h, size_t n, const double *p, size_t stride,
                           SofaLocation *out) {
  SofaContext *ctx = l->ctx;
  CellHash hash = {.l = l, .per_length = 1 / h};
  SofaErr err = SOFA_OK;
  if (!(h > 0) || !isfinite(hash.per_length))
    return sofa_fail(ctx, SOFA_ERR_GEOMETRY, NULL, "the edges of the input have no length");
  SOFA_GO(err, done, build(&hash, ctx));
  // the tree is only made when some point's cell is empty
  for (size_t i = 0; i < n; i++) {
    const Cell cell = cell_of(&hash, p + stride * i);
    if (!cell_is_empty(&hash, &cell)) continue;
    SOFA_GO(err, done, sofa_locator_make_tree(l));
    break;
  }
  sofa_locate_each(ctx, (SofaPlaces){n, p, stride}, locate, &hash, out);
done:
  hash_free(&hash, ctx);
  return err;
}
