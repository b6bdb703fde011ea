/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Operations of diagonal masses, compiled once per instruction set. Use mass_kernels.h. */
#ifndef SOFA_NUMERICS_MASS_MASS_KERNELS_IMPL_H
#define SOFA_NUMERICS_MASS_MASS_KERNELS_IMPL_H

#include "numerics/mass/mass_kernels.h"

/* The last two exist on x86-64 only. All give the same bits. */
extern const SofaMassKernels sofa_mass_kernels_baseline, sofa_mass_kernels_avx2,
    sofa_mass_kernels_avx512;

#endif
