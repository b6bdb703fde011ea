/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Builds the pattern of pairs from the elements' vertices by counting sorts. */
#include "numerics/fem/element_pairs.h"

/* A local pair of one element on its way into the order of pairs. */
typedef struct Entry {
  uint32_t row, column, element;
  uint8_t a, b, turn;
  uint16_t local;
} Entry;

/* Stable counting sort of entries by row (or column) into `to`. count: n_points + 1 zeros. */
static void sort_entries(const Entry *from, size_t n, size_t n_points, bool by_row, size_t *count,
                         Entry *to) {
  sofa_zero(count, (n_points + 1) * sizeof *count);
  for (size_t k = 0; k < n; k++) count[(by_row ? from[k].row : from[k].column) + 1]++;
  for (size_t i = 0; i < n_points; i++) count[i + 1] += count[i];
  for (size_t k = 0; k < n; k++) to[count[by_row ? from[k].row : from[k].column]++] = from[k];
}

static void list_entries(size_t n_elements, unsigned n_nodes, const uint32_t *vertices,
                         Entry *entries) {
  Entry *entry = entries;
  for (size_t e = 0; e < n_elements; e++) {
    const uint32_t *v = vertices + e * n_nodes;
    uint16_t local = 0;
    for (unsigned a = 0; a < n_nodes; a++) {
      for (unsigned b = a; b < n_nodes; b++) {
        const bool swap = v[a] > v[b];
        *entry++ = (Entry){.row = swap ? v[b] : v[a],
                           .column = swap ? v[a] : v[b],
                           .element = (uint32_t)e,
                           .a = (uint8_t)a,
                           .b = (uint8_t)b,
                           .turn = swap                     ? SOFA_PAIR_TRANSPOSED
                                   : a != b && v[a] == v[b] ? SOFA_PAIR_BOTH
                                                            : SOFA_PAIR_STRAIGHT,
                           .local = local++};
      }
    }
  }
}

/* Number of contributions of an entry: two when both turns enter the same point. */
static size_t n_parts(const Entry *entry) {
  return entry->turn == SOFA_PAIR_BOTH ? 2 : 1;
}

static void count_pairs(const Entry *entries, size_t n, size_t *n_pairs, size_t *parts) {
  *n_pairs = *parts = 0;
  for (size_t k = 0; k < n; k++) {
    if (k == 0 || entries[k].row != entries[k - 1].row ||
        entries[k].column != entries[k - 1].column)
      ++*n_pairs;
    *parts += n_parts(&entries[k]);
  }
}

static void fill_pairs(const Entry *entries, size_t n, SofaElementPairs *out) {
  const size_t n_local = sofa_element_pairs_local(out->n_nodes);
  size_t pair = 0, part = 0;
  for (size_t k = 0; k < n; k++) {
    const Entry *entry = &entries[k];
    if (k == 0 || entry->row != entry[-1].row || entry->column != entry[-1].column) {
      out->row[pair] = entry->row;
      out->column[pair] = entry->column;
      out->start[pair++] = part;
    }
    out->slot[entry->element * n_local + entry->local] = (uint32_t)(pair - 1) << 2 | entry->turn;
    if (entry->turn != SOFA_PAIR_TRANSPOSED)
      out->part[part++] = (SofaPairPart){entry->element, entry->a, entry->b};
    if (entry->turn != SOFA_PAIR_STRAIGHT)
      out->part[part++] = (SofaPairPart){entry->element, entry->b, entry->a};
  }
  out->start[pair] = part;
}

SofaErr sofa_element_pairs_create(SofaContext *ctx, size_t n_elements, unsigned n_nodes,
                                  const uint32_t *vertices, size_t n_points,
                                  SofaElementPairs *out) {
  *out = (SofaElementPairs){.n_elements = n_elements, .n_nodes = n_nodes};
  const size_t n = n_elements * sofa_element_pairs_local(n_nodes);
  SofaErr err = SOFA_ERR_MEMORY;
  size_t parts = 0;
  Entry *entries = sofa_alloc(ctx, n, sizeof *entries);
  Entry *sorted = entries ? sofa_alloc(ctx, n, sizeof *sorted) : NULL;
  size_t *count = sorted ? sofa_alloc(ctx, n_points + 1, sizeof *count) : NULL;
  if (!count) goto done;

  // order by row, then column, then element: two stable sorts, the last key first
  list_entries(n_elements, n_nodes, vertices, entries);
  sort_entries(entries, n, n_points, false, count, sorted);
  sort_entries(sorted, n, n_points, true, count, entries);

  count_pairs(entries, n, &out->n, &parts);
  if (!(out->row = sofa_alloc(ctx, out->n, sizeof *out->row))) goto done;
  if (!(out->column = sofa_alloc(ctx, out->n, sizeof *out->column))) goto done;
  if (!(out->slot = sofa_alloc(ctx, n, sizeof *out->slot))) goto done;
  if (!(out->start = sofa_alloc(ctx, out->n + 1, sizeof *out->start))) goto done;
  if (!(out->part = sofa_alloc(ctx, parts + 1, sizeof *out->part))) goto done;
  fill_pairs(entries, n, out);
  err = SOFA_OK;
done:
  sofa_free(ctx, count);
  sofa_free(ctx, sorted);
  sofa_free(ctx, entries);
  if (err != SOFA_OK) sofa_element_pairs_free(ctx, out);
  return err;
}

void sofa_element_pairs_free(SofaContext *ctx, SofaElementPairs *pairs) {
  sofa_free(ctx, pairs->row);
  sofa_free(ctx, pairs->column);
  sofa_free(ctx, pairs->slot);
  sofa_free(ctx, pairs->start);
  sofa_free(ctx, pairs->part);
  *pairs = (SofaElementPairs){0};
}

SofaErr sofa_elements_around(SofaContext *ctx, SofaElements elements, size_t n_points,
                             uint32_t **start, uint32_t **ids) {
  const uint32_t *vertices = elements.v;
  const size_t n = elements.n * elements.width;
  uint32_t *first = sofa_alloc(ctx, n_points + 2, sizeof *first);
  uint32_t *list = first ? sofa_alloc(ctx, n, sizeof *list) : NULL;
  if (!list) {
    sofa_free(ctx, first);
    return SOFA_ERR_MEMORY;
  }
  // counts two rows ahead, so that filling leaves the starts in place
  for (size_t k = 0; k < n; k++) first[vertices[k] + 2]++;
  for (size_t i = 1; i <= n_points; i++) first[i + 1] += first[i];
  for (size_t k = 0; k < n; k++) list[first[vertices[k] + 1]++] = (uint32_t)k;
  *start = first;
  *ids = list;
  return SOFA_OK;
}
