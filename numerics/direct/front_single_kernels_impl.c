/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kernels of fronts in single precision. */
#define FRONT_SINGLE
#include <math.h>
#include <stdint.h>
#if defined(__AVX512F__) || defined(__AVX2__)
#include <immintrin.h>
#endif

#if defined(__AVX512F__)
typedef __m512 Lanes;
enum { LANES = 16 };
static inline Lanes lanes_madd(Lanes a, Lanes b, Lanes c) {
  return _mm512_fmadd_ps(a, b, c);
}
static inline Lanes lanes_load(const float *p) {
  return _mm512_loadu_ps(p);
}
static inline void lanes_store(float *p, Lanes a) {
  _mm512_storeu_ps(p, a);
}
static inline Lanes lanes_set(float a) {
  return _mm512_set1_ps(a);
}
static inline Lanes lanes_load_first(const float *p, int n) {
  return _mm512_maskz_loadu_ps((__mmask16)((1u << n) - 1), p);
}
static inline void lanes_store_first(float *p, int n, Lanes a) {
  _mm512_mask_storeu_ps(p, (__mmask16)((1u << n) - 1), a);
}
#elif defined(__AVX2__)
typedef __m256 Lanes;
enum { LANES = 8 };
static inline Lanes lanes_madd(Lanes a, Lanes b, Lanes c) {
  return _mm256_fmadd_ps(a, b, c);
}
static inline Lanes lanes_load(const float *p) {
  return _mm256_loadu_ps(p);
}
static inline void lanes_store(float *p, Lanes a) {
  _mm256_storeu_ps(p, a);
}
static inline Lanes lanes_set(float a) {
  return _mm256_set1_ps(a);
}
static inline __m256i mask_of(int n) {
  static const int32_t mask[16] = {-1, -1, -1, -1, -1, -1, -1, -1};
  return _mm256_loadu_si256((const __m256i *)(const void *)(mask + 8 - n));
}
static inline Lanes lanes_load_first(const float *p, int n) {
  return _mm256_maskload_ps(p, mask_of(n));
}
static inline void lanes_store_first(float *p, int n, Lanes a) {
  _mm256_maskstore_ps(p, mask_of(n), a);
}
#else
typedef float Lanes __attribute__((vector_size(16)));
enum { LANES = 4 };
static inline Lanes lanes_madd(Lanes a, Lanes b, Lanes c) {
  return a * b + c;
}
static inline Lanes lanes_load(const float *p) {
  return (Lanes){p[0], p[1], p[2], p[3]};
}
static inline void lanes_store(float *p, Lanes a) {
  for (int i = 0; i < LANES; i++) p[i] = a[i];
}
static inline Lanes lanes_set(float a) {
  return (Lanes){a, a, a, a};
}
static inline Lanes lanes_load_first(const float *p, int n) {
  Lanes a = {0, 0, 0, 0};
  for (int i = 0; i < n; i++) a[i] = p[i];
  return a;
}
static inline void lanes_store_first(float *p, int n, Lanes a) {
  for (int i = 0; i < n; i++) p[i] = a[i];
}
#endif

#define MASKED
enum { FRONT_VECTOR_BYTES = 4 * LANES };

static inline float real_madd(float a, float b, float c) {
#ifdef __FMA__
  return __builtin_fmaf(a, b, c);
#else
  return a * b + c;
#endif
}
static inline float real_sqrt(float a) {
  return sqrtf(a);
}

#include "numerics/direct/front_kernels_body_impl.h"
