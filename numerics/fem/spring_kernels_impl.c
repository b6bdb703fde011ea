/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kernels of springs, compiled once per instruction set with KERNELS_ISA naming it: a spring in
 * each lane. */
#include "numerics/fem/spring_kernels.h"

#include <stddef.h>
#include <string.h>

#include "numerics/fem/lane_block_impl.h"
#include "numerics/fem/polynomial_lanes_impl.h"

#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)
#define TEXT_(a) #a
#define TEXT(a) TEXT_(a)

/* Stiffness, damping, length, and the flags as they lie behind them. */
_Static_assert(sizeof(SofaSpring) == offsetof(SofaSpring, stiffness) + 4 * sizeof(double),
               "four words behind the points");
static inline void load_law(const SofaSpring *s, Lanes *law) {
  const char *from[LANES];
  for (int l = 0; l < LANES; l++) from[l] = (const char *)&s[l].stiffness;
  load_four_lanes(from, law);
}

/* not fused: the length at rest is rounded in the same way, and there is no force then */
static inline Lanes length_of(const Lanes *u) {
  return lanes_sqrt((u[0] * u[0] + u[1] * u[1]) + u[2] * u[2]);
}

/* Where the flag is set of which `only` has that one. */
static inline LaneBits has_flag(Lanes flags, const SofaSpring *only) {
  int64_t word;
  memcpy(&word, (const char *)only + offsetof(SofaSpring, elongation_only), sizeof word);
  const LaneBits none = (LaneBits)lanes_set(0);
  return (LaneBits)(((LaneBits)flags & word) != none);
}

/* Where nothing acts at the length d: of lanes of different flags as of equal ones. */
static inline LaneBits idle_at(const Lanes *law, Lanes d, double shortest) {
  static const SofaSpring pulls = {.elongation_only = true}, pushes = {.compression_only = true},
                          acts = {.enabled = true};
  const Lanes length = law[2], flags = law[3];
  const LaneBits slack = has_flag(flags, &pulls) & (LaneBits)(d <= length);
  const LaneBits taut = has_flag(flags, &pushes) & (LaneBits)(d >= length);
  return ~has_flag(flags, &acts) | (LaneBits)(d <= lanes_set(shortest)) | slack | taut;
}

/* Where row 0 of spring k begins. */
static inline size_t spring_at(size_t k) {
  return k / SOFA_LANES * SOFA_LANES * SOFA_SPRING_ROWS + k % SOFA_LANES;
}

/* Vectors from the first ends to the second ones, of the springs of a register. */
ALWAYS void between(const SofaSpring *s, const double *const *x, Lanes *d) {
  load_differences(sizeof *s / sizeof s->m1, &s->m1, x[0], &s->m2, x[1], d);
}

/* Adds a vector to the first end and takes it from the second one. */
ALWAYS void pull(const SofaSpring *s, const double *xy, double z, double *const *f) {
  const Two r = *(const Two *)(const void *)xy;
  add_three(r, z, f[0] + 3 * (size_t)s->m1);
  add_three(-r, -z, f[1] + 3 * (size_t)s->m2);
}

static inline void scatter_block(const Block *block, const SofaSpring *springs, size_t count,
                                 double *const *f) {
  double *const to[2] = {f[0], f[1]};
  size_t l = 0;
  for (; l + 1 < count; l += 2) {
    pull(springs + l, block->even + l, block->z[l], to);
    pull(springs + l + 1, block->odd + l, block->z[l + 1], to);
  }
  if (l < count) pull(springs + l, block->even + l, block->z[l], to);
}

/* The vectors of springs in the order of the springs. */
static inline void keep_block(const Block *block, size_t count, double *parts) {
  for (size_t l = 0; l < count; l++, parts += 3) {
    const double *xy = (l & 1 ? block->odd : block->even) + (l & ~(size_t)1);
    *(Two *)(void *)parts = *(const Two *)(const void *)xy;
    parts[2] = block->z[l];
  }
}

/* Gives the vectors of the springs from `begin` on. */
static inline void give_block(const Block *block, const SofaSpringRange *range, size_t begin,
                              size_t count, double *const *f) {
  if (range->parts) keep_block(block, count, range->parts + 3 * (begin - range->begin));
  else scatter_block(block, range->springs + begin, count, f);
}

/* The springs from `at` on; those of the last register behind the last one repeat it. */
typedef struct Tail {
  SofaSpring of[LANES];
} Tail;
static inline const SofaSpring *whole_register(const SofaSpring *springs, size_t at, size_t n,
                                               Tail *tail) {
  if (at + LANES <= n) return springs + at;
  for (size_t l = 0; l < LANES; l++) tail->of[l] = springs[at + l < n ? at + l : n - 1];
  return tail->of;
}

/* The forces of a register's springs; sets what is kept of them. */
static inline void force_of(const SofaSpring *s, double shortest, const SofaPoint *at, double *kept,
                            Lanes *r) {
  const Lanes zero = lanes_set(0), one = lanes_set(1);
  Lanes law[4], u[3], rate = zero;
  load_law(s, law);
  between(s, at->x, u);
  const Lanes d = length_of(u);
  const LaneBits idle = idle_at(law, d, shortest);
  const Lanes inverse = lanes_select(idle, zero, one / lanes_select(idle, one, d));
  for (int i = 0; i < 3; i++) u[i] = u[i] * inverse;
  if (lanes_any((LaneBits)(law[1] != zero))) {
    Lanes v[3];
    between(s, at->v, v);
    rate = law[1] * lanes_dot3(u, v);
  }
  const Lanes tension = lanes_select(idle, zero, lanes_madd(d - law[2], law[0], rate));
  const Lanes across = tension * inverse;
  lanes_store(kept, lanes_select(idle, zero, law[0] - across));
  lanes_store(kept + SOFA_LANES, across);
  for (int i = 0; i < 3; i++) {
    lanes_store(kept + (2 + i) * SOFA_LANES, u[i]);
    r[i] = tension * u[i];
  }
}

static void force(const SofaSpringRange *range, double shortest, const SofaPoint *at,
                  double *const *f, double *kept) {
  const size_t end = range->end;
  for (size_t begin = range->begin; begin < end; begin += BLOCK) {
    const size_t count = end - begin < BLOCK ? end - begin : BLOCK;
    Block block;
    Tail tail;
    for (size_t k = 0; k < count; k += LANES) {
      const SofaSpring *s = whole_register(range->springs, begin + k, end, &tail);
      Lanes r[3];
      force_of(s, shortest, at, kept + spring_at(begin + k), r);
      put(k, r, &block);
    }
    give_block(&block, range, begin, count, f);
  }
}

/* The forces of a register's springs, those from k on. T = (P' / L - t / l) u u^T + t / l I.
 */
static inline void tension_of(const SofaTension *t, const SofaSpring *s, size_t k,
                              const double *const *x, double *kept, Lanes *r) {
  const Lanes zero = lanes_set(0), one = lanes_set(1);
  Lanes law[4], u[3];
  load_law(s, law);
  between(s, x, u);
  const Lanes l = length_of(u);
  const LaneBits acts = lanes_less(zero, l) & lanes_less(zero, law[2]);
  const LaneBits stretched = acts & ~lanes_less(l, law[2]), pressed = acts & ~stretched;
  const Lanes length = lanes_select(acts, law[2], one), inverse = one / lanes_select(acts, l, one);
  const LaneValue p = polynomials_at(&t->polynomials, k, lanes_abs(l - length) / length);
  Lanes tension = lanes_select(stretched, p.value, zero);
  if (t->compressible) tension = lanes_select(pressed, -p.value, tension);
  Lanes drawn = tension;
  if (t->idle_tangent) drawn = lanes_select(acts, p.value, zero);
  const LaneBits stiff = t->compressible || t->idle_tangent ? acts : stretched;
  const Lanes across = drawn * inverse;
  lanes_store(kept, lanes_select(stiff, p.slope / length - across, zero));
  lanes_store(kept + SOFA_LANES, across);
  for (int i = 0; i < 3; i++) {
    u[i] = u[i] * inverse;
    lanes_store(kept + (2 + i) * SOFA_LANES, u[i]);
    r[i] = tension * u[i];
  }
}

static void polynomial_force(const SofaSpringRange *range, const SofaTension *tension,
                             const double *const *x, double *const *f, double *kept) {
  const size_t end = range->end;
  for (size_t begin = range->begin; begin < end; begin += BLOCK) {
    const size_t count = end - begin < BLOCK ? end - begin : BLOCK;
    Block block;
    Tail tail;
    for (size_t k = 0; k < count; k += LANES) {
      const SofaSpring *s = whole_register(range->springs, begin + k, end, &tail);
      Lanes r[3];
      tension_of(tension, s, begin + k, x, kept + spring_at(begin + k), r);
      put(k, r, &block);
    }
    give_block(&block, range, begin, count, f);
  }
}

/* along u u^T + across I is k T + b kd u u^T. */
typedef struct Tangent {
  Lanes along, across, u[3];
} Tangent;

ALWAYS Tangent tangent_of(const SofaSpring *s, SofaSpringFactors by, const double *kept) {
  const Lanes zero = lanes_set(0);
  Tangent t = {.along = lanes_load(kept), .across = lanes_load(kept + SOFA_LANES)};
  for (int i = 0; i < 3; i++) t.u[i] = lanes_load(kept + (2 + i) * SOFA_LANES);
  if (by.descends) {
    const Lanes push = lanes_select(lanes_less(t.across, zero), t.across, zero);
    t.along = t.along + push;
    t.across = t.across - push;
  }
  t.along = lanes_set(by.k) * t.along;
  t.across = lanes_set(by.k) * t.across;
  if (by.b != 0) {
    Lanes law[4];
    load_law(s, law);
    t.along = lanes_madd(lanes_set(by.b), law[1], t.along);
  }
  return t;
}

static inline void product_of(const SofaSpring *s, SofaSpringFactors by, const double *const *dx,
                              const double *kept, Lanes *r) {
  const Tangent t = tangent_of(s, by, kept);
  Lanes d[3];
  between(s, dx, d);
  const Lanes along = t.along * lanes_dot3(t.u, d);
  for (int i = 0; i < 3; i++) r[i] = lanes_madd(t.across, d[i], along * t.u[i]);
}

static void product(const SofaSpringRange *range, SofaSpringFactors by, const double *const *dx,
                    double *const *df, const double *kept) {
  const size_t end = range->end;
  for (size_t begin = range->begin; begin < end; begin += BLOCK) {
    const size_t count = end - begin < BLOCK ? end - begin : BLOCK;
    Block block;
    Tail tail;
    for (size_t k = 0; k < count; k += LANES) {
      const SofaSpring *s = whole_register(range->springs, begin + k, end, &tail);
      Lanes r[3];
      product_of(s, by, dx, kept + spring_at(begin + k), r);
      put(k, r, &block);
    }
    give_block(&block, range, begin, count, df);
  }
}

static void blocks(const SofaSpringRange *range, SofaSpringFactors by, const double *kept,
                   double *to) {
  for (size_t k = range->begin; k < range->end; k += LANES, to += 9 * LANES) {
    Tail tail;
    const SofaSpring *s = whole_register(range->springs, k, range->end, &tail);
    const Tangent t = tangent_of(s, by, kept + spring_at(k));
    Lanes rows[9];
    for (int i = 0; i < 3; i++) {
      const Lanes along = t.along * t.u[i];
      for (int j = i; j < 3; j++) rows[3 * i + j] = rows[3 * j + i] = along * t.u[j];
      rows[4 * i] = rows[4 * i] + t.across;
    }
    put_nine(rows, 9, to);
  }
}

const SofaSpringKernels CAT(sofa_spring_kernels_, KERNELS_ISA) = {
    .name = TEXT(KERNELS_ISA),
    .force = force,
    .polynomial_force = polynomial_force,
    .product = product,
    .blocks = blocks,
};
