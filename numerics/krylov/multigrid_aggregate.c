/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Aggregates of points, and the modes on them made orthonormal. */
#include "numerics/krylov/multigrid_impl.h"

#include <math.h>

/* ---- coupling ---- */

static double norm2(const LevelMatrix *a, size_t k) {
  const double *v = a->value + (size_t)a->size * a->size * k;
  double sum = 0;
  for (unsigned e = 0; e < a->size * a->size; e++) sum += v[e] * v[e];
  return sum;
}

/* The coupled neighbours of each row. */
typedef struct Graph {
  SofaIndices start, column;
  SofaReals weight; /* |A_ij|^2 / (|A_ii| |A_jj|) */
} Graph;

static void graph_free(SofaContext *ctx, Graph *g) {
  sofa_list_free(ctx, &g->start);
  sofa_list_free(ctx, &g->column);
  sofa_list_free(ctx, &g->weight);
}

static SofaErr diagonal_norms(SofaContext *ctx, const LevelMatrix *a, SofaReals *out) {
  SOFA_TRY(SOFA_RESIZE(ctx, out, a->n));
  for (size_t i = 0; i < a->n; i++)
    for (uint32_t k = a->start[i]; k < a->start[i + 1]; k++)
      if (a->column[k] == i) out->data[i] = sqrt(norm2(a, k));
  return SOFA_OK;
}

static SofaErr make_graph(SofaContext *ctx, const LevelMatrix *a, double strength, Graph *g) {
  SofaReals diagonal = {0};
  SofaErr err;
  size_t n = 0;
  SOFA_GO(err, done, diagonal_norms(ctx, a, &diagonal));
  SOFA_GO(err, done, SOFA_RESIZE(ctx, &g->start, a->n + 1));
  SOFA_GO(err, done, SOFA_RESIZE(ctx, &g->column, a->start[a->n]));
  SOFA_GO(err, done, SOFA_RESIZE(ctx, &g->weight, a->start[a->n]));
  for (size_t i = 0; i < a->n; i++) {
    for (uint32_t k = a->start[i]; k < a->start[i + 1]; k++) {
      const uint32_t j = a->column[k];
      const double weight = norm2(a, k) / (diagonal.data[i] * diagonal.data[j]);
      if (j == i || !(weight > strength * strength)) continue;
      g->column.data[n] = j;
      g->weight.data[n++] = weight;
    }
    g->start.data[i + 1] = (uint32_t)n;
  }
done:
  sofa_list_free(ctx, &diagonal);
  return err;
}

/* ---- aggregates ---- */

enum { FREE = SOFA_NO_AGGREGATE };

/* A row and those of its neighbours that are free. */
static void begin_aggregate(const Graph *g, uint32_t i, uint32_t id, uint32_t *aggregate) {
  aggregate[i] = id;
  for (uint32_t k = g->start.data[i]; k < g->start.data[i + 1]; k++)
    if (aggregate[g->column.data[k]] == FREE) aggregate[g->column.data[k]] = id;
}

static bool is_alone(const Graph *g, uint32_t i) {
  return g->start.data[i] == g->start.data[i + 1];
}

/* Are the row and all rows within so many steps of it free? */
static bool all_free(const Graph *g, uint32_t i, int steps, const uint32_t *aggregate) {
  if (aggregate[i] != FREE) return false;
  for (uint32_t k = g->start.data[i]; steps > 0 && k < g->start.data[i + 1]; k++)
    if (!all_free(g, g->column.data[k], steps - 1, aggregate)) return false;
  return true;
}

/* The aggregate, before this pass, of the most strongly coupled neighbour that had one. */
static uint32_t nearest(const Graph *g, uint32_t i, const uint32_t *before) {
  double most = 0;
  uint32_t found = FREE;
  for (uint32_t k = g->start.data[i]; k < g->start.data[i + 1]; k++) {
    const uint32_t j = g->column.data[k];
    if (before[j] == FREE || !(g->weight.data[k] > most)) continue;
    most = g->weight.data[k];
    found = before[j];
  }
  return found;
}

/* Free rows join the aggregates beside them, so many layers of them. */
static SofaErr grow(SofaContext *ctx, const Graph *g, int layers, SofaIndices *aggregate) {
  SofaIndices before = {0};
  SofaErr err = SOFA_OK;
  for (int layer = 0; layer < layers; layer++) {
    SOFA_GO(err, done, sofa_list_copy(ctx, &before, aggregate, sizeof *before.data));
    for (uint32_t i = 0; i < aggregate->n; i++)
      if (aggregate->data[i] == FREE) aggregate->data[i] = nearest(g, i, before.data);
  }
done:
  sofa_list_free(ctx, &before);
  return err;
}

SofaErr sofa_multigrid_aggregate(SofaContext *ctx, const LevelMatrix *a, double strength,
                                 SofaIndices *aggregate, size_t *n_aggregates) {
  Graph g = {.start = {0}};
  SofaErr err;
  uint32_t n = 0;
  // neighbourhoods of points begin at a distance, or there were too many: 6 unknowns for 10 points
  const int steps = a->size == FINE ? 2 : 1;
  SOFA_GO(err, done, make_graph(ctx, a, strength, &g));
  SOFA_GO(err, done, SOFA_RESIZE(ctx, aggregate, a->n));
  uint32_t *of = aggregate->data;
  for (size_t i = 0; i < a->n; i++) of[i] = FREE;
  for (uint32_t i = 0; i < a->n; i++)
    if (!is_alone(&g, i) && all_free(&g, i, steps, of)) begin_aggregate(&g, i, n++, of);
  SOFA_GO(err, done, grow(ctx, &g, steps + 1, aggregate));
  for (uint32_t i = 0; i < a->n; i++)
    if (of[i] == FREE && !is_alone(&g, i)) begin_aggregate(&g, i, n++, of);
  *n_aggregates = n;
done:
  graph_free(ctx, &g);
  return err;
}

/* ---- the modes of an aggregate ---- */

/* Rows of each aggregate: rows[from[g]] .. */
static SofaErr group_rows(SofaContext *ctx, const SofaIndices *aggregate, size_t n,
                          SofaIndices *from, SofaIndices *rows) {
  SOFA_TRY(SOFA_RESIZE(ctx, from, n + 2));
  SOFA_TRY(SOFA_RESIZE(ctx, rows, aggregate->n));
  for (size_t i = 0; i < aggregate->n; i++)
    if (aggregate->data[i] != SOFA_NO_AGGREGATE) from->data[aggregate->data[i] + 2]++;
  for (size_t g = 2; g < n + 2; g++) from->data[g] += from->data[g - 1];
  for (size_t i = 0; i < aggregate->n; i++)
    if (aggregate->data[i] != SOFA_NO_AGGREGATE)
      rows->data[from->data[aggregate->data[i] + 1]++] = (uint32_t)i;
  return SOFA_OK;
}

/* Sum over the aggregate's rows of column a times column b. */
static double dot(const double *q, size_t n, unsigned a, unsigned b) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += q[MODES * i + a] * q[MODES * i + b];
  return sum;
}

/* q: n x MODES becomes Q, with q = Q R. Columns that depend on those before are 0 in both. */
static void orthonormalise(double *q, size_t n, double *r) {
  static const double dependent = 1e-10;
  sofa_zero(r, MODES * MODES * sizeof *r);
  for (unsigned c = 0; c < MODES; c++) {
    const double before = sqrt(dot(q, n, c, c));
    for (int pass = 0; pass < 2; pass++) { // once more against rounding
      for (unsigned a = 0; a < c; a++) {
        const double f = dot(q, n, a, c);
        r[MODES * a + c] += f;
        for (size_t i = 0; i < n; i++) q[MODES * i + c] -= f * q[MODES * i + a];
      }
    }
    const double left = sqrt(dot(q, n, c, c)), scale = left > dependent * before ? 1 / left : 0;
    r[MODES * c + c] = scale > 0 ? left : 0;
    for (size_t i = 0; i < n; i++) q[MODES * i + c] *= scale;
  }
}

SofaErr sofa_multigrid_tentative(SofaContext *ctx, const Level *fine, const SofaIndices *aggregate,
                                 size_t n_aggregates, Blocks *p0, SofaReals *coarse) {
  const size_t n = fine->a.n, block = (size_t)fine->a.size * MODES;
  SofaIndices from = {0}, rows = {0};
  SofaReals q = {0};
  SofaErr err;
  *p0 = (Blocks){.n_rows = n, .n_columns = n_aggregates, .height = fine->a.size, .width = MODES};
  SOFA_GO(err, done, group_rows(ctx, aggregate, n_aggregates, &from, &rows));
  SOFA_GO(err, done, SOFA_RESIZE(ctx, &p0->start, n + 1));
  SOFA_GO(err, done, SOFA_RESIZE(ctx, &p0->column, from.data[n_aggregates]));
  SOFA_GO(err, done, SOFA_RESIZE(ctx, &p0->value, block * from.data[n_aggregates]));
  SOFA_GO(err, done, SOFA_RESIZE(ctx, coarse, n_aggregates * MODES * MODES));
  for (size_t i = 0; i < n; i++) {
    const uint32_t g = aggregate->data[i], at = p0->start.data[i];
    p0->start.data[i + 1] = at + (g != SOFA_NO_AGGREGATE);
    if (g != SOFA_NO_AGGREGATE) p0->column.data[at] = g;
  }
  for (size_t g = 0; g < n_aggregates; g++) {
    const uint32_t *row = rows.data + from.data[g];
    const size_t count = from.data[g + 1] - from.data[g];
    SOFA_GO(err, done, SOFA_RESIZE(ctx, &q, count * block));
    for (size_t i = 0; i < count; i++)
      sofa_copy(q.data + block * i, fine->near.data + block * row[i], block * sizeof(double));
    orthonormalise(q.data, count * fine->a.size, coarse->data + MODES * MODES * g);
    for (size_t i = 0; i < count; i++)
      sofa_copy(p0->value.data + block * p0->start.data[row[i]], q.data + block * i,
                block * sizeof(double));
  }
done:
  sofa_list_free(ctx, &from);
  sofa_list_free(ctx, &rows);
  sofa_list_free(ctx, &q);
  return err;
}
