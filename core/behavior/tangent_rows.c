/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "behavior/tangent_rows.h"

#include <stdatomic.h>

#include "base/team.h"

enum { ROWS_GRAIN = 512 };

typedef struct Adding {
  const SofaPointRows *rows;
  const SofaTangent *tangent;
  const SofaTangentPair *to;
  SofaBlockRun run;
  atomic_bool differs; /* from the record */
} Adding;

static size_t first_entry(const SofaPointRows *rows, size_t i) {
  return rows->start ? rows->start[i] : i;
}

static uint32_t column_of(const SofaPointRows *rows, size_t i, size_t entry) {
  return rows->start ? rows->column[entry] : (uint32_t)i;
}

static void check_rows(void *user, size_t begin, size_t end) {
  Adding *a = user;
  bool same = true;
  for (size_t i = begin; i < end && same; i++) {
    for (size_t k = first_entry(a->rows, i); k < first_entry(a->rows, i + 1) && same; k++)
      same = sofa_block_run_expects(&a->run, k, a->to->row + (uint32_t)i,
                                    a->to->column + column_of(a->rows, i, k));
  }
  if (!same) atomic_store_explicit(&a->differs, true, memory_order_relaxed);
}

static void add_rows(void *user, size_t begin, size_t end) {
  const Adding *a = user;
  const size_t last = first_entry(a->rows, end);
  for (size_t k = first_entry(a->rows, begin); k < last; k++) {
    double block[9];
    a->rows->block(a->rows->user, k, block);
    sofa_block_run_add(&a->run, k, block, a->tangent->factor);
  }
}

/* false: nothing was added. */
static bool add_on_team(const SofaContext *ctx, Adding *a) {
  const size_t n_calls = first_entry(a->rows, a->rows->n);
  if (!sofa_block_matrix_begin_run(a->to->matrix, 3, n_calls, &a->run)) return false;
  sofa_team_for(ctx, a->rows->n, ROWS_GRAIN, check_rows, a);
  if (atomic_load_explicit(&a->differs, memory_order_relaxed)) return false;
  sofa_team_for(ctx, a->rows->n, ROWS_GRAIN, add_rows, a);
  sofa_block_matrix_end_run(a->to->matrix, n_calls);
  return true;
}

void sofa_tangent_add_rows(const SofaContext *ctx, const SofaPointRows *rows,
                           const SofaTangent *tangent) {
  SofaPointRows owned = *rows; /* sofa_tangent_add drops the others, too */
  if (tangent->by_points && tangent->n_owned < rows->n) owned.n = tangent->n_owned;
  rows = &owned;
  Adding adding = {.rows = rows, .tangent = tangent, .to = sofa_tangent_pair(tangent, 0, 0)};
  if (ctx->threads > 1 && rows->n > ROWS_GRAIN && adding.to->matrix && add_on_team(ctx, &adding))
    return;
  for (size_t i = 0; i < rows->n; i++) {
    for (size_t k = first_entry(rows, i); k < first_entry(rows, i + 1); k++) {
      double block[36];
      rows->block(rows->user, k, block);
      sofa_tangent_add(tangent, 0, (uint32_t)i, 0, column_of(rows, i, k), block);
    }
  }
}
