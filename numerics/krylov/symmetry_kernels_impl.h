/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Comparison of blocks with their transposes, compiled once per instruction set. Use symmetry.h. */
#ifndef SOFA_NUMERICS_KRYLOV_SYMMETRY_KERNELS_H
#define SOFA_NUMERICS_KRYLOV_SYMMETRY_KERNELS_H

#include "numerics/krylov/symmetry.h"

enum { SOFA_MIRROR_BATCH = 16 };

/* How many pairs of blocks of 3x3 at the beginning have the bits of each other's transposes: n, or
 * a multiple of SOFA_MIRROR_BATCH. A pair without a block across ends them. */
typedef size_t SofaMirrored3(const double *values, size_t n, const SofaMirrorPair *pair);

/* The last two exist on x86-64 only. */
extern SofaMirrored3 sofa_mirrored3_baseline, sofa_mirrored3_avx2, sofa_mirrored3_avx512;

#endif
