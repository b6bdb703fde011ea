/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Weighted sums of points, compiled once per instruction set. Use point_weights.h. */
#ifndef SOFA_NUMERICS_MAPPING_POINT_WEIGHTS_KERNELS_H
#define SOFA_NUMERICS_MAPPING_POINT_WEIGHTS_KERNELS_H

#include "numerics/mapping/point_weights.h"

/* A loop over the points of one side. */
typedef struct SofaWeightLoop {
  const SofaPointWeights *w;
  const double *from;
  double *to;
  size_t stride; /* of the outputs */
} SofaWeightLoop;

typedef void SofaWeightKernel(const SofaWeightLoop *loop, size_t begin, size_t end);

/* Rows: output points. Columns: places in w->input. The last two of each exist on x86-64 only. All
 * give the same bits. */
extern SofaWeightKernel sofa_weight_rows_baseline, sofa_weight_rows_avx2, sofa_weight_rows_avx512;
extern SofaWeightKernel sofa_weight_columns_baseline, sofa_weight_columns_avx2,
    sofa_weight_columns_avx512;

#endif
