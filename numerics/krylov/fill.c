/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The pattern of incomplete factors with fill. */
#include "numerics/krylov/fill.h"

/* The graph of the matrix, and a search in it from one row. */
typedef struct Search {
  SofaIndices start, neighbour; /* of each row, without itself */
  SofaIndices seen;             /* row + 1 of the search that met a row */
  SofaIndices queue;
} Search;

static void free_search(SofaContext *ctx, Search *s) {
  SofaIndices *lists[] = {&s->start, &s->neighbour, &s->seen, &s->queue};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) sofa_list_free(ctx, lists[i]);
}

/* Both triangles of the pattern, from the lower one. */
static SofaErr make_graph(SofaContext *ctx, const SofaIndices *start, const SofaIndices *column,
                          Search *s) {
  const size_t n = start->n - 1;
  SOFA_TRY(SOFA_RESIZE(ctx, &s->start, n + 2));
  SOFA_TRY(SOFA_RESIZE(ctx, &s->seen, n));
  SOFA_TRY(SOFA_RESIZE(ctx, &s->queue, n));
  SOFA_TRY(SOFA_RESIZE(ctx, &s->neighbour, 2 * (column->n - n)));
  uint32_t *at = s->start.data; /* at[i + 2]: length of row i, then at[i + 1]: where it goes on */
  for (size_t i = 0; i < n; i++)
    for (uint32_t k = start->data[i]; k + 1 < start->data[i + 1]; k++)
      at[i + 2]++, at[column->data[k] + 2]++;
  for (size_t i = 2; i < n + 2; i++) at[i] += at[i - 1];
  for (size_t i = 0; i < n; i++) {
    for (uint32_t k = start->data[i]; k + 1 < start->data[i + 1]; k++) {
      const uint32_t j = column->data[k];
      s->neighbour.data[at[i + 1]++] = j;
      s->neighbour.data[at[j + 1]++] = (uint32_t)i;
    }
  }
  return SOFA_OK;
}

/* Meets the rows behind `row` that paths of at most level + 1 edges reach through rows before it:
 * they have an entry in its column. Moves their cursor, and writes the entry where it stood. */
static void reach(Search *s, uint32_t row, uint32_t level, uint32_t *cursor, uint32_t *column) {
  const uint32_t *start = s->start.data, *neighbour = s->neighbour.data;
  uint32_t *seen = s->seen.data, *queue = s->queue.data;
  size_t head = 0, tail = 1, end = 1; /* of the rows at one distance */
  queue[0] = row;
  seen[row] = row + 1;
  for (uint32_t distance = 0; head < tail; distance++, end = tail) {
    for (; head < end; head++) {
      const uint32_t u = queue[head];
      for (uint32_t k = start[u]; k < start[u + 1]; k++) {
        const uint32_t v = neighbour[k];
        if (seen[v] == row + 1) continue;
        seen[v] = row + 1;
        if (v < row) queue[tail++] = v;
        else if (column) column[cursor[v]++] = row;
        else cursor[v]++;
      }
    }
    if (distance == level) return;
  }
}

/* The lower triangle with fill: lengths of the rows first, then their columns, which come in
 * ascending order. */
static SofaErr find_rows(SofaContext *ctx, Search *s, uint32_t level, SofaIndices *start,
                         SofaIndices *column) {
  const size_t n = s->seen.n;
  uint64_t sum = 0;
  SOFA_TRY(SOFA_RESIZE(ctx, start, n + 1));
  for (size_t i = 0; i < n; i++) reach(s, (uint32_t)i, level, start->data, NULL);
  for (size_t i = 0; i <= n; i++) {
    const uint64_t length = i < n ? start->data[i] + UINT64_C(1) : 0; /* and the diagonal */
    if (sum > UINT32_MAX) return SOFA_ERR_RANGE;
    start->data[i] = (uint32_t)sum;
    sum += length;
  }
  SOFA_TRY(SOFA_RESIZE(ctx, column, start->data[n]));
  sofa_zero(s->seen.data, n * sizeof *s->seen.data);
  for (size_t i = 0; i < n; i++) {
    reach(s, (uint32_t)i, level, start->data, column->data);
    column->data[start->data[i]++] = (uint32_t)i;
  }
  for (size_t i = n; i > 0; i--) start->data[i] = start->data[i - 1];
  start->data[0] = 0;
  return SOFA_OK;
}

/* Where the entries of the old rows are in the new ones. */
static SofaErr find_places(SofaContext *ctx, const SofaIndices *start, const SofaIndices *column,
                           const SofaIndices *old_start, const SofaIndices *old_column,
                           SofaIndices *place) {
  SOFA_TRY(SOFA_RESIZE(ctx, place, old_column->n));
  for (size_t i = 0; i + 1 < old_start->n; i++) {
    uint32_t at = start->data[i];
    for (uint32_t k = old_start->data[i]; k < old_start->data[i + 1]; k++) {
      while (column->data[at] < old_column->data[k]) at++;
      place->data[k] = at;
    }
  }
  return SOFA_OK;
}

SofaErr sofa_fill_lower_triangle(SofaContext *ctx, uint32_t level, SofaIndices *start,
                                 SofaIndices *column, SofaIndices *place) {
  Search search = {0};
  SofaIndices new_start = {0}, new_column = {0};
  SofaErr err = SOFA_OK;
  SOFA_GO(err, done, make_graph(ctx, start, column, &search));
  SOFA_GO(err, done, find_rows(ctx, &search, level, &new_start, &new_column));
  SOFA_GO(err, done, find_places(ctx, &new_start, &new_column, start, column, place));
  sofa_list_free(ctx, start);
  sofa_list_free(ctx, column);
  *start = new_start;
  *column = new_column;
done:
  free_search(ctx, &search);
  if (err != SOFA_OK) {
    sofa_list_free(ctx, &new_start);
    sofa_list_free(ctx, &new_column);
  }
  return err;
}
