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
/* The sums of eight reals each, in four pairs of registers or four registers: in pairs, those that
 * are farthest apart first. */
#if defined(__AVX512F__) || defined(__AVX2__)
#define ADD_UP_FOUR
static inline void add_up_four(__m256d a, __m256d b, __m256d c, __m256d d, double *sums) {
  const __m256d ab = _mm256_permute2f128_pd(a, b, 0x20) + _mm256_permute2f128_pd(a, b, 0x31);
  const __m256d cd = _mm256_permute2f128_pd(c, d, 0x20) + _mm256_permute2f128_pd(c, d, 0x31);
  _mm256_storeu_pd(sums, _mm256_permute4x64_pd(_mm256_hadd_pd(ab, cd), 0xd8));
}
#endif
#if defined(__AVX512F__)
#define MASKED
static inline __m256d halves(const Lanes *sum) {
  return _mm512_castpd512_pd256(*sum) + _mm512_extractf64x4_pd(*sum, 1);
}
static inline Lanes lanes_load_first(const double *p, int n) {
  return _mm512_maskz_loadu_pd((__mmask8)((1u << n) - 1), p);
}
static inline void lanes_store_first(double *p, int n, Lanes a) {
  _mm512_mask_storeu_pd(p, (__mmask8)((1u << n) - 1), a);
}
#elif defined(__AVX2__) /* masked stores are slow on some processors: there are none */
static inline __m256d halves(const Lanes *sum) {
  return sum[0] + sum[1];
}
static inline Lanes lanes_load_first(const double *p, int n) {
  static const int64_t mask[8] = {-1, -1, -1, -1};
  return _mm256_maskload_pd(p, _mm256_loadu_si256((const __m256i *)(const void *)(mask + 4 - n)));
}
#else
static inline Lanes lanes_load_first(const double *p, int n) {
  return (Lanes){p[0], n > 1 ? p[1] : 0};
}
#endif

#include "numerics/direct/front_kernels_body_impl.h"
