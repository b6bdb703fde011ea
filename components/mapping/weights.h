/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A linear map of points by weights: each output point is a weighted sum of input points. */
#ifndef SOFA_MAPPING_WEIGHTS_H
#define SOFA_MAPPING_WEIGHTS_H

#include "behavior/mapping.h"

typedef struct SofaWeights { /* all-zero: empty */
  size_t n_out, n_in;
  uint32_t *start, *vertex; /* rows per output point: start has n_out + 1 entries */
  double *weight;
  uint32_t *in_start, *out_point; /* the same by input point, output points ascending */
  double *in_weight;
  uint32_t *j_start, *j_column; /* Jacobian over scalar dofs, made when first asked for */
  double *j_value;
} SofaWeights;

/* Takes over `start` (n_out + 1), `vertex` and `weight`, also on failure; sorts by input point. */
SofaErr sofa_weights_set(SofaContext *ctx, size_t n_out, size_t n_in, uint32_t *start,
                         uint32_t *vertex, double *weight, SofaWeights *out);
void sofa_weights_free(SofaContext *ctx, SofaWeights *weights);

/* out = W in on the first 3 reals of each entry; strides in reals. */
void sofa_weights_apply(const SofaWeights *weights, const double *in, size_t in_stride, double *out,
                        size_t out_stride, int threads);
/* in += W^T out; every sum runs over ascending output points. */
void sofa_weights_apply_transpose(const SofaWeights *weights, const double *out, size_t out_stride,
                                  double *in, size_t in_stride, int threads);
/* The Jacobian, 3 scalar rows of each out_stride per output point. */
SofaErr sofa_weights_jacobian(SofaContext *ctx, SofaWeights *weights, size_t in_stride,
                              size_t out_stride, SofaJacobian *out);

#endif
