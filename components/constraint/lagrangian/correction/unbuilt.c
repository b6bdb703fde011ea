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

/* factor Y_i . sum */
static double times_row(const UnbuiltRows *u, size_t i) {
  const SofaFactoredRows *y = &u->y;
  const SofaRowRun *run = y->run.data + y->first_run.data[i];
  const double *value = y->value.data + y->start.data[i];
  double sum = 0;
  for (uint32_t r = 0; r < y->n_runs.data[i]; value += run[r++].n)
    sum += u->kernels->dot(1, run[r].n, value, u->sum.data + run[r].column);
  return u->factor * sum;
}

/* sum += change Y_i */
static void add_row(UnbuiltRows *u, size_t i, double change) {
  const SofaFactoredRows *y = &u->y;
  const SofaRowRun *run = y->run.data + y->first_run.data[i];
  const double *value = y->value.data + y->start.data[i];
  for (uint32_t r = 0; r < y->n_runs.data[i]; value += run[r++].n)
    u->kernels->axpy(1, run[r].n, change, value, u->sum.data + run[r].column);
}

SofaErr unbuilt_open_factored(UnbuiltRows *u, const SofaConstraintProblem *problem,
                              const SofaSparseRows *j) {
  u->n = j->n_rows;
  u->kernels = problem->ctx->kernels;
  SOFA_TRY(SOFA_RESIZE(problem->ctx, &u->lambda, u->n));
  SOFA_TRY(SOFA_RESIZE(problem->ctx, &u->sum, u->y.n_columns + 1));
  if (u->n) sofa_zero(u->lambda.data, u->n * sizeof(double));
  sofa_zero(u->sum.data, u->sum.n * sizeof(double));
  return unbuilt_places(problem, j, &u->place);
}

/* Column k of the block's own part: what a unit multiplier of row k moves. */
static void add_own_column(UnbuiltRows *u, const SofaConstraintBlock *b, uint32_t k, double *own) {
  const uint32_t *place = u->place.data + b->first;
  if (!place[k]) return;
  add_row(u, place[k] - 1, 1);
  for (uint32_t i = 0; i < b->n; i++)
    if (place[i]) own[i * b->n + k] += times_row(u, place[i] - 1);
  own[(b->n + 1) * k] += u->regularization;
  add_row(u, place[k] - 1, -1); /* zeros again */
}

void unbuilt_close_factored(UnbuiltRows *u, const SofaConstraintProblem *problem,
                            double *const *blocks, const double *lambda) {
  for (size_t b = 0; b < problem->blocks.n; b++)
    for (uint32_t k = 0; k < problem->blocks.data[b].n; k++)
      add_own_column(u, &problem->blocks.data[b], k, blocks[b]);
  for (size_t b = 0; b < problem->blocks.n; b++)
    unbuilt_add_force(u, &problem->blocks.data[b], lambda + problem->blocks.data[b].first);
}

/* ---- in a sweep ---- */

/* Row `place` of W lambda. */
static double displacement(const UnbuiltRows *u, size_t place) {
  if (u->y.n_columns) return times_row(u, place) + u->regularization * u->lambda.data[place];
  const double *w = u->w.data + u->n * place;
  double sum = 0;
  for (size_t k = 0; k < u->n; k++) sum += w[k] * u->lambda.data[k];
  return sum;
}

void unbuilt_add_displacement(const UnbuiltRows *u, const SofaConstraintBlock *block, double *d) {
  for (uint32_t i = 0; i < block->n; i++) {
    const uint32_t place = u->place.data[block->first + i];
    if (place) d[i] += displacement(u, place - 1);
  }
}

void unbuilt_add_force(UnbuiltRows *u, const SofaConstraintBlock *block, const double *change) {
  for (uint32_t i = 0; i < block->n; i++) {
    const uint32_t place = u->place.data[block->first + i];
    if (!place || change[i] == 0) continue;
    u->lambda.data[place - 1] += change[i];
    if (u->y.n_columns) add_row(u, place - 1, change[i]);
  }
}
