/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kernels of fronts in double precision. */
#include "numerics/fem/lanes_impl.h"

enum { FRONT_VECTOR_BYTES = 8 * LANES };

static inline double real_madd(double a, double b, double c) {
#ifdef __FMA__
  return __builtin_fma(a, b, c);
#else
  return a * b + c;
#endif
}
static inline double real_sqrt(double a) {
  return sqrt(a);
}
#ifdef __AVX512F__
#define MASKED
static inline Lanes lanes_load_first(const double *p, int n) {
  return _mm512_maskz_loadu_pd((__mmask8)((1u << n) - 1), p);
}
static inline void lanes_store_first(double *p, int n, Lanes a) {
  _mm512_mask_storeu_pd(p, (__mmask8)((1u << n) - 1), a);
}
#endif

#include "numerics/direct/front_kernels_body_impl.h"
