/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Weighted sums of points, their transpose without write conflicts, their Jacobian. */
#include "weights.h"

enum { SERIAL = 4096 }; /* fewer points than this are not worth threads */

void sofa_weights_free(SofaContext *ctx, SofaWeights *w) {
  void *owned[] = {w->start,     w->vertex,  w->weight,   w->in_start, w->out_point,
                   w->in_weight, w->j_start, w->j_column, w->j_value};
  for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) sofa_free(ctx, owned[i]);
  *w = (SofaWeights){0};
}

/* Rows by input point: counts, then places, keeping the order of output points. */
static SofaErr sort_by_input(SofaContext *ctx, SofaWeights *w) {
  const size_t n = w->start[w->n_out];
  w->in_start = (uint32_t *)sofa_alloc(ctx, w->n_in + 2, sizeof *w->in_start);
  w->out_point = (uint32_t *)sofa_alloc(ctx, n + 1, sizeof *w->out_point);
  w->in_weight = (double *)sofa_alloc(ctx, n + 1, sizeof *w->in_weight);
  if (!w->in_start || !w->out_point || !w->in_weight) return SOFA_ERR_MEMORY;
  for (size_t k = 0; k < n; k++) w->in_start[w->vertex[k] + 2]++;
  for (size_t i = 0; i < w->n_in; i++) w->in_start[i + 2] += w->in_start[i + 1];
  for (size_t p = 0; p < w->n_out; p++) {
    for (uint32_t k = w->start[p]; k < w->start[p + 1]; k++) {
      const uint32_t at = w->in_start[w->vertex[k] + 1]++;
      w->out_point[at] = (uint32_t)p;
      w->in_weight[at] = w->weight[k];
    }
  }
  return SOFA_OK;
}

SofaErr sofa_weights_set(SofaContext *ctx, size_t n_out, size_t n_in, uint32_t *start,
                         uint32_t *vertex, double *weight, SofaWeights *out) {
  sofa_weights_free(ctx, out);
  *out = (SofaWeights){
      .n_out = n_out, .n_in = n_in, .start = start, .vertex = vertex, .weight = weight};
  const SofaErr err = sort_by_input(ctx, out);
  if (err != SOFA_OK) sofa_weights_free(ctx, out);
  return err;
}

void sofa_weights_apply(const SofaWeights *w, const double *in, size_t in_stride, double *out,
                        size_t out_stride, int threads) {
  const bool parallel = threads > 1 && w->n_out >= SERIAL;
#pragma omp parallel for schedule(static) num_threads(threads) if (parallel)
  for (size_t p = 0; p < w->n_out; p++) {
    double sum[3] = {0, 0, 0};
    for (uint32_t k = w->start[p]; k < w->start[p + 1]; k++) {
      const double *x = in + w->vertex[k] * in_stride;
      for (int c = 0; c < 3; c++) sum[c] += x[c] * w->weight[k];
    }
    for (int c = 0; c < 3; c++) out[p * out_stride + (size_t)c] = sum[c];
  }
}

void sofa_weights_apply_transpose(const SofaWeights *w, const double *out, size_t out_stride,
                                  double *in, size_t in_stride, int threads) {
  const bool parallel = threads > 1 && w->n_in >= SERIAL;
#pragma omp parallel for schedule(static) num_threads(threads) if (parallel)
  for (size_t v = 0; v < w->n_in; v++) {
    double *f = in + v * in_stride;
    for (uint32_t k = w->in_start[v]; k < w->in_start[v + 1]; k++) {
      const double *g = out + w->out_point[k] * out_stride;
      for (int c = 0; c < 3; c++) f[c] += g[c] * w->in_weight[k];
    }
  }
}

static SofaErr make_jacobian(SofaContext *ctx, SofaWeights *w, size_t in_stride,
                             size_t out_stride) {
  const size_t n = w->start[w->n_out], n_rows = w->n_out * out_stride;
  w->j_start = (uint32_t *)sofa_alloc(ctx, n_rows + 1, sizeof *w->j_start);
  w->j_column = (uint32_t *)sofa_alloc(ctx, 3 * n + 1, sizeof *w->j_column);
  w->j_value = (double *)sofa_alloc(ctx, 3 * n + 1, sizeof *w->j_value);
  if (!w->j_start || !w->j_column || !w->j_value) return SOFA_ERR_MEMORY;
  size_t at = 0;
  for (size_t row = 0; row < n_rows; row++) {
    const size_t p = row / out_stride, c = row % out_stride;
    w->j_start[row] = (uint32_t)at;
    for (uint32_t k = w->start[p]; c < 3 && k < w->start[p + 1]; k++, at++) {
      w->j_column[at] = (uint32_t)(w->vertex[k] * in_stride + c);
      w->j_value[at] = w->weight[k];
    }
  }
  w->j_start[n_rows] = (uint32_t)at;
  return SOFA_OK;
}

SofaErr sofa_weights_jacobian(SofaContext *ctx, SofaWeights *w, size_t in_stride, size_t out_stride,
                              SofaJacobian *out) {
  if (!w->j_value) {
    const SofaErr err = make_jacobian(ctx, w, in_stride, out_stride);
    if (err != SOFA_OK) {
      sofa_free(ctx, w->j_start);
      sofa_free(ctx, w->j_column);
      sofa_free(ctx, w->j_value);
      w->j_start = w->j_column = NULL, w->j_value = NULL;
      return err;
    }
  }
  *out = (SofaJacobian){.n_rows = w->n_out * out_stride,
                        .n_columns = w->n_in * in_stride,
                        .start = w->j_start,
                        .column = w->j_column,
                        .value = w->j_value};
  return SOFA_OK;
}
