/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Weighted sums of points, compiled once per instruction set with KERNELS_ISA naming it. */
#include "numerics/mapping/point_weights_kernels_impl.h"

#include "math/point_register_impl.h"

/* ---- rows ---- */

ALWAYS void sum_row(const uint32_t *index, const double *weight, size_t n, const double *in,
                    double *to) {
  Quad sum = {0, 0, 0, 0};
  for (size_t k = 0; k < n; k++) sum += weight[k] * POINT(in + 3 * (size_t)index[k]);
  PUT(sum, to);
}

/* Rows of the same number of entries, a constant of the caller. */
ALWAYS void sum_rows(const SofaWeightLoop *loop, size_t n, size_t begin, size_t end) {
  const uint32_t *index = loop->w->index.data;
  const double *weight = loop->w->weight.data;
  for (size_t i = begin; i < end; i++)
    sum_row(index + n * i, weight + n * i, n, loop->from, loop->to + loop->stride * i);
}

SofaWeightKernel CAT(sofa_weight_rows_, KERNELS_ISA);
void CAT(sofa_weight_rows_, KERNELS_ISA)(const SofaWeightLoop *loop, size_t begin, size_t end) {
  const uint32_t *start = loop->w->start.data, *index = loop->w->index.data;
  const double *weight = loop->w->weight.data;
  switch (loop->w->uniform) {
  case 3:
    sum_rows(loop, 3, begin, end);
    return;
  case 4:
    sum_rows(loop, 4, begin, end);
    return;
  case 8:
    sum_rows(loop, 8, begin, end);
    return;
  default:
    break;
  }
  for (size_t i = begin; i < end; i++)
    sum_row(index + start[i], weight + start[i], start[i + 1] - start[i], loop->from,
            loop->to + loop->stride * i);
}

/* ---- columns ---- */

#define ENTRY(e) (in_weight[e] * POINT(from + stride * row[e]))

/* The entries [at, end) of column c after the sum of those before. */
ALWAYS void close_column(const SofaWeightLoop *loop, size_t c, uint32_t at, const double *before) {
  const SofaPointWeights *w = loop->w;
  const uint32_t *row = w->row.data, end = w->in_start.data[c + 1];
  const double *in_weight = w->in_weight.data, *from = loop->from;
  const size_t stride = loop->stride;
  double *to = loop->to + 3 * (size_t)w->input.data[c];
  Quad sum = POINT(before);
  for (uint32_t e = at; e < end; e++) sum += ENTRY(e);
  PUT(sum, to);
}

/* Four columns at once: each sum waits for its last addition. */
ALWAYS void add_four(const SofaWeightLoop *loop, size_t c) {
  const SofaPointWeights *w = loop->w;
  const uint32_t *row = w->row.data, *start = w->in_start.data + c, *input = w->input.data + c;
  const double *in_weight = w->in_weight.data, *from = loop->from;
  const size_t stride = loop->stride;
  double *to = loop->to, sum[4][4];
  uint32_t common = UINT32_MAX;
  for (int k = 0; k < 4; k++)
    if (start[k + 1] - start[k] < common) common = start[k + 1] - start[k];
  Quad s0 = POINT(to + 3 * (size_t)input[0]), s1 = POINT(to + 3 * (size_t)input[1]);
  Quad s2 = POINT(to + 3 * (size_t)input[2]), s3 = POINT(to + 3 * (size_t)input[3]);
  for (uint32_t e = 0; e < common; e++) {
    s0 += ENTRY(start[0] + e);
    s1 += ENTRY(start[1] + e);
    s2 += ENTRY(start[2] + e);
    s3 += ENTRY(start[3] + e);
  }
  *(QuadAt *)sum[0] = s0;
  *(QuadAt *)sum[1] = s1;
  *(QuadAt *)sum[2] = s2;
  *(QuadAt *)sum[3] = s3;
  for (size_t k = 0; k < 4; k++) close_column(loop, c + k, start[k] + common, sum[k]);
}

SofaWeightKernel CAT(sofa_weight_columns_, KERNELS_ISA);
void CAT(sofa_weight_columns_, KERNELS_ISA)(const SofaWeightLoop *loop, size_t begin, size_t end) {
  const SofaPointWeights *w = loop->w;
  size_t c = begin;
  for (; c + 4 <= end; c += 4) add_four(loop, c);
  for (; c < end; c++)
    close_column(loop, c, w->in_start.data[c], loop->to + 3 * (size_t)w->input.data[c]);
}
