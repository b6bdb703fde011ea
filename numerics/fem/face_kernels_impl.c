/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kernels of triangles under pressure, compiled once per instruction set with KERNELS_ISA naming
 * it: a triangle in each lane. */
#include "numerics/fem/face_kernels.h"

#include "numerics/fem/row_sums_impl.h"

#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)
#define TEXT_(a) #a
#define TEXT(a) TEXT_(a)

typedef uint32_t Corners[3];

/* Those of the triangles from `at` on; in the last register, points stand in for the triangles
 * behind the last one. */
static inline const Corners *whole_register(const Corners *v, size_t at, size_t n, Corners *tail) {
  if (at + LANES <= n) return v + at;
  for (size_t l = 0; l < LANES; l++)
    for (int c = 0; c < 3; c++) tail[l][c] = at + l < n ? v[at + l][c] : v[0][0];
  return (const Corners *)tail;
}

/* Where row 0 of triangle k begins. */
static inline size_t face_at(size_t k) {
  return k / SOFA_LANES * SOFA_LANES * SOFA_FACE_ROWS + k % SOFA_LANES;
}

/* What the vectors of triangles are wanted for. */
typedef enum Wanted { FORCE, PRODUCT, SURFACE } Wanted;

/* A loop over triangles; what its kind does not read is 0. */
typedef struct Call {
  Wanted wanted; /* known to the compiler */
  const Corners *v;
  size_t n;
  double factor;
  const double *x; /* positions, or changes of them */
  double *kept;    /* products read it; NULL: it is not set */
  SofaVectorsTo to;
  const double *origin;
  double *measures; /* of the group of triangle 0 */
  size_t stride;
} Call;

/* Triangles of a register: b - a and c - a, and a of a surface. */
typedef struct Seen {
  Lanes ab[3], ac[3], a[3];
} Seen;

ALWAYS Seen look_at(Call c, const Corners *v) {
  Seen of;
  RowPair a[ROW_PAIRS], ab[ROW_PAIRS], ac[ROW_PAIRS];
#pragma GCC unroll 4
  for (size_t r = 0; r < ROW_PAIRS; r++) {
    a[r] = load_pair(c.x, &v[0][0], 3, r);
    ab[r] = pair_sub(load_pair(c.x, &v[0][1], 3, r), a[r]);
    ac[r] = pair_sub(load_pair(c.x, &v[0][2], 3, r), a[r]);
  }
  columns_of_pairs(ab, of.ab);
  columns_of_pairs(ac, of.ac);
  columns_of_pairs(a, of.a);
  return of;
}

/* ---- sums over a surface ---- */

/* Sets or adds to (a - origin).n and |n|. */
ALWAYS void measure(Call c, size_t k, const Seen *of, const Lanes *normal) {
  double *to = c.measures + k / SOFA_LANES * c.stride + k % SOFA_LANES;
  Lanes a[3], now[2] = {lanes_set(0), lanes_set(0)};
  for (int i = 0; i < 3; i++) a[i] = of->a[i] - lanes_set(c.origin[i]);
  for (int i = 0; !c.stride && i < 2; i++) now[i] = lanes_load(to + i * SOFA_LANES);
  lanes_store(to, now[0] + lanes_dot3(a, normal));
  lanes_store(to + SOFA_LANES, now[1] + lanes_sqrt(lanes_dot3(normal, normal)));
}

/* ---- vectors ---- */

/* The vectors part n; keeps part (b - a) and part (c - a). */
ALWAYS void force_of(Call c, size_t k, const Seen *of, Lanes *r) {
  const Lanes part = lanes_set(c.factor);
  double *kept = c.kept ? c.kept + face_at(k) : NULL;
  Lanes normal[3];
  lanes_cross(of->ab, of->ac, normal);
  for (int i = 0; i < 3; i++) r[i] = part * normal[i];
  for (int i = 0; kept && i < 3; i++) {
    lanes_store(kept + i * SOFA_LANES, part * of->ab[i]);
    lanes_store(kept + (3 + i) * SOFA_LANES, part * of->ac[i]);
  }
  if (c.wanted == SURFACE) measure(c, k, of, normal);
}

ALWAYS void product_of(Call c, size_t k, const Seen *of, Lanes *r) {
  const double *kept = c.kept + face_at(k);
  Lanes ab[3], ac[3], other[3];
  for (int i = 0; i < 3; i++) {
    ab[i] = lanes_load(kept + i * SOFA_LANES);
    ac[i] = lanes_load(kept + (3 + i) * SOFA_LANES);
  }
  lanes_cross(ab, of->ac, r);
  lanes_cross(ac, of->ab, other);
  for (int i = 0; i < 3; i++) r[i] = lanes_set(c.factor) * (r[i] - other[i]);
}

/* Of the triangles from k on, a register of them. */
ALWAYS void vectors_of(Call c, size_t k, const Seen *of, Lanes *r) {
  if (c.wanted == PRODUCT) product_of(c, k, of, r);
  else force_of(c, k, of, r);
}

/* ---- corners ---- */

/* Adds vectors of lanes to all corners of a register's triangles. */
ALWAYS void push(const Corners *v, const Lanes *r, double *f) {
  const Lanes even = even_pairs(r[0], r[1]), odd = odd_pairs(r[0], r[1]), z = odd_pairs(r[2], r[2]);
#pragma GCC unroll 8
  for (int l = 0; l < LANES; l++) {
    const Two xy = two_lanes(l & 1 ? odd : even, l & ~1);
    const double last = two_lanes(l & 1 ? z : r[2], l & ~1)[0];
    for (int c = 0; c < 3; c++) add_three(xy, last, f + 3 * (size_t)v[l][c]);
  }
}

/* The same of the first n of them. */
static __attribute__((noinline)) void push_first(const Corners *v, size_t n, const Three *rows,
                                                 double *f) {
  for (size_t l = 0; l < n; l++)
    for (int c = 0; c < 3; c++) three_add(rows[l], f + 3 * (size_t)v[l][c]);
}

/* Gives the vectors r of the register of triangles from k on, which is whole. */
ALWAYS void give(Call c, size_t k, const Lanes *r) {
  if (c.to.parts) put_lanes(r, LANES, c.to.parts + 3 * k);
  else if (c.to.f) push(c.v + k, r, c.to.f);
}

/* Those of the last register. */
ALWAYS void give_last(Call c, size_t k, const Lanes *r) {
  const size_t left = c.n - k;
  Three rows[LANES];
  if (left >= LANES) {
    give(c, k, r);
  } else if (c.to.parts) {
    put_lanes(r, left, c.to.parts + 3 * k);
  } else if (c.to.f) {
    rows_of(r, rows);
    push_first(c.v + k, left, rows, c.to.f);
  }
}

/* ---- loops ---- */

/* The triangles of whole registers, two or more; the result is the first one behind them. A
 * register is read while the vectors of the one before are found and those of the one before that
 * are given: all of it one after the other takes longer than a processor looks ahead. */
ALWAYS size_t give_ahead(Call c) {
  size_t k = LANES;
  Lanes r[3], last[3];
  Seen of = look_at(c, c.v);
  vectors_of(c, 0, &of, last);
  of = look_at(c, c.v + k);
  for (; k + 2 * LANES <= c.n; k += LANES) {
    const Seen next = look_at(c, c.v + k + LANES);
    vectors_of(c, k, &of, r);
    give(c, k - LANES, last);
    of = next;
    for (int i = 0; i < 3; i++) last[i] = r[i];
  }
  give(c, k - LANES, last);
  vectors_of(c, k, &of, r);
  give(c, k, r);
  return k + LANES;
}

ALWAYS void give_all(Call c) {
  size_t k = LANES > 2 && 2 * LANES <= c.n ? give_ahead(c) : 0;
  for (; k < c.n; k += LANES) {
    Corners tail[LANES];
    Lanes r[3];
    const Seen of = look_at(c, whole_register(c.v, k, c.n, tail));
    vectors_of(c, k, &of, r);
    give_last(c, k, r);
  }
}

static void force(const Corners *v, size_t n, double part, const double *x, SofaVectorsTo to,
                  double *kept) {
  give_all((Call){FORCE, v, n, part, x, kept, to, NULL, NULL, 0});
}

static void product(const Corners *v, size_t n, double factor, const double *kept, const double *dx,
                    SofaVectorsTo to) {
  // products do not change what is kept
  give_all((Call){PRODUCT, v, n, factor, dx, (double *)(uintptr_t)kept, to, NULL, NULL, 0});
}

static void surface(const SofaSurface *s, double part, SofaVectorsTo to, double *kept) {
  give_all((Call){SURFACE, s->v, s->n, part, s->x, kept, to, s->origin, s->measures, s->stride});
}

/* [w] of lanes: w x v = [w] v. */
static inline void put_cross(const Lanes *w, double *to) {
  const Lanes zero = lanes_set(0);
  const Lanes rows[9] = {zero, -w[2], w[1], w[2], zero, -w[0], -w[1], w[0], zero};
  put_nine(rows, 27, to);
}

static void blocks(size_t begin, size_t end, double factor, const double *kept, double *to) {
  const Lanes scale = lanes_set(factor), half = lanes_set(0.5);
  for (size_t k = begin; k < end; k += LANES, to += 27 * LANES) {
    Lanes w[3][3];
    for (int i = 0; i < 3; i++) {
      const Lanes ab = scale * lanes_load(kept + face_at(k) + i * SOFA_LANES);
      const Lanes ac = scale * lanes_load(kept + face_at(k) + (3 + i) * SOFA_LANES);
      w[0][i] = half * ab - ac;
      w[1][i] = half * (ab + ac);
      w[2][i] = half * ac - ab;
    }
    for (int edge = 0; edge < 3; edge++) put_cross(w[edge], to + 9 * edge);
  }
}

ALWAYS void sum_rows(size_t registers, const double *x, size_t n, double *sums) {
  const size_t period = registers * LANES;
  Lanes s[3 * SOFA_LANES / LANES];
  size_t begin = 0;
  for (size_t r = 0; r < registers; r++) s[r] = lanes_set(0);
  for (; begin + period <= n; begin += period)
    for (size_t r = 0; r < registers; r++) s[r] = s[r] + lanes_load(x + begin + r * LANES);
  for (size_t r = 0; r < registers; r++) lanes_store(sums + r * LANES, s[r]);
  for (size_t k = 0; begin + k < n; k++) sums[k] += x[begin + k];
}

static void sum(const double *x, size_t n, size_t period, double *sums) {
  enum { REGISTERS = SOFA_LANES / LANES };
  if (period == 2 * SOFA_LANES) sum_rows(2 * REGISTERS, x, n, sums);
  else sum_rows(3 * REGISTERS, x, n, sums);
}

const SofaFaceKernels CAT(sofa_face_kernels_, KERNELS_ISA) = {
    .name = TEXT(KERNELS_ISA),
    .force = force,
    .product = product,
    .blocks = blocks,
    .surface = surface,
    .sum = sum,
};
