/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rows of a correction for solvers that do not form W. */

#include "base/bytes.h"
#include "components/constraint/lagrangian/correction/correction.h"

void unbuilt_free(SofaContext *ctx, UnbuiltRows *u) {
  sofa_list_free(ctx, &u->w);
  sofa_list_free(ctx, &u->lambda);
  sofa_list_free(ctx, &u->place);
  sofa_list_free(ctx, &u->sum);
  sofa_factored_rows_free(ctx, &u->y);
}

SofaErr unbuilt_places(const SofaConstraintProblem *problem, const SofaSparseRows *j,
                       SofaIndices *place) {
  SOFA_TRY(SOFA_RESIZE(problem->ctx, place, problem->n));
  for (uint32_t r = 0; r < problem->n; r++) place->data[r] = 0;
  for (size_t i = 0; i < j->n_rows; i++)
    if (j->start[i] < j->start[i + 1]) place->data[j->number[i]] = (uint32_t)i + 1;
  return SOFA_OK;
}

SofaErr unbuilt_open(UnbuiltRows *u, const SofaConstraintProblem *problem,
                     const SofaSparseRows *j) {
  u->n = j->n_rows;
  SOFA_TRY(SOFA_RESIZE(problem->ctx, &u->w, u->n * u->n));
  SOFA_TRY(SOFA_RESIZE(problem->ctx, &u->lambda, u->n));
  if (u->n) sofa_zero(u->w.data, u->n * u->n * sizeof(double));
  if (u->n) sofa_zero(u->lambda.data, u->n * sizeof(double));
  return unbuilt_places(problem, j, &u->place);
}

static void transpose(size_t n, double *w) {
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < i; k++) {
      const double kept = w[n * i + k];
      w[n * i + k] = w[n * k + i];
      w[n * k + i] = kept;
    }
}

void unbuilt_close(UnbuiltRows *u, const SofaConstraintProblem *problem, double *const *blocks,
                   const double *lambda) {
  transpose(u->n, u->w.data);
  for (uint32_t r = 0; r < problem->n; r++)
    if (u->place.data[r]) u->lambda.data[u->place.data[r] - 1] = lambda[r];
  for (size_t b = 0; b < problem->blocks.n; b++) {
    const SofaConstraintBlock *block = &problem->blocks.data[b];
    const uint32_t *place = u->place.data + block->first;
    for (uint32_t i = 0; i < block->n; i++)
      for (uint32_t k = 0; k < block->n; k++)
        if (place[i] && place[k])
          blocks[b][i * block->n + k] += u->w.data[u->n * (place[i] - 1) + (place[k] - 1)];
  }
}

bool unbuilt_knows(const UnbuiltRows *u, const SofaConstraintBlock *block) {
  for (uint32_t i = 0; i < block->n; i++)
    if (u->place.data[block->first + i]) return true;
  return false;
}

/* ---- by the factor ---- */

static bool same_runs(const SofaFactoredRows *y, size_t i, size_t k) {
  return y->first_run.data[i] == y->first_run.data[k] && y->n_runs.data[i] == y->n_runs.data[k];
}

/* The next rows that a kernel takes together: those of a contact. Returns how many of the n places
 * they are; rows->n 0: the first place has no row. */
static uint32_t take_rows(const UnbuiltRows *u, const uint32_t *place, uint32_t n,
                          SofaRunRows *rows) {
  const SofaFactoredRows *y = &u->y;
  rows->n = 0;
  if (!place[0]) return 1;
  const size_t first = place[0] - 1;
  rows->run = y->run.data + y->first_run.data[first];
  rows->n_runs = y->n_runs.data[first];
  rows->value = y->value.data;
  for (uint32_t i = 0; i < n && i < 3 && place[i] && same_runs(y, first, place[i] - 1); i++)
    rows->place[rows->n++] = y->place.data[place[i] - 1];
  return (uint32_t)rows->n;
}

/* d += factor Y_i . sum of the rows of a block */
static void add_products(const UnbuiltRows *u, const SofaConstraintBlock *block, double *d) {
  const uint32_t *place = u->place.data + block->first;
  for (uint32_t i = 0, n = 0; i < block->n; i += n) {
    SofaRunRows rows;
    double value[3];
    n = take_rows(u, place + i, block->n - i, &rows);
    if (rows.n) u->kernels->dot_rows(&rows, u->sum.data, value);
    for (int k = 0; k < rows.n; k++)
      d[i + (uint32_t)k] +=
          u->factor * value[k] + u->regularization * u->lambda.data[place[i + (uint32_t)k] - 1];
  }
}

/* sum += change_i Y_i */
static void add_changes(UnbuiltRows *u, const SofaConstraintBlock *block, const double *change) {
  const uint32_t *place = u->place.data + block->first;
  for (uint32_t i = 0, n = 0; i < block->n; i += n) {
    SofaRunRows rows;
    bool any = false;
    n = take_rows(u, place + i, block->n - i, &rows);
    for (int k = 0; k < rows.n; k++) any |= change[i + (uint32_t)k] != 0;
    if (any) u->kernels->axpy_rows(&rows, change + i, u->sum.data);
  }
}

SofaErr unbuilt_open_factored(UnbuiltRows *u, const SofaConstraintProblem *problem,
                              const SofaSparseRows *j) {
  u->factored = true;
  u->n = j->n_rows;
  u->kernels = problem->ctx->kernels;
  SOFA_TRY(SOFA_RESIZE(problem->ctx, &u->lambda, u->n));
  SOFA_TRY(SOFA_RESIZE(problem->ctx, &u->sum, u->y.n_columns + 1));
  if (u->n) sofa_zero(u->lambda.data, u->n * sizeof(double));
  sofa_zero(u->sum.data, u->sum.n * sizeof(double));
  return unbuilt_places(problem, j, &u->place);
}

/* Y_i . Y_k, in the order of the columns. */
static double product_of(const UnbuiltRows *u, size_t i, size_t k) {
  const SofaFactoredRows *y = &u->y;
  const SofaRowRun *a = y->run.data + y->first_run.data[i], *a_end = a + y->n_runs.data[i];
  const SofaRowRun *b = y->run.data + y->first_run.data[k], *b_end = b + y->n_runs.data[k];
  double sum = 0;
  while (a < a_end && b < b_end) {
    const uint32_t first = a->column > b->column ? a->column : b->column;
    const uint32_t a_last = a->column + a->n, b_last = b->column + b->n;
    const uint32_t last = a_last < b_last ? a_last : b_last;
    const double *of_a = sofa_run_values(y->value.data, a, y->place.data[i]);
    const double *of_b = sofa_run_values(y->value.data, b, y->place.data[k]);
    if (first < last)
      sum += u->kernels->dot(last - first, of_a + (first - a->column), of_b + (first - b->column));
    if (a_last == last) a++;
    if (b_last == last) b++;
  }
  return sum;
}

/* Each symmetric pair of entries computed once; rows of a contact in one pass. */
static void add_grams(const UnbuiltRows *u, const SofaConstraintBlock *b, double *own) {
  const uint32_t *place = u->place.data + b->first;
  SofaRunRows rows;
  double gram[9];
  if (b->n <= 3 && take_rows(u, place, b->n, &rows) == b->n && rows.n) {
    u->kernels->gram_rows(&rows, gram);
    for (uint32_t e = 0; e < b->n * b->n; e++) own[e] += u->factor * gram[e];
    return;
  }
  for (uint32_t k = 0; k < b->n; k++)
    for (uint32_t i = 0; i <= k; i++) {
      if (!place[i] || !place[k]) continue;
      const double value = u->factor * product_of(u, place[i] - 1, place[k] - 1);
      own[i * b->n + k] += value;
      if (i < k) own[k * b->n + i] += value;
    }
}

/* The block's own part. */
static void add_own_part(const UnbuiltRows *u, const SofaConstraintBlock *b, double *own) {
  add_grams(u, b, own);
  for (uint32_t k = 0; k < b->n; k++)
    if (u->place.data[b->first + k]) own[(b->n + 1) * k] += u->regularization;
}

void unbuilt_close_factored(UnbuiltRows *u, const SofaConstraintProblem *problem,
                            double *const *blocks, const double *lambda) {
  for (size_t b = 0; b < problem->blocks.n; b++) {
    add_own_part(u, &problem->blocks.data[b], blocks[b]);
    unbuilt_add_force(u, &problem->blocks.data[b], lambda + problem->blocks.data[b].first);
  }
}

/* ---- in a sweep ---- */

/* Row `place` of W lambda. */
static double displacement(const UnbuiltRows *u, size_t place) {
  const double *w = u->w.data + u->n * place;
  double sum = 0;
  for (size_t k = 0; k < u->n; k++) sum += w[k] * u->lambda.data[k];
  return sum;
}

void unbuilt_add_displacement(const UnbuiltRows *u, const SofaConstraintBlock *block, double *d) {
  if (u->y.n_columns) {
    add_products(u, block, d);
    return;
  }
  for (uint32_t i = 0; i < block->n; i++) {
    const uint32_t place = u->place.data[block->first + i];
    if (place) d[i] += displacement(u, place - 1);
  }
}

void unbuilt_add_force(UnbuiltRows *u, const SofaConstraintBlock *block, const double *change) {
  for (uint32_t i = 0; i < block->n; i++) {
    const uint32_t place = u->place.data[block->first + i];
    if (place) u->lambda.data[place - 1] += change[i];
  }
  if (u->y.n_columns) add_changes(u, block, change);
}
