/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The generator of SOFA's engines: the 48-bit linear congruence of POSIX drand48, whose upper 32
 * bits are used. */
#ifndef SOFA_NUMERICS_SPATIAL_RANDOM_H
#define SOFA_NUMERICS_SPATIAL_RANDOM_H

#include <stdint.h>

typedef struct EngineRandom {
  uint64_t state;
} EngineRandom;

static inline EngineRandom engine_random_start(void) {
  return (EngineRandom){UINT64_C(0x1234abcd330e)};
}
static inline EngineRandom engine_random_seed(uint32_t seed) {
  return (EngineRandom){((uint64_t)seed << 16) + 0x330e};
}
/* Uniform in [low, high]. */
static inline double engine_random(EngineRandom *r, double low, double high) {
  r->state = (r->state * UINT64_C(0x5deece66d) + 0xb) & UINT64_C(0xffffffffffff);
  return low + (high - low) * ((double)(r->state >> 16) / 4294967295.0);
}

#endif
