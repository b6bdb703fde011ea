/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Builds the pattern of pairs from the elements around each point: counts, then fills. */
#include "numerics/fem/element_pairs.h"

/* A pass over the local pairs, column by column. Each goes to the end of its row, and so the rows
 * are ordered by column without a sort. */
typedef struct Pass {
  const uint32_t *vertices;
  SofaElementPairs *out; /* the counting pass leaves it as it is */
  uint32_t *last;        /* n_points: column of the last pair of a row, SOFA_NO_ELEMENT: none */
  size_t *pair, *part;   /* n_points: how many pairs and contributions a row has, or, in the filling
                            pass, where the next ones go */
  bool fill;
} Pass;

/* The place of the local pair (a, b) among those of an element. */
static size_t local_rank(unsigned n_nodes, unsigned a, unsigned b) {
  return sofa_element_pairs_local(n_nodes) - sofa_element_pairs_local(n_nodes - a) + b - a;
}

/* Writes the local pair (a, b) of element e, its pair and its contributions from `part` on. */
static void put(const Pass *pass, uint32_t e, unsigned a, unsigned b, SofaPairTurn turn) {
  SofaElementPairs *out = pass->out;
  const uint32_t *v = pass->vertices + (size_t)e * out->n_nodes;
  const uint32_t row = v[a] < v[b] ? v[a] : v[b], column = v[a] < v[b] ? v[b] : v[a];
  const bool first = pass->last[row] != column;
  const size_t pair = pass->pair[row] - !first;
  size_t part = pass->part[row];
  if (first) {
    out->row[pair] = row;
    out->column[pair] = column;
    if (out->start) out->start[pair] = part;
  }
  if (out->slot)
    out->slot[e * (size_t)sofa_element_pairs_local(out->n_nodes) + local_rank(out->n_nodes, a, b)] =
        (uint32_t)pair << 2 | turn;
  if (!out->part) return;
  if (turn != SOFA_PAIR_TRANSPOSED) out->part[part++] = (SofaPairPart){e, (uint8_t)a, (uint8_t)b};
  if (turn != SOFA_PAIR_STRAIGHT) out->part[part] = (SofaPairPart){e, (uint8_t)b, (uint8_t)a};
}

/* The local pair (a, b) of element e. */
static void visit(const Pass *pass, uint32_t e, unsigned a, unsigned b) {
  const uint32_t *v = pass->vertices + (size_t)e * pass->out->n_nodes;
  const uint32_t row = v[a] < v[b] ? v[a] : v[b], column = v[a] < v[b] ? v[b] : v[a];
  const SofaPairTurn turn = v[a] > v[b]              ? SOFA_PAIR_TRANSPOSED
                            : a != b && v[a] == v[b] ? SOFA_PAIR_BOTH
                                                     : SOFA_PAIR_STRAIGHT;
  if (pass->fill) put(pass, e, a, b, turn);
  pass->pair[row] += pass->last[row] != column;
  pass->part[row] += turn == SOFA_PAIR_BOTH ? 2 : 1; // both turns enter the same point
  pass->last[row] = column;
}

/* The local pairs of element e whose column is its node c, in their order. alone: no other node is
 * the same point. */
static void visit_element(const Pass *pass, uint32_t e, unsigned c, bool alone) {
  const unsigned n_nodes = pass->out->n_nodes;
  const uint32_t *v = pass->vertices + (size_t)e * n_nodes;
  if (alone) {
    for (unsigned a = 0; a < c; a++)
      if (v[a] < v[c]) visit(pass, e, a, c);
    for (unsigned b = c; b < n_nodes; b++)
      if (v[b] <= v[c]) visit(pass, e, c, b);
    return;
  }
  for (unsigned a = 0; a < n_nodes; a++)
    for (unsigned b = a; b < n_nodes; b++)
      if (v[a] <= v[c] && v[b] <= v[c] && (v[a] == v[c] || v[b] == v[c])) visit(pass, e, a, b);
}

/* All local pairs: start and ids are the elements around each of n_points. */
static void visit_all(const Pass *pass, size_t n_points, const uint32_t *start,
                      const uint32_t *ids) {
  const unsigned n_nodes = pass->out->n_nodes;
  for (size_t i = 0; i < n_points; i++) pass->last[i] = SOFA_NO_ELEMENT;
  for (size_t i = 0; i < n_points; i++) {
    for (uint32_t k = start[i]; k < start[i + 1];) {
      const uint32_t e = ids[k] / n_nodes, c = ids[k] % n_nodes, first = k++;
      while (k < start[i + 1] && ids[k] / n_nodes == e) k++;
      visit_element(pass, e, c, k == first + 1);
    }
  }
}

/* Numbers of each row become where the row begins; returns their sum. */
static size_t begin_rows(size_t *count, size_t n) {
  size_t sum = 0;
  for (size_t i = 0; i < n; i++) {
    const size_t here = count[i];
    count[i] = sum;
    sum += here;
  }
  return sum;
}

static SofaErr allocate(SofaContext *ctx, unsigned lists, size_t n_parts, SofaElementPairs *out) {
  const size_t n_local = out->n_elements * sofa_element_pairs_local(out->n_nodes);
  const bool slots = lists & SOFA_PAIRS_SLOTS, parts = lists & SOFA_PAIRS_PARTS;
  if (!(out->row = sofa_alloc(ctx, out->n, sizeof *out->row))) return SOFA_ERR_MEMORY;
  if (!(out->column = sofa_alloc(ctx, out->n, sizeof *out->column))) return SOFA_ERR_MEMORY;
  if (slots && !(out->slot = sofa_alloc(ctx, n_local, sizeof *out->slot))) return SOFA_ERR_MEMORY;
  if (!parts) return SOFA_OK;
  if (!(out->start = sofa_alloc(ctx, out->n + 1, sizeof *out->start))) return SOFA_ERR_MEMORY;
  out->start[out->n] = n_parts;
  out->part = sofa_alloc(ctx, n_parts + 1, sizeof *out->part);
  return out->part ? SOFA_OK : SOFA_ERR_MEMORY;
}

SofaErr sofa_element_pairs_create(SofaContext *ctx, SofaElements elements, size_t n_points,
                                  unsigned lists, SofaElementPairs *out) {
  *out = (SofaElementPairs){.n_elements = elements.n, .n_nodes = elements.width};
  SofaErr err = SOFA_ERR_MEMORY;
  uint32_t *start = NULL, *ids = NULL;
  Pass pass = {.vertices = elements.v, .out = out};
  if (!(pass.last = sofa_alloc(ctx, n_points, sizeof *pass.last))) goto done;
  if (!(pass.pair = sofa_alloc(ctx, n_points, sizeof *pass.pair))) goto done;
  if (!(pass.part = sofa_alloc(ctx, n_points, sizeof *pass.part))) goto done;
  SOFA_GO(err, done, sofa_elements_around(ctx, elements, n_points, &start, &ids));

  visit_all(&pass, n_points, start, ids);
  out->n = begin_rows(pass.pair, n_points);
  const size_t n_parts = begin_rows(pass.part, n_points);
  SOFA_GO(err, done, allocate(ctx, lists, n_parts, out));
  pass.fill = true;
  visit_all(&pass, n_points, start, ids);
  err = sofa_element_pairs_count(ctx, out);
done:
  sofa_free(ctx, ids);
  sofa_free(ctx, start);
  sofa_free(ctx, pass.part);
  sofa_free(ctx, pass.pair);
  sofa_free(ctx, pass.last);
  if (err != SOFA_OK) sofa_element_pairs_free(ctx, out);
  return err;
}

SofaErr sofa_element_pairs_count(SofaContext *ctx, SofaElementPairs *pairs) {
  const size_t pieces = (pairs->n + SOFA_PAIRS_AT_ONCE - 1) / SOFA_PAIRS_AT_ONCE;
  size_t sum = 0;
  pairs->call = sofa_alloc(ctx, pieces + 1, sizeof *pairs->call);
  if (!pairs->call) return SOFA_ERR_MEMORY;
  for (size_t p = 0; p < pairs->n; p++) {
    if (p % SOFA_PAIRS_AT_ONCE == 0) pairs->call[p / SOFA_PAIRS_AT_ONCE] = sum;
    sum += pairs->row[p] == pairs->column[p] ? 1 : 2;
  }
  pairs->call[pieces] = sum;
  return SOFA_OK;
}

void sofa_element_pairs_forget_parts(SofaContext *ctx, SofaElementPairs *pairs) {
  sofa_free(ctx, pairs->start);
  sofa_free(ctx, pairs->part);
  pairs->start = NULL;
  pairs->part = NULL;
}

void sofa_element_pairs_free(SofaContext *ctx, SofaElementPairs *pairs) {
  sofa_element_pairs_forget_parts(ctx, pairs);
  sofa_free(ctx, pairs->row);
  sofa_free(ctx, pairs->column);
  sofa_free(ctx, pairs->slot);
  sofa_free(ctx, pairs->call);
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
