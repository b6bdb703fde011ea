/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reproducible integers, and vectors of them, for tests against exact arithmetic. */
#ifndef TESTS_INTEGERS_H
#define TESTS_INTEGERS_H

#include <stdbool.h>
#include <stdint.h>

typedef __int128 Wide;

typedef struct Random {
  uint64_t state;
} Random;

/* Uniform in [-m, m] (xorshift64). */
static inline int64_t random_integer(Random *r, int64_t m) {
  r->state ^= r->state << 13;
  r->state ^= r->state >> 7;
  r->state ^= r->state << 17;
  return (int64_t)((r->state >> 11) % (uint64_t)(2 * m + 1)) - m;
}
/* Uniform in [-1, 1]. */
static inline double random_real(Random *r) {
  return (double)random_integer(r, INT64_C(1) << 51) / 0x1p51;
}

typedef struct Integers {
  int64_t v[3];
} Integers;

static inline Integers integers_random(Random *r, int64_t m) {
  Integers a;
  for (int k = 0; k < 3; k++) a.v[k] = random_integer(r, m);
  return a;
}
static inline Integers integers_sub(Integers a, Integers b) {
  return (Integers){{a.v[0] - b.v[0], a.v[1] - b.v[1], a.v[2] - b.v[2]}};
}
static inline int64_t integers_dot(Integers a, Integers b) {
  return a.v[0] * b.v[0] + a.v[1] * b.v[1] + a.v[2] * b.v[2];
}
static inline Integers integers_cross(Integers a, Integers b) {
  return (Integers){{a.v[1] * b.v[2] - a.v[2] * b.v[1], a.v[2] * b.v[0] - a.v[0] * b.v[2],
                     a.v[0] * b.v[1] - a.v[1] * b.v[0]}};
}
static inline int64_t integers_det(Integers a, Integers b, Integers c) {
  return integers_dot(a, integers_cross(b, c));
}
static inline bool integers_zero(Integers a) {
  return a.v[0] == 0 && a.v[1] == 0 && a.v[2] == 0;
}
static inline void integers_reals(Integers a, double scale, double *x) {
  for (int k = 0; k < 3; k++) x[k] = scale * (double)a.v[k];
}
static inline int sign_of(Wide a) {
  return (a > 0) - (a < 0);
}

#endif
