/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kernels of springs, compiled once per instruction set with KERNELS_ISA naming it: a spring in
 * each lane. */
#include "numerics/fem/spring_kernels.h"

#include <float.h>
#include <stddef.h>
#include <string.h>

#include "numerics/fem/polynomial_lanes_impl.h"
#include "numerics/fem/row_sums_impl.h"

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
static inline Lanes square_of(const Lanes *u) {
  return (u[0] * u[0] + u[1] * u[1]) + u[2] * u[2];
}

/* The flags of a spring in a word. */
static inline int64_t flags_of(const SofaSpring *s) {
  int64_t word;
  memcpy(&word, (const char *)s + offsetof(SofaSpring, elongation_only), sizeof word);
  return word;
}

/* Where the flag is set of which `only` has that one. */
static inline LaneBits has_flag(Lanes flags, const SofaSpring *only) {
  const LaneBits none = (LaneBits)lanes_set(0);
  return (LaneBits)(((LaneBits)flags & flags_of(only)) != none);
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

/* Whether a spring of a register may be too short to act, by the square of the length: before the
 * root is found, and true of some that act. */
static inline bool may_be_short(Lanes square, double shortest) {
  return lanes_any((LaneBits)(square <= lanes_set(2 * (shortest * shortest + DBL_MIN))));
}

/* 0 in the lanes that are named. */
static inline Lanes without(LaneBits lanes, Lanes a) {
  return (Lanes)(~lanes & (LaneBits)a);
}

/* Where row 0 of spring k begins, the first one of a register. */
static inline size_t spring_at(size_t k) {
  if ((int)LANES == (int)SOFA_LANES) return k * SOFA_SPRING_ROWS;
  return k / SOFA_LANES * SOFA_LANES * SOFA_SPRING_ROWS + k % SOFA_LANES;
}

/* ---- ends ---- */

/* Vectors of the points at both ends, and springs begin .. end - 1. one: both ends are in one
 * state, and the first vectors are those of both; where the compiler knows it, fewer addresses are
 * needed.
 */
typedef struct Ends {
  bool one;
  const double *x[2], *v[2];
  double *f[2], *parts;
  const SofaSpring *springs;
  size_t begin, end;
} Ends;

static inline Ends ends_of(const SofaSpringRange *range, const double *const *x, double *const *f) {
  return (Ends){.one = x[0] == x[1] && f[0] == f[1],
                .x = {x[0], x[1]},
                .f = {f[0], f[1]},
                .parts = range->parts,
                .springs = range->springs,
                .begin = range->begin,
                .end = range->end};
}

enum { STRIDE = sizeof(SofaSpring) / sizeof(uint32_t) };

/* Vectors from the first ends to the second ones, of the springs of a register. */
ALWAYS void between(Ends e, const SofaSpring *s, Lanes *d) {
  load_differences(STRIDE, &s->m1, e.x[0], &s->m2, e.x[e.one ? 0 : 1], d);
}

/* The same of velocities. */
ALWAYS void rates_between(Ends e, const SofaSpring *s, Lanes *d) {
  load_differences(STRIDE, &s->m1, e.v[0], &s->m2, e.v[e.one ? 0 : 1], d);
}

/* Adds vectors to the first ends of n springs and takes them from the second ones. */
static __attribute__((noinline)) void pull_first(Ends e, const SofaSpring *s, size_t n,
                                                 const Three *rows) {
  for (size_t l = 0; l < n; l++) {
    three_add(rows[l], e.f[0] + 3 * (size_t)s[l].m1);
    three_take(rows[l], e.f[1] + 3 * (size_t)s[l].m2);
  }
}

/* Gives the vectors r of the register of springs from k on, which is whole. */
ALWAYS void give(Ends e, size_t k, const Lanes *r) {
  const uint32_t *ends = &e.springs[k].m1;
  if (e.parts) put_lanes(r, LANES, e.parts + 3 * (k - e.begin));
  else add_opposite(STRIDE, ends, r, e.f[0], e.f[e.one ? 0 : 1]);
}

/* Those of the last register. */
ALWAYS void give_last(Ends e, size_t k, const Lanes *r) {
  const size_t left = e.end - k;
  Three rows[LANES];
  if (left >= LANES) {
    give(e, k, r);
  } else if (e.parts) {
    put_lanes(r, left, e.parts + 3 * (k - e.begin));
  } else {
    rows_of(r, rows);
    pull_first(e, e.springs + k, left, rows);
  }
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

/* ---- forces ---- */

/* Springs of a register, their law but for flags, and the vectors between their ends. */
typedef struct Seen {
  const SofaSpring *s;
  Lanes u[3], v[3], law[3]; /* v: of velocities where one damps */
  bool damps, flagged;      /* one of them; other flags than of springs that always act */
} Seen;

ALWAYS Seen look_at(Ends e, const SofaSpring *s) {
  static const SofaSpring acts = {.enabled = true};
  Seen of = {.s = s, .v = {lanes_set(0), lanes_set(0), lanes_set(0)}};
  Lanes law[4];
  load_law(s, law);
  for (int i = 0; i < 3; i++) of.law[i] = law[i];
  of.flagged = lanes_any((LaneBits)((LaneBits)law[3] != flags_of(&acts)));
  of.damps = lanes_any((LaneBits)(law[1] != lanes_set(0)));
  between(e, s, of.u);
  if (of.damps) rates_between(e, s, of.v);
  return of;
}

/* Springs of a register, the vectors between their ends and the lengths of these. */
typedef struct Measured {
  const SofaSpring *s;
  Lanes u[3], d, stiffness, length;
  Lanes rate;    /* kd (x2 - x1).(v2 - v1) */
  bool may_idle; /* one of them */
} Measured;

ALWAYS Measured measure(const Seen *seen, double shortest) {
  Measured of = {.s = seen->s, .stiffness = seen->law[0], .length = seen->law[2]};
  for (int i = 0; i < 3; i++) of.u[i] = seen->u[i];
  of.rate = lanes_set(0);
  if (seen->damps) of.rate = seen->law[1] * lanes_dot3(seen->u, seen->v);
  const Lanes square = square_of(of.u);
  of.d = lanes_sqrt(square);
  of.may_idle = seen->flagged || may_be_short(square, shortest);
  return of;
}

/* The forces of a register's springs but for idle ones; sets what is kept of them. */
ALWAYS void acting_force(const Measured *of, LaneBits idle, double *kept, Lanes *r) {
  const Lanes one = lanes_set(1), d = of->d;
  const Lanes inverse = without(idle, one / lanes_select(idle, one, d));
  const Lanes drawn = lanes_madd(d - of->length, of->stiffness, of->rate * inverse);
  const Lanes tension = without(idle, drawn), across = tension * inverse;
  lanes_store(kept, without(idle, of->stiffness - across));
  lanes_store(kept + SOFA_LANES, across);
  for (int i = 0; i < 3; i++) {
    const Lanes u = of->u[i] * inverse;
    lanes_store(kept + (2 + i) * SOFA_LANES, u);
    r[i] = tension * u;
  }
}

/* The forces of a register's springs; sets what is kept of them. */
ALWAYS void force_of(const Measured *of, double shortest, double *kept, Lanes *r) {
  if (of->may_idle) {
    Lanes law[4];
    load_law(of->s, law);
    acting_force(of, idle_at(law, of->d, shortest), kept, r);
  } else {
    acting_force(of, (LaneBits)lanes_set(0), kept, r);
  }
}

ALWAYS Measured look_and_measure(Ends e, const SofaSpring *s, double shortest) {
  const Seen seen = look_at(e, s);
  return measure(&seen, shortest);
}

/* The springs of whole registers, two or more; the result is the first one behind them. A register
 * is read while the forces of the one before are found and those of the one before that are given:
 * reading, root, division and sums one after the other take longer than a processor looks ahead.
 * Two lanes take more copies than this saves. */
ALWAYS size_t forces_ahead(Ends e, double shortest, double *kept) {
  size_t k = e.begin;
  Lanes r[3], last[3];
  Measured of = look_and_measure(e, e.springs + k, shortest);
  force_of(&of, shortest, kept + spring_at(k), last);
  k += LANES;
  of = look_and_measure(e, e.springs + k, shortest);
  for (; k + 2 * LANES <= e.end; k += LANES) {
    const Seen seen = look_at(e, e.springs + k + LANES);
    force_of(&of, shortest, kept + spring_at(k), r);
    give(e, k - LANES, last);
    of = measure(&seen, shortest);
    for (int i = 0; i < 3; i++) last[i] = r[i];
  }
  give(e, k - LANES, last);
  force_of(&of, shortest, kept + spring_at(k), r);
  give(e, k, r);
  return k + LANES;
}

ALWAYS void forces(Ends e, double shortest, double *kept) {
  size_t k = e.begin;
  if (LANES > 2 && k + 2 * LANES <= e.end) k = forces_ahead(e, shortest, kept);
  for (; k < e.end; k += LANES) {
    Tail tail;
    Lanes r[3];
    const SofaSpring *s = whole_register(e.springs, k, e.end, &tail);
    const Measured of = look_and_measure(e, s, shortest);
    force_of(&of, shortest, kept + spring_at(k), r);
    give_last(e, k, r);
  }
}

static void force(const SofaSpringRange *range, double shortest, const SofaPoint *at,
                  double *const *f, double *kept) {
  Ends e = ends_of(range, at->x, f);
  e.v[0] = at->v[0];
  e.v[1] = at->v[1];
  e.one = e.one && e.v[0] == e.v[1];
  if (e.one) {
    e.one = true;
    forces(e, shortest, kept);
  } else {
    e.one = false;
    forces(e, shortest, kept);
  }
}

/* The forces of a register's springs, those from k on. T = (P' / L - t / l) u u^T + t / l I.
 */
ALWAYS void tension_of(const SofaTension *t, const Measured *of, size_t k, double *kept, Lanes *r) {
  const Lanes zero = lanes_set(0), one = lanes_set(1), l = of->d;
  const LaneBits acts = lanes_less(zero, l) & lanes_less(zero, of->length);
  const LaneBits stretched = acts & ~lanes_less(l, of->length), pressed = acts & ~stretched;
  const Lanes length = lanes_select(acts, of->length, one);
  const Lanes inverse = one / lanes_select(acts, l, one);
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
    const Lanes u = of->u[i] * inverse;
    lanes_store(kept + (2 + i) * SOFA_LANES, u);
    r[i] = tension * u;
  }
}

ALWAYS Measured measure_lengths(Ends e, const SofaSpring *s) {
  Measured of = {.s = s};
  Lanes law[4];
  load_law(s, law);
  between(e, s, of.u);
  of.d = lanes_sqrt(square_of(of.u));
  of.length = law[2];
  return of;
}

/* As forces_ahead. */
ALWAYS size_t tensions_ahead(Ends e, const SofaTension *tension, double *kept) {
  size_t k = e.begin;
  Lanes r[3], last[3];
  Measured of = measure_lengths(e, e.springs + k);
  tension_of(tension, &of, k, kept + spring_at(k), last);
  k += LANES;
  of = measure_lengths(e, e.springs + k);
  for (; k + 2 * LANES <= e.end; k += LANES) {
    const Measured next = measure_lengths(e, e.springs + k + LANES);
    tension_of(tension, &of, k, kept + spring_at(k), r);
    give(e, k - LANES, last);
    of = next;
    for (int i = 0; i < 3; i++) last[i] = r[i];
  }
  give(e, k - LANES, last);
  tension_of(tension, &of, k, kept + spring_at(k), r);
  give(e, k, r);
  return k + LANES;
}

ALWAYS void tensions(Ends e, const SofaTension *tension, double *kept) {
  size_t k = e.begin;
  if (LANES > 2 && k + 2 * LANES <= e.end) k = tensions_ahead(e, tension, kept);
  for (; k < e.end; k += LANES) {
    Tail tail;
    Lanes r[3];
    const Measured of = measure_lengths(e, whole_register(e.springs, k, e.end, &tail));
    tension_of(tension, &of, k, kept + spring_at(k), r);
    give_last(e, k, r);
  }
}

static void polynomial_force(const SofaSpringRange *range, const SofaTension *tension,
                             const double *const *x, double *const *f, double *kept) {
  Ends e = ends_of(range, x, f);
  if (e.one) {
    e.one = true;
    tensions(e, tension, kept);
  } else {
    e.one = false;
    tensions(e, tension, kept);
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

ALWAYS void product_of(const SofaSpring *s, SofaSpringFactors by, const double *kept,
                       const Lanes *d, Lanes *r) {
  const Tangent t = tangent_of(s, by, kept);
  const Lanes along = t.along * lanes_dot3(t.u, d);
  for (int i = 0; i < 3; i++) r[i] = lanes_madd(t.across, d[i], along * t.u[i]);
}

/* As forces_ahead. */
ALWAYS size_t products_ahead(Ends e, SofaSpringFactors by, const double *kept) {
  size_t k = e.begin;
  Lanes d[3], next[3], r[3], last[3];
  between(e, e.springs + k, d);
  product_of(e.springs + k, by, kept + spring_at(k), d, last);
  k += LANES;
  between(e, e.springs + k, d);
  for (; k + 2 * LANES <= e.end; k += LANES) {
    between(e, e.springs + k + LANES, next);
    product_of(e.springs + k, by, kept + spring_at(k), d, r);
    give(e, k - LANES, last);
    for (int i = 0; i < 3; i++) last[i] = r[i];
    for (int i = 0; i < 3; i++) d[i] = next[i];
  }
  give(e, k - LANES, last);
  product_of(e.springs + k, by, kept + spring_at(k), d, r);
  give(e, k, r);
  return k + LANES;
}

ALWAYS void products(Ends e, SofaSpringFactors by, const double *kept) {
  size_t k = e.begin;
  if (LANES > 2 && k + 2 * LANES <= e.end) k = products_ahead(e, by, kept);
  for (; k < e.end; k += LANES) {
    Tail tail;
    Lanes d[3], r[3];
    const SofaSpring *s = whole_register(e.springs, k, e.end, &tail);
    between(e, s, d);
    product_of(s, by, kept + spring_at(k), d, r);
    give_last(e, k, r);
  }
}

static void product(const SofaSpringRange *range, SofaSpringFactors by, const double *const *dx,
                    double *const *df, const double *kept) {
  Ends e = ends_of(range, dx, df);
  if (e.one) {
    e.one = true;
    products(e, by, kept);
  } else {
    e.one = false;
    products(e, by, kept);
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
