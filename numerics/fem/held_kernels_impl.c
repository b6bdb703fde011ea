/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kernels of polynomial springs that hold points, compiled once per instruction set with
 * KERNELS_ISA naming it: a spring in each lane. */
#include "numerics/fem/held_kernels.h"

#include "numerics/fem/lane_block_impl.h"
#include "numerics/fem/lane_functions_impl.h"
#include "numerics/fem/polynomial_lanes_impl.h"

#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)
#define TEXT_(a) #a
#define TEXT(a) TEXT_(a)

/* Numbers of the springs from `from` on; behind the last one it is repeated in `tail`. */
static inline const uint32_t *whole_register(const uint32_t *list, size_t from, size_t n,
                                             uint32_t *tail) {
  if (from + LANES <= n) return list + from;
  for (size_t l = 0; l < LANES; l++) tail[l] = list[from + l < n ? from + l : n - 1];
  return tail;
}

/* Where row 0 of spring k begins. */
static inline size_t spring_at(size_t k) {
  return k / SOFA_LANES * SOFA_LANES * SOFA_HELD_ROWS + k % SOFA_LANES;
}

static inline Lanes lengths_at(const SofaHeldPoints *p, size_t from) {
  double length[LANES];
  if (p->n_lengths == 1) return lanes_set(p->lengths[0]);
  for (size_t l = 0; l < LANES; l++) length[l] = p->lengths[from + l < p->n_lengths ? from + l : 0];
  return lanes_load(length);
}

/* Takes the vectors of a block from the points. */
static inline void take_block(const Block *block, const uint32_t *held, size_t count, double *f) {
  for (size_t l = 0; l < count; l++) {
    const double *xy = (l % 2 ? block->odd : block->even) + (l & ~(size_t)1);
    add_three(-*(const Two *)(const void *)xy, -block->z[l], f + 3 * (size_t)held[l]);
  }
}

/* P w of a register's springs, those from k on, with their w = d on entry. */
static inline void pull_of(const SofaHeldPoints *p, size_t k, Lanes *w, double *kept, Lanes *r) {
  const Lanes zero = lanes_set(0), one = lanes_set(1), scale = lanes_set(p->scale);
  const Lanes r2 = lanes_dot3(w, w), distance = lanes_sqrt(r2);
  const Lanes e = lanes_exp(lanes_set(p->shift) - scale * r2), size = lanes_sqrt(r2 + e);
  const Lanes length = lengths_at(p, k);
  const LaneValue law = polynomials_at(&p->polynomials, k, distance / length);
  const LaneBits some = lanes_less(zero, size), apart = lanes_less(zero, distance);
  const Lanes inverse = one / lanes_select(some, size, one), slope = law.slope / length;
  const Lanes spread = one - scale * e, across = law.value * inverse;
  const Lanes ratio = lanes_select(apart, size / lanes_select(apart, distance, one), zero);
  Lanes along = slope * ratio - across * spread;
  if (p->diagonal) along = (slope - across) * spread;
  lanes_store(kept, along);
  lanes_store(kept + SOFA_LANES, across);
  for (int i = 0; i < 3; i++) {
    w[i] = w[i] * inverse;
    lanes_store(kept + (2 + i) * SOFA_LANES, w[i]);
    r[i] = law.value * w[i];
  }
}

static void force(const SofaHeldPoints *p, const double *x, double *f, double *kept) {
  for (size_t begin = 0; begin < p->n; begin += BLOCK) {
    const size_t count = p->n - begin < BLOCK ? p->n - begin : BLOCK;
    uint32_t tail[2][LANES];
    Block block;
    for (size_t k = 0; k < count; k += LANES) {
      const uint32_t *held = whole_register(p->held, begin + k, p->n, tail[0]);
      const uint32_t *at = whole_register(p->at, begin + k, p->n, tail[1]);
      Lanes d[3], r[3];
      load_differences(1, at, p->places, held, x, d);
      pull_of(p, begin + k, d, kept + spring_at(begin + k), r);
      put(k, r, &block);
    }
    take_block(&block, p->held + begin, count, f);
  }
}

static inline void product_of(bool diagonal, Lanes k, const double *kept, const Lanes *d,
                              Lanes *r) {
  const Lanes along = k * lanes_load(kept), across = k * lanes_load(kept + SOFA_LANES);
  Lanes w[3];
  for (int i = 0; i < 3; i++) w[i] = lanes_load(kept + (2 + i) * SOFA_LANES);
  const Lanes dot = lanes_dot3(w, d);
  for (int i = 0; i < 3; i++) {
    Lanes moved = dot;
    if (diagonal) moved = w[i] * d[i];
    r[i] = lanes_madd(across, d[i], along * w[i] * moved);
  }
}

static void product(const SofaHeldPoints *p, double k, const double *kept, const double *dx,
                    double *df) {
  const Lanes scale = lanes_set(k);
  for (size_t begin = 0; begin < p->n; begin += BLOCK) {
    const size_t count = p->n - begin < BLOCK ? p->n - begin : BLOCK;
    uint32_t tail[LANES];
    Block block;
    for (size_t l = 0; l < count; l += LANES) {
      Lanes d[3], r[3];
      load_three_lanes(whole_register(p->held, begin + l, p->n, tail), dx, d);
      product_of(p->diagonal, scale, kept + spring_at(begin + l), d, r);
      put(l, r, &block);
    }
    take_block(&block, p->held + begin, count, df);
  }
}

const SofaHeldKernels CAT(sofa_held_kernels_, KERNELS_ISA) = {
    .name = TEXT(KERNELS_ISA),
    .force = force,
    .product = product,
};
