/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Points of three reals in registers of four, for kernels of points. The last real is not used.
 * Nothing is fused: the bits are those of the scalar functions of math/three.h. */
#ifndef SOFA_MATH_POINT_REGISTER_IMPL_H
#define SOFA_MATH_POINT_REGISTER_IMPL_H

#include "math/quad_impl.h"

#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)
#define ALWAYS static inline __attribute__((always_inline))

typedef double Two __attribute__((vector_size(16), aligned(8), may_alias));

/* functions of such registers have no calling convention on all machines */

/* Three reals and a zero; nothing behind the third one is read. */
#ifdef __AVX2__
#define POINT(p) _mm256_maskload_pd(p, _mm256_setr_epi64x(-1, -1, -1, 0))
#else
#define POINT(p) ((Quad){(p)[0], (p)[1], (p)[2], 0})
#endif
#define PUT(a, p)                                                                                  \
  do {                                                                                             \
    *(Two *)(void *)(p) = (Two){(a)[0], (a)[1]};                                                   \
    (p)[2] = (a)[2];                                                                               \
  } while (0)

/* PUT of one of several points that are put in ascending order, but the last one: what it writes
 * behind its place is the next point's. */
#define PUT_BEFORE(a, p) (*(QuadAt *)(p) = (a))

/* a < b ? a : b and a > b ? a : b of each real */
#ifdef __AVX2__
#define LEAST(a, b) _mm256_min_pd(a, b)
#define GREATEST(a, b) _mm256_max_pd(a, b)
#else
#define LEAST(a, b) PICK(a, b, <)
#define GREATEST(a, b) PICK(a, b, >)
#define PICK(a, b, is)                                                                             \
  ((Quad){(a)[0] is(b)[0] ? (a)[0] : (b)[0], (a)[1] is(b)[1] ? (a)[1] : (b)[1],                    \
          (a)[2] is(b)[2] ? (a)[2] : (b)[2], 0})
#endif

/* y z x */
#define TURNED(a) __builtin_shufflevector(a, a, 1, 2, 0, 3)
/* a x b, where a1 and b1 are TURNED a and b. */
#define CROSS(a, a1, b, b1) TURNED((a) * (b1) - (a1) * (b))

#endif
