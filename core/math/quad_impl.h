/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Registers of four reals, for kernels of small blocks whose rows are shorter than a register of
 * the widest instruction set. Fused multiply-add where there is one, so that avx2 and avx512 give
 * the same bits. */
#ifndef SOFA_MATH_QUAD_IMPL_H
#define SOFA_MATH_QUAD_IMPL_H

#ifdef __FMA__
#include <immintrin.h>
#endif

typedef double Quad __attribute__((vector_size(32)));
typedef double QuadAt __attribute__((vector_size(32), aligned(8), may_alias));

/* functions of such registers have no calling convention on all machines */
#define LOAD(p) (*(const QuadAt *)(p))
#ifdef __FMA__
#define MADD(a, b, c) _mm256_fmadd_pd(a, b, c)
#else
#define MADD(a, b, c) ((a) * (b) + (c))
#endif

#endif
