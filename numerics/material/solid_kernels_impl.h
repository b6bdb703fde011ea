/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Loops over hyperelastic elements with quadrature, compiled once per instruction set. avx2 and
 * avx512 give the same bits. Use solid_batch.h. */
#ifndef SOFA_NUMERICS_MATERIAL_SOLID_KERNELS_H
#define SOFA_NUMERICS_MATERIAL_SOLID_KERNELS_H

#include "numerics/material/solid_batch.h"

typedef struct SofaSolidKernels {
  size_t (*force)(SofaSolidBatch *batch, const SofaSolidLaw *law, const SofaContext *ctx,
                  const double *x, double *f);
  size_t (*blocks)(SofaSolidBatch *batch, const SofaSolidLaw *law, const SofaContext *ctx);
} SofaSolidKernels;

/* The last two exist on x86-64 only. */
extern const SofaSolidKernels sofa_solid_kernels_baseline, sofa_solid_kernels_avx2,
    sofa_solid_kernels_avx512;

#endif
