/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Denormal numbers become 0 in a piece of code: state of the thread that calls. */
#ifndef SOFA_BASE_DENORMALS_H
#define SOFA_BASE_DENORMALS_H

#include <stdint.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

typedef uint64_t SofaFlushMode;

static inline SofaFlushMode sofa_flush_begin(void) {
#if defined(__x86_64__)
  enum { TO_ZERO = 0x8040 }; /* results, and operands */
  const unsigned mode = _mm_getcsr();
  _mm_setcsr(mode | TO_ZERO);
  return mode;
#elif defined(__aarch64__)
  uint64_t mode;
  __asm__ volatile("mrs %0, fpcr" : "=r"(mode));
  __asm__ volatile("msr fpcr, %0" : : "r"(mode | UINT64_C(1) << 24));
  return mode;
#else
  return 0;
#endif
}

static inline void sofa_flush_end(SofaFlushMode mode) {
#if defined(__x86_64__)
  _mm_setcsr((unsigned)mode);
#elif defined(__aarch64__)
  __asm__ volatile("msr fpcr, %0" : : "r"(mode));
#else
  (void)mode;
#endif
}

#endif
