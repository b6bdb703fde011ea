/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Operations of diagonal masses, compiled once per instruction set. Use diagonal_kernels.h. */
#ifndef SOFA_NUMERICS_MASS_DIAGONAL_KERNELS_IMPL_H
#define SOFA_NUMERICS_MASS_DIAGONAL_KERNELS_IMPL_H

#include "numerics/mass/diagonal_kernels.h"

/* The last two exist on x86-64 only. All give the same bits. */
extern const SofaDiagonalKernels sofa_diagonal_kernels_baseline, sofa_diagonal_kernels_avx2,
    sofa_diagonal_kernels_avx512;

#endif
