/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Springs between frames in lanes, a spring in each: what their structs have to registers and back,
 * and what they give to their frames. */
#ifndef SOFA_COMPONENTS_SPRING_FRAME_LANES_H
#define SOFA_COMPONENTS_SPRING_FRAME_LANES_H

#include <stddef.h>

#include "numerics/fem/lane_frames_impl.h"

/* The springs of lanes; those behind the last one repeat it. */
typedef struct LaneSprings {
  char *at[LANES];
  size_t count; /* that are not repeated */
} LaneSprings;

/* Of the n > 0 springs from the first one on, `size` bytes each. */
ALWAYS LaneSprings lane_springs(const void *first, size_t size, size_t n) {
  LaneSprings s = {.count = n < LANES ? n : LANES};
  for (size_t l = 0; l < LANES; l++)
    s.at[l] = (char *)(uintptr_t)first + size * (l < n ? l : n - 1);
  return s;
}

/* n reals, at most 8, of their structs, one behind the other. */
ALWAYS void load_members(const LaneSprings *s, size_t offset, size_t n, Lanes *out) {
  const double *from[LANES];
  for (int l = 0; l < LANES; l++) from[l] = (const double *)(const void *)(s->at[l] + offset);
  load_reals(n, from, out);
}
ALWAYS void store_members(const LaneSprings *s, size_t offset, const Lanes *eight) {
  double *to[LANES];
  for (int l = 0; l < LANES; l++) to[l] = (double *)(void *)(s->at[l] + offset);
  store_eight(eight, to);
}

/* The points are the first members. */
ALWAYS uint32_t end_of(const LaneSprings *s, size_t l, size_t end) {
  return ((const uint32_t *)(const void *)s->at[l])[end];
}
/* n of the `width` reals of the points at an end; x: of point 0. */
ALWAYS void load_ends(const LaneSprings *s, size_t end, size_t width, size_t n, const double *x,
                      Lanes *out) {
  const double *from[LANES];
  for (size_t l = 0; l < LANES; l++) from[l] = x + width * end_of(s, l, end);
  load_reals(n, from, out);
}

/* The second ends' twists less those of the first ones. */
ALWAYS void load_relative(const LaneSprings *s, const double *const *v, Lanes *out) {
  Lanes first[6];
  load_ends(s, 0, 6, 6, v[0], first);
  load_ends(s, 1, 6, 6, v[1], out);
  for (int k = 0; k < 6; k++) out[k] = out[k] - first[k];
}

/* Twists of lanes, pairs of reals of even and of odd lanes: from registers they are added without
 * waiting until they are in the cache. */
typedef struct LaneTwists {
  Lanes even[3], odd[3];
} LaneTwists;

ALWAYS LaneTwists lane_twists(const Lanes *f) {
  LaneTwists t;
  for (int k = 0; k < 3; k++) {
    t.even[k] = even_pairs(f[2 * k], f[2 * k + 1]);
    t.odd[k] = odd_pairs(f[2 * k], f[2 * k + 1]);
  }
  return t;
}
/* Pair k of lane l, both known to the compiler. */
ALWAYS Two pair_of_twist(const LaneTwists *t, int l, int k) {
  return two_lanes(l & 1 ? t->odd[k] : t->even[k], l & ~1);
}
ALWAYS void add_lane_twist(const LaneTwists *t, int l, double *to) {
  for (int k = 0; k < 3; k++) *(Two *)(void *)(to + 2 * k) += pair_of_twist(t, l, k);
}
ALWAYS void take_lane_twist(const LaneTwists *t, int l, double *to) {
  for (int k = 0; k < 3; k++) *(Two *)(void *)(to + 2 * k) -= pair_of_twist(t, l, k);
}

/* Adds a twist to the first end of each spring and takes it from the second one. */
ALWAYS void give_opposite(const LaneSprings *s, const Lanes *f, double *const *to) {
  const LaneTwists t = lane_twists(f);
#pragma GCC unroll 8
  for (int l = 0; l < LANES; l++) {
    if ((size_t)l >= s->count) continue;
    add_lane_twist(&t, l, to[0] + 6 * (size_t)end_of(s, (size_t)l, 0));
    take_lane_twist(&t, l, to[1] + 6 * (size_t)end_of(s, (size_t)l, 1));
  }
}
/* Adds a twist to each of both ends. */
ALWAYS void give_both(const LaneSprings *s, const Lanes *f, double *const *to) {
  const LaneTwists t[2] = {lane_twists(f), lane_twists(f + 6)};
#pragma GCC unroll 8
  for (int l = 0; l < LANES; l++)
    for (int k = 0; k < 2 && (size_t)l < s->count; k++)
      add_lane_twist(&t[k], l, to[k] + 6 * (size_t)end_of(s, (size_t)l, (size_t)k));
}

/* `n` rows of lanes to those of each spring, one after the other. */
ALWAYS void store_report(const LaneSprings *s, size_t n, const Lanes *rows, double *out) {
  for (size_t k = 0; k < n; k++) {
    double lanes[LANES];
    lanes_store(lanes, rows[k]);
    for (size_t l = 0; l < s->count; l++) out[n * l + k] = lanes[l];
  }
}

#endif
