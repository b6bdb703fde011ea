/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "behavior/tangent_rows.h"

#include <stdatomic.h>

#include "base/team.h"

enum { ROWS_GRAIN = 512 };

/* Either kind of rows. */
typedef struct Adding {
  const SofaPointRows *rows;     /* NULL: scalars */
  const SofaScalarRows *scalars; /* NULL: rows */
  const SofaTangent *tangent;
  const SofaTangentPair *to;
  size_t n; /* rows that are added */
  SofaBlockRun run;
  atomic_bool differs; /* from the record */
} Adding;

/* ---- the entries, one call each ---- */

/* The calls of row i are those from this one to that of the next row. */
static inline size_t first_call(const Adding *a, size_t i) {
  if (a->rows) return a->rows->start ? a->rows->start[i] : i;
  return (a->scalars->start ? a->scalars->start[i] : 0) + (a->scalars->own ? i : 0);
}

/* The entry of a call of row i, which is not the own one of scalars. */
static inline size_t entry_of(const Adding *a, size_t i, size_t call) {
  return call - (a->scalars && a->scalars->own ? i + 1 : 0);
}

static inline bool is_own(const Adding *a, size_t i, size_t call) {
  return a->scalars && a->scalars->own && call == first_call(a, i);
}

static inline uint32_t column_of(const Adding *a, size_t i, size_t call) {
  const uint32_t *column = a->rows ? a->rows->column : a->scalars->column;
  if (is_own(a, i, call) || (a->rows && !a->rows->start)) return (uint32_t)i;
  return column[entry_of(a, i, call)];
}

static inline double scalar_of(const Adding *a, size_t i, size_t call) {
  const SofaScalarRows *s = a->scalars;
  return is_own(a, i, call) ? s->own[i] : s->value[entry_of(a, i, call)];
}

/* ---- along the record ---- */

static void check_rows(void *user, size_t begin, size_t end) {
  Adding *a = user;
  const SofaBlockRun run = a->run;
  const uint32_t row = a->to->row, column = a->to->column;
  bool same = true;
  for (size_t i = begin; i < end && same; i++) {
    const size_t last = first_call(a, i + 1);
    for (size_t k = first_call(a, i); k < last && same; k++)
      same = sofa_block_run_expects(&run, k, row + (uint32_t)i, column + column_of(a, i, k));
  }
  if (!same) atomic_store_explicit(&a->differs, true, memory_order_relaxed);
}

static void add_rows(void *user, size_t begin, size_t end) {
  const Adding *a = user;
  const size_t last = first_call(a, end);
  for (size_t k = first_call(a, begin); k < last; k++) {
    double block[9];
    a->rows->block(a->rows->user, k, block);
    sofa_block_run_add(&a->run, k, block, a->tangent->factor);
  }
}

static void add_scalars(void *user, size_t begin, size_t end) {
  const Adding *a = user;
  const SofaScalarRows *s = a->scalars;
  const double factor = a->tangent->factor;
  const SofaBlockRun run = a->run;
  size_t call = first_call(a, begin), entry = s->start ? s->start[begin] : 0;
  for (size_t i = begin; i < end; i++) {
    const size_t last = s->start ? s->start[i + 1] : 0;
    if (s->own) sofa_block_run_add_scalar(&run, call++, factor * s->own[i]);
    for (; entry < last; entry++) sofa_block_run_add_scalar(&run, call++, factor * s->value[entry]);
  }
}

/* false: nothing was added. */
static bool follow_record(const SofaContext *ctx, Adding *a) {
  const size_t n_calls = first_call(a, a->n);
  if (!a->to->matrix || !sofa_block_matrix_begin_run(a->to->matrix, 3, n_calls, &a->run))
    return false;
  sofa_team_for(ctx, a->n, ROWS_GRAIN, check_rows, a);
  if (atomic_load_explicit(&a->differs, memory_order_relaxed)) return false;
  sofa_team_for(ctx, a->n, ROWS_GRAIN, a->rows ? add_rows : add_scalars, a);
  sofa_block_matrix_end_run(a->to->matrix, n_calls);
  return true;
}

/* ---- both ---- */

static void fill_block(const Adding *a, size_t i, size_t call, double *block) {
  if (a->rows) {
    a->rows->block(a->rows->user, call, block);
    return;
  }
  const size_t deriv = a->scalars->deriv;
  const double scalar = scalar_of(a, i, call);
  for (size_t e = 0; e < deriv * deriv; e++) block[e] = e % (deriv + 1) == 0 ? scalar : 0;
}

static void add_one_by_one(const Adding *a) {
  for (size_t i = 0; i < a->n; i++) {
    for (size_t k = first_call(a, i); k < first_call(a, i + 1); k++) {
      double block[36];
      fill_block(a, i, k, block);
      sofa_tangent_add(a->tangent, 0, (uint32_t)i, 0, column_of(a, i, k), block);
    }
  }
}

/* Rows that sofa_tangent_add does not drop. */
static size_t n_added(const SofaTangent *tangent, size_t n) {
  return tangent->by_points && tangent->n_owned < n ? tangent->n_owned : n;
}

void sofa_tangent_add_rows(const SofaContext *ctx, const SofaPointRows *rows,
                           const SofaTangent *tangent) {
  Adding adding = {.rows = rows,
                   .tangent = tangent,
                   .to = sofa_tangent_pair(tangent, 0, 0),
                   .n = n_added(tangent, rows->n)};
  const bool many = ctx->threads > 1 && adding.n > ROWS_GRAIN;
  if (!many || !follow_record(ctx, &adding)) add_one_by_one(&adding);
}

void sofa_tangent_add_scalar_rows(const SofaContext *ctx, const SofaScalarRows *rows,
                                  const SofaTangent *tangent) {
  Adding adding = {.scalars = rows,
                   .tangent = tangent,
                   .to = sofa_tangent_pair(tangent, 0, 0),
                   .n = n_added(tangent, rows->n)};
  if (!follow_record(ctx, &adding)) add_one_by_one(&adding);
}
