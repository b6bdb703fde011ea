/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Points that are weighted sums of other points: p_i = sum_k w_ik q_k, the arithmetic of
 * barycentric mappings. */
#ifndef SOFA_NUMERICS_MAPPING_POINT_WEIGHTS_H
#define SOFA_NUMERICS_MAPPING_POINT_WEIGHTS_H

#include "base/array.h"
#include "math/sparse_product.h"

SOFA_BEGIN_DECLS

/* Compressed rows: output point i has the entries start[i] .. start[i + 1] - 1, in the order in
 * which they are summed. The columns by input point (for J^T) hold only inputs that some row uses,
 * nearly ascending: input[c] has the entries in_start[c] .. in_start[c + 1] - 1, rows ascending. */
typedef struct SofaPointWeights {
  size_t n_in, n_out;
  SofaIndices start, index; /* start: n_out + 1 */
  SofaReals weight;
  unsigned uniform; /* entries per row when all rows have the same number, else 0 */
  SofaIndices input, in_start, row;
  SofaReals in_weight;
  SofaIndices j_start, j_column; /* scalar Jacobian, made when first asked for */
  SofaReals j_value;
} SofaPointWeights;

/* Empties it for n_in input points; rows are then appended one by one, `finish` closes it. */
SofaErr sofa_point_weights_begin(SofaContext *ctx, SofaPointWeights *w, size_t n_in, size_t n_out);
/* n entries (at most 8). Entries of the same input point are merged. Inputs must be < n_in. */
SofaErr sofa_point_weights_append(SofaContext *ctx, SofaPointWeights *w, const uint32_t *index,
                                  const double *weight, unsigned n);
/* columns: also what add_transposed needs. */
SofaErr sofa_point_weights_finish(SofaContext *ctx, SofaPointWeights *w, bool columns);
void sofa_point_weights_free(SofaContext *ctx, SofaPointWeights *w);

/* The first 3 reals of each output, `stride` reals apart, become the weighted sums; the rest of an
 * output is left as it is. in: n_in x 3. Bitwise the same for any number of threads. */
void sofa_point_weights_apply(const SofaPointWeights *w, const SofaContext *ctx, const double *in,
                              double *out, size_t stride);
/* in += W^T out, summed over ascending output points. */
void sofa_point_weights_add_transposed(const SofaPointWeights *w, const SofaContext *ctx,
                                       const double *out, size_t stride, double *in);
/* The matrix over scalar dofs: n_out * stride rows (those beyond 3 per point empty), 3 n_in
 * columns. Made at the first call, borrowed from w. */
SofaErr sofa_point_weights_matrix(SofaContext *ctx, SofaPointWeights *w, size_t stride,
                                  SofaCsr *out);

SOFA_END_DECLS

#endif
