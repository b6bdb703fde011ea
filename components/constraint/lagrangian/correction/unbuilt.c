/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rows of a correction for solvers that do not form W. */

#include "components/constraint/lagrangian/correction/correction.h"

void unbuilt_free(SofaContext *ctx, UnbuiltRows *u) {
  sofa_list_free(ctx, &u->w);
  sofa_list_free(ctx, &u->lambda);
  sofa_list_free(ctx, &u->place);
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

void unbuilt_add_displacement(const UnbuiltRows *u, const SofaConstraintBlock *block, double *d) {
  for (uint32_t i = 0; i < block->n; i++) {
    const uint32_t place = u->place.data[block->first + i];
    if (!place) continue;
    const double *w = u->w.data + u->n * (place - 1);
    double sum = 0;
    for (size_t k = 0; k < u->n; k++) sum += w[k] * u->lambda.data[k];
    d[i] += sum;
  }
}

void unbuilt_add_force(UnbuiltRows *u, const SofaConstraintBlock *block, const double *change) {
  for (uint32_t i = 0; i < block->n; i++) {
    const uint32_t place = u->place.data[block->first + i];
    if (place) u->lambda.data[place - 1] += change[i];
  }
}
