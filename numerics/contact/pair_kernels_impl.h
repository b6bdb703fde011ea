/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kernels of pair_batch.h of each instruction set; sofa_pair_kernels chooses. */
#ifndef SOFA_NUMERICS_CONTACT_PAIR_KERNELS_H
#define SOFA_NUMERICS_CONTACT_PAIR_KERNELS_H

#include "numerics/contact/pair_batch.h"

/* The last two exist on x86-64 only. */
extern const SofaPairKernels sofa_pair_kernels_baseline, sofa_pair_kernels_avx2,
    sofa_pair_kernels_avx512;

#endif
