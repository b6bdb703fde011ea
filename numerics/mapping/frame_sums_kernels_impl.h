/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sums over frames, compiled once per instruction set. Use frame_sums.h. */
#ifndef SOFA_NUMERICS_MAPPING_FRAME_SUMS_KERNELS_H
#define SOFA_NUMERICS_MAPPING_FRAME_SUMS_KERNELS_H

#include "numerics/mapping/frame_sums.h"

/* from: positions or velocities of frames, or forces of points; to: points, or forces of frames. */
typedef struct SofaFrameSumKernels {
  void (*apply)(SofaFrameSums *m, const double *from, double *to);
  void (*apply_j)(const SofaFrameSums *m, const double *from, double *to);
  void (*apply_jt)(const SofaFrameSums *m, const double *from, double *to);
} SofaFrameSumKernels;

/* The last two exist on x86-64 only. All give the same bits. */
extern const SofaFrameSumKernels sofa_frame_sum_kernels_baseline, sofa_frame_sum_kernels_avx2,
    sofa_frame_sum_kernels_avx512;

#endif
