/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Gathers points and elements on the first process. */
#include "components/io/whole_mesh.h"

SofaErr whole_mesh_points(SofaContext *ctx, const SofaDivision *division, const double *x,
                          SofaReals *out) {
  const bool first = sofa_process_rank(ctx) == 0;
  SOFA_TRY(SOFA_RESIZE(ctx, out, first ? 3 * division->n_whole : 0));
  return sofa_division_gather(ctx, division, 0, 3, x, out->data);
}

/* ---- elements that topologies have made ---- */

enum { MOST = 4 }; /* points of such an element */

typedef struct Cell {
  uint32_t key[MOST], rank; /* points, ascending; place among those that arrived */
  uint32_t v[MOST];
} Cell;

static int by_key(const void *a, const void *b) {
  const Cell *p = a, *q = b;
  for (int k = 0; k < MOST; k++)
    if (p->key[k] != q->key[k]) return p->key[k] < q->key[k] ? -1 : 1;
  return p->rank < q->rank ? -1 : p->rank > q->rank;
}

static Cell cell_of(const uint32_t *v, unsigned width, size_t rank) {
  Cell cell = {.rank = (uint32_t)rank};
  for (unsigned i = 0; i < width; i++) {
    unsigned at = i;
    for (; at > 0 && cell.key[at - 1] > v[i]; at--) cell.key[at] = cell.key[at - 1];
    cell.key[at] = cell.v[i] = v[i];
  }
  return cell;
}

/* Leaves one of equal cells. */
static SofaErr unite(SofaContext *ctx, unsigned width, SofaIndices *list) {
  const size_t n = list->n / width;
  Cell *cells = sofa_alloc(ctx, n + 1, sizeof *cells);
  if (!cells) return SOFA_ERR_MEMORY;
  for (size_t i = 0; i < n; i++) cells[i] = cell_of(list->data + i * width, width, i);
  sofa_sort(cells, n, sizeof *cells, by_key);
  list->n = 0;
  for (size_t i = 0; i < n; i++) {
    if (i && sofa_compare(cells[i].key, cells[i - 1].key, sizeof cells[i].key) == 0) continue;
    sofa_copy(list->data + list->n, cells[i].v, width * sizeof *list->data);
    list->n += width;
  }
  sofa_free(ctx, cells);
  return SOFA_OK;
}

static SofaErr gather_made(SofaContext *ctx, unsigned width, const SofaIndices *own,
                           SofaIndices *out) {
  const size_t n_processes = (size_t)sofa_process_count(ctx), mine = own->n * sizeof *own->data;
  const bool first = sofa_process_rank(ctx) == 0;
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  size_t *n = SOFA_SCRATCH(ctx, size_t, n_processes), total = 0;
  SofaErr err = n ? sofa_process_collect(ctx, sizeof mine, &mine, n) : SOFA_ERR_MEMORY;
  for (size_t r = 0; err == SOFA_OK && r < n_processes; r++) total += n[r] / sizeof *own->data;
  if (err == SOFA_OK) err = SOFA_RESIZE(ctx, out, first ? total : 0);
  if (err == SOFA_OK) err = sofa_process_gather(ctx, 0, n, own->data, out->data);
  if (err == SOFA_OK) err = unite(ctx, width, out);
  sofa_scratch_release(ctx, mark);
  return err;
}

/* ---- all ---- */

SofaErr whole_mesh_cells(SofaContext *ctx, const PartOfCells *part, SofaIndices *out) {
  const unsigned width = (unsigned)part->list.width;
  const bool first = sofa_process_rank(ctx) == 0;
  SofaIndices own = {0};
  SofaErr err = SOFA_RESIZE(ctx, &own, part->list.n * width);
  for (size_t k = 0; k < own.n; k++) own.data[k] = part->division->number.data[part->list.v[k]];
  if (err == SOFA_OK && part->cells) {
    const size_t n = part->cells->n_whole_elements[part->kind];
    err = SOFA_RESIZE(ctx, out, first ? n * width : 0);
    if (err == SOFA_OK)
      err = sofa_gather_rows(ctx, part->cells, part->kind, width * sizeof *own.data, own.data,
                             out->data);
  } else if (err == SOFA_OK) {
    err = gather_made(ctx, width, &own, out);
  }
  sofa_list_free(ctx, &own);
  return err;
}
