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

/* Whether a spring of a register may be idle, by the square of the length: those of other flags
 * have to ask them. Before the root is found, and true of some that act. */
static inline bool may_idle(Lanes flags, Lanes square, double shortest) {
  static const SofaSpring acts = {.enabled = true};
  const Lanes least = lanes_set(2 * (shortest * shortest + DBL_MIN));
  return lanes_any((LaneBits)((LaneBits)flags != flags_of(&acts)) | (LaneBits)(square <= least));
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

/* The same of positions and velocities, whose places are found once. */
ALWAYS void both_between(Ends e, const SofaSpring *s, Lanes *d, Lanes *rate) {
  const double *const x = e.x[e.one ? 0 : 1], *const v = e.v[e.one ? 0 : 1];
  Three rows[2][LANES];
  __asm__("" : "+r"(s)); // else the compiler reads x before it knows whether v is read, too
  for (int l = 0; l < LANES; l++) {
    const size_t a = 3 * (size_t)s[l].m1, b = 3 * (size_t)s[l].m2;
    rows[0][l] = three_sub(three_load(x + b), three_load(e.x[0] + a));
    rows[1][l] = three_sub(three_load(v + b), three_load(e.v[0] + a));
  }
  columns_of_rows(rows[0], d);
  columns_of_rows(rows[1], rate);
}

/* Adds vectors to the first ends of n springs and takes them from the second ones. */
ALWAYS void pull(Ends e, const SofaSpring *s, size_t n, const Three *r) {
  double *const first = e.f[0], *const second = e.f[e.one ? 0 : 1];
  for (size_t l = 0; l < n; l++) {
    three_add(r[l], first + 3 * (size_t)s[l].m1);
    three_take(r[l], second + 3 * (size_t)s[l].m2);
  }
}

/* Gives the vectors of n springs s; those before have given `at` of them. */
ALWAYS void give_rows(Ends e, const SofaSpring *s, size_t at, size_t n, const Three *rows) {
  if (!e.parts) {
    pull(e, s, n, rows);
    return;
  }
  for (size_t l = 0; l < n; l++) three_store(rows[l], e.parts + 3 * (at + l));
}

/* The same of the last register. */
static __attribute__((noinline)) void give_last(Ends e, const SofaSpring *s, size_t at, size_t n,
                                                const Three *rows) {
  give_rows(e, s, at, n, rows);
}

/* Gives the vectors r of a register's springs s, those from k on. */
ALWAYS void give(Ends e, size_t k, const SofaSpring *s, const Lanes *r) {
  const size_t left = e.end - k, at = k - e.begin;
  Three rows[LANES];
  rows_of(r, rows);
  if (left >= LANES) {
    give_rows(e, s, at, LANES, rows);
  } else {
    Three last[LANES];
    for (int l = 0; l < LANES; l++) last[l] = rows[l];
    give_last(e, s, at, left, last);
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

/* Springs of a register, the vectors between their ends and the lengths of these. */
typedef struct Ahead {
  const SofaSpring *s;
  Lanes u[3], d, stiffness, length;
  Lanes rate;    /* kd (x2 - x1).(v2 - v1) */
  bool may_idle; /* one of them */
} Ahead;

ALWAYS Ahead look_at(Ends e, const SofaSpring *s, double shortest) {
  const Lanes zero = lanes_set(0);
  Ahead of = {.s = s, .rate = zero};
  Lanes law[4];
  load_law(s, law);
  if (lanes_any((LaneBits)(law[1] != zero))) {
    Lanes v[3];
    both_between(e, s, of.u, v);
    of.rate = law[1] * lanes_dot3(of.u, v);
  } else {
    between(e, s, of.u);
  }
  const Lanes square = square_of(of.u);
  of.d = lanes_sqrt(square);
  of.stiffness = law[0];
  of.length = law[2];
  of.may_idle = may_idle(law[3], square, shortest);
  return of;
}

/* The forces of a register's springs but for idle ones; sets what is kept of them. */
ALWAYS void force_of(const Ahead *of, LaneBits idle, double *kept, Lanes *r) {
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

/* Gives the forces of a register's springs, those from k on. */
ALWAYS void give_forces(Ends e, size_t k, const Ahead *of, double shortest, double *kept) {
  Lanes r[3];
  if (of->may_idle) {
    Lanes law[4];
    load_law(of->s, law);
    force_of(of, idle_at(law, of->d, shortest), kept, r);
  } else {
    force_of(of, (LaneBits)lanes_set(0), kept, r);
  }
  give(e, k, of->s, r);
}

/* The lengths of a register's springs are found while the forces of the one before are: roots and
 * divisions take longer than the rest. Two lanes take more copies than this saves. */
ALWAYS void forces(Ends e, double shortest, double *kept) {
  size_t k = e.begin;
  Tail tail;
  Ahead now, next;
  if (k >= e.end) return;
  next = look_at(e, whole_register(e.springs, k, e.end, &tail), shortest);
  for (; k + LANES < e.end && LANES > 2; k += LANES) {
    now = next;
    next = look_at(e, whole_register(e.springs, k + LANES, e.end, &tail), shortest);
    give_forces(e, k, &now, shortest, kept + spring_at(k));
  }
  for (; k < e.end; k += LANES) {
    if (LANES == 2) next = look_at(e, whole_register(e.springs, k, e.end, &tail), shortest);
    give_forces(e, k, &next, shortest, kept + spring_at(k));
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
ALWAYS void tension_of(const SofaTension *t, const Ahead *of, size_t k, double *kept, Lanes *r) {
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

ALWAYS Ahead look_at_lengths(Ends e, const SofaSpring *s) {
  Ahead of = {.s = s};
  Lanes law[4];
  load_law(s, law);
  between(e, s, of.u);
  of.d = lanes_sqrt(square_of(of.u));
  of.length = law[2];
  return of;
}

ALWAYS void tensions(Ends e, const SofaTension *tension, double *kept) {
  size_t k = e.begin;
  Tail tail;
  Lanes r[3];
  Ahead now, next;
  if (k >= e.end) return;
  next = look_at_lengths(e, whole_register(e.springs, k, e.end, &tail));
  for (; k + LANES < e.end && LANES > 2; k += LANES) {
    now = next;
    next = look_at_lengths(e, whole_register(e.springs, k + LANES, e.end, &tail));
    tension_of(tension, &now, k, kept + spring_at(k), r);
    give(e, k, now.s, r);
  }
  for (; k < e.end; k += LANES) {
    if (LANES == 2) next = look_at_lengths(e, whole_register(e.springs, k, e.end, &tail));
    tension_of(tension, &next, k, kept + spring_at(k), r);
    give(e, k, next.s, r);
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

ALWAYS void products(Ends e, SofaSpringFactors by, const double *kept) {
  for (size_t k = e.begin; k < e.end; k += LANES) {
    Tail tail;
    const SofaSpring *s = whole_register(e.springs, k, e.end, &tail);
    const Tangent t = tangent_of(s, by, kept + spring_at(k));
    Lanes d[3], r[3];
    between(e, s, d);
    const Lanes along = t.along * lanes_dot3(t.u, d);
    for (int i = 0; i < 3; i++) r[i] = lanes_madd(t.across, d[i], along * t.u[i]);
    give(e, k, s, r);
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
