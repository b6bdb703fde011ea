/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Solutions with a triangular factor of 3x3 blocks, compiled once per instruction set. Use
 * incomplete_cholesky.h. */
#ifndef SOFA_NUMERICS_KRYLOV_INCOMPLETE_KERNELS_H
#define SOFA_NUMERICS_KRYLOV_INCOMPLETE_KERNELS_H

#include <stddef.h>
#include <stdint.h>

/* Rows of blocks of L, row major; the last of a row is the inverse of its diagonal block. One real
 * behind the last block is read. */
typedef struct SofaTriangle3 {
  size_t n;
  const uint32_t *start, *column;
  const double *l;
} SofaTriangle3;

/* x = (L L^T)^-1 x; x: four reals for each row, the fourth 0 on entry, without meaning after. */
typedef void SofaTriangle3Solve(const SofaTriangle3 *t, double *x);

/* The last two exist on x86-64 only. */
extern SofaTriangle3Solve sofa_triangle3_solve_baseline, sofa_triangle3_solve_avx2,
    sofa_triangle3_solve_avx512;

#endif
