/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reproducible numbers for the tests of the mathematics. */
#ifndef TESTS_RANDOM_H
#define TESTS_RANDOM_H

#include <stdint.h>

typedef struct Random {
  uint64_t state;
} Random;

/* Uniform in [-1, 1] (xorshift64). */
static inline double random_real(Random *r) {
  r->state ^= r->state << 13;
  r->state ^= r->state >> 7;
  r->state ^= r->state << 17;
  return (double)(int64_t)r->state / 9223372036854775808.0;
}

static inline void random_reals(Random *r, int n, double *x) {
  for (int i = 0; i < n; i++) x[i] = random_real(r);
}

#endif
