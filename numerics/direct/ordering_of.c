/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Orders of elimination of block matrices: blocks stay together, so the graph that is ordered has
 * one vertex per block row. */
#include <cholmod.h>

#include "numerics/direct/cholmod_solver.h"
#include "numerics/direct/blas_threads.h"

const SofaLinkRule sofa_ordering_rule = {.interface = SOFA_ORDERING, .search = SOFA_SEARCH_NONE};

SofaOrdering *sofa_solver_ordering(const SofaLinearSolver *solver, const SofaLink *link) {
  if (link->target) return (SofaOrdering *)link->target;
  return (SofaOrdering *)sofa_node_find(solver->object.node, SOFA_ORDERING, SOFA_SEARCH_LOCAL);
}

/* ---- graph ---- */

/* Counts (row NULL) or lists the neighbours of every block: those of its row, and the rows that
 * have it as a column without being one of them. Rows ascend within a column. */
static void walk_graph(const SofaBlockRows *a, int *next, int *row) {
  for (size_t i = 0; i < a->n_rows; i++) {
    for (uint32_t k = a->start[i]; k < a->start[i + 1]; k++) {
      const int at = next[a->column[k]]++;
      if (row) row[at] = (int)i;
    }
  }
}

static bool has_block(const SofaBlockRows *a, uint32_t i, uint32_t j) {
  uint32_t low = a->start[i], high = a->start[i + 1];
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (a->column[middle] < j) low = middle + 1;
    else high = middle;
  }
  return low < a->start[i + 1] && a->column[low] == j;
}

/* Is every block mirrored? Patterns nearly always are. */
static bool mirrored(const SofaBlockRows *a) {
  for (uint32_t i = 0; i < a->n_rows; i++)
    for (uint32_t k = a->start[i]; k < a->start[i + 1]; k++)
      if (a->column[k] != i && !has_block(a, a->column[k], i)) return false;
  return true;
}

/* Adds to the columns listed so far (those of A) the blocks of A^T that A lacks. */
static void walk_missing(const SofaBlockRows *a, int *next, int *row) {
  for (uint32_t i = 0; i < a->n_rows; i++) {
    for (uint32_t k = a->start[i]; k < a->start[i + 1]; k++) {
      if (has_block(a, a->column[k], i)) continue;
      const int at = next[i]++;
      if (row) row[at] = (int)a->column[k];
    }
  }
}

static int compare_rows(const void *a, const void *b) {
  return *(const int *)a - *(const int *)b;
}

/* start: n + 1 ints. Everything is scratch memory. */
static SofaErr make_graph(SofaContext *ctx, const SofaBlockRows *a, int *start, int **row) {
  const bool symmetric = mirrored(a);
  int *next = SOFA_SCRATCH(ctx, int, a->n_rows + 1);
  if (!next) return SOFA_ERR_MEMORY;
  sofa_zero(next, (a->n_rows + 1) * sizeof *next);
  walk_graph(a, next, NULL);
  if (!symmetric) walk_missing(a, next, NULL);
  start[0] = 0;
  for (size_t j = 0; j < a->n_rows; j++) start[j + 1] = start[j] + next[j];
  *row = SOFA_SCRATCH(ctx, int, (size_t)start[a->n_rows] + 1);
  if (!*row) return SOFA_ERR_MEMORY;
  sofa_copy(next, start, a->n_rows * sizeof *next);
  walk_graph(a, next, *row);
  if (!symmetric) walk_missing(a, next, *row);
  for (size_t j = 0; j < a->n_rows && !symmetric; j++)
    sofa_sort(*row + start[j], (size_t)(start[j + 1] - start[j]), sizeof **row, compare_rows);
  return SOFA_OK;
}

/* ---- orders ---- */

/* Order by the columns of the whole pattern; *ok tells whether it was found. */
static void order_columns(cholmod_sparse *a, int *order, cholmod_common *c, bool *ok) {
  a->stype = 0;
  *ok = cholmod_colamd(a, NULL, 0, 0, order, c) && c->status == CHOLMOD_OK;
}

/* Order that cholmod_analyze finds best among the methods of c. */
static void order_symmetric(cholmod_sparse *a, int *order, cholmod_common *c, bool *ok) {
  cholmod_factor *l = cholmod_analyze(a, c);
  *ok = l && c->status == CHOLMOD_OK;
  if (*ok) sofa_copy(order, l->Perm, l->n * sizeof *order);
  cholmod_free_factor(&l, c);
}

const char *sofa_order_name(int method) {
  switch (method) {
  case CHOLMOD_NATURAL:
    return "natural";
  case CHOLMOD_AMD:
    return "AMD";
  case CHOLMOD_COLAMD:
    return "COLAMD";
  case CHOLMOD_METIS:
    return "METIS";
  default:
    return "the sparser of AMD and METIS";
  }
}

SofaErr sofa_cholmod_order(SofaContext *ctx, const SofaOrderingGraph *graph, int method,
                           int *order) {
  const SofaBlasThreads saved = sofa_blas_threads_begin(1);
  cholmod_common c;
  cholmod_start(&c);
  c.print = 0;
  c.nmethods = method == SOFA_ORDER_SPARSEST ? 2 : 1;
  c.method[0].ordering = method == SOFA_ORDER_SPARSEST ? CHOLMOD_AMD : method;
  c.method[1].ordering = CHOLMOD_METIS;
  c.supernodal = CHOLMOD_SIMPLICIAL;
  c.postorder = 0;
  cholmod_sparse a = {.nrow = (size_t)graph->n,
                      .ncol = (size_t)graph->n,
                      .nzmax = (size_t)graph->start[graph->n],
                      .p = (void *)(uintptr_t)graph->start,
                      .i = (void *)(uintptr_t)graph->row,
                      .stype = -1,
                      .itype = CHOLMOD_INT,
                      .xtype = CHOLMOD_PATTERN,
                      .sorted = 1,
                      .packed = 1};
  bool ok = false;
  if (method == CHOLMOD_COLAMD) order_columns(&a, order, &c, &ok);
  else order_symmetric(&a, order, &c, &ok);
  const int status = c.status;
  cholmod_finish(&c);
  sofa_blas_threads_end(saved);
  if (ok) return SOFA_OK;
  return sofa_fail(ctx, SOFA_ERR_MEMORY, NULL, "no order of elimination: CHOLMOD's status is %d",
                   status);
}

static SofaErr order_blocks(SofaContext *ctx, const SofaBlockRows *rows, SofaOrdering *ordering,
                            int method, int *order) {
  int *start = SOFA_SCRATCH(ctx, int, rows->n_rows + 1), *row;
  if (!start) return SOFA_ERR_MEMORY;
  SOFA_TRY(make_graph(ctx, rows, start, &row));
  const SofaOrderingGraph graph = {(int)rows->n_rows, start, row};
  return ordering ? sofa_ordering_ops(ordering)->order(ordering, &graph, order)
                  : sofa_cholmod_order(ctx, &graph, method, order);
}

SofaErr sofa_order_scalars(SofaContext *ctx, const SofaBlockRows *rows, SofaOrdering *ordering,
                           int method, int *order) {
  SofaErr err = SOFA_OK;
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  int *blocks = SOFA_SCRATCH(ctx, int, rows->n_rows);
  if (!blocks) SOFA_GO(err, done, SOFA_ERR_MEMORY);
  if (rows->start[rows->n_rows] > INT32_MAX)
    SOFA_GO(err, done, sofa_fail(ctx, SOFA_ERR_RANGE, NULL, "matrix: more than 2^31 blocks"));
  SOFA_GO(err, done, order_blocks(ctx, rows, ordering, method, blocks));
  size_t at = 0;
  for (size_t i = 0; i < rows->n_rows; i++) {
    const size_t block = (size_t)blocks[i];
    for (uint32_t s = rows->row_scalar[block]; s < rows->row_scalar[block + 1]; s++)
      order[at++] = (int)s;
  }
done:
  sofa_scratch_release(ctx, mark);
  return err;
}
