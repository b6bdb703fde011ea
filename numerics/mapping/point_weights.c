/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Weighted sums of points: building the rows, applying them, their transpose and their matrix. */
#include "numerics/mapping/point_weights.h"

#include "base/team.h"
#include "math/isa.h"
#include "numerics/mapping/point_weights_kernels_impl.h"

enum { POINTS_GRAIN = 1024 }; /* that a thread takes at once */
enum { SORTED_COLUMNS = 64 }; /* columns that are sorted by their numbers of entries */

/* ---- building ---- */

SofaErr sofa_point_weights_begin(SofaContext *ctx, SofaPointWeights *w, size_t n_in, size_t n_out) {
  sofa_point_weights_free(ctx, w);
  w->n_in = n_in;
  const uint32_t zero = 0;
  SOFA_TRY(SOFA_RESERVE(ctx, &w->start, n_out + 1));
  return SOFA_APPEND(ctx, &w->start, &zero);
}

/* Sums the weights of equal indices; returns the number of entries left. */
static unsigned merge(const uint32_t *index, const double *weight, unsigned n, uint32_t *to_index,
                      double *to_weight) {
  unsigned kept = 0;
  for (unsigned k = 0; k < n; k++) {
    unsigned at = 0;
    while (at < kept && to_index[at] != index[k]) at++;
    if (at == kept) {
      to_index[kept] = index[k];
      to_weight[kept++] = weight[k];
    } else {
      to_weight[at] += weight[k];
    }
  }
  return kept;
}

SofaErr sofa_point_weights_append(SofaContext *ctx, SofaPointWeights *w, const uint32_t *index,
                                  const double *weight, unsigned n) {
  uint32_t kept_index[8];
  double kept_weight[8];
  n = merge(index, weight, n < 8 ? n : 8, kept_index, kept_weight);
  for (unsigned k = 0; k < n; k++) {
    SOFA_TRY(SOFA_APPEND(ctx, &w->index, &kept_index[k]));
    SOFA_TRY(SOFA_APPEND(ctx, &w->weight, &kept_weight[k]));
  }
  if (w->index.n >= UINT32_MAX / 3) {
    return sofa_fail(ctx, SOFA_ERR_RANGE, NULL, "a mapping of more than %u weights",
                     UINT32_MAX / 3);
  }
  const uint32_t end = (uint32_t)w->index.n;
  SOFA_TRY(SOFA_APPEND(ctx, &w->start, &end));
  w->uniform = w->n_out == 0 || w->uniform == n ? n : 0;
  w->n_out++;
  return SOFA_OK;
}

/* Sorts n inputs by their numbers of entries, those with the same number as they came. */
static void sort_inputs(uint32_t *input, size_t n, const uint32_t *count) {
  for (size_t i = 1; i < n; i++) {
    const uint32_t j = input[i];
    size_t at = i;
    for (; at > 0 && count[input[at - 1]] > count[j]; at--) input[at] = input[at - 1];
    input[at] = j;
  }
}

/* Numbers the inputs in use: slot[j] is the place of input j, or UINT32_MAX. Columns that are added
 * at once have about as many entries, and are near each other. */
static SofaErr list_inputs(SofaContext *ctx, SofaPointWeights *w, uint32_t *slot) {
  sofa_zero(slot, w->n_in * sizeof *slot);
  for (size_t e = 0; e < w->index.n; e++) slot[w->index.data[e]]++;
  for (uint32_t j = 0; j < w->n_in; j++)
    if (slot[j]) SOFA_TRY(SOFA_APPEND(ctx, &w->input, &j));
  uint32_t *input = w->input.data;
  for (size_t c = 0; c < w->input.n; c += SORTED_COLUMNS) {
    const size_t left = w->input.n - c;
    sort_inputs(input + c, left < SORTED_COLUMNS ? left : SORTED_COLUMNS, slot);
  }
  sofa_fill(slot, 0xff, w->n_in * sizeof *slot);
  for (size_t c = 0; c < w->input.n; c++) slot[input[c]] = (uint32_t)c;
  return SOFA_OK;
}

static void fill_columns(SofaPointWeights *w, const uint32_t *slot) {
  uint32_t *in_start = w->in_start.data;
  // count, then sum: in_start[c + 1] is the begin of column c and moves while it is filled
  for (size_t e = 0; e < w->index.n; e++) {
    const uint32_t c = slot[w->index.data[e]];
    if (c + 2 < w->in_start.n) in_start[c + 2]++;
  }
  for (size_t c = 2; c < w->in_start.n; c++) in_start[c] += in_start[c - 1];
  for (size_t i = 0; i < w->n_out; i++) {
    for (uint32_t e = w->start.data[i]; e < w->start.data[i + 1]; e++) {
      const uint32_t to = in_start[slot[w->index.data[e]] + 1]++;
      w->row.data[to] = (uint32_t)i;
      w->in_weight.data[to] = w->weight.data[e];
    }
  }
}

SofaErr sofa_point_weights_finish(SofaContext *ctx, SofaPointWeights *w, bool columns) {
  if (!columns) return SOFA_OK;
  SofaErr err = SOFA_OK;
  uint32_t *slot = sofa_alloc(ctx, w->n_in, sizeof *slot);
  if (!slot) return SOFA_ERR_MEMORY;
  SOFA_GO(err, done, list_inputs(ctx, w, slot));
  SOFA_GO(err, done, SOFA_RESIZE(ctx, &w->in_start, w->input.n + 1));
  SOFA_GO(err, done, SOFA_RESIZE(ctx, &w->row, w->index.n));
  SOFA_GO(err, done, SOFA_RESIZE(ctx, &w->in_weight, w->index.n));
  fill_columns(w, slot);
done:
  sofa_free(ctx, slot);
  return err;
}

void sofa_point_weights_free(SofaContext *ctx, SofaPointWeights *w) {
  sofa_list_free(ctx, &w->start);
  sofa_list_free(ctx, &w->index);
  sofa_list_free(ctx, &w->weight);
  sofa_list_free(ctx, &w->input);
  sofa_list_free(ctx, &w->in_start);
  sofa_list_free(ctx, &w->row);
  sofa_list_free(ctx, &w->in_weight);
  sofa_list_free(ctx, &w->j_start);
  sofa_list_free(ctx, &w->j_column);
  sofa_list_free(ctx, &w->j_value);
  w->n_in = w->n_out = 0;
}

/* ---- applying ---- */

typedef struct Job {
  SofaWeightLoop loop;
  SofaIsa isa;
} Job;

static void apply_rows(void *user, size_t begin, size_t end) {
  static SofaWeightKernel *const variants[] = SOFA_VARIANTS(sofa_weight_rows);
  const Job *job = user;
  variants[job->isa](&job->loop, begin, end);
}

void sofa_point_weights_apply(const SofaPointWeights *w, const SofaContext *ctx, const double *in,
                              double *out, size_t stride) {
  Job job = {{w, in, out, stride}, sofa_isa(ctx)};
  sofa_team_for(ctx, w->n_out, POINTS_GRAIN, apply_rows, &job);
}

static void add_columns(void *user, size_t begin, size_t end) {
  static SofaWeightKernel *const variants[] = SOFA_VARIANTS(sofa_weight_columns);
  const Job *job = user;
  variants[job->isa](&job->loop, begin, end);
}

void sofa_point_weights_add_transposed(const SofaPointWeights *w, const SofaContext *ctx,
                                       const double *out, size_t stride, double *in) {
  Job job = {{w, out, in, stride}, sofa_isa(ctx)};
  sofa_team_for(ctx, w->input.n, POINTS_GRAIN, add_columns, &job);
}

/* ---- matrix ---- */

static SofaErr make_matrix(SofaContext *ctx, SofaPointWeights *w, size_t stride) {
  const size_t entries = 3 * w->index.n;
  SOFA_TRY(SOFA_RESIZE(ctx, &w->j_start, w->n_out * stride + 1));
  SOFA_TRY(SOFA_RESIZE(ctx, &w->j_column, entries));
  SOFA_TRY(SOFA_RESIZE(ctx, &w->j_value, entries));
  uint32_t at = 0;
  size_t row = 0;
  for (size_t i = 0; i < w->n_out; i++) {
    for (uint32_t c = 0; c < stride; c++) {
      w->j_start.data[row++] = at;
      for (uint32_t e = w->start.data[i]; c < 3 && e < w->start.data[i + 1]; e++) {
        w->j_column.data[at] = 3 * w->index.data[e] + c;
        w->j_value.data[at++] = w->weight.data[e];
      }
    }
  }
  w->j_start.data[row] = at;
  return SOFA_OK;
}

SofaErr sofa_point_weights_matrix(SofaContext *ctx, SofaPointWeights *w, size_t stride,
                                  SofaCsr *out) {
  if (w->j_start.n != w->n_out * stride + 1) SOFA_TRY(make_matrix(ctx, w, stride));
  *out = (SofaCsr){.n_rows = w->n_out * stride,
                   .n_columns = 3 * w->n_in,
                   .start = w->j_start.data,
                   .column = w->j_column.data,
                   .value = w->j_value.data};
  return SOFA_OK;
}
